// Every page: menus that close by themselves, preferences of how it looks without leaving the page.

function closeMenus(except) {
  for (const menu of document.querySelectorAll("[data-menu][open]")) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => closeMenus(event.target.closest("[data-menu]")));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// Before a log-out everything that waits is sent, which may take seconds: that is said at once, and asked for once.
document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-logout]");
  if (!form) return;
  const button = form.querySelector("button");
  if (button.hasAttribute("aria-disabled")) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  button.setAttribute("aria-disabled", "true");
  const status = form.querySelector("[data-busy]");
  status.textContent = status.dataset.busy;
});

const APPLIED = { theme: "theme", type_size: "size", spacing: "spacing", typeface: "typeface" };

/** What spacing and typeface need; few choose them, so it is not there from the start. */
function loadReadingStyle() {
  const { readingCss } = document.documentElement.dataset;
  if (document.querySelector(`link[href="${readingCss}"]`)) return;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: readingCss }));
}

async function applyPreference(form, button) {
  document.documentElement.dataset[APPLIED[button.name]] = button.value;
  if (button.name === "spacing" || button.name === "typeface") loadReadingStyle();
  for (const other of form.querySelectorAll(`button[name="${button.name}"]`)) {
    other.setAttribute("aria-pressed", String(other === button));
  }
  const body = new URLSearchParams(new FormData(form));
  body.set(button.name, button.value);
  // Where it cannot be stored, it still holds until the next page.
  await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => {});
}

for (const form of document.querySelectorAll("form[data-preferences]")) {
  form.addEventListener("submit", (event) => {
    // Another language needs another page.
    if (!event.submitter || !(event.submitter.name in APPLIED)) return;
    event.preventDefault();
    applyPreference(form, event.submitter);
  });
}

// Charts as PNG are drawn here, and only for who asks. Figures may come after the page: links are shown as they come.
function showPictures() {
  for (const link of document.querySelectorAll("a[data-png][hidden]")) link.hidden = false;
}
showPictures();
document.addEventListener("htmx:afterSettle", showPictures);
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-png]");
  if (!link) return;
  event.preventDefault();
  const { savePicture } = await import("./pictures.js");
  await savePicture(link.href);
});
