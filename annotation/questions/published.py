"""What was published of this way of judging, to stand beside figures of one's own.

Xu and Ashley (2023), *Question-Answering Approach to Evaluating Legal Summaries*, JURIX 2023,
arXiv:2309.15016: grades of GPT-4 against one person's YES and NO, ten summaries of each system,
Canadian judgments.
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = "Xu and Ashley (2023), arXiv:2309.15016"


@dataclass(frozen=True)
class PublishedLine:
    """Correlations with people, None where none is printed."""

    system: str
    pearson: float | None
    spearman: float | None


CORRELATIONS = (
    PublishedLine("LED", 0.81, 0.83),
    PublishedLine("BART", 0.61, 0.80),
    PublishedLine("GPT-4", 0.74, None),
    PublishedLine("", 0.72, 0.74),
)
"""The last one is the mean over systems."""
PAIRS = {"captured": (42, 48), "correct": (48, 48)}
"""How many of how many pairs of question and answer."""
