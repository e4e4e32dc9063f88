"""Edits and shifts of long texts, as sacrebleu counts them, in seconds instead of minutes.

Nearly all of its time goes into edit distances of up to a thousand texts in each of which words
stand elsewhere, one by one and cell by cell. Here they are computed side by side, a row of all of
them at a time. Which shifts are tried, in which order, and which is the best are sacrebleu's own;
so is every number. Rests on parts of it that are nobody's to rely on
(``sacrebleu.metrics.lib_ter``, of the version that is pinned): tests hold one to the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics.lib_ter import (
    _BEAM_WIDTH,
    _MAX_SHIFT_CANDIDATES,
    BeamEditDistance,
    _find_shifted_pairs,
    _flip_trace,
    _perform_shift,
    trace_to_alignment,
    translation_edit_rate,
)

# Below, setting out takes longer than it saves.
_FEWEST_WORDS = 60
_FAR = 1 << 28


def edit_rate(words: list[str], reference: list[str]) -> tuple[int, int]:
    """The edits and shifts that make the reference of these words, and how many words it has."""
    if min(len(words), len(reference)) < _FEWEST_WORDS:
        edits, length = translation_edit_rate(words, reference)
        return int(edits), int(length)
    traced, beside = BeamEditDistance(reference), _Distances(reference)
    tried = shifts = 0
    while True:
        gain, shifted, tried = _best_shift(words, reference, traced, beside, tried)
        if tried >= _MAX_SHIFT_CANDIDATES or gain <= 0:
            break
        shifts, words = shifts + 1, shifted
    return shifts + int(traced(words)[0]), len(reference)


@dataclass(frozen=True)
class _Shift:
    start: int
    length: int
    to: int

    def of(self, words: list[str]) -> list[str]:
        shifted: list[str] = _perform_shift(words, self.start, self.length, self.to)
        return shifted


def _best_shift(
    words: list[str],
    reference: list[str],
    traced: BeamEditDistance,
    beside: _Distances,
    tried: int,
) -> tuple[int, list[str], int]:
    """How many edits the best shift saves, the words after it, and how many were tried by now."""
    before, trace = traced(words)
    shifts: list[_Shift] = []
    flipped = _flip_trace(trace)  # type: ignore[no-untyped-call]
    for of_one in _shifts(words, reference, flipped):
        shifts += of_one
        if tried + len(shifts) >= _MAX_SHIFT_CANDIDATES:
            break
    if not shifts:
        return 0, words, tried
    distances = beside.of([shift.of(words) for shift in shifts])
    # The first of equals, as there.
    best = max(
        range(len(shifts)),
        key=lambda place: (
            -distances[place],
            shifts[place].length,
            -shifts[place].start,
            -shifts[place].to,
        ),
    )
    return int(before) - distances[best], shifts[best].of(words), tried + len(shifts)


def _shifts(words: list[str], reference: list[str], trace: str) -> Iterator[list[_Shift]]:
    """What may be tried, by the words that are shifted."""
    aligned, reference_wrong, words_wrong = trace_to_alignment(trace)
    for start, there, length in _find_shifted_pairs(words, reference):
        # Only what is wrong goes where something is wrong, and not into itself.
        if not any(words_wrong[start : start + length]):
            continue
        if not any(reference_wrong[there : there + length]):
            continue
        if start <= aligned[there] < start + length:
            continue
        yield _places(start, there, length, aligned)


def _places(start: int, there: int, length: int, aligned: dict[int, int]) -> list[_Shift]:
    shifts: list[_Shift] = []
    last = -1
    for place in range(there - 1, there + length):
        if place == -1:
            to = 0
        elif place in aligned:
            to = aligned[place] + 1
        else:
            break
        if to != last:
            shifts.append(_Shift(start, length, to))
        last = to
    return shifts


class _Distances:
    """Edit distances from one reference, within sacrebleu's beam around the diagonal."""

    def __init__(self, reference: Sequence[str]) -> None:
        self._numbers: dict[str, int] = {}
        self._reference = self._numbered(reference)

    def _numbered(self, words: Sequence[str]) -> np.ndarray:
        known = self._numbers
        return np.array([known.setdefault(word, len(known)) for word in words], dtype=np.int32)

    def of(self, texts: Sequence[Sequence[str]]) -> list[int]:
        """Of each text; all are of one length."""
        rows = np.stack([self._numbered(words) for words in texts])
        count, length = len(self._reference), rows.shape[1]
        ratio = count / length
        beam = _BEAM_WIDTH
        if beam < ratio / 2:
            beam = math.ceil(ratio / 2 + beam)
        places = np.arange(count + 1, dtype=np.int32)
        above = np.tile(places, (len(texts), 1))
        # Of the row before the last, to be written over: outside the beam nothing is reached.
        spare, written = np.full_like(above, _FAR), slice(0, 0)
        band = slice(0, count + 1)
        for number in range(1, length + 1):
            diagonal = math.floor(number * ratio)
            first = max(0, diagonal - beam)
            end = count + 1 if number == length else min(count + 1, diagonal + beam)
            spare[:, written] = _FAR
            inner = slice(max(first, 1), end)
            left = slice(inner.start - 1, end - 1)
            differs = rows[:, number - 1, None] != self._reference[left]
            np.minimum(above[:, left] + differs, above[:, inner] + 1, out=spare[:, inner])
            if first == 0:
                spare[:, 0] = above[:, 0] + 1
            whole = slice(first, end)
            # What is put in costs one more than what stands left of it.
            level = spare[:, whole] - places[whole]
            np.minimum.accumulate(level, axis=1, out=level)
            spare[:, whole] = level + places[whole]
            above, spare, written, band = spare, above, band, whole
        return [int(distance) for distance in above[:, -1]]
