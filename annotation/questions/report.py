"""The whole report: what systems' texts still answer, and how far a model's grades say what people
say. From rows to a JSON-safe account.

What was never answered is counted and never taken for a NO. An answer that is not in the text has
the lowest grade by rule; so has one whose quoted words are not in the text, and each figure stands
a second time with such answers as the model graded them (``as_graded``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement.systems.figure import rounded
from annotation.corpus.question_rows import QuestionRow
from annotation.metrics.report.estimate import Drawn, drawn_counts
from annotation.metrics.report.people import BoolArray, FloatArray, IntArray
from annotation.questions.against import against_people
from annotation.questions.figures import METHOD, VERSION, Maker
from annotation.questions.published import CORRELATIONS, PAIRS, SOURCE
from annotation.questions.values import NOT_IN_TEXT_SCORE, THRESHOLD

NO_GRADE = "no_grade"
"""Why a row counts as missing that has an answer and no grade."""
GRADE_MISSING = "grade: "
"""How the reason of a row begins that has an answer, and of which the grade alone is missing."""
WORDS_FOUND, AS_GRADED = "words_found", "as_graded"
"""How answers count whose words are not in the text: with the lowest grade, or as graded."""


@dataclass(frozen=True)
class Spent:
    """What calls cost that belong to no single row: those that wrote questions. ``usd`` None where
    nobody gave a price."""

    variant: str
    model: str
    calls: int
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, eq=False)
class Graded:
    """Rows (n) as arrays."""

    rows: tuple[QuestionRow, ...]

    @cached_property
    def groups(self) -> IntArray:
        """The number of each row's source, (n,)."""
        return _codes([row.source for row in self.rows])

    @cached_property
    def scores(self) -> FloatArray:
        """Grades by rule, (n,); NaN where something is missing."""
        return np.array([_score(row) for row in self.rows], dtype=np.float64)

    @cached_property
    def as_graded(self) -> FloatArray:
        """The same with what goes beyond the text as the model graded it."""
        return np.array([_score(row, by_words=False) for row in self.rows], dtype=np.float64)

    @cached_property
    def replied(self) -> BoolArray:
        """Whether there is an answer, be it that the text does not say, (n,)."""
        return np.array([_is_replied(row) for row in self.rows], dtype=bool)

    @cached_property
    def beyond(self) -> BoolArray:
        return np.array([_is_beyond(row) for row in self.rows], dtype=bool)

    @cached_property
    def outside(self) -> BoolArray:
        """Whether the text does not say, (n,)."""
        return np.array([not row.is_in_text for row in self.rows], dtype=bool)

    def of(self, **wanted: str) -> Graded:
        """The rows that have these values."""
        return Graded(
            tuple(
                row
                for row in self.rows
                if all(getattr(row, name) == value for name, value in wanted.items())
            )
        )

    def values(self, name: str) -> list[str]:
        """The different values of a column."""
        return sorted({getattr(row, name) for row in self.rows})

    @property
    def runs(self) -> list[tuple[str, str]]:
        """The different variants and models."""
        return sorted({(row.variant, row.model) for row in self.rows})


def questions_report(
    rows: Sequence[QuestionRow],
    *,
    threshold: int = THRESHOLD,
    drawn: Drawn | None = None,
    spent: Sequence[Spent] = (),
) -> dict[str, Any]:
    """Everything, JSON-safe. ``threshold``: the lowest grade that is a YES.

    ``systems``: by variant, model, system ("" for all) and type ("" for all) the share of YES and
    the mean grade; ``people``: the model against people, by variant, model and system;
    ``variants``: two at a time on the same texts; ``pairs``: what people say of the questions;
    ``cost``; ``published``.
    """
    drawn = drawn or Drawn()
    graded = Graded(tuple(rows))
    try:
        people = [
            row
            for variant, model in graded.runs
            for row in _people(graded.of(variant=variant, model=model), threshold, drawn)
        ]
        return {
            "method": f"{METHOD}/{VERSION}",
            "threshold": threshold,
            "draws": drawn.draws,
            "seed": drawn.seed,
            "confidence": drawn.confidence,
            "n": len(graded.rows),
            "sources": len(graded.values("source")),
            "systems": [
                _part(graded.of(**wanted), wanted, threshold, drawn) for wanted in _wanted(graded)
            ],
            "people": people,
            "variants": [
                _paired(graded, first, second, threshold, drawn)
                for first, second in combinations(graded.runs, 2)
            ],
            "pairs": _pairs(graded.rows, drawn),
            "cost": [_cost(graded, *run, spent) for run in _paid(graded, spent)],
            "published": _published(people),
        }
    finally:
        # As large as draws times sources; the next report has other sources.
        drawn_counts.cache_clear()


def _wanted(graded: Graded) -> Iterator[dict[str, str]]:
    """What parts there are: each run as a whole, by system, by type, by both."""
    for variant, model in graded.runs:
        run = graded.of(variant=variant, model=model)
        for system in ["", *run.values("system")]:
            for kind in ["", *run.values("type")]:
                wanted = {"variant": variant, "model": model}
                wanted |= {"system": system} if system else {}
                wanted |= {"type": kind} if kind else {}
                yield wanted


def _part(
    graded: Graded, wanted: Mapping[str, str], threshold: int, drawn: Drawn
) -> dict[str, Any]:
    maker = Maker(graded.groups, drawn)
    named = {name: wanted.get(name, "") for name in ("variant", "model", "system", "type")}
    known, as_graded = ~np.isnan(graded.scores), ~np.isnan(graded.as_graded)
    answered, scored = maker.within(known), maker.within(as_graded)
    # What an answer says of its text is known before it has a grade.
    replied = maker.within(graded.replied)
    return {
        **named,
        "n": len(graded.rows),
        "answered": int(known.sum()),
        "missing": missing(graded.rows),
        "yes": answered.share("yes", graded.scores[known] >= threshold),
        "mean": answered.mean("mean", graded.scores[known]),
        "yes_as_graded": scored.share("yes_as_graded", graded.as_graded[as_graded] >= threshold),
        "mean_as_graded": scored.mean("mean_as_graded", graded.as_graded[as_graded]),
        "beyond_text": replied.share("beyond_text", graded.beyond[graded.replied]),
        "not_in_text": replied.share("not_in_text", graded.outside[graded.replied]),
    }


def missing(rows: Iterable[QuestionRow]) -> list[dict[str, Any]]:
    """How many rows have no grade, by what kept it from them."""
    reasons = Counter(row.missing or NO_GRADE for row in rows if np.isnan(_score(row)))
    return [{"reason": reason, "n": number} for reason, number in sorted(reasons.items())]


def _score(row: QuestionRow, *, by_words: bool = True) -> float:
    if row.missing:
        return np.nan
    if not row.is_in_text or (by_words and row.beyond_text):
        return NOT_IN_TEXT_SCORE
    return np.nan if row.grade is None else row.grade


def _is_replied(row: QuestionRow) -> bool:
    return not row.missing or row.missing.startswith(GRADE_MISSING)


def _is_beyond(row: QuestionRow) -> bool:
    return row.is_in_text and row.beyond_text and _is_replied(row)


def _people(graded: Graded, threshold: int, drawn: Drawn) -> Iterator[dict[str, Any]]:
    """A run against people: on all of its texts, and on each system's."""
    if not any(row.people for row in graded.rows):
        return
    for system in ["", *graded.values("system")]:
        part = graded.of(system=system) if system else graded
        for scoring, scores in ((WORDS_FOUND, part.scores), (AS_GRADED, part.as_graded)):
            yield {
                "variant": part.rows[0].variant,
                "model": part.rows[0].model,
                "system": system,
                "scoring": scoring,
                **against_people(part.rows, scores, part.groups, threshold, drawn),
            }


def _paired(
    graded: Graded,
    first: tuple[str, str],
    second: tuple[str, str],
    threshold: int,
    drawn: Drawn,
) -> dict[str, Any]:
    """The first run minus the second on the texts that both have: each text's share of YES and mean
    grade, and Pearson with people on the answers of these texts."""
    runs = [graded.of(variant=variant, model=model) for variant, model in (first, second)]
    texts = [_by_text(run, threshold) for run in runs]
    both = sorted(set(texts[0]) & set(texts[1]))
    apart = np.array(
        [np.subtract(texts[0][text], texts[1][text]) for text in both], dtype=np.float64
    ).reshape(len(both), 2)
    maker = Maker(_codes([source for source, _system in both]), drawn)
    return {
        "first": {"variant": first[0], "model": first[1]},
        "second": {"variant": second[0], "model": second[1]},
        "texts": len(both),
        "yes": maker.mean("yes_difference", apart[:, 0]),
        "mean": maker.mean("mean_difference", apart[:, 1]),
        "pearson": _pearson_difference(runs, drawn),
    }


def _by_text(graded: Graded, threshold: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Each text's share of YES and mean grade."""
    scores_of: dict[tuple[str, str], list[float]] = {}
    for row, score in zip(graded.rows, graded.scores, strict=True):
        if not np.isnan(score):
            scores_of.setdefault((row.source, row.system), []).append(score)
    return {
        text: (float(np.mean([score >= threshold for score in scores])), float(np.mean(scores)))
        for text, scores in scores_of.items()
    }


def _pearson_difference(runs: Sequence[Graded], drawn: Drawn) -> dict[str, Any]:
    judged = [
        [
            (row.source, row.system, score, np.mean(list(row.people.values())))
            for row, score in zip(run.rows, run.scores, strict=True)
            if row.people and not np.isnan(score)
        ]
        for run in runs
    ]
    both = set.intersection(*({row[:2] for row in rows} for rows in judged))
    correlations = []
    for rows in judged:
        kept = [row for row in rows if row[:2] in both]
        maker = Maker(_codes([row[0] for row in kept]), drawn)
        values, people = (np.array([row[at] for row in kept], dtype=float) for at in (2, 3))
        correlations.append(maker.pearson(values, people))
    return maker.difference("pearson_difference", *correlations)


def _pairs(rows: Iterable[QuestionRow], drawn: Drawn) -> dict[str, Any]:
    """What people say of the questions and their expected answers, each counted once: YES where
    most say so; those on which as many say NO are left out and counted."""
    questions: dict[tuple[str, str, str], QuestionRow] = {}
    for row in rows:
        key = (row.source, row.question, row.text)
        if key not in questions or (row.captured or row.correct):
            questions[key] = row
    figures: dict[str, Any] = {"questions": len(questions)}
    for name, (yes, of) in PAIRS.items():
        said = [(row.source, getattr(row, name)) for row in questions.values()]
        shares = [(source, np.mean(list(answers.values()))) for source, answers in said if answers]
        decided = [(source, share > 0.5) for source, share in shares if share != 0.5]
        maker = Maker(_codes([source for source, _is in decided]), drawn)
        figures[name] = {
            "yes": int(sum(is_yes for _source, is_yes in decided)),
            "judged": len(shares),
            "tied": len(shares) - len(decided),
            "share": maker.share(name, np.array([is_yes for _source, is_yes in decided], bool)),
            "published": {"yes": yes, "of": of, "source": SOURCE},
        }
    return figures


def _paid(graded: Graded, spent: Sequence[Spent]) -> list[tuple[str, str]]:
    return sorted({*graded.runs, *((call.variant, call.model) for call in spent)})


def _cost(graded: Graded, variant: str, model: str, spent: Sequence[Spent]) -> dict[str, Any]:
    """Of one run; None where not everything has a price."""
    rows = graded.of(variant=variant, model=model).rows
    calls = [call for call in spent if (call.variant, call.model) == (variant, model)]
    cost: dict[str, Any] = {
        "variant": variant,
        "model": model,
        "rows": len(rows),
        "question_calls": sum(call.calls for call in calls),
    }
    for name in ("tokens", "usd"):
        known = [getattr(priced, name) for priced in (*rows, *calls)]
        cost[f"{name}_unknown"] = known.count(None)
        total = None if None in known or not known else float(sum(known))
        cost[name] = rounded(total)
        cost[f"{name}_per_row"] = rounded(total / len(rows)) if total is not None and rows else None
    return cost


def _published(people: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The published lines; beside each our systems of the same name, the mean beside all."""
    lines = []
    for line in CORRELATIONS:
        ours = [
            {
                "variant": row["variant"],
                "model": row["model"],
                "scoring": row["scoring"],
                "pearson": row["pearson"],
                "spearman": row["spearman"],
            }
            for row in people
            if row["system"].casefold() == line.system.casefold()
        ]
        lines.append(
            {
                "source": SOURCE,
                "system": line.system,
                "pearson": line.pearson,
                "spearman": line.spearman,
                "ours": ours,
            }
        )
    return lines


def _codes(names: Sequence[str]) -> IntArray:
    if not names:
        return np.zeros(0, dtype=np.int64)
    return np.unique(np.array(names), return_inverse=True)[1].astype(np.int64).ravel()
