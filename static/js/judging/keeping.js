// The next pairs are kept on this computer, so that the next one is there at once, and without a network too. A kept
// page is sealed like a copy of answers; the key stays in the memory of open pages, which worker.js asks. To fetch a
// page for keeping is not to look at it: the server notes nothing.

import { say } from "./form.js";
import { toast } from "./notices.js";
import { Halt, TIMEOUT_MS, Unreached, isRefusal } from "../platform/outbox.js";
import { PAGES, importKey, seal, transact, unseal } from "../platform/vault.js";

const FILES = "bareme-files";
// The server answers only where this person, whose page asks, is the one who is logged in.
const KEEP = "X-Bareme-Keep";
// Pages of pairs tell each other who is logged in, as the server has told them.
const READER = "bareme:reader";
const REFUSALS = [401, 403, 404, 409, 410];
// What says how the body travelled says nothing of it any more.
const OF_TRANSPORT = /^(?:content-(?:encoding|length)|date|connection|keep-alive|transfer-encoding|x-bareme-mark)$/;

// A page that is refused is words for people; the number of each answer is on it, and on none that a proxy gives in the
// server's stead. The same in worker.js.
const NUMBERED = /\b[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}\b/;
const isOfServer = ({ type, headers }) => type === "opaqueredirect" || NUMBERED.test(headers.get("X-Request-ID") ?? "");

/** A message that stays, and the way on to `href` where "Submit" stood. Its focus comes along from there. */
function offerWayOn(text, href) {
  toast(text, null, null, true);
  const byId = (id) => document.getElementById(id);
  const link = byId("next-kept");
  const isThere = [byId("submit"), document.body, byId("judge")].includes(document.activeElement);
  Object.assign(link, { href, hidden: !href });
  if (href && isThere) link.focus({ preventScroll: true });
}

export class Keeping {
  /** The parts of the judging page, of a pair that may have been shown from what was kept. */
  constructor({ main, session, store, copy, autosave, sync }) {
    Object.assign(this, { main, session, store, copy, autosave, sync, page: main.dataset, path: location.pathname });
    this.user = this.page.user;
    this.onward = "";
    this.study = this.path.slice(0, this.path.lastIndexOf("/", this.path.length - 2) + 1);
    this.list = [];
    this.isStopped = this.isAsking = false;
    this.isKnown = !this.page.kept;
  }

  async start() {
    if (!("serviceWorker" in navigator)) return;
    // A round that takes no answers has no next pairs; what was kept of it goes without asking.
    if (this.page.editable !== "1" && this.isKnown) return void (await this.dropStudy());
    this.key = await importKey(this.page.copyKey);
    if (!this.key) return;
    const { serviceWorker } = navigator;
    serviceWorker.addEventListener("message", (event) => this.answerWorker(event));
    serviceWorker.startMessages();
    // A log-out, here or in another window, clears what is kept: nothing may come after that.
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(`bareme:${this.user}`) : null;
    this.channel?.addEventListener("message", ({ data }) => data.kind === "leaving" && this.stop());
    this.reader = "BroadcastChannel" in window ? new BroadcastChannel(READER) : null;
    this.reader?.addEventListener("message", ({ data }) => data.user !== this.user && this.stop());
    if (this.isKnown) this.announce();
    window.addEventListener("online", () => this.renew());
    await this.renew();
    await serviceWorker.register(this.page.workerUrl).catch(() => {});
  }

  /** Keep nothing from now on, and give the worker nothing: somebody else may be at this computer. */
  stop() {
    this.isStopped = true;
  }

  announce() {
    this.reader?.postMessage({ user: this.user });
  }

  /** Ask what comes next, and keep that. */
  async renew() {
    if (this.isStopped || this.isAsking || !this.key) return;
    this.isAsking = true;
    try {
      const body = await this.ask();
      if (this.isStopped) return;
      this.announce();
      this.list = body.pairs.map(([position, mark, revision]) => ({ path: `${this.study}${position}/`, mark, revision }));
      await this.keep();
      await this.keepFiles();
      if (!this.isKnown) {
        this.isKnown = true;
        await this.known(body);
      }
    } catch (error) {
      if (error.reason === "other_user") this.stop();
      // Without a network, or without room: another time.
      if (error instanceof Halt) await this.refused(error.status, this.path, error.body);
    } finally {
      this.isAsking = false;
    }
  }

  async ask(isSecondTry = false) {
    const { page, session, user } = this;
    const options = { headers: { Accept: "application/json", [KEEP]: user }, signal: AbortSignal.timeout(TIMEOUT_MS) };
    if (!this.isKnown) {
      const opened = Math.max(0, Math.round((Date.now() - this.copy.opened) / 1000));
      Object.assign(options, { method: "POST", body: JSON.stringify({ user, mark: page.kept, opened }) });
      Object.assign(options.headers, { "Content-Type": "application/json", "X-CSRFToken": session.token });
    }
    const answer = await fetch(page.aheadUrl, options).catch(() => null);
    const body = await answer?.json().catch(() => null);
    if (answer?.ok && body) return body;
    if (answer?.status === 403 && body?.type !== "other_user" && !isSecondTry) {
      await session.renew();
      return this.ask(true);
    }
    if (!REFUSALS.includes(answer?.status) || !isRefusal(body)) throw new Unreached();
    throw Object.assign(new Halt(body.type, body), { status: answer.status });
  }

  async keep() {
    const rows = await transact(PAGES, "readonly", (table) => table.getAll());
    const wanted = new Map(this.list.map((entry) => [entry.path, entry]));
    const isGood = ({ user, path, mark, revision }) =>
      user === this.user && wanted.get(path)?.mark === mark && wanted.get(path)?.revision === revision;
    const isOwn = ({ user, path }) => user === this.user && path === this.path;
    // Other studies' pages stay: their own pages look after them.
    const isElsewhere = ({ user, path }) => user === this.user && !path.startsWith(this.study);
    const gone = rows.filter((row) => !isGood(row) && !isOwn(row) && !isElsewhere(row));
    await this.drop(gone.map(({ path }) => path));
    const good = new Set(rows.filter(isGood).map(({ path }) => path));
    // One after the other: what somebody does meanwhile comes first.
    for (const { path } of this.list) if (!good.has(path)) await this.fetch(path);
  }

  async fetch(path) {
    if (this.isStopped) return;
    const headers = { [KEEP]: this.user };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(path, { headers, signal, cache: "no-store", redirect: "manual", priority: "low" });
    const status = answer.type === "opaqueredirect" ? 401 : answer.status;
    if (!isOfServer(answer)) return;
    if (status === 403) this.stop();
    if (REFUSALS.includes(status)) return void (await this.refused(status, path));
    const [mark, revision] = (answer.headers.get("X-Bareme-Mark") ?? "").split(" ");
    if (!answer.ok || !mark) return;
    const kept = [...answer.headers].filter(([name]) => !OF_TRANSPORT.test(name));
    const sealed = await seal(this.key, JSON.stringify({ html: await answer.text(), headers: kept }));
    if (this.isStopped) return;
    await transact(PAGES, "readwrite", (table) => table.put({ path, user: this.user, mark, revision: Number(revision), sealed }));
  }

  /** What this page was made of, scripts that it has not needed yet included. */
  async keepFiles() {
    const own = [import("./own-pair.js"), import("./login.js"), import("./too-long.js"), import("./problems.js")];
    await Promise.all([import("../platform/leaving.js"), ...own]);
    const names = performance.getEntriesByType("resource").map(({ name }) => name);
    const files = new Set(names.filter((name) => /\.(?:js|css|svg|woff2)$/.test(new URL(name).pathname)));
    const cache = await caches.open(FILES);
    const held = new Set((await cache.keys()).map(({ url }) => url));
    for (const url of held) if (!files.has(url)) await cache.delete(url);
    for (const url of files) if (!held.has(url)) await cache.add(url).catch(() => {});
  }

  /** The kept page, for the worker; null where there is none, or none of this person's. */
  async opened(path) {
    if (this.isStopped) return null;
    const row = await transact(PAGES, "readonly", (table) => table.get(path)).catch(() => null);
    if (row?.user !== this.user) return null;
    const opened = await unseal(this.key, row.sealed).catch(() => null);
    return opened && { ...JSON.parse(opened), isUntouched: row.revision === 0 };
  }

  async answerWorker({ data, ports: [port] }) {
    if (data.kind === "kept?") port.postMessage(await this.opened(data.path));
    if (data.kind === "refused") await this.refused(data.status, data.path);
  }

  /** The server does not show it any more: not to this log-in, not in this study, or not this pair. */
  async refused(status, path, body = null) {
    if (status === 404 || status === 410) await this.drop([path]);
    else if (status === 409) await this.dropStudy();
    else await transact(PAGES, "readwrite", (table) => table.clear());
    if (!body || this.isKnown) return;
    if (status === 401) this.session.askLogin();
    else if (status === 403) this.sync.halted("other_user", body);
    else if (!this.autosave.isUnsent) location.reload();
  }

  /** This page was shown from what was kept, and the server has said how things stand now. */
  async known({ is_same: isSame, revision, seconds_left: left, done, total }) {
    const { main, copy } = this;
    this.session.schedule(left * 0.9);
    document.getElementById("progress").value = done;
    document.getElementById("progress-text").textContent = say("judged", { done, total });
    delete main.dataset.unknown;
    if (isSame && revision <= copy.base_revision) delete copy.opened;
    // What was typed meanwhile meets the newer version when it is saved.
    else if (!this.autosave.isUnsent) {
      await this.answered();
      location.reload();
    }
  }

  /** Submitted without a network, and on this computer's disk: the next pair need not wait for it. */
  async offerNext() {
    if (this.copy.intent !== "submit" || !this.autosave.isKept) return;
    const waiting = (await this.store.copies()).filter(({ intent }) => intent === "submit").map(({ href }) => href);
    this.onward = await this.next(new Set(waiting));
    offerWayOn(say(this.autosave.isFull ? "goOnFull" : "goOnMeanwhile"), this.onward);
  }

  /** What a save met may mean that nothing is to be kept any more. */
  halted(reason) {
    const status = { login: 401, other_user: 403, gone: 404, closed: 409 }[reason];
    if (reason === "other_user") this.stop();
    if (status) this.refused(status, this.path);
    else if (reason === "stale") this.answered();
  }

  async dropStudy() {
    const paths = await transact(PAGES, "readonly", (table) => table.getAllKeys());
    await this.drop(paths.filter((path) => path.startsWith(this.study)));
  }

  /** The server has answers of this pair, and so it is there: told now, where it could not be told before. */
  saved(kind) {
    this.answered();
    // After a submission another page comes.
    if (!this.isKnown && kind !== "submit") this.renew();
  }

  /** This pair was answered: what was kept of it says less than the server. */
  answered() {
    return this.drop([this.path]);
  }

  async drop(paths) {
    if (!paths.length) return;
    await transact(PAGES, "readwrite", (table) => void paths.forEach((path) => table.delete(path))).catch(() => {});
  }

  /** The next pair that is kept and not `waiting` to be submitted, as an address; "" where there is none. */
  async next(waiting) {
    const rows = this.key ? await transact(PAGES, "readonly", (table) => table.getAll()).catch(() => []) : [];
    const kept = rows.filter(({ user, path }) => user === this.user && path.startsWith(this.study) && path !== this.path);
    const position = (path) => Number(path.split("/").at(-2));
    const here = position(this.path);
    const paths = kept.map(({ path }) => path).filter((path) => !waiting.has(path));
    paths.sort((a, b) => (position(a) < here) - (position(b) < here) || position(a) - position(b));
    return paths[0] ?? "";
  }
}
