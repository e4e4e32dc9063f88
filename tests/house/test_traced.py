"""Files that are traced beside the tests of rules and services are there, and are no such tests."""

from __future__ import annotations

from django.conf import settings

from tests.traced import BESIDE, ROOMS, is_reaching


def test_what_is_traced_beside_them_is_there() -> None:
    assert [path for path in BESIDE if not (settings.BASE_DIR / path).is_file()] == []
    assert [path for path in BESIDE if path.startswith(ROOMS)] == []


def test_rules_and_services_are_traced_and_pages_are_not() -> None:
    assert is_reaching("tests/services/judging/test_standings.py")
    assert is_reaching(min(BESIDE))
    assert not is_reaching("tests/web/studies/test_studies.py")
