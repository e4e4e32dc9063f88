"""Features of what two texts share: words, stems, characters, order, and which passages went
missing."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from annotation.scoring.similarity import longest_common_subsequence
from workers.scorers.base import FloatArray
from workers.scorers.lexicon import FUNCTION_WORDS
from workers.scorers.text import CHARACTER_ORDERS, Text

STEM_ORDERS = (1, 2, 3, 4)
_POORLY_COVERED = 0.4
_LONG_WORD = 8
_Unit = TypeVar("_Unit", bound=Hashable)


def word_features(original: Text, simplification: Text) -> dict[str, float]:
    """Recall ("kept"), precision ("supported") and F1 of words, of stem n-grams and of content
    stems."""
    before, after = original, simplification
    content_before, content_after = Counter(content_stems(before)), Counter(content_stems(after))
    features = _overlap("words_form", Counter(before.words), Counter(after.words))
    for order in STEM_ORDERS:
        features |= _overlap(
            f"words_stem{order}", before.stem_ngrams(order), after.stem_ngrams(order)
        )
    features |= _overlap("words_content", content_before, content_after)
    features |= _overlap(
        "words_content_type", Counter(set(content_before)), Counter(set(content_after))
    )
    long_words = {
        stem
        for word, stem in zip(before.words, before.stems, strict=True)
        if len(word) >= _LONG_WORD
    }
    features["words_long_kept"] = len(long_words & set(after.stems)) / max(1, len(long_words))
    return features


def character_features(original: Text, simplification: Text) -> dict[str, float]:
    """Recall, precision and F1 of character n-grams (as chrF, Popović 2015, but on n-gram counts
    with spaces)."""
    features: dict[str, float] = {}
    for order in CHARACTER_ORDERS:
        name = f"characters_{order}"
        features |= _overlap(
            name, original.character_ngrams(order), simplification.character_ngrams(order)
        )
    return features


def content_stems(text: Text) -> list[str]:
    """Stems of the words that are no function words, in order."""
    return [
        stem
        for word, stem in zip(text.words, text.stems, strict=True)
        if word not in FUNCTION_WORDS
    ]


def _overlap(name: str, before: Counter[_Unit], after: Counter[_Unit]) -> dict[str, float]:
    small, large = (before, after) if len(before) < len(after) else (after, before)
    shared = sum(min(count, large[key]) for key, count in small.items() if key in large)
    recall, precision = shared / max(1, before.total()), shared / max(1, after.total())
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    return {f"{name}_kept": recall, f"{name}_supported": precision, f"{name}_f1": f1}


def order_features(original: Text, simplification: Text) -> dict[str, float]:
    """Longest common subsequence and runs of stems in common; the longest passage with no
    counterpart."""
    before, after = original.stems, simplification.stems
    common = longest_common_subsequence(before, after)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    blocks = matcher.get_matching_blocks()
    gaps = _gaps([(block.a, block.size) for block in blocks])
    shorter = max(1, min(len(before), len(after)))
    return {
        "order_kept": common / max(1, len(before)),
        "order_supported": common / max(1, len(after)),
        "order_ratio": matcher.ratio(),
        "order_longest_run": max(block.size for block in blocks) / shorter,
        "order_longest_gap": math.log1p(max(gaps)),
        "order_longest_gap_share": max(gaps) / max(1, len(before)),
        "order_last_gap_share": gaps[-1] / max(1, len(before)),
    }


def _gaps(blocks: Sequence[tuple[int, int]]) -> list[int]:
    gaps, end = [], 0
    for start, size in blocks:
        gaps.append(start - end)
        end = start + size
    return gaps


def deletion_features(original: Text, simplification: Text) -> dict[str, float]:
    """Which part of the original went missing: by position, by clause, and the longest run of lost
    content words."""
    kept = _presence(content_stems(original), simplification)
    clauses = _clause_coverage(original, simplification)
    run = _longest_run(kept == 0)
    positions = np.flatnonzero(kept)
    features = {
        "deletions_last_five": float(kept[-5:].mean()),
        "deletions_run": float(run),
        "deletions_run_share": run / len(kept),
        "deletions_last_kept_at": float(positions[-1] + 1) / len(kept) if len(positions) else 0.0,
        "deletions_words": float(len(kept) - kept.sum()),
        "deletions_clause_min": min(clauses),
        "deletions_clause_mean": float(np.mean(clauses)),
        "deletions_clause_last": clauses[-1],
        "deletions_clauses": float(sum(clause < _POORLY_COVERED for clause in clauses)),
        "deletions_clause_share": float(np.mean([clause < _POORLY_COVERED for clause in clauses])),
    }
    for part in (2, 3, 4):
        length = max(1, len(kept) // part)
        features[f"deletions_first_{part}"] = float(kept[:length].mean())
        features[f"deletions_last_{part}"] = float(kept[-length:].mean())
    return features


def addition_features(original: Text, simplification: Text) -> dict[str, float]:
    """Content that the original does not support: words, the longest run of them, the worst
    clause."""
    supported = _presence(content_stems(simplification), original)
    clauses = _clause_coverage(simplification, original)
    return {
        "additions_words": float(len(supported) - supported.sum()),
        "additions_run": float(_longest_run(supported == 0)),
        "additions_clause_min": min(clauses),
        "additions_clause_mean": float(np.mean(clauses)),
        "additions_clause_share": float(np.mean([clause < _POORLY_COVERED for clause in clauses])),
    }


def _presence(stems: Sequence[str], text: Text) -> FloatArray:
    there = set(text.stems)
    return np.array([stem in there for stem in stems] or [False], dtype=np.float64)


def _clause_coverage(text: Text, other: Text) -> list[float]:
    return [float(_presence(clause, other).mean()) for clause in text.clauses] or [0.0]


def _longest_run(flags: npt.NDArray[np.bool_]) -> int:
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest
