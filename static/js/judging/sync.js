// Where this window meets others: copies that earlier pages left on this computer, newer versions on
// the server, the same pair in another window. Nothing is overwritten without being asked for.

import { fingerprint, say } from "./form.js";
import { ask, choice, download, mention, mentionWaiting, remind, unread } from "./notices.js";
import { isDirty } from "../platform/outbox.js";

const AGAIN_MS = 4000;
const MOST_DOUBLINGS = 3;

export class Sync {
  constructor({ copy, store, session, compareUrl, show, reveal }) {
    Object.assign(this, { copy, store, session, compareUrl, show, reveal });
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(`bareme:${store.user}`) : null;
    this.channel?.addEventListener("message", (event) => this.heard(event.data));
    this.isAlone = true;
    // Pages whose copies wait for a person rather than for the server.
    this.undecided = new Set();
    this.timer = 0;
    window.addEventListener("online", () => this.sendOthers());
  }

  /** Whether that is of the assignment that this page shows; `other` is a copy, or what another window tells. */
  isHere(other) {
    if (other.assignment) return other.assignment === this.copy.assignment;
    // An earlier version's: what builds on more than this one ever had is of what stood here before it.
    const { study, position, base_revision: base = 0 } = other;
    return study === this.copy.study && position === this.copy.position && base <= this.copy.base_revision;
  }

  /** Take over what an earlier page of this pair left; then send what other pairs left. */
  async start(autosave) {
    this.autosave = autosave;
    const left = (await this.store.orphans()).filter((copy) => this.isHere(copy));
    if (this.store.unreadable.length) {
      mention(say("unreadable", { count: this.store.unreadable.length }));
      await this.store.dropUnreadable();
    }
    const newest = left.find((copy) => copy.sent || copy.aside || copy.intent === "submit" || this.differs(copy));
    // Who has begun to answer meanwhile is asked.
    if (newest && isDirty(this.copy)) ask(() => this.compare(newest));
    else if (newest) await this.adopt(newest);
    // Of older ones only what still says something else is worth a question.
    const older = left.filter((copy) => copy !== newest);
    const other = older.find((copy) => this.differs(copy) && fingerprint(copy.answers) !== fingerprint(this.copy.answers));
    for (const copy of older) if (!this.differs(copy) && !copy.aside) this.store.remove(copy);
    if (other) ask(() => this.compare(other));
    this.tell("open");
    for (const line of unread.take(this.store.user)) mention(...line);
    await this.sendOthers();
  }

  differs(copy) {
    return fingerprint(copy.answers) !== this.copy.acknowledged;
  }

  async adopt(left) {
    const { answers, sent, intent, base_revision, changed_at, aside, opened = this.copy.opened } = left;
    const isNews = this.differs(left);
    const aids = left.aids && { ...left.aids, ...this.copy.aids };
    Object.assign(this.copy, { answers, sent, intent, base_revision, changed_at, aside, opened, ...(aids && { aids }) });
    // Under our own name first: at no moment is there no copy.
    await this.store.put(this.copy);
    await this.store.remove(left);
    if (isNews) {
      this.show(answers);
      mention(say("restored"));
    }
    await this.autosave.flushNow();
  }

  /** The server wants a person to decide. */
  halted(reason, body) {
    const take = download(this.copy);
    if (reason === "login") this.session.askLogin();
    else if (reason === "refused" || (reason === "malformed" && body.problems)) this.refused(body.problems);
    else if (reason === "stale") ask(() => this.compare());
    else if (reason === "closed") import("./unsendable.js").then((own) => own.awaitOpening(this), () => choice(say("closed"), [take]));
    else if (reason === "other_user") choice(say("otherUser"), [this.retry, take]);
    else {
      const wayOn = body.link ? [{ label: body.link, href: body.url }] : [];
      choice(body.title ?? say("unreachable"), [...wayOn, take]);
    }
  }

  async refused(problems) {
    try {
      const { showProblems } = await import("./problems.js");
      showProblems(problems, this.reveal);
    } catch {
      choice(say("unreachable"), [this.retry]);
    }
  }

  get retry() {
    return { label: say("tryAgain"), act: () => this.autosave.flushNow() };
  }

  /** Put what stands here beside what the server has, or beside `left`, a copy that was found on this computer. */
  async compare(left = null) {
    if (this.isComparing) return undefined;
    this.isComparing = true;
    try {
      const { decide } = await import("./conflict.js");
      await decide(this, left);
    } catch (error) {
      if (error.reason === "login") return this.session.askLogin();
      const again = { label: say("tryAgain"), act: () => ask(() => this.compare(left)) };
      choice(say(error.reason === "other_user" ? "otherUser" : "unreachable"), [again, download(this.copy)]);
    } finally {
      this.isComparing = false;
    }
    return undefined;
  }

  /** Send what pages of other pairs left behind: a server may come back without the browser's being told, so this is
      done again, ever more seldom, as long as anything waits. Where somebody else is logged in it waits for a page of
      its own person. */
  async sendOthers(tries = 0) {
    try {
      // After everything that this page itself needs.
      const { named, sendLeft } = await import("../platform/left.js");
      const tell = (outcome, left, reason, isKnown) => this.toldOf(left, named(left), outcome, reason, isKnown);
      // What waits for a person is tried with the network's coming back, and not by the clock; some of it once.
      const isLeft = (copy) => this.isHere(copy) || (this.undecided.has(copy.page) && (tries > 0 || copy.unsendable));
      await sendLeft(this.store, this.session, { isHere: isLeft, tell });
    } finally {
      const count = await this.waiting();
      mentionWaiting(count ? say(count === 1 ? "oneWaits" : "moreWait", { count }) : "");
      clearTimeout(this.timer);
      const again = () => this.sendOthers(tries + 1);
      if (count && !this.session.isOthers) this.timer = setTimeout(again, AGAIN_MS * 2 ** Math.min(tries, MOST_DOUBLINGS));
    }
  }

  /** What became of a copy of another pair; `values` fill in the sentence. */
  toldOf(left, values, outcome, reason, isKnown) {
    const needsPerson = outcome === "unsentPair";
    if (needsPerson) this.undecided.add(left.page);
    if (left.unsendable) return void import("./unsendable.js").then((own) => own.tell(left, values, reason, isKnown, this.store));
    // Said here, it would be taken for what stands here now.
    if (left.study === this.copy.study && left.position === this.copy.position) return undefined;
    const line = [say(outcome, values), needsPerson ? left.href : ""];
    mention(...line);
    unread.add(this.store.user, line);
    return undefined;
  }

  /** How much of other pairs waits for the server. */
  async waiting() {
    const isWaiting = (copy) => !this.isHere(copy) && !this.undecided.has(copy.page) && (copy.sent || isDirty(copy));
    const copies = (await this.store.orphans()).filter(isWaiting);
    return copies.length + (await this.store.orphanNotes()).length;
  }

  tell(kind) {
    const { study, position, assignment } = this.copy;
    this.channel?.postMessage({ study, position, assignment, kind });
  }

  heard(message) {
    // Another window is about to log out.
    if (message.kind === "leaving") return void this.autosave?.flushNow();
    if (!this.isHere(message)) return;
    if (message.kind === "open") this.tell("here");
    if (message.kind === "saved" && !this.autosave?.isUnsent) {
      // Nothing of this window's own is at stake: no dialog in the way, and none before somebody goes on here.
      this.autosave.status.show("overtaken");
      remind(() => this.compare());
    } else if (message.kind !== "saved" && this.isAlone) {
      this.isAlone = false;
      mention(say("otherWindow"));
    }
  }
}
