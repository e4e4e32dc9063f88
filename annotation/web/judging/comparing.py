"""Two versions of the answers to one pair, question by question, drawn from the protocol's
fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.protocols.base import Answers
from annotation.protocols.fields import (
    BracketedScale,
    Choice,
    ErrorList,
    Field,
    Flag,
    Keyword,
    Whole,
)
from annotation.protocols.protocol import Protocol
from annotation.selectors.judging.blinded import BlindedPair
from annotation.web.base.presenters import text
from annotation.web.judging.own_presenters import errors_in_words

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
    """Whether the answers of both can be kept together: lists of errors, if they are not too
    long."""


def compared(
    protocol: Protocol, pair: BlindedPair, left: Answers, right: Answers
) -> list[Compared]:
    """Every question of the protocol, in its order."""
    rows = []
    for main, qualifiers in _questions(protocol):
        names = [main.name, *(one.name for one in qualifiers)]
        unites = (
            isinstance(main, ErrorList)
            and len(united(left[main.name], right[main.name])) <= main.max_errors
        )
        rows.append(
            Compared(
                name=main.name,
                label=text(main.label),
                names=names,
                left=list(_words([main, *qualifiers], pair, left)),
                right=list(_words([main, *qualifiers], pair, right)),
                same=all(left[name] == right[name] for name in names),
                unites=unites and bool(left[main.name]) and bool(right[main.name]),
            )
        )
    return rows


def united(left: list[Any], right: list[Any]) -> list[Any]:
    """The entries of both lists, those that both have once."""
    return [*left, *(one for one in right if one not in left)]


def mixed(protocol: Protocol, left: Answers, right: Answers, picks: Mapping[str, str]) -> Answers:
    """The answers as they were chosen, question by question; what nobody chose is the left
    version's."""
    answers = dict(left)
    for main, qualifiers in _questions(protocol):
        picked = picks.get(main.name, LEFT)
        if picked == BOTH and isinstance(main, ErrorList):
            answers[main.name] = united(left[main.name], right[main.name])
        elif picked == RIGHT:
            answers |= {
                name: right[name] for name in (main.name, *(one.name for one in qualifiers))
            }
    return answers


def _questions(protocol: Protocol) -> Iterator[tuple[Field, list[Field]]]:
    """Each field that is asked, with those of its step that only qualify its answer."""
    for step in protocol.steps:
        asked = [one for one in step.fields if not isinstance(one, Keyword | Whole)]
        qualifying: list[Field] = [one for one in step.fields if isinstance(one, Keyword | Whole)]
        # What qualifies an answer stands in the step of the scale or choice that it qualifies.
        qualified = next((one for one in asked if isinstance(one, BracketedScale | Choice)), None)
        for one in asked:
            yield one, qualifying if one is qualified else []


def _words(fields: list[Field], pair: BlindedPair, answers: Answers) -> Iterator[dict[str, str]]:
    """An answer line by line: what it says, and of an error also its note and what it quotes."""
    for one in fields:
        value = answers[one.name]
        match one:
            case ErrorList():
                yield from (
                    {"text": error.pop("type"), **error}
                    for error in errors_in_words(one, pair, value)
                )
            case Flag():
                yield {"text": _("yes") if value else _("no")}
            case Choice() if value:
                yield {"text": f"{value} · {text(one.option(value).label)}"}
            case BracketedScale() if value:
                yield {"text": f"{value} · {text(one.bracket(value).short)}"}
            case Keyword() | Whole():
                if value:
                    yield {"text": f"{text(one.label)} · {_keywords().get(value, value)}"}
            case _:
                yield {"text": value or ""}


def _keywords() -> dict[Any, str]:
    """The words for what qualifies an answer, which protocols do not word themselves."""
    return {"kept": _("kept"), "moved": _("moved down")}
