// The log-in behind the page: its token, a warning before it ends, logging in again without leaving (login.js).

import { say } from "./form.js";
import { pause } from "./keyboard.js";
import { spoken } from "../platform/language.js";
import { Halt, TIMEOUT_MS, Unreached, isRefusal } from "../platform/outbox.js";

const WARN_SECONDS = 300;
const MAX_DELAY_MS = 2 ** 31 - 1;

export class Session {
  constructor(page, { onLogin }) {
    this.user = page.user;
    this.url = page.sessionUrl;
    this.loginUrl = page.loginUrl;
    this.onLogin = onLogin;
    this.warning = document.getElementById("session-dialog");
    this.login = document.getElementById("login-dialog");
    this.timer = 0;
    // Whether somebody else is logged in on this browser, as far as the server has said.
    this.isOthers = false;
    this.warning.querySelector("[data-stay]").addEventListener("click", () => this.stay());
    this.login.querySelector("[data-later]").addEventListener("click", () => this.login.close());
    this.login.querySelector("[data-login]").addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        const { enter } = await import("./login.js");
        enter(this, event.target);
      } catch {
        const problem = document.getElementById("login-problem");
        problem.textContent = say("unreachable");
        problem.hidden = false;
      }
    });
    // The server renews a session in steps of a tenth of its length: ask when it may really be near its end.
    if (page.sessionSeconds) this.schedule(Number(page.sessionSeconds) * 0.9);
    // Of a kept page the server tells together with all else.
    else if (!page.kept) this.check().catch(() => {});
  }

  get token() {
    return document.querySelector("input[name=csrfmiddlewaretoken]").value;
  }

  set token(value) {
    for (const input of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) input.value = value;
  }

  async ask(method) {
    let answer;
    try {
      const headers = { Accept: "application/json", "X-CSRFToken": this.token, ...spoken };
      answer = await fetch(this.url, { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch {
      throw new Unreached();
    }
    const body = await answer.json().catch(() => null);
    if (answer.ok && body) this.isOthers = body.user !== this.user;
    // With somebody else's token these answers would be saved as theirs: never take it.
    if (this.isOthers && answer.ok) throw new Halt("other_user");
    if (body?.csrf_token) this.token = body.csrf_token;
    if (answer.status === 401 && isRefusal(body)) throw new Halt("login");
    if (!answer.ok || !body) throw new Unreached();
    return body;
  }

  /** A fresh token, for instance after a log-in in another window. */
  renew() {
    return this.ask("GET");
  }

  schedule(seconds) {
    clearTimeout(this.timer);
    const delay = Math.max(0, seconds - WARN_SECONDS) * 1000;
    this.timer = setTimeout(() => this.check().catch(() => {}), Math.min(delay, MAX_DELAY_MS));
  }

  /** How long it still lasts; another window may have extended it. */
  async check() {
    const { seconds_left: left } = await this.ask("GET");
    if (left > WARN_SECONDS) return void this.schedule(left);
    await pause();
    if (!this.warning.open && !this.login.open) this.warning.showModal();
  }

  async stay() {
    const problem = this.warning.querySelector("[data-problem]");
    try {
      const { seconds_left: left } = await this.ask("POST");
      this.schedule(left);
      problem.hidden = true;
      this.warning.close();
    } catch (error) {
      if (error instanceof Halt) {
        this.warning.close();
        this.askLogin();
      } else {
        problem.textContent = say("unreachable");
        problem.hidden = false;
      }
    }
  }

  async askLogin() {
    await pause();
    if (this.login.open) return;
    if (this.warning.open) this.warning.close();
    this.login.showModal();
  }
}
