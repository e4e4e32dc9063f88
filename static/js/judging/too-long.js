// A text that is longer than the server takes: said below it as long as it is, and nothing of it is cut.

import { say } from "./form.js";

const lines = new WeakMap();

/** Look at a control that may hold `data-longest` characters: counted as the server does, who takes no emoji for two. */
export function measure(control) {
  const excess = [...control.value].length - control.dataset.longest;
  const text = excess > 0 ? say("tooLong", { count: excess }) : "";
  if (control.validationMessage === text) return;
  control.setCustomValidity(text);
  control.ariaInvalid = text ? "true" : null;
  const line = lines.get(control) ?? added(control);
  line.textContent = text;
  line.hidden = !text;
}

function added(control) {
  const line = document.createElement("p");
  Object.assign(line, { className: "field__problem small", role: "status" });
  const row = control.closest("[data-error], [data-edit]");
  // Below all that stands in the row beside it.
  line.style.gridColumn = "1 / -1";
  if (row) row.append(line);
  else control.after(line);
  lines.set(control, line);
  return line;
}
