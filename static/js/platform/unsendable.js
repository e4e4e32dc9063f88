// What becomes of a copy that the server does not take: its annotator takes it away, or removes it. Never by itself: nobody
// else has these answers.

const element = (name, properties) => Object.assign(document.createElement(name), properties);

/** A link that takes a copy of answers away as a file. */
export function download(copy, words) {
  const blob = new Blob([JSON.stringify(copy, null, 2)], { type: "application/json" });
  return element("a", { href: URL.createObjectURL(blob), download: `${copy.study}-${copy.pair}.json`, textContent: words.download });
}

/** Controls by which a copy is taken away or, asked once more, removed from this computer. `words`: the sentences of the
    page; `removed` is called once it is gone. */
export function controls(copy, { store, words, removed }) {
  const button = (textContent, act) => {
    const made = element("button", { type: "button", className: "button button--small button--quiet", textContent });
    made.addEventListener("click", act);
    return made;
  };
  const sure = element("span", { hidden: true });
  const show = (isAsking) => {
    // Hidden rather than taken out: the menu that they may stand in closes with a click on what is not in it.
    ask.hidden = isAsking;
    sure.hidden = !isAsking;
    (isAsking ? keep : ask).focus();
  };
  const ask = button(words.removeCopy, () => show(true));
  const keep = button(words.keepCopy, () => show(false));
  const remove = button(words.removeForGood, async () => {
    await store.remove(copy);
    removed();
  });
  sure.append(`${words.removeSure} `, keep, " ", remove);
  return [download(copy, words), " ", ask, sure];
}
