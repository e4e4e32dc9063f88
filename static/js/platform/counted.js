// What the server counts on a page (data-counted: its name there), brought up to date once something has arrived that
// the page was drawn without.

import { spoken } from "./language.js";

const REACHED = "a, button, summary, [tabindex]";
const TIMEOUT_MS = 20000;

/** Draw these parts as they stand on the server now for `user`; false where it does not say, and another time may. */
export async function recount(user) {
  const parts = document.querySelectorAll("[data-counted]");
  if (!parts.length) return true;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(location.href, { headers: { Accept: "text/html", ...spoken }, signal });
    // Another page came in its place, or this one is no longer to be had: it has no such parts.
    if (answer.redirected || !answer.ok) return !(answer.status === 429 || answer.status >= 500);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // Somebody else has logged in meanwhile: theirs is not shown here.
    if (page.querySelector("#unsent")?.dataset.user !== user) return true;
    for (const part of parts) {
      const now = page.querySelector(`[data-counted="${part.dataset.counted}"]`);
      if (now && now.outerHTML !== part.outerHTML) renew(part, now);
    }
    // Told once: they were for whoever asked for the page next, which was this.
    const messages = page.querySelector("main .messages");
    if (messages) document.querySelector("main").prepend(messages);
    return true;
  } catch {
    return false;
  }
}

function renew(part, now) {
  const held = part.contains(document.activeElement) ? document.activeElement : null;
  const focused = held && counterpart(held, part, now);
  for (const opened of part.querySelectorAll("details[open]")) {
    const summary = counterpart(opened.querySelector("summary"), part, now);
    if (summary) summary.parentElement.open = true;
  }
  for (const element of now.querySelectorAll("[autofocus]")) element.removeAttribute("autofocus");
  part.replaceWith(now);
  focused?.focus({ preventScroll: true });
}

/** What stands now for this control: in the row that leads to the same place, else in the whole part. */
function counterpart(control, part, now) {
  const row = control.closest("tr, li");
  const link = row?.querySelector("a[href]");
  const isTo = (other, place) => other.getAttribute("href") === place;
  const there = link && [...now.querySelectorAll("a[href]")].find((other) => isTo(other, link.getAttribute("href")))?.closest("tr, li");
  if (link && !there) return null;
  const [before, after] = there ? [row, there] : [part, now];
  const isLike = (other) => other.tagName === control.tagName && isTo(other, control.getAttribute("href"));
  const alike = (within) => [...within.querySelectorAll(REACHED)].filter(isLike);
  return alike(after)[alike(before).indexOf(control)] ?? null;
}
