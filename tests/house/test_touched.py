"""`make quick` finds the tests that a change touches."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.touched import Clock, near, subject


def test_a_service_s_own_tests_come_first_and_what_imports_it_later():
    paths = list(near(["annotation/services/publishing/exports.py"]))
    first = paths[:4]
    assert all("export" in path for path in first), first
    assert "tests/services/publishing/test_exports.py" in first
    assert [path for path in paths if "export" not in path], (
        "who imports it, directly or through others"
    )


def test_a_page_leads_to_the_tests_of_its_subject_through_the_view_that_names_it():
    assert "tests/web/judging/test_judging.py" in near(["templates/judging/judge.html"])
    assert any(path.startswith("tests/browser/") for path in near(["static/js/judging/clock.js"]))


def test_a_changed_test_is_the_nearest_of_all():
    own = "tests/web/publishing/test_exports.py"
    assert next(iter(near([own, "annotation/services/publishing/exports.py"]))) == own


def test_what_tests_stand_on_leads_to_the_tests():
    assert len(near(["tests/cast.py"])) > 20


def test_messages_are_the_house_s():
    nearest = near(["locale/fr/LC_MESSAGES/django.po"])
    assert nearest
    assert all(path.startswith("tests/house/") for path in nearest)


def test_so_is_what_nobody_names():
    # In two parts, or this module would name it.
    nearest = near(["static/qq" + "qq.svg"])
    assert nearest
    assert all(path.startswith("tests/house/") for path in nearest)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("annotation/web/judging/views/judging.py", {"judg"}),
        ("templates/judging/judge.html", {"judg"}),
        ("annotation/services/generation/runs.py", {"gene", "runs"}),
        ("tests/web/publishing/test_exports.py", {"publ", "expo"}),
    ],
)
def test_a_path_says_what_it_is_about_by_words_that_name_no_layer(path: str, words: set[str]):
    assert subject(path) == words


def test_nothing_begins_when_the_time_is_over():
    alone = SimpleNamespace(
        config=SimpleNamespace(pluginmanager=SimpleNamespace(get_plugin=lambda _: None))
    )
    clock = Clock(until=0)
    clock.pytest_sessionstart(alone)
    clock.pytest_runtest_logreport(SimpleNamespace(nodeid="a", failed=True))
    assert alone.shouldstop == "the time is over"
    assert (clock.ran, clock.failed) == ({"a"}, 1)
