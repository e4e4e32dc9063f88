"""How far one text has to be changed to become the other."""

from __future__ import annotations

from annotation.metrics.metric import (
    NO_WORDS,
    Direction,
    Family,
    MetricPair,
    Reading,
    TextMetric,
)
from annotation.protocols.base import Wording

EDIT_DISTANCE = TextMetric(
    name="edit_distance",
    label=Wording("Distance d'édition", "Edit distance"),
    direction=Direction.LOWER,
    bounds=(0, 100),
    settings=(("case", "mixed"), ("unit", "character"), ("norm", "longest")),
    library="rapidfuzz",
)


def _measure(pair: MetricPair) -> dict[str, Reading]:
    """Levenshtein's distance (1966) in characters, per cent of the longer text."""
    from rapidfuzz.distance import Levenshtein

    if not pair.original or not pair.simplification:
        return {"edit_distance": NO_WORDS}
    apart = Levenshtein.normalized_distance(pair.original, pair.simplification)
    return {"edit_distance": 100 * apart}


FAMILY = Family("edits", (EDIT_DISTANCE,), _measure, needs_words=False)
