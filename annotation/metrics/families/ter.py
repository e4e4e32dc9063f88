"""Translation edit rate (Snover et al. 2006, as sacrebleu computes it): edits and shifts of words,
for a hundred words of what is compared with."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from annotation.metrics.metric import Direction, Family, MetricPair, References, TextMetric
from annotation.protocols.base import Wording

if TYPE_CHECKING:
    from sacrebleu.metrics.ter import TER

TER_METRIC = TextMetric(
    name="ter",
    label=Wording("TER", "TER"),
    direction=Direction.LOWER,
    # It may pass 100; brought to the human scale, that is its end.
    bounds=(0, 100),
    settings=(("case", "lc"), ("tok", "tercom"), ("norm", "no"), ("punct", "yes")),
    library="sacrebleu",
)


def _measure(pair: MetricPair) -> dict[str, float]:
    return {"ter": float(_ter().sentence_score(pair.simplification, list(pair.against)).score)}


@cache
def _ter() -> TER:
    from sacrebleu.metrics.ter import TER

    from annotation.metrics.families.ter_shifts import edit_rate

    class Ter(TER):
        """Sacrebleu's in all but the time that long texts take."""

        def _compute_segment_statistics(
            self, hypothesis: str, ref_kwargs: dict[str, Any]
        ) -> list[float]:
            words, references = hypothesis.split(), ref_kwargs["ref_words"]
            counted = [edit_rate(words, reference) for reference in references]
            fewest = min(edits for edits, _length in counted)
            return [fewest, sum(length for _edits, length in counted) / len(counted)]

    return Ter()


FAMILY = Family("ter", (TER_METRIC,), _measure, References.INSTEAD, is_slow=True)
