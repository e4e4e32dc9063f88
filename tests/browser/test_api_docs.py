"""The API's documentation page: drawn from our own files, within its content policy."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect


def test_the_description_is_drawn_and_nothing_is_blocked(page: Page, live_server: Any) -> None:
    complaints: list[str] = []
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{live_server.url}/api/v1/docs/")
    expect(page.locator("#operations-studies-study_list_post")).to_be_visible()
    # Of a long list Swagger UI draws what is in sight.
    seen = page.locator("#operations-you-me_get")
    for _ in range(200):
        if seen.count():
            break
        page.mouse.wheel(0, 600)
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    expect(seen).to_be_visible()
    assert complaints == []
