"""What the tests of the page that marks edits share: its texts, its rows, what it saved."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Page, expect

from annotation.models import Draft
from tests.processes import PATIENCE

ORIGINAL = (
    "L'assureur qui n'est pas avisé du sinistre peut résilier la police, sous réserve de l'article "
    "12. Il rembourse alors la portion de la prime qui excède le temps couru."
)
SIMPLIFIED = (
    "L'assureur peut mettre fin à la police s'il n'est pas prévenu de l'accident. Il rembourse "
    "ensuite une partie de la prime."
)


def ready(page: Page) -> None:
    expect(page.locator("main[data-ready][data-synced]:not([data-unknown])")).to_be_attached()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def rows(page: Page) -> Any:
    return page.locator("[data-list] > [data-edit]")


def chosen(page: Page) -> str:
    return str(page.evaluate("getSelection().toString()"))


def saved(
    page: Page, *expected: tuple[str, list[str], list[str]], first: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The edits that the draft holds, once they are those: key, words in the original, words in the
    simplification. ``first``: what the first of them holds besides."""
    until = time.monotonic() + PATIENCE / 2
    while True:
        # Again and again: what is asked for in the very moment in which a save ends waits for the
        # next time.
        page.keyboard.press("Control+s")
        draft = Draft.objects.select_related("assignment__simplification__item").first()
        edits = draft.answers["edits"] if draft else []
        if [_said(draft, edit) for edit in edits] == [*expected] and (
            not first or first.items() <= edits[0].items()
        ):
            return list(edits)
        shown = [_said(draft, edit) for edit in edits]
        assert time.monotonic() < until, f"{shown} rather than {expected} {first}: {edits[:1]}"
        page.wait_for_timeout(200)


def draft_with(page: Page, field: str, count: int) -> list[dict[str, Any]]:
    """What the draft holds of a field, once there are so many."""
    until = time.monotonic() + PATIENCE / 2
    while True:
        page.keyboard.press("Control+s")
        draft = Draft.objects.first()
        answer = draft.answers[field] if draft else []
        if len(answer) == count:
            return list(answer)
        assert time.monotonic() < until, f"{answer} rather than {count} of them"
        page.wait_for_timeout(200)


def _said(draft: Any, edit: dict[str, Any]) -> tuple[str, list[str], list[str]]:
    pair = draft.assignment.simplification
    texts = {"original": pair.item.original, "simplification": pair.text}
    words = [[text[start:end] for start, end in edit[side]] for side, text in texts.items()]
    return edit["type"], words[0], words[1]
