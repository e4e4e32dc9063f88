"""Two versions of the answers to one pair, question by question, drawn from the protocol's
fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.protocols.base import Answers
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.selectors.judging.blinded import BlindedPair
from annotation.web.base.presenters import text
from annotation.web.judging.own_presenters import has_marks, marks_in_words

LEFT, RIGHT, BOTH = "mine", "theirs", "both"


@dataclass
class Compared:
    """One question in both versions. ``names``: its field, and those that only qualify its answer,
    which go along."""

    name: str
    label: str
    names: list[str]
    left: list[dict[str, str]]
    right: list[dict[str, str]]
    same: bool
    unites: bool
    """Whether the answers of both can be kept together."""


def compared(
    protocol: Protocol, pair: BlindedPair, left: Answers, right: Answers
) -> list[Compared]:
    """Every question of the protocol, in its order."""
    rows = []
    for main, qualifiers in _questions(protocol):
        names = [main.name, *(qualifier.name for qualifier in qualifiers)]
        rows.append(
            Compared(
                name=main.name,
                label=text(main.label),
                names=names,
                left=list(_words([main, *qualifiers], pair, left)),
                right=list(_words([main, *qualifiers], pair, right)),
                same=all(left[name] == right[name] for name in names),
                unites=bool(left[main.name] and right[main.name])
                and main.united(left[main.name], right[main.name]) is not None,
            )
        )
    return rows


def mixed(protocol: Protocol, left: Answers, right: Answers, picks: Mapping[str, str]) -> Answers:
    """The answers as they were chosen, question by question; what nobody chose is the left
    version's."""
    answers = dict(left)
    for main, qualifiers in _questions(protocol):
        picked = picks.get(main.name, LEFT)
        both = main.united(left[main.name], right[main.name]) if picked == BOTH else None
        if both is not None:
            answers[main.name] = both
        elif picked == RIGHT:
            answers |= {
                name: right[name]
                for name in (main.name, *(qualifier.name for qualifier in qualifiers))
            }
    return answers


def _questions(protocol: Protocol) -> Iterator[tuple[Field, list[Field]]]:
    """Each field that is asked, with those that only qualify its answer."""
    for main in protocol.fields:
        if not main.qualifies:
            yield main, [field for field in protocol.fields if field.qualifies == main.name]


def _words(fields: list[Field], pair: BlindedPair, answers: Answers) -> Iterator[dict[str, str]]:
    """An answer line by line: what it says, and of a mark also all that is answered of it, its note
    and what it quotes."""
    for field in fields:
        value = answers[field.name]
        if has_marks(field, value):
            yield from ({"text": m.pop("type"), **m} for m in marks_in_words(field, pair, value))
        elif field.qualifies:
            yield from (
                {"text": f"{text(field.label)} · {said}"} for said in field.lines(value, text)
            )
        else:
            unsaid = [_("no")] if value is False else [""]
            yield from ({"text": said} for said in field.lines(value, text) or unsaid)
