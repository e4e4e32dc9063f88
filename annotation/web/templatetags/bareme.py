"""What templates cannot say by themselves."""

from __future__ import annotations

import re

from django import template
from django.utils.safestring import SafeString, mark_safe

from annotation.models import Event, Study, User
from annotation.selectors.practice.practice import practice_part
from annotation.web.platform.columns import Columns, columns_of
from annotation.web.studies.event_sentences import SENTENCES, sentence
from annotation.web.studies.navigation import Navigation, navigation

register = template.Library()


@register.simple_tag
def practice_of(study: Study, user: User) -> str:
    """What the practice round is to this reader: "open", "done", "late" or "none"."""
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
