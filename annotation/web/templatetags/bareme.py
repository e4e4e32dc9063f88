"""What templates cannot say by themselves."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from pathlib import Path

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from annotation import bundles
from annotation.corpus.language import original_language
from annotation.models import Event, Study, User
from annotation.selectors.base.languages import (
    language_of_original,
    language_of_simplification,
)
from annotation.selectors.practice.practice import practice_part
from annotation.web.base.numbers import amount
from annotation.web.base.presenters import said_language, side_heading
from annotation.web.platform.columns import Columns, columns_of
from annotation.web.platform.typography import hold_signs
from annotation.web.studies.event_sentences import SENTENCES, sentence
from annotation.web.studies.navigation import Navigation, navigation

register = template.Library()


@register.simple_tag
def practice_of(study: Study, user: User) -> str:
    """What the practice round is to this reader: "open", "done", "missed", "late" or "none"."""
    return practice_part(study, user)


@register.simple_tag(takes_context=True)
def study_navigation(context: template.Context) -> Navigation:
    """The column of the study's pages."""
    return navigation(context["study"], context["request"].path)


@register.simple_tag(takes_context=True)
def columns_shown(context: template.Context, table: str) -> Columns:
    """The columns of a table as its reader chose them."""
    return columns_of(context["request"].user, table)


@register.filter
def event_sentence(event: Event) -> str:
    """An audit event in words."""
    return sentence(event)


@register.filter
def verb_label(verb: str) -> str:
    """An audit verb in words."""
    return str(SENTENCES.get(verb, verb))


@register.simple_tag
def original_lang(study: Study, text: str, beside: str = "") -> SafeString:
    """The attribute ``lang`` of an original; nothing where its language is not known. ``beside``:
    that of its simplification."""
    return said_language(language_of_original(study, text, beside=beside))


@register.simple_tag
def simplification_lang(study: Study, text: str, detected: str = "") -> SafeString:
    """The same of a simplification."""
    return said_language(language_of_simplification(study, text, detected))


@register.filter
def plain_lang(text: object) -> SafeString:
    """The same of a text that is nobody's yet: only where it is plainly French."""
    return said_language(original_language("", str(text)))


@register.filter
def usd(value: Decimal | str) -> str:
    """An amount, also one that a run's row keeps as JSON, to its last digit, two at least."""
    return amount(Decimal(value))


@register.filter
def held(text: object) -> str:
    """A protocol's words, with French signs held to the words that they belong to."""
    return hold_signs(str(text))


@register.filter
def headed(study: Study, side: str) -> str:
    """How a study's texts of this side are headed, as its protocol says."""
    return side_heading(study.protocol, side)


@register.simple_tag
def styles(file: str) -> SafeString:
    """Links to the style sheets of a page: one, where they were put together."""
    parts = [file] if _is_made(file) else bundles.STYLES[file]
    links = ((staticfiles_storage.url(part),) for part in parts)
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', links)


@register.simple_tag
def modules() -> SafeString:
    """Has the browser ask for what the judging page's script imports before it has read that."""
    made = bundles.SCRIPTS.values()
    parts = made if all(_is_made(file) for file in made) else _members()
    links = ((staticfiles_storage.url(part),) for part in parts)
    return format_html_join("\n", '<link rel="modulepreload" href="{}">', links)


def _is_made(file: str) -> bool:
    """Whether a file lies among those that were collected; nothing else knows of it."""
    return not settings.DEBUG and file in getattr(staticfiles_storage, "hashed_files", {})


@cache
def _members() -> list[str]:
    def read(name: str) -> str:
        return Path(str(finders.find(name))).read_text(encoding="utf-8")

    return bundles.members(read)


class _Dense(template.Node):
    def __init__(self, inside: template.NodeList) -> None:
        self._inside = inside

    def render(self, context: template.Context) -> SafeString:
        # Safe: nothing but space at the start of lines is taken out of what was rendered.
        return mark_safe(re.sub(r"\n\s+", "\n", self._inside.render(context)))  # noqa: S308


@register.tag
def dense(parser: template.base.Parser, token: template.base.Token) -> _Dense:
    """Without the indentation of its templates: for parts that are kept, and hold no words of a
    person."""
    inside = parser.parse(("enddense",))
    parser.delete_first_token()
    return _Dense(inside)
