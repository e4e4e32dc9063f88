"""A browser's network, away and back."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

_ANSWERED = """async () => {
  for (;;) {
    if (await fetch("/healthz", { cache: "no-store" }).catch(() => null)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
}"""


def back_online(context: BrowserContext) -> None:
    """The network is there again, for the service worker too, which is told after the pages."""
    context.set_offline(False)
    for worker in context.service_workers:
        worker.evaluate(_ANSWERED)


def close_offline(*pages: Page) -> None:
    """Close windows that reach no network. The browser's emulation of that ends with the window,
    a moment before what it sends in leaving: now and then that would arrive."""
    for page in pages:
        page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no network')); }")
    for page in pages:
        page.close()
