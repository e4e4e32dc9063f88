"""What templates cannot say by themselves."""

from __future__ import annotations

from django import template

from annotation.models import Event
from annotation.web.event_sentences import SENTENCES, sentence

register = template.Library()


@register.filter
def event_sentence(event: Event) -> str:
    """An audit event in words."""
    return sentence(event)


@register.filter
def verb_label(verb: str) -> str:
    """An audit verb in words."""
    return str(SENTENCES.get(verb, verb))
