"""Guides are Markdown; what comes out is never the author's own HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotation.models import GuideVersion
from annotation.web.platform.typography import hold_signs

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# A heading names the judging step that it explains: in its words, or by a mark at its end that
# nobody is shown.
_STEP_MARK = re.compile(r"(?<!\s)\s*\{#(?:step|[eé]tape)-([1-9])\}\s*$", re.IGNORECASE)
_STEP_WORDS = re.compile(r"(?:step|[eé]tape)\s+([1-9])\b", re.IGNORECASE)


@cache
def _renderer() -> MarkdownIt:
    """Loaded with the first guide: no start waits for it."""
    from markdown_it import MarkdownIt

    commonmark = MarkdownIt("commonmark", {"html": False, "linkify": False})
    return commonmark.enable("table").disable("image")


def render_guide(source: str) -> SafeString:
    """The guide as HTML. Raw HTML in it is shown as text; images are left out.

    The first heading about each step carries its number (``data-guide-step``): "Step 2. …", "Étape
    2 : …", or any heading that ends in ``{#step-2}``.
    """
    markdown = _renderer()
    tokens = markdown.parse(source)
    for token in tokens:
        for child in token.children or []:
            if child.type == "text":
                child.content = hold_signs(child.content)
            if child.type == "link_open":
                child.attrSet("rel", "noopener noreferrer nofollow")
    _name_steps(tokens)
    # Safe: markdown-it escapes every text and allows no HTML; links are limited to safe schemes by
    # it.
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    return mark_safe(html)  # noqa: S308


def _name_steps(tokens: Sequence[Token]) -> None:
    named = set()
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open" or not inline.children:
            continue
        last = inline.children[-1]
        match = _STEP_MARK.search(last.content) or _STEP_WORDS.match(inline.content)
        last.content = _STEP_MARK.sub("", last.content)
        if match and match[1] not in named:
            opening.attrSet("data-guide-step", match[1])
            named.add(match[1])


def guide_language(guide: GuideVersion) -> str:
    """The language in which the reader gets it: their own; French where there is no English
    version."""
    return "en" if (get_language() or "fr").startswith("en") and guide.body_en else "fr"


def guide_html(guide: GuideVersion) -> SafeString:
    """The guide in ``guide_language``."""
    return render_guide(guide.body_en if guide_language(guide) == "en" else guide.body_fr)


def guide_context(guide: GuideVersion | None) -> dict[str, Any]:
    """What ``judging/_guide.html`` shows."""
    if guide is None:
        return {"guide": None}
    return {
        "guide": guide,
        "guide_html": guide_html(guide),
        "guide_language": guide_language(guide),
    }
