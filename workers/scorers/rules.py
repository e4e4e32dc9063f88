"""The lexical scorer's stated rules, applied over what was learned and always reported apart from
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.protocols.base import Wording
from workers.scorers.anchored import anchored
from workers.scorers.base import FloatArray, Pair, Scale
from workers.scorers.contradictions import Contradiction, contradictions
from workers.scorers.features import FEATURE_NAMES, PairReading
from workers.scorers.nearness import nearness
from workers.scorers.text import Text

# On 1–10 this is 5: the bracket "seems imprecise" (top 6) less one point for an error of confusion,
# as a person scores.
CONTRADICTED_AT_MOST = 4 / 9
# On 1–10 this is 6.4: below the highest bracket, no lower, since a reworded passage is read with
# less certainty. On a scale without brackets it is below two thirds.
REWORDED_AT_MOST = 0.6
_UNRELATED_AT_MOST = 0.25
_CONTENT = tuple(
    FEATURE_NAMES.index(name)
    for name in ("words_content_type_kept", "words_content_type_supported", "words_content_kept")
)


class Rule(StrEnum):
    """Why a score was not left to the model."""

    IDENTICAL = "identical"
    EMPTY = "empty"
    UNRELATED = "unrelated"
    NEAR = "near"
    CONTRADICTED = "contradicted"
    REWORDED = "reworded"


RULE_WORDING: dict[Rule, Wording] = {
    Rule.IDENTICAL: Wording(
        "Règle : les mots sont ceux de l'original, dans le même ordre : le texte dit la même loi.",
        "Rule: the words are those of the original in the same order, so it says the same law.",
    ),
    Rule.EMPTY: Wording(
        "Règle : la simplification ne contient aucun mot.",
        "Rule: the simplification holds no word.",
    ),
    Rule.UNRELATED: Wording(
        "Règle : presque aucun mot porteur de sens n'est commun aux deux textes.",
        "Rule: the two texts share next to no content word.",
    ),
    Rule.NEAR: Wording(
        "Règle : les deux textes sont presque les mêmes mot pour mot, et rien de ce qui porte le "
        "droit n'a été modifié; la note est rapprochée du haut de l'échelle.",
        "Rule: the two texts are nearly the same word for word, and nothing that carries the law "
        "was changed; the score is moved towards the top of the scale.",
    ),
    Rule.CONTRADICTED: Wording(
        "Règle : dans un passage par ailleurs inchangé, un élément de droit a été modifié; "
        "la note reste dans la moitié basse de l'échelle.",
        "Rule: in an otherwise unchanged passage, a point of law was changed; "
        "the score stays in the lower half of the scale.",
    ),
    Rule.REWORDED: Wording(
        "Règle : dans un passage reformulé, un élément de droit dit autre chose que l'original; "
        "la note reste sous les trois cinquièmes de l'échelle.",
        "Rule: in a reworded passage, a point of law says something else than the original; "
        "the score stays below three fifths of the scale.",
    ),
}


@dataclass(frozen=True)
class Ruled:
    """The score after the rules; ``rule`` is None where the learned score stands."""

    score: float
    rule: Rule | None
    contradictions: tuple[Contradiction, ...] = ()


def ruled_scores(
    pairs: Sequence[Pair], readings: Sequence[PairReading], learned: FloatArray, scale: Scale
) -> list[Ruled]:
    """The rules in order: identical, empty, unrelated, contradicted, reworded, near; the first that
    applies decides."""
    return [
        _ruled(pair, reading, float(score), scale)
        for pair, reading, score in zip(pairs, readings, learned, strict=True)
    ]


def _ruled(pair: Pair, reading: PairReading, learned: float, scale: Scale) -> Ruled:
    if reading.is_identical:
        return Ruled(scale.highest, Rule.IDENTICAL)
    if reading.is_empty:
        return Ruled(scale.lowest, Rule.EMPTY)
    if is_unrelated(reading):
        return Ruled(scale.lowest, Rule.UNRELATED)
    highest = scale.at(CONTRADICTED_AT_MOST)
    original, simplification = (
        Text(pair.original, pair.language),
        Text(pair.simplification, pair.language),
    )
    changes = contradictions(original, simplification)
    if changes and learned > highest:
        return Ruled(highest, Rule.CONTRADICTED, tuple(changes))
    near = 0.0 if changes else nearness(original, simplification)
    # What differs on the surface alone was not reworded: a slip is no other law.
    is_surface = changes or near == 1.0
    reworded = (
        ()
        if is_surface
        else tuple(anchored(_spelled(pair.original, pair), _spelled(pair.simplification, pair)))
    )
    at_most = scale.at(REWORDED_AT_MOST)
    if reworded and learned > at_most:
        return Ruled(at_most, Rule.REWORDED, reworded)
    if near and not reworded:
        return Ruled(learned + near * (scale.highest - learned), Rule.NEAR)
    return Ruled(learned, None, tuple(changes) or reworded)


def _spelled(text: str, pair: Pair) -> Text:
    """With the French word for a sign that joins as it does."""
    return Text(text.replace(" & ", " et "), pair.language)


def is_unrelated(reading: PairReading) -> bool:
    """Whether fewer than a quarter of the content stems are shared, seen from either side."""
    return all(float(reading.values[place]) < _UNRELATED_AT_MOST for place in _CONTENT)
