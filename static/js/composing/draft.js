// Whoever leaves a draft otherwise than by its form is asked, as long as something typed in it was not sent.

const form = document.querySelector("form[data-draft]");
const said = () => new URLSearchParams(new FormData(form)).toString();

if (form) {
  // What a conflict shows again was never stored.
  const before = "unsent" in form.dataset ? "" : said();
  let isSent = false;
  form.addEventListener("submit", () => (isSent = true));
  window.addEventListener("pageshow", () => (isSent = false));
  window.addEventListener("beforeunload", (event) => {
    if (!isSent && said() !== before) event.preventDefault();
  });
}
