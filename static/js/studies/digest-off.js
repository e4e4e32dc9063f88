// One click in the letter is enough: the form that ends these letters is sent by itself. Programs that only fetch
// the page, as mail gateways do with each link, end nothing.
document.querySelector("[data-digest-off]")?.requestSubmit();
