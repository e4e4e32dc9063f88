// Logging out: first everything is sent that waits. What cannot be sent is told, and the person decides.

import { sendLeft } from "./left.js";
import { isDirty } from "./outbox.js";
import { canSeal, forget } from "./vault.js";

const PATIENCE_MS = 5000;

/** Log out by `form`, unless the person stays. `flush` sends what this very page holds. */
export async function leave(form, { store, session, flush = () => {} }) {
  await Promise.race([sendAll(store, session, flush), pause(PATIENCE_MS)]);
  const unsent = await kept(store);
  if (unsent.length + store.closed && !(await confirmed(unsent, store.closed))) {
    form.querySelector("button").removeAttribute("aria-disabled");
    form.querySelector("[data-busy]").textContent = "";
    return;
  }
  // Where copies cannot be sealed, the next person at this computer could read them.
  if (!canSeal) for (const copy of [...(await store.copies()), ...store.notes]) await store.remove(copy);
  await forget();
  form.submit();
}

async function kept(store) {
  const unsent = (await store.copies()).filter((copy) => copy.sent || isDirty(copy));
  return [...unsent, ...store.notes];
}

/** What the server has refused for good needs no more time. */
const isUnsendable = (copy) => Boolean(copy.unsendable);

async function sendAll(store, session, flush) {
  if ("BroadcastChannel" in window) new BroadcastChannel(`bareme:${store.user}`).postMessage({ kind: "leaving" });
  await flush();
  await sendLeft(store, session, { isHere: isUnsendable });
  // What other windows hold, they send themselves.
  const until = performance.now() + PATIENCE_MS;
  const mayGo = (copy) => copy.page !== store.page && !isUnsendable(copy);
  while (performance.now() < until && (await kept(store)).some(mayGo)) await pause(100);
}

const pause = (duration) => new Promise((resolve) => setTimeout(resolve, duration));

/** Whether the person logs out all the same. `closed`: how many copies there are that nobody here could open. */
function confirmed(unsent, closed) {
  const dialog = document.getElementById("leaving");
  const stuck = unsent.filter(isUnsendable).length;
  const later = unsent.length - stuck + closed;
  const { one, many, stuckOne, stuckMany } = dialog.dataset;
  const counted = (count, single, several) => (count ? (count === 1 ? single : several).replace("{count}", count) : "");
  dialog.querySelector("[data-count]").textContent = counted(later, one, many);
  dialog.querySelector("[data-stuck]").textContent = counted(stuck, stuckOne, stuckMany);
  dialog.querySelector("[data-sealed]").hidden = !canSeal || !later;
  dialog.querySelector("[data-stuck-sealed]").hidden = !canSeal || !stuck;
  dialog.querySelector("[data-open]").hidden = canSeal;
  const file = new Blob([JSON.stringify(unsent, null, 2)], { type: "application/json" });
  const link = dialog.querySelector("[data-download]");
  link.hidden = !unsent.length;
  link.href = URL.createObjectURL(file);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "leave"), { once: true });
  });
}
