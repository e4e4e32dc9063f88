"""Which of an item's people see its neighbours, so that each of its pairs has both arms.

Pure. An arm is a whole number whose bit at somebody's place says that they see them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

# Of so many people every way is looked at: a thousand, a millisecond or two. Of more, ways near the
# one at hand: with so many people there are many good ones.
_FEW = 10
_STARTS = 8


class Pair(NamedTuple):
    """``free``: the people of the pair whose arm is to be found, as bits; ``size``: how many people
    it has; ``lead``: how many more of the others see the neighbours than do not."""

    free: int
    size: int
    lead: int


_Cost = tuple[int, int, int, int, int]
_Costs = Callable[[int], _Cost]


def evened(number: int, ahead: Sequence[int], pairs: Sequence[Pair], lead: int) -> int:
    """The arm of an item's people in which each pair is even, or nearly: those who see and those
    who do not differ by one at most.

    From the first ``number`` of them, which stays where it does that already. Where it cannot be
    had, as few pairs as possible have one arm only, then as few as possible are uneven. Of ways
    that are as good, the one that keeps the item's people level (``lead``: of those settled
    before), gives those ``ahead`` in one arm the other, and changes least.
    """
    start = (1 << number) - 1
    if not any(_uneven(start, pairs)):
        return start
    people = len(ahead)

    def cost(arm: int) -> _Cost:
        seen = arm.bit_count()
        level = max(0, abs(lead + 2 * seen - people) - 1)
        further = sum(
            abs(far) for place, far in enumerate(ahead) if far and (far > 0) == (arm >> place & 1)
        )
        return (*_uneven(arm, pairs), level, further, (arm ^ start).bit_count())

    if people <= _FEW:
        return min(range(1 << people), key=lambda arm: (cost(arm), arm))
    best = _nearest(start, people, cost)
    for turn in range(1, _STARTS):
        if not any(_uneven(best, pairs)):
            break
        # Every so many of them the other way: starts that have little to do with one another.
        turned = sum(1 << place for place in range(0, people, turn + 1))
        best = min(best, _nearest(start ^ turned, people, cost), key=lambda arm: (cost(arm), arm))
    return best


def _uneven(arm: int, pairs: Sequence[Pair]) -> tuple[int, int]:
    """How many pairs of several people have one arm only; by how much pairs are more uneven than
    by one."""
    alone = excess = 0
    for free, size, lead in pairs:
        apart = abs(lead + 2 * (free & arm).bit_count() - free.bit_count())
        if apart > 1:
            alone += apart == size
            excess += apart - 1
    return alone, excess


def _nearest(arm: int, people: int, cost: _Costs) -> int:
    """The best that is reached from an arm by turning one person or exchanging two, step by
    step."""
    while True:
        better = min(_near(arm, people), key=lambda other: (cost(other), other))
        if cost(better) >= cost(arm):
            return arm
        arm = better


def _near(arm: int, people: int) -> Iterator[int]:
    for place in range(people):
        yield arm ^ 1 << place
        for other in range(place):
            if arm >> place & 1 != arm >> other & 1:
                yield arm ^ 1 << place ^ 1 << other
