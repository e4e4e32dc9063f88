"""What every kind of field declares of itself. Pure: no Django here.

A kind overrides what differs from here. What it must say for itself raises ``NotImplementedError``
here, and ``protocols/validity`` finds at start what a kind has left unsaid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from annotation.protocols.base import (
    NO_WORDING,
    Answers,
    Dimension,
    Option,
    PairFacts,
    Parts,
    Passages,
    Problem,
    Rulings,
    Wording,
)
from annotation.protocols.columns import NOTE, Column, ColumnGroup, ComparedColumn, Slot
from annotation.protocols.names import shown, unknown_names

Say = Callable[[Wording], str]
"""A wording in the language of whoever reads."""
Schema = dict[str, Any]
"""A JSON Schema, or a part of one."""
Context = dict[str, Any]
"""What a template draws a field from."""

ASKED = Wording("Répondez à cette question.", "Answer this question.")
NAMED = Wording("Répondez à la question « {fr} ».", "Answer the question “{en}”.")
EXAMPLE = Wording("*Exemple :*", "*Example:*")
_BOUNDED = Wording(
    "Un nombre entier de {lowest} à {highest}.", "A whole number from {lowest} to {highest}."
)
_STEPPED = Wording(
    "Un nombre entier de {lowest} à {highest}, par pas de {step}.",
    "A whole number from {lowest} to {highest}, in steps of {step}.",
)
OPTIONS_MEAN = Wording("Ce que disent les réponses", "What the answers mean")


class ShapeError(ValueError):
    """An answer that no form of ours could have sent: wrong type, unknown name or value."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message.en)
        self.problem = problem


def shape_error(name: str, received: object, expected_fr: str, expected_en: str) -> ShapeError:
    given = _given(received)
    return ShapeError(
        Problem(
            name,
            "shape",
            Wording(
                f"Réponse illisible : {given}. Attendu : {expected_fr}.",
                f"Unreadable answer: {given}. Expected: {expected_en}.",
            ),
        )
    )


def _given(received: object) -> str:
    """The beginning of what came, as JSON has it, which programs write."""
    return shown(json.dumps(received, ensure_ascii=False, skipkeys=True, default=str))


def refuse_unknown(name: str, received: Mapping[Any, object], known: Collection[str]) -> None:
    """Raise ``ShapeError`` that names the members of an object that nobody knows there."""
    if unknown := [str(member) for member in received if member not in known]:
        field = f"{name}.{shown(unknown[0])}"
        raise ShapeError(Problem(field, "shape", unknown_names(unknown, known)))


def as_int(name: str, received: object) -> int:
    """``received`` as a whole number; booleans and fractions are not numbers here."""
    if isinstance(received, int) and not isinstance(received, bool):
        return received
    if isinstance(received, str) and re.fullmatch(r"\s*-?[0-9]{1,9}\s*", received):
        return int(received)
    raise shape_error(name, received, "un nombre entier", "a whole number")


def listed(cell: str) -> Any:
    """A cell that holds a list or an object as JSON as that; any other as it is."""
    if cell[:1] not in ("[", "{"):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


@dataclass(frozen=True)
class When:
    """A condition on the answer to another field of the same protocol: it is one of ``values``, or
    holds one of them; without values, it was answered at all."""

    field: str
    values: tuple[int | str | bool, ...] = ()

    def holds(self, answers: Answers) -> bool:
        value = answers.get(self.field)
        if not self.values:
            # 0 is an answer, and equal to False.
            return not (value is None or value is False or value in ("", []))
        if isinstance(value, list):
            # Of marks, what they are: their types.
            return any(
                (member.get("type") if isinstance(member, Mapping) else member) in self.values
                for member in value
            )
        return value in self.values

    def facts(self) -> Context:
        """JSON-safe; empty ``values`` ask for any answer."""
        return {"field": self.field, "values": list(self.values)}


@dataclass(frozen=True)
class Evidence:
    """Where a stored answer is seen: a row of the ``rating`` of a dimension, of a ``mark`` or of a
    ``side`` answer of a field, with this value, or with any (None)."""

    table: Literal["rating", "mark", "side"]
    name: str
    value: int | str | None = None


@dataclass(frozen=True)
class MarkGroup:
    """Types of marks that agreement may count as one; ``members`` are their keys."""

    key: str
    label: Wording
    members: tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """A question's slot for an answer: its shape, its rules, its home and its looks.

    ``help``: a sentence under its label; ``helps``: over what its options mean, where they say it.
    ``required``: a judgment is not complete without it. ``asks``: what is said where it is missing.
    ``shown_when``: the page shows it only then (an answer that is there all the same is kept and
    shown). ``required_when``: it is required only then. ``stored_with``: the field whose answer
    this one qualifies, and with which it is stored; it has no home of its own then.
    """

    kind: ClassVar[str] = ""
    scripts: ClassVar[tuple[str, ...]] = ()
    """Files of ``static/js/judging/kinds`` that its answers need on the judging page, the one that
    defines the kind first; none where a native control says it all."""

    styles: ClassVar[tuple[str, ...]] = ()
    """Files of ``static/css/judging/kinds`` that it looks by, likewise."""
    control: ClassVar[str] = "lines"
    """How a plain form asks it: "select", "boxes" (several), "box" (yes or no), "lines" (of text;
    see ``plain``) or "number"."""

    has_letters: ClassVar[bool] = True
    """Of what marks: whether a letter on the judging page marks selected words as each type."""

    has_arrows: ClassVar[bool] = False
    """Of what marks: whether arrows in the texts are its own, rather than the browser's."""

    has_several_spans: ClassVar[bool] = False
    """Of what marks: whether one mark may have several on a side."""

    is_known: ClassVar[bool] = True
    """Whether its kind is there; not so of ``Former`` alone, whose answers nothing is known of but
    what is stored."""

    is_of_page: ClassVar[bool] = False
    """Whether the judging page alone asks it: models are not told of it."""

    name: str
    label: Wording = field(default=NO_WORDING, kw_only=True)
    help: Wording = field(default=NO_WORDING, kw_only=True)
    helps: Wording = field(default=OPTIONS_MEAN, kw_only=True)
    required: bool = field(default=False, kw_only=True)
    asks: Wording = field(default=ASKED, kw_only=True)
    shown_when: When | None = field(default=None, kw_only=True)
    required_when: When | None = field(default=None, kw_only=True)
    stored_with: str = field(default="", kw_only=True)

    @property
    def qualifies(self) -> str:
        """The field without whose answer this one says nothing: of two versions both are taken, or
        neither."""
        return self.stored_with

    # -- shape ------------------------------------------------------------------------------------

    @property
    def empty(self) -> Any:
        """What stands in a draft where nothing was answered yet."""
        return None

    def clean(self, received: object) -> Any:
        """``received`` as the value that is stored in a draft. Raises ``ShapeError``."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it reads")

    @property
    def samples(self) -> tuple[Any, ...]:
        """Answers in the shape that ``clean`` takes, by which a start tries it; none where they
        follow from ``schema``. Each free member has a text in the first of them."""
        return ()

    def is_answered(self, value: object) -> bool:
        """Whether this value of a draft is an answer. 0 is one."""
        return bool(value != self.empty)

    def posted(self, values: Sequence[str], post: Mapping[str, Sequence[str]]) -> Any:
        """What a plain form sent, in the shape that ``clean`` takes. ``values``: those under the
        field's own name; ``post``: everything. Where ``clean`` reads lists or objects they come as
        JSON, as ``plain`` writes them."""
        if not values:
            return self.empty
        return listed(values[-1]) if self._is_nested else values[-1]

    def plain(self, value: Any) -> str:
        """An answer as it stands in the lines of a plain form: as text, a list or object as
        JSON."""
        if value is None or isinstance(value, str):
            return value or ""
        return json.dumps(value, ensure_ascii=False)

    @property
    def _is_nested(self) -> bool:
        kinds = self.schema().get("type", ())
        return bool({"array", "object"} & {*([kinds] if isinstance(kinds, str) else kinds)})

    # -- rules ------------------------------------------------------------------------------------

    def is_shown(self, answers: Answers) -> bool:
        return self.shown_when is None or self.shown_when.holds(answers)

    def is_required(self, answers: Answers) -> bool:
        """Whether these answers are no complete judgment without this one."""
        if self.required_when is not None and self.required_when.holds(answers):
            return True
        return self.required and self.is_shown(answers)

    def problems(self, answers: Answers, facts: PairFacts, rulings: Rulings) -> list[Problem]:
        """Every reason why this answer is not complete or not consistent in itself."""
        if self.is_required(answers) and not self.is_answered(answers[self.name]):
            asks = self.asks
            if asks is ASKED and self.label.fr:
                asks = NAMED.format(fr=self.label.fr.rstrip(" :"), en=self.label.en.rstrip(" :"))
            return [Problem(self.name, "required", asks)]
        return []

    # -- what it yields and where it is stored ----------------------------------------------------

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """What the answer is rated on; none for what only accompanies ratings."""
        return ()

    @property
    def always(self) -> bool:
        """Whether every complete judgment has an answer to it."""
        return self.required and self.shown_when is None

    @property
    def marks(self) -> tuple[Option, ...]:
        """The types of the passages that it marks; none for what marks nothing."""
        return ()

    @property
    def are_errors(self) -> bool:
        """Whether people call what it marks errors."""
        return False

    @property
    def mark_groups(self) -> tuple[MarkGroup, ...]:
        """The types of marks that belong together, where there are such groups."""
        return ()

    @property
    def counted(self) -> str:
        """The dimension that is rated by how many marks there are; "" where none is."""
        return ""

    def blank_mark(self) -> dict[str, Any]:
        """A mark of which nothing is said yet, as a plain form adds it; only of what marks."""
        return {}

    def mark_at(
        self, kind: str, note: str, spans: Mapping[str, Sequence[tuple[int, int]]]
    ) -> dict[str, Any]:
        """A mark as a plain form has it, with its spans by side; only of what marks."""
        return {}

    def mark_problems(self, number: int, mark: Answers, facts: PairFacts) -> list[Problem]:
        """What is wrong with one mark by itself, which is named by its number (from 1); only of
        what is counted by its marks."""
        return []

    def passages(self, value: Any) -> list[Passages]:
        """What the answer marks in the texts, in order."""
        return []

    @property
    def free_members(self) -> tuple[tuple[str, ...], ...]:
        """Where in stored answers people write what they like, by way of names; "*" is every entry.
        Names are redacted and erased there, and people search in it."""
        return ()

    @property
    def free_columns(self) -> tuple[Column, ...]:
        """Its exported columns that hold what people write as they like."""
        exported = self.export()
        return tuple(c for c in exported.columns if c.free) if exported else ()

    @property
    def free_names(self) -> frozenset[str]:
        """What its free text is called wherever answers are written out: in the columns that hold
        it, in rows of single marks, and at the ends of the ways to it."""
        columns = {name for c in self.free_columns for name in c.free_names}
        notes = {NOTE} if self.marks else set()
        return frozenset(columns | notes | {member[-1] for member in self.free_members})

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the texts that it stores beside the ratings (``Parts.sides``): its own,
        where it has no dimensions. A kind that stores a rating and a text, or several texts, names
        each: its own name, or one that begins with it and «_»."""
        return () if self.dimensions or self.marks or self.stored_with else (self.name,)

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        """Add to ``parts`` what the answer is stored as. Only for answers without problems."""
        raise NotImplementedError(f"{type(self).__name__} does not say where its answer is stored")

    def restore(self, parts: Parts) -> Answers:
        """The answer as a draft holds it, by name; with those of the fields stored with it."""
        raise NotImplementedError(f"{type(self).__name__} does not say how its answer is read")

    @property
    def allowed_sides(self) -> tuple[str, ...]:
        """The only texts that each of its ``sides`` may be stored as; none where it may be any."""
        return ()

    def evidence(self, value: int | str | bool | None) -> Evidence:
        """Where the database sees that this was answered (None), or answered by ``value``: what a
        condition on the answer asks for. Raises ``ValueError`` for a value that is no answer."""
        raise NotImplementedError(f"{type(self).__name__} is nothing that another field depends on")

    # -- programs ---------------------------------------------------------------------------------

    def schema(self) -> Schema:
        """The JSON Schema of what ``clean`` reads."""
        raise NotImplementedError(f"{type(self).__name__} has no schema")

    def facts(self, say: Say) -> Context:
        """What a program is told of the field beside its name, label, kind and conditions."""
        return {}

    def conditions(self) -> Context:
        """When it is asked and when an answer is required, JSON-safe: what tells "not asked" from
        "not answered"."""
        return {
            "required": self.required,
            "shown_when": self.shown_when and self.shown_when.facts(),
            "required_when": self.required_when and self.required_when.facts(),
        }

    # -- models as judges -------------------------------------------------------------------------

    def model_lines(self) -> list[str]:
        """What a model is told of the field beside its name and label, line by line, in French."""
        return []

    def explained(self, say: Say) -> list[str]:
        """What its answers mean, a line for each in Markdown, for whoever writes a guide."""
        return []

    def model_schema(self) -> Schema:
        """The JSON Schema that a model answers by (strict: no bounds, nothing optional)."""
        raise NotImplementedError(f"{type(self).__name__} has no model_schema")

    def from_model(self, received: Any, texts: Mapping[str, str]) -> Any:
        """A model's answer in the shape that ``clean`` takes. ``texts`` by side."""
        return received

    # -- pages ------------------------------------------------------------------------------------

    @property
    def in_foot(self) -> bool:
        """Whether it stands at the foot of the page, in view at every step."""
        return False

    @property
    def draws(self) -> Mapping[str, str]:
        """Fields that only qualify this one, and the template of ``templates/judging/kinds`` that
        draws each in its place; "" for one that is drawn along with another of them."""
        return {}

    def ruled(self, rulings: Rulings) -> Context:
        """What a study's rulings change in how it is drawn."""
        return {}

    def context(self, value: Any, say: Say) -> Context:
        """What the field's template draws it from, beside name, label, value and problems."""
        return {}

    def lines(self, value: Any, say: Say) -> list[str]:
        """The answer in words, a line for each thing said; none where nothing was answered."""
        return [str(value)] if self.is_answered(value) else []

    def brief(self, value: Any, say: Say) -> str:
        """The answer as it stands in a cell of a table; "" where nothing was answered."""
        return ", ".join(self.lines(value, say))

    def united(self, left: Any, right: Any) -> Any:
        """What keeps both of two answers; None where they cannot stand together."""
        return None

    # -- tables from elsewhere --------------------------------------------------------------------

    def slots(self) -> tuple[Slot, ...]:
        """What a table from elsewhere may hold of the answer, a column each; none for what is taken
        with another field."""
        return () if self.stored_with else (Slot(self.name, self.label),)

    def lacking(self, columns: Collection[str]) -> str:
        """The slot without which these ``columns`` of a table (slots' names) do not hold the
        answer; "" where they do."""
        names = [slot.name for slot in self.slots()]
        return "" if not names or any(name in columns for name in names) else names[0]

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        """Add to ``parts`` what such a table holds of the answer: ``cells`` by slot, without empty
        ones, options as their values. What marks is taken before what counts marks. Raises
        ``ShapeError``."""
        if self.name not in cells:
            return
        answer = self.clean(listed(cells[self.name]))
        if self.is_answered(answer):
            self.store({self.name: answer}, rulings, parts)

    # -- published data ---------------------------------------------------------------------------

    def export(self) -> ColumnGroup | None:
        """The columns in which exported tables hold the answer; None for what is stored with
        another field, whose columns hold it."""
        if self.stored_with:
            return None
        raise NotImplementedError(f"{type(self).__name__} does not say how its answer is exported")

    def compared(self) -> tuple[ComparedColumn, ...]:
        """The columns of which every annotator has one where judges stand side by side; none for
        what is no dimension."""
        return ()

    def beside_marks(self) -> ColumnGroup | None:
        """The columns that a single mark is not understood without; None for all other fields."""
        return None

    @property
    def mark_columns(self) -> tuple[Column, ...]:
        """The columns that only this kind has in rows of single marks."""
        return ()

    def mark_cells(self, mark: Sequence[Any], texts: Mapping[str, str]) -> list[Any]:
        """The cells of ``mark_columns``. ``mark``: a row as ``ColumnGroup`` tells it; ``texts`` by
        side."""
        return []

    @property
    def presented(self) -> str:
        """How the question is put to annotators, an English sentence for datasheets; "" for what is
        no dimension."""
        return ""


def option_schema(options: Sequence[Option]) -> Schema:
    return {"type": "integer", "enum": [option.value for option in options]}


def option_facts(options: Sequence[Option], say: Say) -> list[Context]:
    return [
        {
            "value": option.value,
            "key": option.key,
            "label": say(option.label),
            "help": say(option.help),
        }
        for option in options
    ]


def option_line(option: Option, say: Say) -> str:
    """An option with what it means and an example, as a guide in Markdown has it."""
    parts = [f"**{say(option.label)}.**", say(option.help)]
    if option.example.fr:
        parts += [say(EXAMPLE), say(option.example)]
    return " ".join(part for part in parts if part)


def bounds_line(lowest: int, highest: int, step: int, say: Say) -> str:
    """Which numbers answer a question, as a guide says it."""
    line = say(_STEPPED if step != 1 else _BOUNDED)
    return line.format(lowest=lowest, highest=highest, step=step)


def option_context(option: Option, say: Say, *, checked: bool) -> Context:
    """An option as a button: both languages, because the help cards show both. ``name`` and
    ``more`` are the label before its brackets, and they themselves."""
    name, opened, more = say(option.label).partition(" (")
    return {
        "value": option.value,
        "key": option.key,
        "label": say(option.label),
        "name": name,
        "more": (opened + more).strip(),
        "label_fr": option.label.fr,
        "label_en": option.label.en,
        "help": say(option.help),
        "help_fr": option.help.fr,
        "help_en": option.help.en,
        "example": say(option.example),
        "example_fr": option.example.fr,
        "example_en": option.example.en,
        "checked": checked,
    }
