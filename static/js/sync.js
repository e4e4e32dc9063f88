// Where this window meets others: copies that earlier pages left on this computer, newer versions on
// the server, the same pair in another window. Nothing is overwritten without being asked for.

import { fingerprint, say } from "./form.js";
import { choice, download, mention, showProblems } from "./notices.js";
import { sendLeft } from "./left.js";
import { isDirty } from "./outbox.js";

export class Sync {
  constructor({ copy, store, session, show, reveal }) {
    Object.assign(this, { copy, store, session, show, reveal });
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(`bareme:${store.user}`) : null;
    this.channel?.addEventListener("message", (event) => this.heard(event.data));
    this.isAlone = true;
    window.addEventListener("online", () => this.sendOthers());
  }

  isHere(other) {
    return other.study === this.copy.study && other.position === this.copy.position;
  }

  /** Take over what an earlier page of this pair left; then send what other pairs left. */
  async start(autosave) {
    this.autosave = autosave;
    const left = (await this.store.orphans()).filter((copy) => this.isHere(copy));
    if (this.store.unreadable.length) {
      mention(say("unreadable", { count: this.store.unreadable.length }));
      await this.store.dropUnreadable();
    }
    const newest = left.find((copy) => copy.sent || copy.intent === "submit" || this.differs(copy));
    // Who has begun to answer meanwhile is asked.
    if (newest && isDirty(this.copy)) this.offer(newest);
    else if (newest) await this.adopt(newest);
    // Of older ones only what still says something else is worth a question.
    const older = left.filter((copy) => copy !== newest);
    const other = older.find((copy) => this.differs(copy) && fingerprint(copy.answers) !== fingerprint(this.copy.answers));
    for (const copy of older) if (!this.differs(copy)) this.store.remove(copy);
    if (other) this.offer(other);
    this.tell("open");
    await this.sendOthers();
  }

  differs(copy) {
    return fingerprint(copy.answers) !== this.copy.acknowledged;
  }

  async adopt(left) {
    const { answers, sent, intent, base_revision, changed_at } = left;
    const isNews = this.differs(left);
    Object.assign(this.copy, { answers, sent, intent, base_revision, changed_at });
    // Under our own name first: at no moment is there no copy.
    await this.store.put(this.copy);
    await this.store.remove(left);
    if (isNews) {
      this.show(answers);
      mention(say("restored"));
    }
    await this.autosave.flushNow();
  }

  offer(left) {
    const time = new Date(left.changed_at).toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
    choice(say("foundCopy", { time }), [
      { label: say("loadCopy"), act: () => this.load(left) },
      { label: say("discardCopy"), act: () => this.store.remove(left) },
    ]);
  }

  load(left) {
    this.show(left.answers);
    this.autosave.changed(left.answers);
    this.store.remove(left);
  }

  /** The server wants a person to decide. */
  halted(reason, body) {
    const take = download(this.copy);
    if (reason === "login") this.session.askLogin();
    else if (reason === "refused" || (reason === "malformed" && body.problems)) showProblems(body.problems, this.reveal);
    else if (reason === "stale") this.chooseVersion(body.current);
    else if (reason === "closed") choice(say("closed"), [take]);
    else if (reason === "other_user") choice(say("otherUser"), [take]);
    else choice(body.title ?? say("unreachable"), [take]);
  }

  /** The round is closed: what was never sent can still be taken away. */
  async offerUnsent() {
    const left = (await this.store.orphans()).find((copy) => this.isHere(copy) && this.differs(copy));
    if (left) choice(say("closed"), [download(left)]);
  }

  chooseVersion(current) {
    choice(say("stale", { time: current.saved_at_text }), [
      {
        label: say("loadTheirs"),
        act: () => {
          this.rebase(current);
          Object.assign(this.copy, { answers: current.answers, intent: "draft" });
          this.store.remove(this.copy);
          this.show(current.answers);
          this.autosave.resume(current);
        },
      },
      {
        label: say("keepMine"),
        act: () => {
          this.rebase(current);
          this.autosave.flushNow();
        },
      },
    ]);
  }

  rebase(current) {
    this.copy.base_revision = current.revision;
    this.copy.acknowledged = fingerprint(current.answers);
  }

  /** Send what pages of other pairs left behind. */
  sendOthers() {
    const tell = (outcome, left) => mention(say(outcome, left), outcome === "unsentPair" ? left.href : "");
    return sendLeft(this.store, this.session, { isHere: (copy) => this.isHere(copy), tell });
  }

  tell(kind) {
    this.channel?.postMessage({ study: this.copy.study, position: this.copy.position, kind });
  }

  heard(message) {
    // Another window is about to log out.
    if (message.kind === "leaving") return void this.autosave?.flushNow();
    if (!this.isHere(message)) return;
    if (message.kind === "open") this.tell("here");
    if (message.kind === "saved" && !this.autosave?.isUnsent) {
      choice(say("otherSaved"), [{ label: say("reload"), act: () => location.reload() }]);
    } else if (message.kind !== "saved" && this.isAlone) {
      this.isAlone = false;
      mention(say("otherWindow"));
    }
  }
}
