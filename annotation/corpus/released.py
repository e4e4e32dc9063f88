"""Published judgments as a file brings them: who judged which pair how, by names of the file's
own."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.corpus.problems import RowProblem


@dataclass(frozen=True)
class ReleasedPair:
    """One output of one system for one source passage. ``row`` counts the file's rows from 1.

    ``key`` is the item's. ``scores``: by judge, a whole number by dimension; nobody has judged what
    stands in the file only for comparison. ``comment``: what else the file says of the judgments.
    """

    row: int
    key: str
    original: str
    simplification: str
    system: str = ""
    scores: dict[str, dict[str, int]] = field(default_factory=dict)
    comment: str = ""


@dataclass(frozen=True)
class ReleasedFile:
    """What a file holds, and what is wrong with its other rows. ``protocol``: whose scales they
    are."""

    protocol: str
    pairs: list[ReleasedPair] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)
