"""What most annotators of a pair put on each of its words, drawn on both texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.marks.consensus import Outcome, TokenConsensus, token_consensus
from annotation.agreement.marks.grouping import AS_MARKED
from annotation.agreement.marks.layers import Labels, layers_of
from annotation.models import Simplification, Study
from annotation.protocols.edits import SIDES
from annotation.selectors.agreement.adjudication import heard_marks
from annotation.selectors.agreement.voices import Voice
from annotation.web.base.presenters import distribution_words, option_labels


def consensus_context(
    study: Study, pair: Simplification, voices: Sequence[Voice]
) -> list[dict[str, Any]]:
    """For each question whose marks are counted, both texts with what most put on each word; none
    for fewer than two annotators."""
    found = []
    for field in study.protocol.fields:
        if not field.counted:
            continue
        layers = layers_of(heard_marks(pair, voices, field))
        if not layers.shared:
            continue
        tokens = list(token_consensus(layers, AS_MARKED))
        labels = option_labels(field.marks)
        texts = {"original": pair.item.original, "simplification": pair.text}
        found.append(
            {
                "sides": {
                    side: list(
                        _pieces(texts[side], [one for one in tokens if one.side == side], labels)
                    )
                    for side in SIDES
                },
                "counts": _counts(tokens),
                "annotators": len(layers.shared[0]),
            }
        )
    return found


def _pieces(
    text: str, tokens: Sequence[TokenConsensus], labels: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """The whole text: words on which somebody put something, with what most did, and the rest. What
    neighbours share is said before the first of them."""
    end = 0
    before: tuple[Any, ...] | None = None
    for one in tokens:
        if one.start > end:
            yield {"text": text[end : one.start]}
        end = one.end
        if not one.marked:
            before = None
            yield {"text": one.text}
            continue
        outcome = one.outcome
        shown = (outcome is Outcome.TIE, one.labels)
        yield {
            "text": one.text,
            "outcome": outcome,
            "tag": "" if shown == before else _tag(one, labels),
            "stands": bool(one.labels) or outcome is Outcome.TIE,
            "title": distribution_words(
                (_said(put, labels), number) for put, number in one.label_sets.items()
            ),
        }
        before = shown
    if end < len(text):
        yield {"text": text[end:]}


def _tag(one: TokenConsensus, labels: Mapping[str, str]) -> str:
    if one.outcome is Outcome.TIE:
        return _("tie")
    return _said(one.labels, labels) if one.labels else ""


def _said(put: Labels, labels: Mapping[str, str]) -> str:
    return " + ".join(labels.get(one, one) for one in put) if put else _("nothing")


def _counts(tokens: Sequence[TokenConsensus]) -> str:
    """How the words stand on which somebody put something."""
    marked = [one for one in tokens if one.marked]
    numbers = {str(key): sum(one.outcome is key for one in marked) for key in Outcome}
    words = {
        Outcome.UNANIMOUS: ngettext("%(n)d unanimous", "%(n)d unanimous", numbers["unanimous"]),
        Outcome.MAJORITY: ngettext("%(n)d by majority", "%(n)d by majority", numbers["majority"]),
        Outcome.PLURALITY: ngettext(
            "%(n)d by plurality", "%(n)d by plurality", numbers["plurality"]
        ),
        Outcome.TIE: ngettext("%(n)d tied", "%(n)d tied", numbers["tie"]),
    }
    told = ", ".join(
        word % {"n": numbers[str(key)]} for key, word in words.items() if numbers[str(key)]
    )
    return re.sub(r"\s+", " ", told)
