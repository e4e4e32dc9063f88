"""Surface similarity of two texts: ROUGE that keeps accents, sacrebleu's BLEU and chrF, word
overlap; all 0–100."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from annotation.accents import composed

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

# rouge-score's tokeniser drops every letter outside a–z, so that "assuré" and "assur" are one word;
# this one does not.
_WORDS = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Lower-case words and numbers of the NFC text, accents kept."""
    return _WORDS.findall(composed(text).lower())


def rouge_n(original: str, simplification: str, order: int) -> float:
    """ROUGE-N F1 (Lin 2004) on words, 0–100; 0 where a side has no n-gram."""
    first, second = _ngrams(words(original), order), _ngrams(words(simplification), order)
    return _f1((first & second).total(), first.total(), second.total())


def rouge_l(original: str, simplification: str) -> float:
    """ROUGE-L F1 (Lin 2004): longest common subsequence of words, 0–100."""
    first, second = words(original), words(simplification)
    return _f1(longest_common_subsequence(first, second), len(first), len(second))


def longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length in tokens of the longest common subsequence; row by row, each row at once."""
    codes: dict[str, int] = {}
    left = [codes.setdefault(token, len(codes)) for token in first]
    right = np.array([codes.setdefault(token, len(codes)) for token in second], dtype=np.int64)
    row = np.zeros(len(right) + 1, dtype=np.int64)
    for code in left:
        longer = row.copy()
        longer[1:] = np.maximum(row[1:], row[:-1] + (right == code))
        row = np.maximum.accumulate(longer)
    return int(row[-1])


def bleu(original: str, simplification: str) -> float:
    """Sentence BLEU of the simplification against the original (sacrebleu, effective order),
    0–100."""
    return float(_bleu().sentence_score(composed(simplification), [composed(original)]).score)


def chrf(original: str, simplification: str) -> float:
    """Sentence chrF (Popović 2015, sacrebleu's defaults) of the simplification against the
    original, 0–100."""
    return float(_chrf().sentence_score(composed(simplification), [composed(original)]).score)


def word_overlap(original: str, simplification: str) -> float:
    """Share of the original's distinct words that the simplification holds, 0–100."""
    first = set(words(original))
    return 100 * len(first & set(words(simplification))) / len(first) if first else 0.0


@cache
def _bleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)


@cache
def _chrf() -> CHRF:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def _f1(shared: int, first: int, second: int) -> float:
    return 200 * shared / (first + second) if first + second else 0.0
