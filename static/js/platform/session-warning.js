// A word before the log-in ends, on every page but the judging page (which also logs in again in place).

const WARN_SECONDS = 300;
const MAX_DELAY_MS = 2 ** 31 - 1;

const dialog = document.getElementById("session-warning");
const form = dialog.querySelector("form");

function schedule(seconds) {
  setTimeout(check, Math.min(Math.max(0, seconds - WARN_SECONDS) * 1000, MAX_DELAY_MS));
}

async function ask(method) {
  const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
  const answer = await fetch(form.action, { method, headers: { Accept: "application/json", "X-CSRFToken": token } });
  return answer.ok ? (await answer.json()).seconds_left : 0;
}

// Another tab may have renewed the session in the meantime: the server knows.
async function check() {
  const seconds = await ask("GET").catch(() => 0);
  if (seconds > WARN_SECONDS + 30) schedule(seconds);
  else if (!dialog.open) dialog.showModal();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const seconds = await ask("POST").catch(() => 0);
  dialog.close();
  if (seconds) schedule(seconds);
  else location.reload();
});
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
schedule(Number(dialog.dataset.seconds));
