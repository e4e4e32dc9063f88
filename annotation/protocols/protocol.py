"""A protocol: its steps, its rules, and the ratings that answers amount to. Pure: no Django
here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.protocols.base import Answers, PairFacts, Problem, RatingValue, Settings, Wording
from annotation.protocols.fields import BracketedScale, Choice, Field, ShapeError, shape_error


@dataclass(frozen=True)
class Step:
    """One question as the annotator reads it, with the fields that answer it."""

    key: str
    question: Wording
    fields: tuple[Field, ...]


RulesFunction = Callable[[Answers, PairFacts, Settings], list[Problem]]
RatingsFunction = Callable[[Answers, Settings], list[RatingValue]]
ScoreFunction = Callable[[Answers, Settings], int | None]
FindingFunction = Callable[[Answers, PairFacts], Wording | None]


@dataclass(frozen=True)
class Protocol:
    """A published protocol version. Never edited once published: a change is a new version."""

    key: str
    version: str
    title: Wording
    steps: tuple[Step, ...]
    rules: RulesFunction
    rate: RatingsFunction
    running_score: ScoreFunction
    """The score as it stands in answers that may be incomplete; None where there is none yet."""
    finding: FindingFunction
    """What a machine sees that contradicts an answer, if anything."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """Every field of every step, in the order in which it is asked."""
        return tuple(f for step in self.steps for f in step.fields)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions on which a complete judgment has exactly one rating each."""
        names = []
        for f in self.fields:
            if isinstance(f, Choice) and f.dimension:
                names.append(f.name)
            elif isinstance(f, BracketedScale):
                names.append(f.dimension_name)
        return tuple(names)

    def empty_answers(self) -> Answers:
        return {f.name: f.empty for f in self.fields}

    def clean(self, received: object) -> Answers:
        """Answers of the right shape from whatever a form or a client sent; missing ones are empty.

        Raises ``ShapeError``, naming the field. A name that the protocol does not know is refused
        rather than dropped: dropping it would be losing an answer.
        """
        if not isinstance(received, Mapping):
            raise shape_error("answers", received, "un objet", "an object")
        unknown = sorted(set(received) - {f.name for f in self.fields}, key=str)
        if unknown:
            raise ShapeError(
                Problem(
                    str(unknown[0]),
                    "unknown",
                    Wording(
                        f"Ce protocole n'a pas de réponse nommée « {unknown[0]} ».",
                        f"This protocol has no answer named “{unknown[0]}”.",
                    ),
                )
            )
        return {f.name: f.clean(received.get(f.name, f.empty)) for f in self.fields}

    def problems(self, answers: Answers, facts: PairFacts, settings: Settings) -> list[Problem]:
        """Every reason why these answers are not a complete judgment; empty when they are."""
        return self.rules(answers, facts, settings)

    def ratings(self, answers: Answers, settings: Settings) -> list[RatingValue]:
        """One rating per dimension. Only for answers without ``problems``."""
        return self.rate(answers, settings)
