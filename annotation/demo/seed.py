"""Invented annotators: what each of them would answer to a pair of the demonstration.

Two camps, as real studies have them: lenient annotators see the overall sense and forgive details,
strict ones pick a lower bracket and look for more. A lead should find both on the study's pages.
"""

from __future__ import annotations

from random import Random
from typing import Any, TypeVar

from annotation.demo import Record
from annotation.protocols.base import Answers
from annotation.protocols.legal_meaning.definition import (
    ACCURATE,
    IMPRECISE,
    NO_SIMPLIFICATION,
    OFF_TRACK,
    OTHERS,
)
from annotation.protocols.legal_meaning.rules import crosses

T = TypeVar("T")

FIRST_STRICT = 3

NEIGHBOURS = {
    1: (3, 2),
    2: (3, 15),
    3: (2, 6),
    4: (5, 6),
    5: (4, 7),
    6: (2, 3),
    7: (5, 11),
    8: (9, 16),
    9: (10, 2),
    10: (9, 16),
    11: (5, 7),
    12: (16, 17),
    13: (11, 14),
    14: (13, 17),
    15: (16, 2),
    16: (15, 10),
    17: (12, 14),
    18: (6, 13),
}
"""Classes that somebody could pick instead of the intended one without being careless."""

EXTRA_NOTES = (
    "La portée de la règle est moins nette que dans l'original.",
    "Un terme technique perd son sens juridique.",
    "Le lien entre les deux parties de la clause n'est plus exprimé.",
)
DOUBT_COMMENTS = (
    "J'hésite entre deux qualifications.",
    "À revoir en équipe : la frontière entre les fourchettes est mince.",
    "Je ne suis pas certain que le détail perdu soit essentiel.",
)


def variation(record: Record, annotator_index: int, seed: str) -> Answers:
    """Answers of the annotator with this index (0 to 4) to one pair: complete, valid, always the
    same."""
    rng = Random(f"{seed}:{record['key']}:{annotator_index}")
    strict = annotator_index >= FIRST_STRICT
    intended = record["intended"]
    characterization = _characterization(rng, intended["characterization"])
    bracket = _bracket(rng, intended["bracket"], len(intended["errors"]), strict=strict)
    errors = _errors(rng, record, bracket, strict=strict)
    doubt = rng.random() < 0.08
    answers: Answers = {
        **_simplicity(rng, intended["simplicity"]),
        "characterization": characterization,
        "explanation": intended["explanation"] if characterization == OTHERS else "",
        "bracket": bracket,
        "errors": errors,
        "crossing_answer": "",
        "moved_from": None,
        "comment": _comment(rng, intended["comment"], doubt=doubt),
        "doubt": doubt,
    }
    return _answer_crossing(answers, strict=strict)


def intended(record: Record) -> Answers:
    """What a careful annotator would answer: the reference of the practice round."""
    wanted = record["intended"]
    answers: Answers = {
        **{
            name: wanted[name]
            for name in ("simplicity", "characterization", "explanation", "bracket")
        },
        "simplicity_confirmed": False,
        "errors": [_error(record, error) for error in wanted["errors"]],
        "crossing_answer": "",
        "moved_from": None,
        "comment": "",
        "doubt": False,
    }
    return _answer_crossing(answers, strict=False)


def active_seconds(record: Record, annotator_index: int, seed: str) -> int:
    """How long this annotator would take over the pair: longer texts and more errors take
    longer."""
    rng = Random(f"{seed}:{record['key']}:{annotator_index}:seconds")
    words = len(record["original"].split()) + len(record["simplification"].split())
    return int((words + 25 * len(record["intended"]["errors"])) * (0.7 + rng.random()))


def _pick(rng: Random, options: tuple[T, ...]) -> T:
    # Of all of Random's methods only random() is promised to give the same in every Python version.
    return options[int(rng.random() * len(options))]


def _simplicity(rng: Random, intended: int) -> dict[str, Any]:
    if intended == NO_SIMPLIFICATION:
        value = intended if rng.random() < 0.85 else 2
        return {"simplicity": value, "simplicity_confirmed": value != intended}
    others = tuple(value for value in (1, 2, 3) if abs(value - intended) == 1)
    return {
        "simplicity": intended if rng.random() < 0.8 else _pick(rng, others),
        "simplicity_confirmed": False,
    }


def _characterization(rng: Random, intended: int) -> int:
    return intended if rng.random() < 0.78 else _pick(rng, NEIGHBOURS[intended])


def _bracket(rng: Random, intended: int, error_count: int, *, strict: bool) -> int:
    drawn = rng.random()
    if not strict:
        if intended == IMPRECISE and error_count < 4 and drawn < 0.45:
            return ACCURATE
        return IMPRECISE if intended == OFF_TRACK and drawn < 0.2 else intended
    if intended == ACCURATE and drawn < (0.55 if error_count else 0.2) and error_count < 4:
        return IMPRECISE
    return OFF_TRACK if intended == IMPRECISE and drawn < 0.4 else intended


def _errors(rng: Random, record: Record, bracket: int, *, strict: bool) -> list[dict[str, Any]]:
    listed = record["intended"]["errors"]
    # Four intended errors are there to show a crossing: dropping one would hide it.
    forgiven = 0.0 if strict or len(listed) >= 4 else 0.3
    errors = [_error(record, error) for error in listed if rng.random() >= forgiven]
    lowered = bracket == IMPRECISE and not errors
    if lowered or (strict and len(errors) < 3 and rng.random() < 0.25):
        errors.append(_extra(rng))
    return errors


def _extra(rng: Random) -> dict[str, Any]:
    """An error that a strict annotator notes without marking a passage."""
    return {
        "type": "omission",
        "note": _pick(rng, EXTRA_NOTES),
        **_span("original", "", ""),
        **_span("simplification", "", ""),
    }


def _error(record: Record, intended: dict[str, str]) -> dict[str, Any]:
    return {
        "type": intended["type"],
        "note": intended["note"],
        **_span("original", record["original"], intended["original_quote"]),
        **_span("simplification", record["simplification"], intended["simplification_quote"]),
    }


def _span(side: str, text: str, quote: str) -> dict[str, int | None]:
    """The quote's first place in the text as code points; raises ``ValueError`` where it is not
    there."""
    if not quote:
        return {f"{side}_start": None, f"{side}_end": None}
    start = text.index(quote)
    return {f"{side}_start": start, f"{side}_end": start + len(quote)}


def _comment(rng: Random, intended: str, *, doubt: bool) -> str:
    if doubt:
        return _pick(rng, DOUBT_COMMENTS)
    return intended if rng.random() < 0.6 else ""


def _answer_crossing(answers: Answers, *, strict: bool) -> Answers:
    """Under the policy "ask" a score that leaves its bracket needs an answer: lenient annotators
    keep the bracket, strict ones move to the one below, where the formula starts again from its
    top."""
    bracket = answers["bracket"]
    if not crosses(bracket, len(answers["errors"])):
        return answers
    if strict and bracket == ACCURATE:
        return {**answers, "bracket": IMPRECISE, "crossing_answer": "moved", "moved_from": ACCURATE}
    return {**answers, "crossing_answer": "kept"}
