"""``BAREME_LATE=1``: in browser tests everything comes late that a page does not do at once.

Timers, answers of the network, changes of the selection and the disk's word that something is
stored: each a quarter of a second or so after it would have come. A test that looks at a page
before what it means is there fails then, also on a quick and quiet machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.signals import request_started
from playwright.sync_api import Browser, BrowserContext

IS_WANTED = os.environ.get("BAREME_LATE") == "1"
_ANSWERS_AFTER = 0.15
_SCRIPT = """(() => {
  const later = window.setTimeout.bind(window);
  window.setTimeout = (act, delay = 0, ...given) => later(act, delay + 250, ...given);
  const asked = window.fetch.bind(window);
  const after = (settle) => (value) => new Promise((done, fail) => later(() => settle(value, done, fail), 250));
  window.fetch = (...given) =>
    asked(...given).then(after((answer, done) => done(answer)), after((error, _, fail) => fail(error)));
  const listen = EventTarget.prototype.addEventListener;
  document.addEventListener = function (kind, listener, options) {
    const heard = kind === "selectionchange" ? (event) => later(() => listener(event), 150) : listener;
    return listen.call(this, kind, heard, options);
  };
  const stored = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, "oncomplete");
  Object.defineProperty(IDBTransaction.prototype, "oncomplete", {
    configurable: true,
    get() { return stored.get.call(this); },
    set(act) { stored.set.call(this, (event) => later(() => act.call(this, event), 150)); },
  });
})();"""  # noqa: E501


@contextmanager
def late(browser: Browser, context: BrowserContext) -> Iterator[None]:
    """In this context, and in those that the test makes of this browser meanwhile."""
    context.add_init_script(_SCRIPT)
    real = browser.new_context

    def new_context(**options: Any) -> BrowserContext:
        made = real(**options)
        if options.get("java_script_enabled", True):
            made.add_init_script(_SCRIPT)
        return made

    browser.new_context = new_context  # type: ignore[method-assign]
    request_started.connect(_answer_late)
    try:
        yield
    finally:
        request_started.disconnect(_answer_late)
        del browser.new_context


def _answer_late(**_: Any) -> None:
    time.sleep(_ANSWERS_AFTER)
