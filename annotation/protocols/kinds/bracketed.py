"""A scale whose value is never typed: a bracket is picked, then errors are taken off its top.

Source of the formula: Beauchemin et al. (2025), JUDGEBERT, section 3.2.3 («each error reduces the
score by one point, starting from the bracket's maximum»; floor of one). What happens below the
bottom of the bracket is this project's ruling.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import (
    NO_WORDING,
    Answers,
    Dimension,
    Level,
    PairFacts,
    Parts,
    Problem,
    RatingValue,
    Rulings,
    Wording,
)
from annotation.protocols.columns import (
    Column,
    ColumnGroup,
    ComparedColumn,
    Slot,
    Value,
    column,
    labelled,
)
from annotation.protocols.kinds.field import (
    Context,
    Evidence,
    Field,
    Say,
    Schema,
    ShapeError,
    as_int,
    shape_error,
)

POLICIES = ("ask", "fall_through", "clamp")
CROSSING_WORDS = ("kept", "moved")
"""What the page sends where it asks what becomes of a score below its bracket."""


FOLLOWS = Wording(
    "Le score suit de lui-même, vous ne le tapez pas : le haut de la fourchette ({tops}), moins un "
    "point par erreur marquée.",
    "The score follows by itself and is never typed: the top of the bracket ({tops}), less one "
    "point for each marked error.",
)
_SCORES = Wording("(score de {bottom} à {top})", "(score {bottom} to {top})")
_ONE_SCORE = Wording("(score de {top})", "(score {top})")


@dataclass(frozen=True)
class Bracket:
    """A stretch of a scale that is chosen first; deductions count down from its top."""

    value: int
    key: str
    bottom: int
    top: int
    label: Wording
    short: Wording
    help: Wording = NO_WORDING


@dataclass(frozen=True)
class BracketedScale(Field):
    """A bracket, from whose top each mark of the field ``deducts`` takes one point.

    The dimension is called ``dimension_name``; the field itself holds the bracket. ``crossing`` and
    ``moved_from`` name the fields (a ``Keyword`` of ``CROSSING_WORDS`` and a ``Whole``, both stored
    with it) that say what becomes of a score below its bracket; without them it falls through; with
    them brackets are numbered upward by ones from the scale's lowest value. ``policy_ruling``
    names the study's ruling on it, one of ``POLICIES``. ``deductions_name``: the exported column
    that counts the marks.
    """

    kind: ClassVar[str] = "bracketed"
    control: ClassVar[str] = "select"
    scripts: ClassVar[tuple[str, ...]] = ("bracketed",)

    brackets: tuple[Bracket, ...] = field(default=(), kw_only=True)
    lowest: int = field(default=1, kw_only=True)
    highest: int = field(default=10, kw_only=True)
    dimension_name: str = field(default="", kw_only=True)
    level: Level = field(default=Level.ORDINAL, kw_only=True)
    deducts: str = field(default="errors", kw_only=True)
    crossing: str = field(default="", kw_only=True)
    moved_from: str = field(default="", kw_only=True)
    policy_ruling: str = field(default="", kw_only=True)
    deductions_name: str = field(default="deductions", kw_only=True)

    def clean(self, received: object) -> int | None:
        if received is None or received == "":
            return None
        value = as_int(self.name, received)
        if value not in {bracket.value for bracket in self.brackets}:
            allowed = ", ".join(str(bracket.value) for bracket in self.brackets)
            raise shape_error(self.name, received, f"l'une de {allowed}", f"one of {allowed}")
        return value

    def bracket(self, value: int) -> Bracket:
        """The bracket with this value. Raises ``KeyError`` where there is none."""
        for bracket in self.brackets:
            if bracket.value == value:
                return bracket
        raise KeyError(value)

    def score(self, bracket: int, deductions: int, policy: str = "ask") -> int:
        """Top of the bracket minus one point per error, never below the scale's lowest value.

        Under ``clamp`` it never leaves the bracket either. Raises ``KeyError`` for an unknown
        bracket and ``ValueError`` for a negative count or an unknown policy.
        """
        if deductions < 0:
            raise ValueError(f"a number of errors cannot be negative: {deductions}")
        if policy not in POLICIES:
            raise ValueError(f"unknown crossing policy {policy!r}: one of {', '.join(POLICIES)}")
        chosen = self.bracket(bracket)
        floor = chosen.bottom if policy == "clamp" else self.lowest
        return max(floor, chosen.top - deductions)

    def crosses(self, bracket: int, deductions: int) -> bool:
        """Whether so many errors take the formula's value below the bottom of the bracket."""
        return self.score(bracket, deductions) < self.bracket(bracket).bottom

    def policy(self, rulings: Rulings) -> str:
        """What the study does with a score below its bracket."""
        return str(rulings[self.policy_ruling]) if self.policy_ruling else "fall_through"

    def running_score(self, answers: Answers, rulings: Rulings) -> int | None:
        """The score as it stands; None until a bracket is chosen."""
        if answers[self.name] is None:
            return None
        deductions = len(answers[self.deducts] or ())
        return self.score(answers[self.name], deductions, self.policy(rulings))

    # -- rules ------------------------------------------------------------------------------------

    def problems(self, answers: Answers, facts: PairFacts, rulings: Rulings) -> list[Problem]:
        if answers[self.name] is None:
            return super().problems(answers, facts, rulings)
        return self._crossing_problems(answers, rulings) if self.crossing else []

    def _crossing_problems(self, answers: Answers, rulings: Rulings) -> list[Problem]:
        bracket, answer, moved_from = (
            answers[self.name],
            answers[self.crossing],
            answers[self.moved_from],
        )
        if (answer == "moved") != (moved_from is not None) or (
            moved_from is not None and moved_from <= bracket
        ):
            return [
                Problem(
                    self.crossing,
                    "inconsistent",
                    Wording(
                        (
                            "Un changement de fourchette part d'une fourchette plus haute : "
                            "répondez de nouveau."
                        ),
                        "A move starts from a higher bracket: answer again.",
                    ),
                )
            ]
        # One move answers the question for good, also where the score is below the lower bracket
        # too. It asks once what becomes of a score that left the bracket chosen for the text
        # (protocol.md, 1.4), and says which score either answer gives. In FrJUDGE asking again
        # would win nothing: whatever is answered then, the score is 1. And a published version
        # stores one answer and one bracket moved from. Who chose the lower bracket by themselves
        # has not been asked yet, and is.
        deductions = len(answers[self.deducts])
        crossed = self.crosses(bracket, deductions)
        if self.policy(rulings) != "ask":
            return [self._needless_answer()] if answer else []
        if crossed and not answer:
            return [self._crossing_question(bracket, deductions)]
        if answer == "kept" and not crossed:
            return [self._needless_answer()]
        return []

    def _needless_answer(self) -> Problem:
        return Problem(
            self.crossing,
            "needless",
            Wording(
                "Le score ne sort pas de la fourchette : il n'y a rien à garder ni à changer.",
                "The score does not leave the bracket: there is nothing to keep or move.",
            ),
        )

    def _crossing_question(self, bracket: int, deductions: int) -> Problem:
        bottom, value = self.bracket(bracket).bottom, self.score(bracket, deductions)
        given = _errors_give(deductions)
        return Problem(
            self.crossing,
            "required",
            Wording(
                f"{given.fr} {value}, sous le bas de la fourchette ({bottom}) : gardez la "
                "fourchette ou changez-la.",
                f"{given.en} {value}, below the bottom of the bracket ({bottom}): keep the "
                "bracket or move it.",
            ),
        )

    # -- what it yields and where it is stored ----------------------------------------------------

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        return (
            Dimension(
                self.dimension_name,
                self.label,
                self.level,
                lowest=self.lowest,
                highest=self.highest,
                required=self.always,
            ),
        )

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        bracket = answers[self.name]
        if bracket is None:
            return
        deductions, policy = len(answers[self.deducts]), self.policy(rulings)
        parts.rate(
            RatingValue(
                self.dimension_name,
                self.score(bracket, deductions, policy),
                derivation="derived",
                bracket=bracket,
                deductions=deductions,
                crossing_policy=policy,
                crossing_answer=answers[self.crossing] if self.crossing else "",
                moved_from=answers[self.moved_from] if self.moved_from else None,
            )
        )

    def restore(self, parts: Parts) -> Answers:
        """An imported score has no bracket: it stays empty."""
        rating = parts.ratings.get(self.dimension_name)
        answers: Answers = {self.name: rating.bracket if rating else None}
        if self.crossing:
            answers[self.crossing] = rating.crossing_answer if rating else ""
            answers[self.moved_from] = rating.moved_from if rating else None
        return answers

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is not None:
            raise NotImplementedError("a bracket is nothing that another field depends on")
        return Evidence("rating", self.dimension_name)

    # -- programs and models ----------------------------------------------------------------------

    def schema(self) -> Schema:
        return {
            "type": ["integer", "null"],
            "enum": [*(bracket.value for bracket in self.brackets), None],
        }

    def facts(self, say: Say) -> Context:
        return {
            "brackets": [
                {
                    "value": bracket.value,
                    "key": bracket.key,
                    "bottom": bracket.bottom,
                    "top": bracket.top,
                    "label": say(bracket.label),
                }
                for bracket in self.brackets
            ]
        }

    def model_lines(self) -> list[str]:
        return [
            *(
                f"  {bracket.value} : {bracket.label.fr} {bracket.help.fr}".rstrip()
                for bracket in self.brackets
            ),
            "  Chaque erreur retire un point au haut de la fourchette.",
        ]

    def explained(self, say: Say) -> list[str]:
        *others, last = [str(bracket.top) for bracket in self.brackets]
        tops = say(Wording(" ou ", " or ")).join([", ".join(others), last] if others else [last])
        return [
            *(self._explained(bracket, say) for bracket in self.brackets),
            say(FOLLOWS).format(tops=tops),
        ]

    def _explained(self, bracket: Bracket, say: Say) -> str:
        """Its number is no score: between which it lies is said, unless its own words do."""
        label, bounds = say(bracket.label), {bracket.bottom, bracket.top}
        scores = ""
        if not bounds <= {int(number) for number in re.findall(r"\d+", label)}:
            words = say(_SCORES if len(bounds) > 1 else _ONE_SCORE)
            scores = words.format(bottom=bracket.bottom, top=bracket.top)
        parts = (f"**{bracket.value}.**", label, scores, say(bracket.help))
        return " ".join(part for part in parts if part)

    def model_schema(self) -> Schema:
        return {"type": "integer", "enum": [bracket.value for bracket in self.brackets]}

    # -- pages ------------------------------------------------------------------------------------

    @property
    def draws(self) -> Mapping[str, str]:
        return {self.crossing: "_crossing", self.moved_from: ""} if self.crossing else {}

    def ruled(self, rulings: Rulings) -> Context:
        return {"policy": self.policy(rulings)}

    def context(self, value: Any, say: Say) -> Context:
        return {
            "brackets": [
                {
                    "value": b.value,
                    "key": b.key,
                    "bottom": b.bottom,
                    "top": b.top,
                    "label": say(b.label),
                    "short": say(b.short),
                    "checked": b.value == value,
                }
                for b in self.brackets
            ],
            "scale": range(self.lowest, self.highest + 1),
            "lowest": self.lowest,
            "highest": self.highest,
            "deducts": self.deducts,
            "moved_from": self.moved_from,
        }

    def brief(self, value: Any, say: Say) -> str:
        return "" if value is None else say(self.bracket(value).short)

    def lines(self, value: Any, say: Say) -> list[str]:
        return [] if value is None else [f"{value} · {say(self.bracket(value).short)}"]

    # -- tables from elsewhere --------------------------------------------------------------------

    def slots(self) -> tuple[Slot, ...]:
        """The score; with the bracket, where it is known, and what became of one that left it."""
        brackets = tuple(Value(b.value, b.short, b.key) for b in self.brackets)
        known = [
            Slot(self.dimension_name, self.label, scale=(self.lowest, self.highest)),
            Slot(self.name, _BRACKET, brackets),
        ]
        if self.crossing:
            known += [
                Slot(self._policy_name, _POLICY, _POLICY_VALUES),
                Slot(self.crossing, _CROSSING, _CROSSING_ANSWERS),
                Slot(self.moved_from, _MOVED_FROM, brackets),
            ]
        return tuple(known)

    def lacking(self, columns: Collection[str]) -> str:
        """A bracket alone gives no score: the errors, or the score itself, must be in the table."""
        whole = self.dimension_name in columns or {self.name, self.deducts} <= set(columns)
        return "" if whole else self.dimension_name

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        """A score whose bracket is not known is taken as it stands; one whose bracket is known must
        be what the bracket and the marks give."""
        score = cells.get(self.dimension_name)
        bracket = self.clean(cells.get(self.name))
        if bracket is None:
            if score is not None:
                self._take_score(as_int(self.dimension_name, score), parts)
            return
        if score is None and self.deducts not in cells:
            raise ShapeError(self._nothing_deducted())
        answers: Answers = {
            self.name: bracket,
            self.deducts: parts.marks_of(self.deducts),
            self.crossing: cells.get(self.crossing, ""),
            self.moved_from: _whole(self.moved_from, cells.get(self.moved_from)),
        }
        if self._policy_name in cells and self.policy_ruling:
            rulings = {**rulings, self.policy_ruling: cells[self._policy_name]}
        if problems := self.problems(answers, facts, rulings):
            raise ShapeError(problems[0])
        given = self.running_score(answers, rulings)
        if score is not None and as_int(self.dimension_name, score) != given:
            raise ShapeError(self._other_score(score, bracket, len(answers[self.deducts]), given))
        self.store(answers, rulings, parts)

    def _take_score(self, score: int, parts: Parts) -> None:
        if not self.lowest <= score <= self.highest:
            bounds = f"{self.lowest}–{self.highest}"
            fr, en = f"un nombre de {bounds}", f"a number in {bounds}"
            raise shape_error(self.dimension_name, score, fr, en)
        if parts.marks_of(self.deducts):
            raise ShapeError(
                Problem(
                    self.dimension_name,
                    "no_bracket",
                    Wording(
                        "Des erreurs sont marquées, et la fourchette d'où elles retirent des "
                        "points n'est pas connue.",
                        "Errors are marked, and the bracket that they are taken off is not known.",
                    ),
                )
            )
        parts.rate(RatingValue(self.dimension_name, score, derivation="imported"))

    def _nothing_deducted(self) -> Problem:
        return Problem(
            self.dimension_name,
            "no_score",
            Wording(
                "La fourchette est connue, mais ni le score ni les erreurs.",
                "The bracket is known, but neither the score nor the errors are.",
            ),
        )

    def _other_score(self, score: str, bracket: int, marks: int, given: int | None) -> Problem:
        short, errors = self.bracket(bracket).short, _errors_give(marks)
        return Problem(
            self.dimension_name,
            "other_score",
            Wording(
                f"Le score est {score}; avec la fourchette « {short.fr} », {errors.fr} {given}.",
                f"The score is {score}; with the bracket “{short.en}”, {errors.en} {given}.",
            ),
        )

    @property
    def _policy_name(self) -> str:
        return self.policy_ruling or f"{self.dimension_name}_policy"

    # -- published data ---------------------------------------------------------------------------

    def export(self) -> ColumnGroup:
        """The bracket, the score and how one follows from the other."""
        brackets = {bracket.value: bracket for bracket in self.brackets}
        crossed = bool(self.crossing)

        def cells(read: tuple[Any, ...]) -> list[Any]:
            value, derivation, bracket, deductions, policy, answer, moved_from = read
            chosen = brackets.get(bracket)
            of_bracket = (
                [chosen.value, chosen.key, chosen.short.fr, chosen.short.en]
                if chosen
                else [None] * 4
            )
            row = [*of_bracket, deductions, value, derivation, policy or None]
            return [*row, answer or None, moved_from] if crossed else row

        parts = (
            "value",
            "derivation",
            "bracket",
            "deductions",
            "crossing_policy",
            "crossing_answer",
            "moved_from",
        )
        return ColumnGroup(
            tuple(self._columns()),
            cells=cells,
            reads=tuple(f"{self.dimension_name}.{part}" for part in parts),
            shared=True,
        )

    def compared(self) -> tuple[ComparedColumn, ...]:
        columns = {column_.name: column_ for column_ in self._columns()}
        return tuple(
            ComparedColumn(f"{self.dimension_name}.{part}", columns[name])
            for name, part in (
                (self.name, "bracket"),
                (self.deductions_name, "deductions"),
                (self.dimension_name, "value"),
            )
        )

    def beside_marks(self) -> ColumnGroup:
        return ColumnGroup(
            (
                column(
                    self.name,
                    "category",
                    "Fourchette du jugement.",
                    "Bracket of the judgment.",
                    self._bracket_values(),
                ),
                column(
                    self.dimension_name, "integer", "Score du jugement.", "Score of the judgment."
                ),
            ),
            cells=lambda read: read,
            reads=(f"{self.dimension_name}.bracket", f"{self.dimension_name}.value"),
            shared=True,
        )

    @property
    def presented(self) -> str:
        brackets = "; ".join(
            f"{bracket.short.fr} ({bracket.bottom}–{bracket.top})" for bracket in self.brackets
        )
        return (
            f"A bracket is picked ({brackets}), then errors are listed; the score follows and is "
            "shown as it changes."
        )

    def _bracket_values(self) -> tuple[Value, ...]:
        return tuple(Value(bracket.value, bracket.label, bracket.key) for bracket in self.brackets)

    def _columns(self) -> list[Column]:
        name, bounds = self.dimension_name, f"{self.lowest}–{self.highest}"
        columns = [
            *labelled(self.name, Wording("Fourchette", "Bracket"), self._bracket_values()),
            column(
                self.deductions_name,
                "integer",
                "Nombre d'erreurs, un point chacune. Vide : non connu.",
                "Number of errors, one point each. Empty: not known.",
            ),
            column(
                name,
                "integer",
                f"{self.label.fr} : score, {bounds}.",
                f"{self.label.en}: score, {bounds}.",
            ),
            column(
                f"{name}_derivation",
                "category",
                "D'où vient le score.",
                "Where the score comes from.",
                _DERIVATIONS,
            ),
            column(
                self._policy_name,
                "category",
                "Règle de l'étude quand le score sort de la fourchette par le bas.",
                "The study's rule for a score that falls below its bracket.",
                _POLICY_VALUES,
            ),
        ]
        return [*columns, *self._crossing_columns()] if self.crossing else columns

    def _crossing_columns(self) -> list[Column]:
        return [
            column(
                self.crossing,
                "category",
                "Réponse de l'annotateur·rice à cette occasion. Vide : la question ne s'est pas "
                "posée.",
                "The annotator's answer on that occasion. Empty: the question did not arise.",
                _CROSSING_ANSWERS,
            ),
            column(
                self.moved_from,
                "category",
                "Fourchette choisie d'abord.",
                "Bracket chosen at first.",
                self._bracket_values(),
            ),
        ]


def _errors_give(number: int) -> Wording:
    """The beginning of what so many errors come to. None is no plural in French."""
    plural = number > 1
    return Wording(
        f"{number} erreurs donnent" if plural else f"{number} erreur donne",
        "1 error gives" if number == 1 else f"{number} errors give",
    )


def _whole(name: str, cell: str | None) -> int | None:
    return None if cell is None else as_int(name, cell)


_BRACKET = Wording("Fourchette", "Bracket")
_POLICY = Wording("Règle sous la fourchette", "Rule below the bracket")
_CROSSING = Wording("Réponse sous la fourchette", "Answer below the bracket")
_MOVED_FROM = Wording("Fourchette de départ", "Former bracket")
_DERIVATIONS = (
    Value(
        "derived",
        Wording("haut de la fourchette moins les erreurs", "top of the bracket minus the errors"),
    ),
    Value(
        "imported",
        Wording(
            "publié sans fourchette ni erreurs : elles ne sont pas connues",
            "published without bracket and errors: they are not known",
        ),
    ),
)
_POLICY_VALUES = (
    Value("ask", Wording("demander à l'annotateur·rice", "ask the annotator")),
    Value("fall_through", Wording("laisser descendre le score", "let the score fall through")),
    Value("clamp", Wording("arrêter au bas de la fourchette", "stop at the bottom of the bracket")),
)
_CROSSING_ANSWERS = (
    Value(
        "kept",
        Wording("fourchette gardée, score sous son bas", "bracket kept, score below its bottom"),
    ),
    Value(
        "moved", Wording("fourchette changée pour une plus basse", "bracket moved to a lower one")
    ),
)
