// Whoever leaves a draft otherwise than by its form is asked, as long as something typed in it was not sent. What was
// open is open again when the form comes back, and whoever added or moved something goes on there. What is wrong leads
// to where it is mended, which is opened for it.

const form = document.querySelector("form[data-draft]");
const said = () => new URLSearchParams(new FormData(form)).toString();
const OPEN = `open ${location.pathname}`;

function opened() {
  try {
    return JSON.parse(sessionStorage.getItem(OPEN) ?? "[]");
  } catch {
    return []; // Some browsers keep nothing.
  }
}

function keep() {
  const ids = [...form.querySelectorAll("details[open][id]")].map((details) => details.id);
  try {
    sessionStorage.setItem(OPEN, JSON.stringify(ids));
  } catch {
    // As above.
  }
}

if (form) {
  for (const id of opened()) document.getElementById(id)?.setAttribute("open", "");
  const shown = form.dataset.shown ?? (location.hash.startsWith("#id_") ? decodeURIComponent(location.hash.slice(1)) : "");
  const place = document.getElementById(shown);
  // Once the browser has gone there itself, which takes the focus from whatever has it.
  const goOn = () => place?.querySelector("summary, button, input")?.focus();
  if (place) window.addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(goOn)));

  document.getElementById("state").addEventListener("click", (event) => {
    const control = document.getElementById(decodeURIComponent(event.target.closest("a")?.hash.slice(1) ?? ""));
    if (!control || !form.contains(control)) return;
    event.preventDefault();
    for (let at = control; at && at !== form; at = at.parentElement) if (at.matches("details")) at.open = true;
    (control.matches("input, select, textarea") ? control : control.querySelector("summary, button, input")).focus();
  });

  // What a conflict shows again was never stored.
  const before = "unsent" in form.dataset ? "" : said();
  let isSent = false;
  form.addEventListener("submit", () => {
    isSent = true;
    keep();
  });
  window.addEventListener("pageshow", () => (isSent = false));
  window.addEventListener("beforeunload", (event) => {
    if (!isSent && said() !== before) event.preventDefault();
  });
}
