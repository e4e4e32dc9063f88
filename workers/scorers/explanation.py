"""Why this score: what each named group of features adds to the score of a typical training pair,
in points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.protocols.base import Wording
from workers.scorers.base import FloatArray, Pair
from workers.scorers.blend import Inputs
from workers.scorers.contradictions import Contradiction
from workers.scorers.features import BAGS, FEATURE_NAMES, GROUPS, group_of
from workers.scorers.lexical import LexicalScorer
from workers.scorers.rules import RULE_WORDING, Rule
from workers.scorers.terms import IDF_FEATURES
from workers.scorers.text import Text

_ORDERS = 16
_TERMS_SHOWN = 6


@dataclass(frozen=True)
class Contribution:
    """Points that a group adds (or takes); ``terms`` are the words that weigh most, as they stand
    in the text, with their own points. Words of one stem are one term: "loyer / loyers"."""

    group: str
    label: Wording
    points: float
    terms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Explanation:
    """``score`` = what is shown. ``reference`` + the points of all contributions = ``learned``
    before clipping, to rounding. Where ``rule`` is not None the rule decided the score, and
    ``rule_wording`` says so."""

    score: float
    learned: float
    reference: float
    contributions: tuple[Contribution, ...]
    rule: Rule | None
    rule_wording: Wording | None
    contradictions: tuple[Contradiction, ...]


def explain(scorer: LexicalScorer, pair: Pair) -> Explanation:
    """Additive contributions, largest first: Shapley values (1953) over feature groups by sampled
    orders and their reverses, the absent group standing at its training mean; exact for the bags of
    terms, which are linear. The same scorer and pair give the same explanation."""
    model = scorer.model
    inputs = model.encoder.inputs(scorer.readings([pair]))
    scored = scorer.judged([pair])[0]
    points = _shapley(scorer, inputs.rows[0])
    typical = float(model.of_rows(np.zeros((1, inputs.rows.shape[1])))[0])
    contributions = [
        Contribution(group, GROUPS[group], value)
        for group, value in points.items()
        if abs(value) > 1e-9
    ]
    contributions += _term_contributions(scorer, inputs, pair)
    return Explanation(
        score=scored.score,
        learned=scored.learned,
        reference=model.mean + typical,
        contributions=tuple(
            sorted(contributions, key=lambda contribution: -abs(contribution.points))
        ),
        rule=scored.rule,
        rule_wording=RULE_WORDING[scored.rule] if scored.rule else None,
        contradictions=scored.contradictions,
    )


def _shapley(scorer: LexicalScorer, row: FloatArray) -> dict[str, float]:
    names = (*FEATURE_NAMES, *IDF_FEATURES)
    columns: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        columns.setdefault(group_of(name), []).append(place)
    groups = list(columns)
    rng = np.random.default_rng(0)
    orders = [
        order
        for drawn in (rng.permutation(len(groups)) for _ in range(_ORDERS))
        for order in (drawn, drawn[::-1])
    ]
    steps = []
    for order in orders:
        # Standardised features: zero is the training mean.
        current = np.zeros_like(row)
        steps.append(current.copy())
        for place in order:
            current[columns[groups[place]]] = row[columns[groups[place]]]
            steps.append(current.copy())
    values = scorer.model.of_rows(np.array(steps)).reshape(len(orders), len(groups) + 1)
    points = dict.fromkeys(groups, 0.0)
    for order, path in zip(orders, values, strict=True):
        for place, gain in zip(order, np.diff(path), strict=True):
            points[groups[place]] += float(gain) / len(orders)
    return points


def _term_contributions(scorer: LexicalScorer, inputs: Inputs, pair: Pair) -> list[Contribution]:
    model = scorer.model
    before, after = (
        _written(Text(text, pair.language)) for text in (pair.original, pair.simplification)
    )
    # What is new stands in the simplification, what is lost in the original.
    written = dict(zip(BAGS, (before, after, before, after), strict=True))
    scale = model.deviation * (1 - model.choice.forest_share)
    contributions = []
    for place, bag in enumerate(BAGS):
        vector = inputs.terms[place].toarray()[0]
        points = scale * vector * model.kernel.term_weights[place]
        heaviest = [
            int(column) for column in np.argsort(-np.abs(points))[:_TERMS_SHOWN] if points[column]
        ]
        terms = tuple(
            (written[bag][model.encoder.bags[place].terms[column]], float(points[column]))
            for column in heaviest
        )
        if terms:
            contributions.append(Contribution(bag, GROUPS[bag], float(points.sum()), terms))
    return contributions


def _written(text: Text) -> dict[str, str]:
    """The words of a text by their stem, in lower case: a stem alone may be another word ("loi" of
    *loyer*) or none."""
    forms: dict[str, dict[str, None]] = {}
    for word, stem in zip(text.words, text.stems, strict=True):
        forms.setdefault(stem, {})[word] = None
    return {stem: " / ".join(words) for stem, words in forms.items()}
