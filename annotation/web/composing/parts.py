"""What of a protocol's file has which control in its form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import NoneType
from typing import Any, NamedTuple, get_args

from django.utils.translation import gettext as _

from annotation.protocols.base import Wording
from annotation.protocols.kinds import KINDS, Field, When
from annotation.protocols.kinds.edit_rules import SIDES_OF_OPERATIONS
from annotation.protocols.protocol import Expectation, Step
from annotation.web.base.presenters import text as in_language
from annotation.web.composing.conditions import condition_said
from annotation.web.composing.following import RATED, REFERS, RULINGS
from annotation.web.composing.hints import (
    SIDES,
    Known,
    Row,
    Shown,
    has_parts,
    in_words,
    inner_hint,
    is_group,
    is_of_scales,
    is_range,
    is_row,
    kind_of,
    named_row,
    said_of,
    shown_members,
    table_hint,
    table_members,
    under,
    words_of,
)
from annotation.web.composing.rated import (
    ENDS,
    NEEDED,
    TICKED,
    is_pair_of_words,
    needed_lines,
    quality_names,
    scale_names,
    ticked_names,
    with_unknown,
)
from annotation.web.composing.rows import COPIED, PASTED, list_name
from annotation.web.composing.words import (
    ABOUT,
    ABOUT_RULINGS,
    ADDING,
    KIND_NAMES,
    LABELS,
    LABELS_OF_DATA,
    PAIR_LABELS,
    VALUES,
)

_FIRST = (
    *("name", "label", "required", "options", "types", "brackets", "operations", "allowed"),
    *("lowest", "highest", "step", "low", "high", "deducts", "is_remark", "is_doubt", "confirms"),
)
"""Of a question, what is looked at before anything else; the rest folds away."""
_LONG = ("help", "example", "source", "summary", "score", "prompt")
"""Words of several lines."""


class Removed(NamedTuple):
    """What a button took out of a file: its way, and itself as a file has it."""

    way: str
    row: Any

    @property
    def label(self) -> str:
        """What it was called."""
        row = self.row
        words = row[1] if isinstance(row, list) and len(row) == 2 else row
        return in_words(words) or (_called(row) if isinstance(row, dict) else "")

    @property
    def text(self) -> str:
        """As the page sends it back."""
        return json.dumps(self.row, ensure_ascii=False)


@dataclass(frozen=True)
class Part:
    """One field of the form, or a group of them. ``way``: its name in the form, by members and
    numbers from 0 (``steps.0.fields.1.label``). ``control``: which template draws it. ``value``:
    what it shows, a text, whether it is ticked, those that are ticked, or texts by name.
    ``faults``: what is wrong with it. ``removed``: the row that was just taken out of a list."""

    way: str
    label: str
    control: str
    value: Any = None
    about: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    parts: tuple[Part, ...] = ()
    more: tuple[Part, ...] = ()
    rows: tuple[Part, ...] = ()
    is_open: bool = False
    faults: tuple[str, ...] = ()
    removed: Removed | None = None

    @property
    def adding(self) -> str:
        """What the button says that adds a row; "" for a list that does not grow."""
        return str(ADDING.get(list_name(self.way), ""))

    @property
    def can_be_pasted(self) -> bool:
        """Whether its rows can be typed as lines, several at once."""
        return list_name(self.way) in PASTED

    @property
    def can_be_copied(self) -> bool:
        """Whether its row has a name, by which a copy is told apart."""
        return list_name(self.way.rpartition(".")[0]) in COPIED

    @property
    def can_move(self) -> bool:
        """Whether its row can be moved and removed."""
        return self.way.split(".")[-2:-1] != ["panels"]

    @property
    def is_more_open(self) -> bool:
        """Whether what is shown stands in what folds away."""
        return any(part.is_open for part in self.more)


def parts_of(kind: Any, given: Row, way: str, known: Known) -> tuple[Part, ...]:
    parts = (part_of(member, given, way, known) for member in shown_members(kind))
    return tuple(part for part in parts if part is not None)


def part_of(member: Shown, given: Row, way: str, known: Known) -> Part | None:
    """None for what has no form."""
    name, hint = member.name, member.hint
    value = said_of(given, member)
    part = Part(
        under(way, name),
        _label(way, name),
        "line",
        "" if value is None else str(value),
        about=_about(way, name),
    )
    if name == "side":
        return replace(part, control="list", choices=_with_present(_sides(way), part.value))
    if name in RATED or name in RULINGS or name in REFERS:
        nothing = {} if member.is_needed else {"": _("nothing")}
        names = _names(str(name), given, known)
        return replace(part, control="list", choices=_with_present(nothing | names, part.value))
    if isinstance(hint, type) and not is_group(hint):
        return _plain_part(part, hint, name, value)
    if isinstance(given, list):
        return None
    return _part_of_several(part, member, given, known)


def _part_of_several(part: Part, member: Shown, given: dict[str, Any], known: Known) -> Part | None:
    """What says more than a text, a number or a word."""
    hint, value = member.hint, said_of(given, member)
    if {*get_args(hint)} == {When, NoneType}:
        return _when_part(part, value, given, known)
    if {*get_args(hint)} == {str, bool}:
        return _decided_part(part, value, given)
    if is_group(hint) or table_hint(hint) is not None:
        return _group_part(part, member, given, known)
    if is_range(hint):
        return _range_part(part, value)
    if is_of_scales(hint):
        return _of_scales_part(part, hint, given.get(str(member.name), {}), known)
    if member.name in (*TICKED, NEEDED):
        return _listed_part(part, str(member.name), value, known)
    return _list_part(part, hint, value, known)


def _names(member: str, given: Row, known: Known) -> dict[str, str]:
    """What the member may name."""
    if member in RATED:
        return scale_names(known)
    if member in RULINGS:
        return {name: named_row(name, ruling) for name, ruling in known.rulings.items()}
    return {
        name: words
        for name, words in known.question_names.items()
        if known.questions[name] is not given
        and known.questions[name].get("kind") in REFERS[member]
    }


def _sides(way: str) -> dict[str, str]:
    """The texts that an operation of this way may be marked on, or that a panel may show."""
    if ".operations." in way:
        return {side: in_language(words) for side, words in SIDES_OF_OPERATIONS.items()}
    return {side: str(VALUES[side]) for side in SIDES}


def _plain_part(part: Part, hint: type[Any], name: str | int, value: Any) -> Part | None:
    """A text, a number, yes or no, words in both languages, one of a few words."""
    if hint is str and (name in _LONG or "\n" in part.value):
        return replace(part, control="lines")
    if hint is str:
        return part
    if hint is int:
        return replace(part, control="number")
    if hint is bool:
        return replace(part, control="tick", value=value is True)
    if hint is Wording:
        words = words_of(value)
        # A line would lose its ends.
        is_long = name in _LONG or any("\n" in said for said in words.values())
        return replace(part, control="words" if is_long else "word", value=words)
    if not issubclass(hint, StrEnum):
        return None
    words = {word.value: str(VALUES.get(word.value, word.value)) for word in hint}
    return replace(part, control="list", choices=_with_present(words, part.value))


def _label(way: str, name: str | int) -> str:
    if isinstance(name, int):
        return str(PAIR_LABELS[name])
    of = LABELS_OF_DATA if way == "about" else {}
    return str(of.get(name, LABELS.get(name, name)))


def _about(way: str, name: str | int) -> str:
    of = ABOUT_RULINGS if way.startswith("rulings.") else ABOUT
    return str(of.get(str(name), ""))


def _range_part(part: Part, value: Any) -> Part:
    """Two ends, both empty for none."""
    ends = ["", ""] if value is None else value
    if not (isinstance(ends, list) and len(ends) == 2):
        return replace(part, control="odd")
    return replace(part, control="ends", value=dict(zip(ENDS, map(str, ends), strict=True)))


def _of_scales_part(part: Part, hint: Any, value: Any, known: Known) -> Part | None:
    """Words, or what it is a quality of, for each dimension; None where there is none yet."""
    if not isinstance(value, dict):
        return replace(part, control="odd")
    names = with_unknown(scale_names(known), value)
    parts = tuple(
        _of_scale(Part(under(part.way, name), words, "odd"), get_args(hint)[1], value.get(name))
        for name, words in names.items()
    )
    return replace(part, control="group", value=None, parts=parts) if parts else None


def _of_scale(part: Part, hint: Any, value: Any) -> Part:
    if hint is Wording:
        is_odd = not isinstance(value, dict | None)
        return part if is_odd else replace(part, control="words", value=words_of(value))
    if not (value is None or is_pair_of_words(value)):
        return part
    said = " ".join(value or ())
    choices = _with_present({"": _("nothing")} | quality_names(), said)
    return replace(part, control="list", value=said, choices=choices)


def _listed_part(part: Part, name: str, value: Any, known: Known) -> Part | None:
    """Names of dimensions or of layouts; None where there are none."""
    if name == NEEDED:
        lines = needed_lines(value) if isinstance(value, list) else None
        return replace(part, control="odd" if lines is None else "lines", value=lines)
    there = ticked_names(name, known)
    said = [*there] if value is None else value
    if not (isinstance(said, list) and all(isinstance(each, str) for each in said)):
        return replace(part, control="odd")
    choices = with_unknown(there, said)
    chosen = [each for each in choices if each in said]
    ticks = replace(part, control="ticks", value=chosen, choices=tuple(choices.items()))
    return ticks if choices else None


def _when_part(part: Part, value: Any, given: Mapping[str, Any], known: Known) -> Part:
    when = condition_said(value, known.questions)
    own = given.get("name")
    others = {name: words for name, words in known.question_names.items() if name != own}
    choices = _with_present({"": "–"} | others, when["field"])
    return replace(part, control="when", value=when, choices=choices)


def _decided_part(part: Part, value: Any, given: Mapping[str, Any]) -> Part:
    """One of the words of a ruling, or yes or no where it has none."""
    options = given.get("options")
    words = {
        option[0]: f"{in_words(option[1])} ({option[0]})"
        for option in (options if isinstance(options, list) else ())
        if is_row(option, tuple[str, Wording]) and isinstance(option[0], str)
    }
    present = json.dumps(value) if isinstance(value, bool) else str(value)
    yes_no = {"false": _("no"), "true": _("yes")}
    choices = _with_present(words or yes_no, present)
    control = "list" if words else "yes_no"
    return replace(part, control=control, value=present, choices=choices)


def _group_part(part: Part, member: Shown, given: dict[str, Any], known: Known) -> Part:
    """An object with members of its own, or a table with a list for each of its names."""
    value = given.get(str(member.name), {})
    if not isinstance(value, dict):
        return Part(part.way, part.label, "odd")
    if is_group(member.hint):
        inner = parts_of(member.hint, value, part.way, known)
    else:
        lists = (part_of(each, value, part.way, known) for each in table_members(member))
        inner = tuple(each for each in lists if each is not None)
    return replace(part, control="group", value=None, parts=inner)


def _with_present(known: Mapping[str, str], present: str) -> tuple[tuple[str, str], ...]:
    """What may be chosen, and what is chosen though there is no such thing: a browser would take
    the first for it."""
    odd = {} if present in known else {present: _("%(name)s (unknown)") % {"name": present}}
    return tuple({**known, **odd}.items())


def _list_part(part: Part, hint: Any, value: Any, known: Known) -> Part | None:
    inner = inner_hint(hint)
    if inner is str:
        if part.way.endswith(".sides"):
            choices = tuple((side, str(VALUES[side])) for side in SIDES)
            chosen = [side for side in SIDES if side in _texts(value)]
            return replace(part, control="ticks", value=chosen, choices=choices)
        return replace(part, value=", ".join(_texts(value)))
    if not has_parts(inner):
        return None
    value = [] if value is None else value
    if not isinstance(value, list):
        return Part(part.way, part.label, "odd")
    rows = tuple(
        _row(inner, row, under(part.way, number), known) for number, row in enumerate(value)
    )
    kinds = tuple((kind, str(KIND_NAMES.get(kind, kind))) for kind in KINDS)
    choices = kinds if inner is Field else ()
    return replace(part, control="rows", value=None, rows=rows, choices=choices)


def _row(kind: Any, row: Any, way: str, known: Known) -> Part:
    if not is_row(row, kind):
        return Part(way, str(row)[:80], "odd")
    if kind is Wording:
        words = Part(way, str(LABELS["sentence"]), "words", words_of(row))
        return Part(way, in_words(row)[:80], "row", parts=(words,))
    if isinstance(row, list):
        return Part(way, in_words(row[1]), "row", parts=parts_of(kind, row, way, known))
    if kind is Expectation:
        parts = parts_of(kind, row, way, known)
        return Part(way, _expected(row, known), "row", value=_range(row), parts=parts)
    label = _called(row)
    if kind is not Field:
        control = "step" if kind is Step else "row"
        return Part(way, label, control, parts=parts_of(kind, row, way, known))
    own = kind_of(row)
    if own is None:
        return Part(way, label, "odd", value=str(row.get("kind", "")))
    parts = parts_of(own, row, way, known)
    first = {under(way, name) for name in _FIRST}
    return Part(
        way,
        label,
        "question",
        value=str(KIND_NAMES.get(row["kind"], row["kind"])),
        parts=tuple(part for part in parts if part.way in first),
        more=tuple(part for part in parts if part.way not in first),
    )


def _expected(row: Mapping[str, Any], known: Known) -> str:
    name = row.get("dimension")
    rated = next((in_language(scale.label) for scale in known.scales if scale.name == name), "")
    return rated or str(name or "")


def _range(row: Mapping[str, Any]) -> str:
    ends = dict.fromkeys(str(row.get(end, "")) for end in ("lowest", "highest"))
    return " – ".join(ends)


def _called(row: Mapping[str, Any]) -> str:
    for name in ("question", "label", "heading", "short"):
        if words := in_words(row.get(name)):
            return words
    return next((str(row[name]) for name in ("key", "name", "side") if row.get(name)), "")


def _texts(value: Any) -> list[str]:
    return [str(text) for text in value] if isinstance(value, list) else []
