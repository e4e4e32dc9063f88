"""Two who install at once, and who installs while somebody judges. On SQLite, with its one writer,
nobody can come between."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from annotation.errors import RuleError
from annotation.models import Judgment, Study, triggers
from annotation.protocols.registry import published
from annotation.services.composing import installing
from annotation.services.composing.installing import protocol_remove
from annotation.services.studies import studies
from annotation.services.studies.studies import study_create
from tests.composing import installed
from tests.factories import make_assignment, make_study, make_user
from tests.services.judging.test_concurrency import at_once, both_there

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has one writer: nobody waits for a row"
    ),
]


def rules() -> str:
    return "".join(triggers.installed(connection).values())


def test_two_at_once_have_rules_both(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = make_user("one"), make_user("two")
    both_there(monkeypatch, (installing, "examined"))
    outcomes = at_once([lambda: installed(one), lambda: installed(two, key="shine")])
    assert not [each for each in outcomes if isinstance(each, Exception)], outcomes
    assert {"clarity 1", "shine 1"} <= {each.name for each in published()}
    assert triggers.missing(connection) == set()
    assert "'clarity 1'" in rules()
    assert "'shine 1'" in rules()


def test_whoever_judges_meanwhile_is_not_waited_for_and_does_not_wait() -> None:
    owner, row = make_user("lead"), make_assignment(make_study(state="main"))
    with transaction.atomic():
        # The table is written to and not let go.
        Judgment.objects.create(assignment=row, protocol="legal_meaning 1")

        def hurried() -> None:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL lock_timeout = '2s'")
                installed(owner)

        assert at_once([hurried]) == [None]
    assert triggers.missing(connection) == set()


def test_what_another_thread_sees_not_yet_has_rules() -> None:
    """A page that is asked meanwhile does not withdraw it from under who installs it."""
    owner = make_user("lead")

    def asking() -> None:
        for _time in range(200):
            published()

    outcomes = at_once([lambda: installed(owner), asking, asking])
    assert not [each for each in outcomes if isinstance(each, Exception)], outcomes
    assert "'clarity 1'" in rules()
    assert triggers.missing(connection) == set()


def test_a_study_is_made_by_it_or_it_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user("lead")
    kept = installed(owner)
    both_there(monkeypatch, (installing, "is_followed"), (studies, "_ruled"))
    outcomes = at_once(
        [
            lambda: protocol_remove(actor=owner, installed=kept),
            lambda: study_create(actor=owner, key="a", title="A", protocol_key="clarity"),
        ]
    )
    refused = [each for each in outcomes if isinstance(each, Exception)]
    assert [type(each) for each in refused] == [RuleError], outcomes
    kept.refresh_from_db()
    assert (kept.removed_at is None) == Study.objects.filter(key="a").exists()
