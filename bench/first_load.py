"""The judging page in Chromium: bytes over the wire at the first load and for each next pair, the
time until it is ready and from one pair to the next. Read by ``bench.startup``; the suite holds the
bytes to their limits."""

from __future__ import annotations

import statistics
from dataclasses import astuple, dataclass
from typing import Any

from bench.record import record
from tests.servers import chromium

_STUDENT, _PASSWORD = "etudiant1@demo.bareme.example", "bareme-demo"
# Pairs that wait for their judgment: of those the next ten are kept.
_PAGE, _NEXT = "/annotate/demo/40/", ("/annotate/demo/41/", "/annotate/demo/42/")
_KEPT = 10
_ROUNDS = 5
# The page says itself when its scripts have taken over (static/js/judging/judge.js).
_WATCH = """
new MutationObserver((_, observer) => {
  if (document.querySelector("main[data-ready], main[data-resting]")) { window.readyAt = performance.now(); observer.disconnect(); }
}).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ["data-ready", "data-resting"]});
"""  # noqa: E501


def first_load(port: int) -> None:
    """Record it for the demonstration on this port; a plain line where there is no Chromium or no
    playwright."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("first load in Chromium: left out, playwright is not installed")
        return
    if not (path := chromium()):
        print("first load in Chromium: left out, there is no Chromium on this machine")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            _measure(browser, f"http://127.0.0.1:{port}")
        finally:
            browser.close()


@dataclass(frozen=True)
class Load:
    """``first``: kB with an empty cache until the page is ready, in ``requests``; ``further``: kB
    of a next pair, with what is kept for later. Seconds until ``ready``, and from a click to the
    next pair that is (``onward``)."""

    first: float
    requests: int
    further: float
    ready: float
    onward: float


def _measure(browser: Any, host: str) -> None:
    state = _logged_in(browser, host)
    loads = [load(browser, host, state) for _ in range(_ROUNDS)]
    nothing = statistics.median(_nothing(browser, host) for _ in range(_ROUNDS))
    first, requests, further, ready, onward = (
        statistics.median(column)
        for column in zip(*(astuple(timing) for timing in loads), strict=True)
    )
    record("first load of the judging page", first, "kB", note=f"{requests:.0f} requests")
    record("each further pair", further, "kB", note="with the page that is kept for later")
    record(
        "judging page ready in Chromium",
        ready,
        "s",
        floor=nothing,
        note="floor: /healthz in the same browser",
    )
    record("from page to page", onward, "s", note="to a pair that was kept")


def student_state(playwright: Any, host: str) -> Any:
    """What a browser holds in which a student of the demonstration has logged in."""
    browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
    try:
        return _logged_in(browser, host)
    finally:
        browser.close()


def _logged_in(browser: Any, host: str) -> Any:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{host}/account/login/")
    page.fill("[name=username]", _STUDENT)
    page.fill("[name=password]", _PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"{host}/")
    state = context.storage_state()
    context.close()
    return state


def load(browser: Any, host: str, state: Any) -> Load:
    """One load with an empty cache, and the pairs that follow."""
    context = browser.new_context(storage_state=state)
    page = context.new_page()
    page.add_init_script(_WATCH)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    begun: dict[str, float] = {}
    received: dict[str, float] = {}
    session.on(
        "Network.requestWillBeSent",
        lambda event: begun.setdefault(event["requestId"], event["wallTime"]),
    )
    session.on(
        "Network.loadingFinished",
        lambda event: received.update({event["requestId"]: event["encodedDataLength"]}),
    )
    page.goto(f"{host}{_PAGE}", wait_until="networkidle")
    ready_at = page.evaluate("performance.timeOrigin + window.readyAt") / 1000
    ready = page.evaluate("window.readyAt") / 1000
    # What comes later, for later: no part of the page.
    first = [size for name, size in received.items() if begun[name] <= ready_at]
    _wait_until_kept(page)
    for path in _NEXT:
        before, clicked = (
            sum(received.values()),
            page.evaluate("performance.timeOrigin + performance.now()"),
        )
        page.goto(f"{host}{path}", wait_until="networkidle")
        onward = (page.evaluate("performance.timeOrigin + window.readyAt") - clicked) / 1000
        _wait_until_kept(page)
        further = (sum(received.values()) - before) / 1000
    context.close()
    return Load(sum(first) / 1000, len(first), further, ready, onward)


def _wait_until_kept(page: Any) -> None:
    page.wait_for_function(
        """async (number) => {
          const registration = await navigator.serviceWorker.getRegistration("/annotate/");
          // Whoever opens it first makes it, and this would make it without its tables.
          if (!(await indexedDB.databases()).length) return false;
          const opening = indexedDB.open("bareme");
          const database = await new Promise((done) => (opening.onsuccess = () => done(opening.result)));
          const request = database.transaction("pages").objectStore("pages").count();
          const kept = await new Promise((done) => (request.onsuccess = () => done(request.result)));
          database.close();
          return kept >= number && registration?.active?.state === "activated";
        }""",  # noqa: E501
        arg=_KEPT,
    )
    page.wait_for_load_state("networkidle")


def _nothing(browser: Any, host: str) -> float:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{host}/healthz")
    taken = (
        page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
        / 1000
    )
    context.close()
    return float(taken)
