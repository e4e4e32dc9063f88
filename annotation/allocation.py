"""Who judges what, and in which order. Pure: the same seed gives the same order anywhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations, product

NEAR, PASSES = 12, 8


def seeded_order(keys: Iterable[str], seed: str) -> list[str]:
    """``keys`` in an order that depends on nothing but the keys and the seed.

    Sorting by digest rather than shuffling with ``random`` keeps the order the same in every Python
    version, and lets anybody check it with ``sha256sum``.
    """
    return sorted(keys, key=lambda key: hashlib.sha256(f"{seed}:{key}".encode()).digest())


def annotator_seed(study_seed: int, pseudonym: str) -> str:
    """The seed of one annotator's own order within a study."""
    return f"{study_seed}:{pseudonym}"


def rotating_teams(
    items: Iterable[str],
    annotators: Iterable[str],
    k: int,
    seed: str,
    *,
    held: Mapping[str, Collection[str]] | None = None,
    barred: Mapping[str, Collection[str]] | None = None,
) -> dict[str, list[str]]:
    """Who judges each item, so that each has ``k`` annotators: rotating teams, as JADES's 3 of 6.

    From nothing, loads differ by at most one, and the numbers of items that two annotators share by
    one, or by two where the loads allow no less. ``held``: who has an item already; they count, and
    only what is missing to ``k`` is added. ``barred``: who must not get it. The answer holds the
    added ones only, fewer than ``k`` where too few can take the item.
    """
    held, barred = held or {}, barred or {}
    people = sorted(set(annotators))
    order = seeded_order(set(items), f"{seed}:items")
    teams = {key: set(held.get(key, ())) for key in order}
    tally = _Tally(teams.values())
    added: dict[str, list[str]] = {}
    for key in order:
        added[key] = []
        # Ties go by an order drawn for each item: with one for all, teams of two would never mix.
        free = [
            candidate
            for candidate in seeded_order(people, f"{seed}:{key}")
            if candidate not in {*teams[key], *barred.get(key, ())}
        ]
        for _ in range(min(k - len(teams[key]), len(free))):
            person = min(
                free,
                key=lambda candidate: (tally.load[candidate], tally.met(candidate, teams[key])),
            )
            free.remove(person)
            tally.give(person, teams[key])
            teams[key].add(person)
            added[key].append(person)
    if k > 1:
        for _ in range(PASSES):
            if not _mix(order, teams, added, barred, tally):
                break
    return added


class _Tally:
    """How much everybody has, and how much of it with whom."""

    def __init__(self, teams: Iterable[Collection[str]]) -> None:
        self.load: Counter[str] = Counter()
        self.shared: Counter[frozenset[str]] = Counter()
        for team in teams:
            self.load.update(team)
            self.shared.update(frozenset(pair) for pair in combinations(team, 2))

    def met(self, person: str, team: Iterable[str]) -> int:
        """How often somebody has met the members of a team."""
        return sum(self.shared[frozenset((person, mate))] for mate in team if mate != person)

    def give(self, person: str, team: Iterable[str]) -> None:
        """An item whose team is ``team`` so far."""
        self.load[person] += 1
        self.shared.update(frozenset((person, mate)) for mate in team)

    def take(self, person: str, team: Iterable[str]) -> None:
        """The reverse of ``give``."""
        self.load[person] -= 1
        self.shared.subtract(frozenset((person, mate)) for mate in team)


def _mix(
    order: list[str],
    teams: dict[str, set[str]],
    added: dict[str, list[str]],
    barred: Mapping[str, Collection[str]],
    tally: _Tally,
) -> bool:
    """Let two items that stand near each other exchange a member where that evens out who meets
    whom; whether any did.

    Loads stay as they are. Near ones only, so that the work grows with the number of items and not
    its square.
    """
    changed = False
    for place, item in enumerate(order):
        for other in order[place + 1 : place + 1 + NEAR]:
            for mine, theirs in product(tuple(added[item]), tuple(added[other])):
                if mine not in added[item] or theirs not in added[other]:
                    continue  # exchanged a moment ago
                if mine in teams[other] or theirs in teams[item]:
                    continue
                if mine in barred.get(other, ()) or theirs in barred.get(item, ()):
                    continue
                if _evens_out(mine, theirs, teams[item], teams[other], tally):
                    _exchange(item, other, mine, theirs, teams, added, tally)
                    changed = True
    return changed


def _evens_out(mine: str, theirs: str, here: set[str], there: set[str], tally: _Tally) -> bool:
    """Whether the squares of how often people meet become less: whom both teams have, everybody
    meets as before."""
    left, right = here - there - {mine}, there - here - {theirs}
    now = tally.met(mine, left) + tally.met(theirs, right)
    then = tally.met(theirs, left) + tally.met(mine, right)
    return now - then > len(left) + len(right)


def _exchange(
    item: str,
    other: str,
    mine: str,
    theirs: str,
    teams: dict[str, set[str]],
    added: dict[str, list[str]],
    tally: _Tally,
) -> None:
    left, right = teams[item] - {mine}, teams[other] - {theirs}
    tally.take(mine, left)
    tally.take(theirs, right)
    tally.give(theirs, left)
    tally.give(mine, right)
    teams[item], teams[other] = left | {theirs}, right | {mine}
    added[item][added[item].index(mine)] = theirs
    added[other][added[other].index(theirs)] = mine
