"""Guides are Markdown; what comes out is never the author's own HTML."""

from __future__ import annotations

from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from markdown_it import MarkdownIt

from annotation.models import GuideVersion

_RENDERER = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")


def render_guide(source: str) -> SafeString:
    """The guide as HTML. Raw HTML in it is shown as text; images are left out."""
    tokens = _RENDERER.parse(source)
    for token in tokens:
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("rel", "noopener noreferrer nofollow")
    # Safe: markdown-it escapes every text and allows no HTML; links are limited to safe schemes by it.
    html: str = _RENDERER.renderer.render(tokens, _RENDERER.options, {})
    return mark_safe(html)  # noqa: S308


def guide_language(guide: GuideVersion) -> str:
    """The language in which the reader gets it: their own; French where there is no English version."""
    return "en" if (get_language() or "fr").startswith("en") and guide.body_en else "fr"


def guide_html(guide: GuideVersion) -> SafeString:
    """The guide in ``guide_language``."""
    return render_guide(guide.body_en if guide_language(guide) == "en" else guide.body_fr)


def guide_context(guide: GuideVersion | None) -> dict[str, Any]:
    """What ``annotate/_guide.html`` shows."""
    if guide is None:
        return {"guide": None}
    return {"guide": guide, "guide_html": guide_html(guide), "guide_language": guide_language(guide)}
