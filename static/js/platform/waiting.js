// On every page but the judging page: answers that wait on this computer leave from here as well, and log-out sends
// them first. Small, because most pages have nothing to send.

import { isWaiting } from "./store.js";
import { forget, forgetOthers } from "./vault.js";

const box = document.getElementById("unsent");

if (!box) {
  // Nobody is logged in: what only a log-in may open is no longer needed.
  forget();
} else {
  const { user, former } = box.dataset;
  forgetOthers(user);
  isWaiting(user, former.split(" ")).then(async (waits) => {
    if (waits) (await import("./unsent.js")).start(box);
  });
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("[data-logout]");
    if (!form) return;
    event.preventDefault();
    try {
      const { open } = await import("./unsent.js");
      const { leave } = await import("./leaving.js");
      await leave(form, await open(box));
    } catch {
      // Whatever is wrong here, nobody is kept from logging out.
      form.submit();
    }
  });
}
