"""A protocol: its steps, its rules, and what answers amount to. Pure: no Django here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.protocols.base import (
    NO_WORDING,
    Answers,
    Dimension,
    Level,
    Option,
    PairFacts,
    Parts,
    Problem,
    RatingValue,
    Ruling,
    RulingRefused,
    Rulings,
    Wording,
)
from annotation.protocols.columns import Column, Slot
from annotation.protocols.kinds import BracketedScale, Field, Flag, ShapeError, Text, shape_error
from annotation.protocols.kinds.former import ANY
from annotation.protocols.names import shown, unknown_name, unknown_names

ORIGINAL, SIMPLIFICATION = "original", "simplification"


@dataclass(frozen=True)
class Panel:
    """One of the texts beside the questions: which (``ORIGINAL`` or ``SIMPLIFICATION``), how it is
    headed, and in which language it is ("" where it says so itself)."""

    side: str
    heading: Wording
    language: str = "fr"


PANELS = (
    Panel(ORIGINAL, Wording("Original", "Original")),
    Panel(SIMPLIFICATION, Wording("Simplification", "Simplification")),
)


@dataclass(frozen=True)
class Step:
    """One question as the annotator reads it, with the fields that answer it. ``sides``: the texts
    shown beside it."""

    key: str
    question: Wording
    fields: tuple[Field, ...]
    sides: tuple[str, ...] = (ORIGINAL, SIMPLIFICATION)


@dataclass(frozen=True)
class Expectation:
    """What a control pair must get on a dimension to pass: a value from ``lowest`` to ``highest``.
    ``strictly``: a narrower range that is counted beside it, where the field knows one."""

    dimension: str
    lowest: int
    highest: int
    strictly: tuple[int, int] | None = None


@dataclass(frozen=True)
class JudgeWords:
    """What a model that judges by the protocol is told before the questions (``prompt``) and after
    them (``hints``, which depend on the study's rulings)."""

    prompt: str
    hints: Callable[[Rulings], Sequence[str]] = lambda _rulings: ()


@dataclass(frozen=True)
class About:
    """What published data say of the protocol: where it comes from and what its scores mean.

    ``source``: how it is cited. ``score``: how the predicted dimension comes about, a paragraph.
    ``limits``: what readers of the data should know, a sentence each. ``notes``: by dimension, what
    leads should know when they read how far people agree on it. ``domain``: what texts it is for,
    as an adjective of « textes » and of "texts" («juridiques», "legal"); empty where it is for any.
    ``quality``: by dimension what its authors answered to HEDS's questions 4.1.1 and 4.1.2:
    "correctness", "goodness" or "feature", of "form", "content" or "both".
    """

    source: str = ""
    summary: Wording = NO_WORDING
    score: Wording = NO_WORDING
    limits: tuple[Wording, ...] = ()
    notes: Mapping[str, Wording] = field(default_factory=dict)
    domain: Wording = NO_WORDING
    quality: Mapping[str, tuple[str, str]] = field(default_factory=dict)


QUALITIES, ASPECTS = ("correctness", "goodness", "feature"), ("form", "content", "both")
"""The answers that HEDS knows to its questions 4.1.1 and 4.1.2."""

RulesFunction = Callable[[Answers, PairFacts, Rulings], list[Problem]]
FindingFunction = Callable[[Answers, PairFacts], Wording | None]

JUDGE = JudgeWords(
    "Tu évalues la simplification d'un texte. Réponds aux étapes ci-dessous, dans l'ordre, et "
    "seulement par l'objet JSON demandé."
)


def texts_at(value: Any, way: tuple[str, ...]) -> Iterator[str]:
    """The texts that stand at this way of names in a nested value; "*" is every entry of a list,
    ``ANY`` everything there is."""
    if way == (ANY,):
        inside = value.values() if isinstance(value, Mapping) else value
        for inner in inside if isinstance(value, Mapping | list) else ():
            yield from texts_at(inner, way)
        yield from texts_at(value, ())
    elif not way:
        if isinstance(value, str) and value:
            yield value
    elif way[0] == "*":
        for inner in value if isinstance(value, list) else ():
            yield from texts_at(inner, way[1:])
    elif isinstance(value, Mapping):
        yield from texts_at(value.get(way[0]), way[1:])


def without_texts_at(value: Any, way: tuple[str, ...]) -> Any:
    """The value with each text emptied that ``texts_at`` gives; the given one stays as it is."""
    if way == (ANY,):
        if isinstance(value, Mapping):
            return {name: without_texts_at(inner, way) for name, inner in value.items()}
        if isinstance(value, list):
            return [without_texts_at(inner, way) for inner in value]
        return without_texts_at(value, ())
    if not way:
        return "" if isinstance(value, str) else value
    if way[0] == "*":
        if not isinstance(value, list):
            return value
        return [without_texts_at(inner, way[1:]) for inner in value]
    if not isinstance(value, Mapping) or way[0] not in value:
        return value
    return {**value, way[0]: without_texts_at(value[way[0]], way[1:])}


def no_rules(_answers: Answers, _facts: PairFacts, _rulings: Rulings) -> list[Problem]:
    return []


def no_finding(_answers: Answers, _facts: PairFacts) -> Wording | None:
    return None


@dataclass(frozen=True)
class Protocol:
    """A published protocol version. Never edited once published: a change is a new version.

    ``rules``: refusals across fields, beside what each field refuses by itself. ``finding``: what a
    machine sees in a pair that contradicts an answer. ``predicted``: the dimension that a scorer
    learns and is held against ("" for none). ``controls``: what an identical and an unrelated pair
    must get. ``imported``: the dimensions that a judgment from a published file must have, where it
    may know fewer than a person's; of several in a tuple of their own, one at least. ``layouts``:
    names of export layouts that are this protocol's own. ``classified``: the nominal dimensions by
    which pairs are told apart; None for all of them, see ``classes``. ``is_installed``: not read
    back from a description (``description.py``), which takes no judgment.
    """

    key: str
    version: str
    title: Wording
    steps: tuple[Step, ...]
    rules: RulesFunction = no_rules
    finding: FindingFunction = no_finding
    rulings: tuple[Ruling, ...] = ()
    panels: tuple[Panel, ...] = PANELS
    predicted: str = ""
    controls: Mapping[str, tuple[Expectation, ...]] = field(default_factory=dict)
    imported: tuple[str | tuple[str, ...], ...] = ()
    layouts: tuple[str, ...] = ()
    classified: tuple[str, ...] | None = None
    judge: JudgeWords = JUDGE
    about: About = About()
    is_installed: bool = True

    @property
    def name(self) -> str:
        """Key and version, as studies and judgments pin them: ``legal_meaning 1``."""
        return f"{self.key} {self.version}"

    @property
    def fields(self) -> tuple[Field, ...]:
        """Every field of every step, in the order in which it is asked."""
        return tuple(f for step in self.steps for f in step.fields)

    def field(self, name: str) -> Field:
        """The field of this name. Raises ``KeyError``."""
        for f in self.fields:
            if f.name == name:
                return f
        raise KeyError(name)

    def language_of(self, side: str) -> str:
        """In which language all texts of this side are; "" where any may come."""
        return next((panel.language for panel in self.panels if panel.side == side), "")

    @property
    def scales(self) -> tuple[Dimension, ...]:
        """Every dimension, in the order of the questions."""
        return tuple(dimension for f in self.fields for dimension in f.dimensions)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of ``scales``."""
        return tuple(dimension.name for dimension in self.scales)

    def dimension(self, name: str) -> Dimension:
        """The dimension of this name. Raises ``KeyError``."""
        for dimension in self.scales:
            if dimension.name == name:
                return dimension
        raise KeyError(name)

    @property
    def classes(self) -> tuple[Dimension, ...]:
        """The nominal dimensions that put a pair into a class: leads look at the pairs of a class
        alone."""
        return tuple(
            dimension
            for dimension in self.scales
            if dimension.level == Level.NOMINAL
            and (self.classified is None or dimension.name in self.classified)
        )

    def field_of(self, dimension: str) -> Field:
        """The field whose answer is rated on this dimension. Raises ``KeyError``."""
        for f in self.fields:
            if dimension in (scale.name for scale in f.dimensions):
                return f
        raise KeyError(dimension)

    @property
    def bracketed(self) -> tuple[BracketedScale, ...]:
        """The scales whose value is derived from a bracket and its errors."""
        return tuple(f for f in self.fields if isinstance(f, BracketedScale))

    @property
    def marked(self) -> tuple[Field, ...]:
        """The fields whose answers are marks on the texts."""
        return tuple(f for f in self.fields if f.marks)

    @property
    def mark_types(self) -> tuple[Option, ...]:
        """Every type of mark that may stand on the texts."""
        return tuple(option for f in self.marked for option in f.marks)

    @property
    def has_errors(self) -> bool:
        """Whether people mark what they call errors."""
        return any(f.are_errors for f in self.marked)

    @property
    def marks_are_errors(self) -> bool:
        """Whether people call errors all that they mark."""
        return all(f.are_errors for f in self.marked)

    @property
    def no_errors(self) -> tuple[Field, ...]:
        """The fields whose marks nobody calls errors."""
        return tuple(f for f in self.marked if not f.are_errors)

    @property
    def beside(self) -> tuple[Field, ...]:
        """The fields of whose answers something is stored beside the ratings: texts, flags, words,
        numbers."""
        return tuple(f for f in self.fields if f.sides)

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of all texts that are stored beside the ratings."""
        return tuple(name for f in self.fields for name in f.sides)

    @property
    def former(self) -> tuple[Field, ...]:
        """The fields whose kind is not there any more: their answers can be read as they are
        stored, and neither checked nor stored anew."""
        return tuple(f for f in self.fields if not f.is_known)

    def is_readable(self, name: str) -> bool:
        """Whether the answer of this name can be made of what is stored. Raises ``KeyError``."""
        f = self.field(name)
        holder = self.field(f.stored_with) if f.stored_with else f
        return f.is_known and holder.is_known

    @property
    def free_members(self) -> tuple[tuple[str, ...], ...]:
        """Where in stored answers people write what they like (see ``Field.free_members``)."""
        return tuple(member for f in self.fields for member in f.free_members)

    @property
    def free_columns(self) -> tuple[Column, ...]:
        """The exported columns that hold what people write as they like."""
        return tuple(c for f in self.fields for c in f.free_columns)

    @property
    def free_names(self) -> frozenset[str]:
        """What free text is called wherever answers are written out."""
        return frozenset(name for f in self.fields for name in f.free_names)

    def typed(self, answers: Answers) -> list[str]:
        """Every free text in these answers, which may be incomplete."""
        return [text for member in self.free_members for text in texts_at(answers, member)]

    def without_typed(self, answers: Answers) -> Answers:
        """These answers without any free text: what was decided, and nobody's own words."""
        for member in self.free_members:
            answers = without_texts_at(answers, member)
        return answers

    @property
    def remarks(self) -> tuple[str, ...]:
        """Names of the texts by which annotators speak to the leads."""
        return tuple(f.name for f in self.fields if isinstance(f, Text) and f.is_remark)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Names of the flags that say that an annotator is not sure."""
        return tuple(f.name for f in self.fields if isinstance(f, Flag) and f.is_doubt)

    def may_know_findings(self, answers: Answers) -> bool:
        """Whether these answers are there that a finding may contradict: before, what a machine
        sees in the pair would answer for whoever is asked."""
        confirmed = {f.confirms for f in self.fields if isinstance(f, Flag) and f.confirms}
        return bool(confirmed) and all(
            self.field(name).is_answered(answers[name]) for name in confirmed
        )

    def empty_answers(self) -> Answers:
        return {f.name: f.empty for f in self.fields}

    def clean(self, received: object) -> Answers:
        """Answers of the right shape from whatever a form or a client sent; missing ones are empty.

        Raises ``ShapeError``, naming the field. A name that the protocol does not know is refused
        rather than dropped: dropping it would be losing an answer.
        """
        if not isinstance(received, Mapping):
            raise shape_error("answers", received, "un objet", "an object")
        known = [f.name for f in self.fields]
        if unknown := sorted(str(name) for name in received if name not in known):
            words = unknown_names(unknown, known)
            raise ShapeError(Problem(shown(unknown[0]), "unknown", words))
        return {f.name: f.clean(received.get(f.name, f.empty)) for f in self.fields}

    def clean_rulings(self, received: Mapping[str, Any]) -> dict[str, str | bool]:
        """What a study decided within the protocol; what it did not say stands at its default.

        Raises ``RulingRefused`` for a ruling or a value that the protocol does not know.
        """
        known = {ruling.name: ruling for ruling in self.rulings}
        if unknown := sorted(set(received) - set(known)):
            words = unknown_name(unknown[0], known)
            raise RulingRefused(shown(unknown[0]), words, "unknown")
        return {
            name: ruling.clean(received.get(name, ruling.default)) for name, ruling in known.items()
        }

    def problems(self, answers: Answers, facts: PairFacts, rulings: Rulings) -> list[Problem]:
        """Every reason why these answers are not a complete judgment, in the order of the
        questions; empty when they are."""
        problems = [p for f in self.fields for p in f.problems(answers, facts, rulings)]
        problems += self.rules(answers, facts, rulings)
        place = {f.name: number for number, f in enumerate(self.fields)}
        return sorted(
            problems, key=lambda problem: place.get(problem.field.split(".")[0], len(place))
        )

    def parts(self, answers: Answers, rulings: Rulings) -> Parts:
        """What the answers are stored as. Only for answers without ``problems``."""
        parts = Parts()
        for f in self.fields:
            f.store(answers, rulings, parts)
        return parts

    def restore(self, parts: Parts) -> Answers:
        """The answers that stored parts were made of. What is stored with a field whose kind is
        gone stays empty."""
        answers: Answers = {}
        for f in self.fields:
            answers |= f.restore(parts)
        return answers if not self.former else {**self.empty_answers(), **answers}

    @property
    def slots(self) -> tuple[Slot, ...]:
        """What a table from elsewhere may hold of a judgment, in the order of the questions."""
        return tuple(slot for f in self.fields for slot in f.slots())

    @property
    def needed(self) -> tuple[tuple[str, ...], ...]:
        """The dimensions that a judgment from a published file must have, each with those of which
        another would do as well."""
        required = self.imported or tuple(
            dimension.name for dimension in self.scales if dimension.required
        )
        return tuple((names,) if isinstance(names, str) else names for names in required)

    def taken(self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings) -> Parts:
        """What a row of a table from elsewhere is stored as: ``cells`` by slot, without empty ones.
        Raises ``ShapeError`` where one is no answer; what is missing is not asked for."""
        parts = Parts()
        for f in sorted(self.fields, key=lambda f: not f.marks):
            f.take(cells, facts, rulings, parts)
        return parts

    def ratings(self, answers: Answers, rulings: Rulings) -> list[RatingValue]:
        """One rating per dimension that was answered. Only for answers without ``problems``."""
        return list(self.parts(answers, rulings).ratings.values())

    def running_score(self, answers: Answers, rulings: Rulings) -> int | None:
        """The derived score as it stands in answers that may be incomplete; None where there is
        none yet, or no derived score at all."""
        for scale in self.bracketed:
            return scale.running_score(answers, rulings)
        return None
