"""What nobody should publish, though people could judge by it. Asked of what is composed and
checked, and not at a start: what was published before this was known is judged by as it is.
Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from annotation.protocols.base import Option, Ruling, Wording
from annotation.protocols.fault_words import quoted
from annotation.protocols.kinds import Field
from annotation.protocols.kinds.edit_rules import Operation, OperationGroup
from annotation.protocols.protocol import ASPECTS, QUALITIES, Protocol, Step
from annotation.protocols.shapes import IT, named
from annotation.protocols.validity.fields import OF_FORMS
from annotation.protocols.validity.naming import LETTERS, NAME, is_unsaid, known_dimensions

OF_SETTINGS = frozenset(
    (
        *("contact", "language", "hourly_rate", "pay_currency", "reminder_after_days"),
        *("reminder_gap_days", "rulings", "protocol", "questions", *OF_FORMS),
    )
)
"""What stands beside a study's rulings in its form, or in files that it is published by."""
_YES_NO = ("true", "false")


def careless_faults(protocol: Protocol) -> list[Wording]:
    """Why nobody should publish it, each in a sentence; what ``faults`` say is not said again."""
    return [
        *_unsaid(protocol, IT),
        *(fault for ruling in protocol.rulings for fault in _ruling_faults(ruling)),
        *_control_faults(protocol),
        *_quality_faults(protocol),
        *_line_faults(protocol),
    ]


def _unsaid(part: Any, called: Wording) -> Iterator[Wording]:
    """Words that have to be there, and are in neither language."""
    for each in fields(part):
        value = getattr(part, each.name)
        is_needed = each.default is MISSING and each.default_factory is MISSING
        if isinstance(value, Wording):
            if is_needed and _is_blank(value) and not _is_told(part, value):
                yield Wording(
                    f"{called.fr} ne dit rien sous {each.name}\u00a0: donnez-en les mots",
                    f"{called.en} says nothing under {each.name}: give the words",
                )
        elif is_dataclass(value):
            yield from _unsaid(value, named(value, called))
        elif isinstance(value, tuple | Mapping):
            for inner in value.values() if isinstance(value, Mapping) else value:
                if is_dataclass(inner) and not isinstance(inner, Wording):
                    yield from _unsaid(inner, named(inner, called))


def _is_blank(words: Wording) -> bool:
    return not (words.fr.strip() or words.en.strip())


def _is_told(part: Any, words: Wording) -> bool:
    """Whether ``faults`` say of it that it is silent."""
    is_asked = isinstance(part, Protocol | Step | Operation | OperationGroup)
    is_empty = is_unsaid(words) and (is_asked or type(part) is Option)
    return is_empty or isinstance(part, Field)


def _ruling_faults(ruling: Ruling) -> Iterator[Wording]:
    french, english = f"sa décision {quoted(ruling.name)}", f"its ruling {ruling.name!r}"
    if ruling.name in OF_SETTINGS:
        yield Wording(
            f"{french} s'appelle comme un réglage de toute étude\u00a0: appelez-la autrement",
            f"{english} is called as a setting of every study: call it otherwise",
        )
    if len(ruling.options) == 1:
        yield Wording(
            f"{french} n'a qu'un mot\u00a0: donnez-en deux au moins, ou aucun pour oui ou non",
            f"{english} has one word: give two at least, or none for yes or no",
        )
    for word, number in Counter(word for word, _label in ruling.options).items():
        if number > 1:
            yield Wording(
                f"{french} a {number} fois le mot {quoted(word)}",
                f"{english} has the word {word!r} {number} times",
            )
        if word in _YES_NO or not NAME.fullmatch(word):
            yield Wording(
                f"{french} a le mot {quoted(word)}, qui n'en est pas un\u00a0: {LETTERS.fr}, ni "
                "true ni false",
                f"{english} has the word {word!r}, which is none: {LETTERS.en}, neither true nor "
                "false",
            )
    for word, label in ruling.options:
        if _is_blank(label):
            yield Wording(
                f"{french} ne dit pas ce que veut dire {quoted(word)}",
                f"{english} does not say what {word!r} means",
            )


def _control_faults(protocol: Protocol) -> Iterator[Wording]:
    """What not everybody is asked would fail whoever judged as they should."""
    scales = known_dimensions(protocol)
    known = {scale.name for scale in scales}
    always = {scale.name for scale in scales if scale.required}
    for kind, expected in protocol.controls.items():
        for name, number in Counter(each.dimension for each in expected).items():
            french = f"il attend de paires {quoted(kind)} un {quoted(name)}"
            english = f"it expects of {kind} pairs a {name!r}"
            if name in known and name not in always:
                yield Wording(
                    f"{french} qui n'est pas toujours demandé\u00a0: qui n'y répond pas, et fait "
                    "bien, échouerait. Exigez une réponse, sans condition, ou n'attendez rien",
                    f"{english} that is not always asked: who rightly gives none would fail. "
                    "Require an answer, without a condition, or expect nothing",
                )
            if number > 1:
                yield Wording(
                    f"{french} deux fois\u00a0: dites-le en une",
                    f"{english} twice: say it once",
                )


def _quality_faults(protocol: Protocol) -> Iterator[Wording]:
    """A datasheet has boxes for these answers alone."""
    for name, answers in protocol.about.quality.items():
        for said, known in zip(answers, (QUALITIES, ASPECTS), strict=True):
            if said not in known:
                yield Wording(
                    f"il dit de la qualité de {quoted(name)} {quoted(said)}, qui n'est pas une "
                    f"réponse\u00a0: l'un de {', '.join(known)}",
                    f"it says of the quality of {name!r} {said!r}, which is no answer: one of "
                    f"{', '.join(known)}",
                )


def _line_faults(protocol: Protocol) -> Iterator[Wording]:
    """What stands within a line, or a list, of published files."""
    about = protocol.about
    lines = {"title": protocol.title, "domain": about.domain}
    for name, words in lines.items():
        if any("\n" in text for text in (words.fr, words.en)):
            yield Wording(
                f"il dit {name} en plusieurs lignes\u00a0: écrivez-le en une",
                f"it says {name} in several lines: write it in one",
            )
