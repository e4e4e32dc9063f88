"""What makes a protocol one: found at start, before it meets anybody's answers. Pure.

First its shape (``shapes``), then what it says of itself, here, then what it does with sample
answers (``trials``): each is asked only of what passed the one before. What it says of itself is
asked by subject, one file each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from annotation.protocols.base import Wording
from annotation.protocols.fault_words import numbered, of_field, quoted
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.protocols.shapes import called_or_read, half_said, misshapen, tried
from annotation.protocols.trials import trial_faults
from annotation.protocols.validity.careless import careless_faults
from annotation.protocols.validity.columns import OF_LANGUAGES, column_faults, side_faults
from annotation.protocols.validity.dimensions import (
    CONTROLS,
    MOST_DIMENSIONS,
    said_faults,
    scale_faults,
)
from annotation.protocols.validity.fields import (
    LARGEST,
    LONGEST_DIMENSION,
    MOST_WHOLES,
    OF_FORMS,
    SMALLEST,
    field_faults,
)
from annotation.protocols.validity.naming import LETTERS, NAME, is_choiceless, is_unsaid, twice
from annotation.protocols.validity.references import (
    condition_faults,
    flag_faults,
    layout_faults,
    reference_faults,
    shown_faults,
)
from annotation.protocols.validity.steps import LANGUAGE, step_faults

__all__ = [
    "CONTROLS",
    "LANGUAGE",
    "LARGEST",
    "LONGEST_DIMENSION",
    "MOST_DIMENSIONS",
    "MOST_OPTIONS",
    "MOST_QUESTIONS",
    "MOST_WHOLES",
    "NAME",
    "OF_FORMS",
    "OF_LANGUAGES",
    "OF_STUDIES",
    "SMALLEST",
    "composed_faults",
    "faults",
]

OF_STUDIES = frozenset(
    (
        *("key", "title", "licence", "seed", "guidance_seconds", "hours_budget", "is_blind"),
        *("context_arm", "aid_renderings", "aid_glossary", "glossary_number", "questions"),
        "version",
    )
)
"""Names beside which a study's rulings stand in published files."""
MOST_QUESTIONS, MOST_OPTIONS = 150, 1_000
"""What one judging page can hold; of the longest protocol here, a seventh. What is tried grows with
their square, and anybody may compose one."""


LONGEST_TITLE = 120


def faults(protocol: Protocol) -> list[Wording]:
    """Why this is no protocol that Barème can run, each in a sentence; empty for a sound one."""
    return _all_faults(protocol, (_own_faults,))


def composed_faults(protocol: Protocol) -> list[Wording]:
    """Likewise of what somebody composes, with why nobody should publish it: whoever mends one
    thing after another is told of all at once."""
    return _all_faults(protocol, (_own_faults, careless_faults))


Ask = Callable[[Protocol], Iterable[Wording]]


def _all_faults(protocol: Protocol, of_whole: Sequence[Ask]) -> list[Wording]:
    """What each turn has to say; the next looks at what the one before let pass."""
    turns: Sequence[Sequence[Ask]] = (
        *((misshapen,), (_size_faults,), (half_said, *of_whole), (trial_faults,)),
    )
    for turn in turns:
        reasons = [fault for ask in turn for fault in tried(partial(ask, protocol), _unexamined)]
        if reasons:
            return list(dict.fromkeys(reasons))
    return []


def _own_faults(protocol: Protocol) -> Iterator[Wording]:
    yield from list(_silences(protocol)) or _faults(protocol)


def _unexamined(error: Wording) -> Wording:
    return Wording(
        f"il ne peut pas être examiné\u00a0: {error.fr}", f"it cannot be examined: {error.en}"
    )


def _faults(protocol: Protocol) -> Iterator[Wording]:
    yield from _head_faults(protocol)
    yield from step_faults(protocol)
    yield from twice(Wording("le champ", "field"), (f.name for f in protocol.fields))
    yield from _ruling_faults(protocol)
    for f in protocol.fields:
        for fault in (*condition_faults(protocol, f), *field_faults(protocol, f)):
            yield of_field(f.name, fault)
    yield from shown_faults(protocol)
    yield from scale_faults(protocol)
    yield from side_faults(protocol)
    yield from column_faults(protocol)
    yield from reference_faults(protocol)
    yield from flag_faults(protocol)
    yield from layout_faults(protocol)
    yield from said_faults(protocol)


def _size_faults(protocol: Protocol) -> Iterator[Wording]:
    questions, options = len(protocol.fields), sum(map(_offered, protocol.fields))
    if questions > MOST_QUESTIONS:
        yield Wording(
            f"il pose {numbered(questions)} questions\u00a0: une page en contient au plus "
            f"{MOST_QUESTIONS}",
            f"it asks {questions:,} questions: a page holds {MOST_QUESTIONS} at most",
        )
    if options > MOST_OPTIONS:
        yield Wording(
            f"il propose {numbered(options)} réponses\u00a0: une page en contient au plus "
            f"{numbered(MOST_OPTIONS)}",
            f"it offers {options:,} answers: a page holds {MOST_OPTIONS:,} at most",
        )


def _offered(f: Field) -> int:
    """How many answers it offers; a kind of an installation's own may call others so."""
    groups = _tuple(f, "operations")
    lists = [_tuple(f, name) for name in ("options", "types", "brackets", "allowed")]
    return sum(map(len, lists)) + sum(len(_tuple(group, "operations")) for group in groups)


def _tuple(part: Any, name: str) -> tuple[Any, ...]:
    value = getattr(part, name, ())
    return value if isinstance(value, tuple) else ()


def _head_faults(protocol: Protocol) -> Iterator[Wording]:
    if not NAME.fullmatch(protocol.key):
        yield Wording(
            f"sa clé {quoted(protocol.key)} n'est pas un nom\u00a0: {LETTERS.fr}",
            f"its key {protocol.key!r} is no name: {LETTERS.en}",
        )
    if not re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z.]{0,9}", protocol.version):
        yield Wording(
            f"sa version {quoted(protocol.version)} n'en est pas une\u00a0: chiffres, lettres sans "
            "accent et points, 10 au plus, sans point au début",
            f"its version {protocol.version!r} is none: digits, letters and points, 10 at most, "
            "none of the points first",
        )
    if (longest := max(map(len, (protocol.title.fr, protocol.title.en)))) > LONGEST_TITLE:
        yield Wording(
            f"son titre a {numbered(longest)} caractères\u00a0: une liste en montre au plus "
            f"{LONGEST_TITLE}",
            f"its title has {longest:,} characters: a list shows {LONGEST_TITLE} at most",
        )
    if is_unsaid(protocol.title):
        yield Wording("il n'a pas de titre", "it has no title")


def _ruling_faults(protocol: Protocol) -> Iterator[Wording]:
    yield from twice(Wording("la décision", "ruling"), (r.name for r in protocol.rulings))
    for ruling in protocol.rulings:
        if ruling.name in OF_STUDIES or not NAME.fullmatch(ruling.name):
            yield Wording(
                f"il laisse {quoted(ruling.name)} aux études, ce qui est un réglage de toute étude "
                "ou n'est pas un nom",
                f"it leaves {ruling.name!r} to studies, which is a setting of every study or none",
            )


def _silences(protocol: Protocol) -> Iterator[Wording]:
    """Fields that cannot even say what they are rated on, stored as and called."""
    if spoken := list(called_or_read(protocol.fields)):
        yield from spoken
        return
    for f in protocol.fields:
        if not is_choiceless(f):
            yield from tried(partial(_examine, f), partial(_field_unexamined, f.name))


def _examine(f: Field) -> Iterator[Wording]:
    _ = (f.dimensions, f.sides, f.marks, f.free_members, f.compared(), f.beside_marks())
    yield from ()


def _field_unexamined(name: str, error: Wording) -> Wording:
    return of_field(
        name,
        Wording(f"ne peut pas être examiné\u00a0: {error.fr}", f"cannot be examined: {error.en}"),
    )
