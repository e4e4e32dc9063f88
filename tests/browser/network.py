"""A browser's network, away and back."""

from __future__ import annotations

from playwright.sync_api import BrowserContext

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
