// Copies that can be sent no more, told of on a judging page: fetched where there are any.

import { say } from "./form.js";
import { choice, countMessages, download, mention } from "./notices.js";
import { controls } from "../platform/unsendable.js";

/** Another pair's: it is taken away or removed from among the messages, where it stands on every page; in the foot it is
    said once. */
export function tell(left, reason, isKnown, store) {
  // The server has no page any more of what is not this person's.
  const [text, href] = reason === "gone" ? [say("gonePair", left), ""] : [say("unsentPair", left), left.href];
  const box = document.getElementById("other-notices");
  const count = box.childElementCount;
  mention(text, href, isKnown);
  const line = box.children[count];
  const removed = () => {
    line.remove();
    countMessages();
  };
  // One that stands there already has them.
  line?.append(" ", ...controls(left, { store, words: document.getElementById("strings").dataset, removed }));
}

/** The round is closed: what was never sent of the pair at hand can still be taken away, or removed. `status`: the line
    that would tell of the server's answers alone. */
export async function offerUnsent(sync, status) {
  const { store } = sync;
  const isUnsent = (copy) => sync.isHere(copy) && (copy.intent === "submit" || sync.differs(copy));
  const left = (await store.orphans()).find(isUnsent);
  if (!left) return;
  status.show("unsendable");
  const act = () => store.remove(left).then(() => location.reload());
  const ask = () => choice(say("removeSure"), [{ label: say("removeForGood"), act }]);
  choice(say("closed"), [download(left), { label: say("removeCopy"), act: ask }]);
}
