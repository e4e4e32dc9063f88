"""SARI with its three parts (Xu et al. 2016), in both published definitions.

``sari``: EASSE's default (Alva-Manchego et al. 2019): lower case, 13a tokens, deletion by F1.
``sari_da``: that of Simplicity-DA (Alva-Manchego et al. 2021): cased Moses tokens, deletion by
precision alone, since deleting too little cannot be held against a system twice. The two differ on
every sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from annotation.metrics.families.rouge import ngrams
from annotation.metrics.metric import Direction, Family, MetricPair, References, TextMetric
from annotation.metrics.tokens import Tokens, cased_moses, lower_13a
from annotation.protocols.base import Wording

_ORDERS = (1, 2, 3, 4)
_Ngram = tuple[str, ...]
_Shares = tuple[int, int, int]
_PARTS = {
    "": Wording("", ""),
    "_add": Wording(", ajouts", ", added"),
    "_keep": Wording(", mots gardés", ", kept"),
    "_delete": Wording(", suppressions", ", deleted"),
}


class Sari(NamedTuple):
    """The score and its three parts, each 0–100."""

    sari: float
    add: float
    keep: float
    delete: float


class _Definition(NamedTuple):
    name: str
    label: str
    cut: Callable[[str], Tokens]
    precise_deletion: bool
    settings: tuple[tuple[str, str], ...]
    library: str


_DEFINITIONS = (
    _Definition(
        "sari",
        "SARI (EASSE)",
        lower_13a,
        False,
        (("case", "lc"), ("tok", "13a"), ("delete", "f1")),
        "sacrebleu",
    ),
    _Definition(
        "sari_da",
        "SARI (Simplicity-DA)",
        cased_moses,
        True,
        (("case", "mixed"), ("tok", "moses"), ("delete", "precision")),
        "sacremoses",
    ),
)


def sari(
    original: Tokens, output: Tokens, references: Sequence[Tokens], *, precise_deletion: bool
) -> Sari:
    """Of one sentence, from tokens; ``references``: one or more. Means over orders one to four.

    An order in which nothing could be kept, added or deleted counts 0, as published: an output that
    equals its only reference need not get 100.
    """
    add = keep = delete = 0.0
    for order in _ORDERS:
        source, ours = ngrams(original, order), ngrams(output, order)
        theirs: Counter[_Ngram] = Counter()
        for reference in references:
            theirs.update(ngrams(reference, order))
        added = ours.keys() - source.keys()
        wanted = theirs.keys() - source.keys()
        add += _f1(len(added & wanted), len(added), len(wanted))[2]
        kept, gone = _source_kept(source, ours, theirs, len(references))
        keep += _f1(*kept)[2]
        delete += _f1(*gone)[0 if precise_deletion else 2]
    parts = [100 * part / len(_ORDERS) for part in (add, keep, delete)]
    return Sari(sum(parts) / 3, *parts)


def _source_kept(
    source: Mapping[_Ngram, int],
    ours: Mapping[_Ngram, int],
    theirs: Mapping[_Ngram, int],
    references: int,
) -> tuple[_Shares, _Shares]:
    """Of the original's n-grams, each as often as there are references: how many were kept rightly,
    kept by us, kept by them; and the same of those deleted."""
    right = kept = keepable = total = 0
    for ngram, number in source.items():
        most = number * references
        mine = min(most, ours.get(ngram, 0) * references)
        other = min(most, theirs.get(ngram, 0))
        right += min(mine, other)
        kept, keepable, total = kept + mine, keepable + other, total + most
    # What neither keeps both delete.
    both = total - kept - keepable + right
    return (right, kept, keepable), (both, total - kept, total - keepable)


def _f1(shared: int, ours: int, theirs: int) -> tuple[float, float, float]:
    """Precision, recall, F1."""
    precision = shared / ours if ours else 0.0
    recall = shared / theirs if theirs else 0.0
    return precision, recall, 2 * shared / (ours + theirs) if shared else 0.0


def _measure(pair: MetricPair) -> dict[str, float]:
    figures: dict[str, float] = {}
    for chosen in _DEFINITIONS:
        cut = chosen.cut
        parts = sari(
            cut(pair.original),
            cut(pair.simplification),
            [cut(text) for text in pair.references],
            precise_deletion=chosen.precise_deletion,
        )
        figures |= {
            f"{chosen.name}{part}": value for part, value in zip(_PARTS, parts, strict=True)
        }
    return figures


def _metric(chosen: _Definition, part: str) -> TextMetric:
    words = _PARTS[part]
    return TextMetric(
        name=f"{chosen.name}{part}",
        label=Wording(f"{chosen.label}{words.fr}", f"{chosen.label}{words.en}"),
        direction=Direction.HIGHER,
        bounds=(0, 100),
        settings=(*chosen.settings, ("orders", "1-4")),
        library=chosen.library,
    )


FAMILY = Family(
    "sari",
    tuple(_metric(chosen, part) for chosen in _DEFINITIONS for part in _PARTS),
    _measure,
    References.NEEDED,
)
