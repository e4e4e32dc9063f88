"""Guides are Markdown; what comes out is never the author's own HTML."""

from __future__ import annotations

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


def guide_html(guide: GuideVersion) -> SafeString:
    """The guide in the reader's language; French where there is no English version."""
    english = (get_language() or "fr").startswith("en") and guide.body_en
    return render_guide(guide.body_en if english else guide.body_fr)
