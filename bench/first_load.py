"""The judging page's first load in Chromium: bytes over the wire and the time until it is ready. Read by
``bench.startup``."""

from __future__ import annotations

import statistics
from typing import Any

from bench.record import record
from tests.servers import chromium

_STUDENT, _PASSWORD = "etudiant1@demo.bareme.example", "bareme-demo"
_PAGE, _NEXT = "/annotate/demo/10/", "/annotate/demo/11/"
_ROUNDS = 5
# The page says itself when its scripts have taken over (static/js/judge.js).
_WATCH = """
new MutationObserver((_, observer) => {
  if (document.querySelector("main[data-ready]")) { window.readyAt = performance.now(); observer.disconnect(); }
}).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ["data-ready"]});
"""


def first_load(port: int) -> None:
    """Record it for the demonstration on this port; a plain line where there is no Chromium or no playwright."""
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


def _measure(browser: Any, host: str) -> None:
    state = _logged_in(browser, host)
    loads = [_load(browser, host, state) for _ in range(_ROUNDS)]
    nothing = statistics.median(_nothing(browser, host) for _ in range(_ROUNDS))
    kilobytes, requests, further, ready = (statistics.median(column) for column in zip(*loads, strict=True))
    record("first load of the judging page", kilobytes, "kB", note=f"{requests:.0f} requests")
    record("each further pair", further, "kB")
    record("judging page ready in Chromium", ready, "s", floor=nothing, note="floor: /healthz in the same browser")


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


def _load(browser: Any, host: str, state: Any) -> tuple[float, float, float, float]:
    """With an empty cache: kB, requests, kB of the next pair with what was kept, seconds until ready."""
    context = browser.new_context(storage_state=state)
    page = context.new_page()
    page.add_init_script(_WATCH)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    received: list[float] = []
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    page.goto(f"{host}{_PAGE}", wait_until="networkidle")
    ready = page.evaluate("window.readyAt") / 1000
    kilobytes, requests = sum(received) / 1000, len(received)
    page.goto(f"{host}{_NEXT}", wait_until="networkidle")
    further = sum(received) / 1000 - kilobytes
    context.close()
    return kilobytes, requests, further, ready


def _nothing(browser: Any, host: str) -> float:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{host}/healthz")
    taken = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd") / 1000
    context.close()
    return float(taken)
