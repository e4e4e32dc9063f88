// A form of several answers: whoever leaves the page otherwise than by the form is asked, as long as something typed was not sent.

for (const form of document.querySelectorAll("form[data-typed]")) {
  let isSent = false;
  form.addEventListener("submit", () => (isSent = true));
  window.addEventListener("pageshow", () => (isSent = false));
  window.addEventListener("beforeunload", (event) => {
    const isTyped = [...form.querySelectorAll("textarea")].some((field) => field.value.trim());
    if (isTyped && !isSent) event.preventDefault();
  });
}
