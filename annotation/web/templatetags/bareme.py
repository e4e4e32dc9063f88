"""What templates cannot say by themselves."""

from __future__ import annotations

from django import template

from annotation.models import Event, Study, User
from annotation.selectors.practice import practice_part
from annotation.web.event_sentences import SENTENCES, sentence

register = template.Library()


@register.simple_tag
def practice_of(study: Study, user: User) -> str:
    """What the practice round is to this reader: "open", "done", "late" or "none"."""
    return practice_part(study, user)


@register.filter
def event_sentence(event: Event) -> str:
    """An audit event in words."""
    return sentence(event)


@register.filter
def verb_label(verb: str) -> str:
    """An audit verb in words."""
    return str(SENTENCES.get(verb, verb))
