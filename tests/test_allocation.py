"""Orders that anybody can check."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.allocation import annotator_seed, rotating_teams, seeded_order


@given(st.lists(st.text(min_size=1), unique=True), st.text())
def test_every_key_once_whatever_order_they_came_in(keys, seed):
    order = seeded_order(keys, seed)
    assert sorted(order) == sorted(keys)
    assert seeded_order(reversed(keys), seed) == order


def test_the_order_is_that_of_sha256():
    import hashlib

    keys = ["one", "two", "three"]
    expected = sorted(keys, key=lambda key: hashlib.sha256(b"7:A:" + key.encode()).hexdigest())
    assert seeded_order(keys, annotator_seed(7, "A")) == expected


def test_each_annotator_has_an_order_of_their_own():
    keys = [f"item-{number}" for number in range(50)]
    orders = {tuple(seeded_order(keys, annotator_seed(7, pseudonym))) for pseudonym in "ABCDE"}
    assert len(orders) == 5


def people_of(number: int) -> list[str]:
    return [chr(ord("A") + place) for place in range(number)]


def items_of(number: int) -> list[str]:
    return [f"item-{place:04}/0" for place in range(number)]


def loads_of(teams, people):
    counted = Counter(name for team in teams.values() for name in team)
    return [counted[name] for name in people]


def couples_of(teams, people):
    met = Counter(frozenset(pair) for team in teams.values() for pair in combinations(team, 2))
    return [met[frozenset(pair)] for pair in combinations(people, 2)]


@settings(max_examples=60)
@given(st.integers(1, 60), st.integers(1, 9), st.integers(1, 6), st.text(max_size=5))
def test_teams_are_whole_and_nobody_carries_more(items, people, k, seed):
    names, keys = people_of(people), items_of(items)
    teams = rotating_teams(keys, names, k, seed)
    assert set(teams) == set(keys)
    assert all(len(team) == len(set(team)) == min(k, people) for team in teams.values())
    loads = loads_of(teams, names)
    assert max(loads) - min(loads) <= 1
    assert rotating_teams(reversed(keys), reversed(names), k, seed) == teams, (
        "nothing but keys, names and seed counts"
    )


@pytest.mark.parametrize(
    ("items", "people", "k", "apart"),
    [(100, 6, 3, 0), (50, 6, 3, 0), (297, 5, 3, 2), (40, 4, 2, 1), (60, 8, 3, 1), (12, 6, 3, 1)],
)
@pytest.mark.parametrize("seed", ["1", "42", "2026"])
def test_any_two_people_meet_as_often(items, people, k, apart, seed):
    names = people_of(people)
    couples = couples_of(rotating_teams(items_of(items), names, k, seed), names)
    assert max(couples) - min(couples) <= apart


def test_another_seed_is_another_draw():
    assert rotating_teams(items_of(20), people_of(6), 3, "1") != rotating_teams(
        items_of(20), people_of(6), 3, "2"
    )


assignments = st.dictionaries(
    st.sampled_from(items_of(20)), st.sets(st.sampled_from(people_of(6)), max_size=5)
)


@settings(max_examples=80)
@given(assignments, assignments, st.integers(1, 4), st.text(max_size=3))
def test_what_is_held_stays_and_who_is_barred_gets_nothing(held, barred, k, seed):
    names, keys = people_of(6), items_of(20)
    added = rotating_teams(keys, names, k, seed, held=held, barred=barred)
    for key in keys:
        has, must_not = held.get(key, set()), barred.get(key, set())
        assert not set(added[key]) & (has | must_not)
        assert len(added[key]) == len(set(added[key]))
        free = len(set(names) - has - must_not)
        assert len(added[key]) == max(0, min(k - len(has), free)), (
            "what is missing to k, as far as people go"
        )
