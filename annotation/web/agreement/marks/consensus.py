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
    questions = []
    for field in study.protocol.fields:
        if not field.counted:
            continue
        layers = layers_of(heard_marks(pair, voices, field))
        if not layers.shared:
            continue
        tokens = list(token_consensus(layers, AS_MARKED))
        labels = option_labels(field.marks)
        texts = {"original": pair.item.original, "simplification": pair.text}
        questions.append(
            {
                "sides": {
                    side: list(
                        _pieces(
                            texts[side], [token for token in tokens if token.side == side], labels
                        )
                    )
                    for side in SIDES
                },
                "counts": _counts(tokens),
                "annotators": len(layers.shared[0]),
            }
        )
    return questions


def _pieces(
    text: str, tokens: Sequence[TokenConsensus], labels: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """The whole text: words on which somebody put something, with what most did, and the rest. What
    neighbours share is said before the first of them."""
    end = 0
    before: tuple[Any, ...] | None = None
    for token in tokens:
        if token.start > end:
            yield {"text": text[end : token.start]}
        end = token.end
        if not token.marked:
            before = None
            yield {"text": token.text}
            continue
        outcome = token.outcome
        shown = (outcome is Outcome.TIE, token.labels)
        yield {
            "text": token.text,
            "outcome": outcome,
            "tag": "" if shown == before else _tag(token, labels),
            "stands": bool(token.labels) or outcome is Outcome.TIE,
            "title": distribution_words(
                (_said(put, labels), number) for put, number in token.label_sets.items()
            ),
        }
        before = shown
    if end < len(text):
        yield {"text": text[end:]}


def _tag(token: TokenConsensus, labels: Mapping[str, str]) -> str:
    if token.outcome is Outcome.TIE:
        return _("tie")
    return _said(token.labels, labels) if token.labels else ""


def _said(put: Labels, labels: Mapping[str, str]) -> str:
    return " + ".join(labels.get(label, label) for label in put) if put else _("nothing")


def _counts(tokens: Sequence[TokenConsensus]) -> str:
    """How the words stand on which somebody put something."""
    marked = [token for token in tokens if token.marked]
    numbers = {str(key): sum(token.outcome is key for token in marked) for key in Outcome}
    words = {
        Outcome.UNANIMOUS: ngettext("%(n)d unanimous", "%(n)d unanimous", numbers["unanimous"]),
        Outcome.MAJORITY: ngettext("%(n)d by majority", "%(n)d by majority", numbers["majority"]),
        Outcome.PLURALITY: ngettext(
            "%(n)d by plurality", "%(n)d by plurality", numbers["plurality"]
        ),
        Outcome.TIE: ngettext("%(n)d tied", "%(n)d tied", numbers["tie"]),
    }
    sentence = ", ".join(
        word % {"n": numbers[str(key)]} for key, word in words.items() if numbers[str(key)]
    )
    return re.sub(r"\s+", " ", sentence)
