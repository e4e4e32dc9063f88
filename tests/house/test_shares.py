"""However slow the machine, each test is tried on one of the two databases at least, and what the
databases differ in most on both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shares import LONG, Case, Pace, is_left_by_postgresql, is_left_by_sqlite, said

NAMES = st.text(min_size=1)
TESTS = st.builds(Case, NAMES, *[st.booleans()] * 3)


@given(TESTS)
def test_on_a_quick_machine_both_try_what_is_no_case_of_a_walk(test: Case) -> None:
    assert not is_left_by_sqlite(test, Pace.WHOLE)
    assert not is_left_by_postgresql(test._replace(is_walked=False), Pace.WHOLE)


@given(TESTS)
def test_whoever_asks_for_all_gets_all(test: Case) -> None:
    assert not is_left_by_sqlite(test, Pace.ALL)
    assert not is_left_by_postgresql(test, Pace.ALL)


def test_of_walks_postgresql_takes_one_case_in_five_and_sqlite_all_unless_they_share() -> None:
    tests = [Case(f"tests/web/test_x.py::test_x[{n}]", is_walked=True) for n in range(2000)]
    on_postgresql = {test for test in tests if not is_left_by_postgresql(test, Pace.WHOLE)}
    assert 320 < len(on_postgresql) < 480
    assert not any(is_left_by_sqlite(test, Pace.WHOLE) for test in tests)
    assert {test for test in tests if is_left_by_sqlite(test, Pace.SHARED)} == on_postgresql


@pytest.mark.parametrize("pace", Pace)
@given(TESTS)
def test_none_is_left_by_both(pace: Pace, test: Case) -> None:
    # What asks for no database is left out on PostgreSQL by whoever starts the run.
    by_postgresql = test.is_once or is_left_by_postgresql(test, pace)
    assert not (by_postgresql and is_left_by_sqlite(test, pace))


@pytest.mark.parametrize("pace", [pace for pace in Pace if pace is not Pace.APART])
@given(NAMES)
def test_what_commits_is_tried_on_both(pace: Pace, name: str) -> None:
    test = Case(name, is_of_both=True)
    assert not is_left_by_sqlite(test, pace)
    assert not is_left_by_postgresql(test, pace)


@given(NAMES)
def test_on_the_slowest_machine_it_is_tried_on_one(name: str) -> None:
    """Services and what is about PostgreSQL there, the rest as it is drawn."""
    for test in (Case(name, is_of_both=True), Case(f"tests/services/{name}", is_of_both=True)):
        by_sqlite = not is_left_by_sqlite(test, Pace.APART)
        assert by_sqlite != (not is_left_by_postgresql(test, Pace.APART))
        assert not (by_sqlite and test.name.startswith("tests/services/"))
    about = Case(name, is_of_both=True, is_of_postgresql=True)
    assert not is_left_by_postgresql(about, Pace.APART)


def test_the_two_share_about_evenly() -> None:
    tests = [Case(f"tests/web/test_pages.py::test_page[{number}]") for number in range(2000)]
    on_sqlite = [test for test in tests if not is_left_by_sqlite(test, Pace.SHARED)]
    on_postgresql = [test for test in tests if not is_left_by_postgresql(test, Pace.SHARED)]
    assert set(on_sqlite).isdisjoint(on_postgresql)
    assert {*on_sqlite, *on_postgresql} == set(tests)
    assert 900 < len(on_sqlite) < 1100


def test_after_a_long_first_run_only_the_second_is_short() -> None:
    tests = [Case(f"tests/web/test_pages.py::test_page[{number}]") for number in range(2000)]
    assert not any(is_left_by_sqlite(test, Pace.SHORT) for test in tests)
    assert 900 < sum(is_left_by_postgresql(test, Pace.SHORT) for test in tests) < 1100


@pytest.mark.parametrize(
    ("environment", "pace"),
    [
        ({}, Pace.WHOLE),
        ({"BAREME_FIRST_RUN_SECONDS": ""}, Pace.WHOLE),
        ({"BAREME_FIRST_RUN_SECONDS": str(LONG)}, Pace.WHOLE),
        ({"BAREME_FIRST_RUN_SECONDS": str(LONG + 1)}, Pace.SHORT),
        ({"BAREME_SHARED": "1"}, Pace.SHARED),
        ({"BAREME_SHARED": "1", "BAREME_FIRST_RUN_SECONDS": str(LONG + 1)}, Pace.SHARED),
        ({"BAREME_SHARED": "2"}, Pace.APART),
        ({"BAREME_SHARED": "1", "BAREME_ALL_WALKS": "1"}, Pace.ALL),
    ],
)
def test_the_pace_follows_from_what_was_measured(environment: dict[str, str], pace: Pace) -> None:
    assert Pace.of(environment) is pace


@pytest.mark.parametrize("pace", [Pace.SHORT, Pace.SHARED, Pace.APART])
def test_what_is_left_out_is_said(pace: Pace) -> None:
    assert said(Pace.WHOLE, on_postgresql=False) == []
    assert said(Pace.ALL, on_postgresql=True) == []
    assert len(said(Pace.WHOLE, on_postgresql=True)) == 1
    assert "drawn by" in said(pace, on_postgresql=True)[-1]
