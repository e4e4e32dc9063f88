// What the server refused, at its fields. Fetched when something is, or kept before (keeping.js).

import { say } from "./form.js";
import { clearProblems, shownProblems } from "./notices.js";

const byId = (id) => document.getElementById(id);

function paragraph(message) {
  const line = document.createElement("p");
  line.className = "field__problem";
  line.textContent = message;
  return line;
}

/** Where a problem belongs: its own field, else the row or the list around it. */
function place(field) {
  const parts = field.split(".");
  while (parts.length) {
    const element = byId(`id_${parts.join(".")}`);
    if (element) return element;
    parts.pop();
  }
  return null;
}

/** Show each problem at its field and one line above the submit button; put the focus on the first. */
export function showProblems(problems, reveal) {
  clearProblems();
  const line = document.createElement("p");
  line.className = "field__problem";
  line.append(say("refusedSummary"));
  for (const { field, message, url } of problems) {
    const target = place(field);
    const row = target?.closest("[data-error]")?.querySelector("[data-row-problems]");
    const said = paragraph(message);
    (row ?? document.querySelector(`[data-problems="${field}"]`))?.append(said);
    const link = document.createElement("a");
    // Some are mended on a page of their own, which leads back.
    Object.assign(link, { href: url ?? `#id_${field}`, textContent: message });
    if (!url) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        attend(target, reveal);
      });
    }
    const item = document.createElement("span");
    item.append(" ", link);
    line.append(item);
    shownProblems.add({ target, said, item });
  }
  byId("problems").append(line);
  const first = place(problems[0]?.field ?? "");
  if (first) attend(first, reveal);
  else line.querySelector("a")?.focus();
}

function attend(target, reveal) {
  if (!target) return;
  reveal(target);
  const isControl = target.matches("input, select, textarea");
  (isControl ? target : (target.querySelector("input, select") ?? target)).focus();
}
