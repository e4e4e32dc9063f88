"""The audit trail takes new rows and no other change, whoever asks: the model refuses, and behind
it the database."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from annotation.demo.study import demo_remove
from annotation.models import ErasureRequest, Event, triggers
from annotation.services.platform.events import event_record
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def event():
    return event_record(
        actor=make_user(), study=make_study(), verb="study_updated", reason="Ada asked"
    )


CHANGES = {
    "verb": "nothing",
    "details": {"reason": "Nobody asked"},
    "actor": None,
    "study": None,
    "target_type": "user",
    "target_id": "9",
    "created_at": timezone.now(),
}


@pytest.mark.parametrize("field", CHANGES)
def test_no_column_is_changed(event, field):
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        Event.objects.filter(pk=event.pk).update(**{field: CHANGES[field]})


def test_it_is_not_given_to_another_person_or_study_either(event):
    for other in ({"actor": make_user()}, {"study": make_study()}):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            Event.objects.filter(pk=event.pk).update(**other)


def test_nothing_is_deleted(event):
    with pytest.raises(DatabaseError, match="never deleted"), transaction.atomic():
        Event.objects.filter(pk=event.pk).delete()
    with (
        pytest.raises(DatabaseError, match="never deleted"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("DELETE FROM annotation_event")


def test_removing_what_an_event_names_does_not_blank_it(event):
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        event.actor.delete()
    key = event.study.pk
    event.study.delete()
    event = Event.objects.select_related("study").get(pk=event.pk)
    assert (event.study_id, event.study) == (key, None), "the trail outlives its study, unchanged"


def test_the_model_refuses_before_the_database_does(event):
    event.verb = "nothing"
    with pytest.raises(TypeError, match="never changed"):
        event.save()
    with pytest.raises(TypeError, match="never deleted"):
        event.delete()


def test_an_erasure_that_runs_may_change_the_details_and_nothing_else(event):
    ErasureRequest.objects.create(user=event.actor, wish="keep", state="running")
    Event.objects.filter(pk=event.pk).update(details={"reason": "[…] asked"})
    event.refresh_from_db()
    assert event.details == {"reason": "[…] asked"}
    for field in set(CHANGES) - {"details"}:
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            Event.objects.filter(pk=event.pk).update(**{field: CHANGES[field]})
    with pytest.raises(DatabaseError, match="never deleted"), transaction.atomic():
        Event.objects.filter(pk=event.pk).delete()


@pytest.mark.parametrize("state", ["open", "granted", "refused", "cancelled"])
def test_an_erasure_that_does_not_run_opens_nothing(event, state):
    ErasureRequest.objects.create(
        user=event.actor, wish="keep", state=state, reason="because", decided_at=timezone.now()
    )
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        Event.objects.filter(pk=event.pk).update(details={})


def test_a_removed_demonstration_leaves_its_events():
    study, user = make_study(is_demo=True), make_user(is_demo=True)
    event = event_record(actor=user, study=study, verb="study_updated", reason="kept")
    study_pk = study.pk
    demo_remove()
    event = Event.objects.select_related("study").get(pk=event.pk)
    assert (event.actor, event.study, event.details) == (None, None, {"reason": "kept"})
    assert event.study_id == study_pk, "its trail stays together"


@pytest.mark.django_db(transaction=True)
def test_emptying_a_database_leaves_its_rules(event):
    call_command("flush", interactive=False, verbosity=0)
    assert not Event.objects.exists()
    assert triggers.missing(connection) == set()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("answer", ["no", "", None], ids=repr)
def test_the_rules_hold_while_somebody_is_asked(event, monkeypatch, capsys, answer):
    """Others go on meanwhile; and who closes the terminal would leave the database without."""

    def ask(_prompt: str) -> str:
        assert triggers.missing(connection) == set()
        if answer is None:
            raise EOFError
        return str(answer)

    monkeypatch.setattr("builtins.input", ask)
    if answer is None:
        with pytest.raises(CommandError, match="nobody answered"):
            call_command("flush")
    else:
        call_command("flush")
        assert "Nothing was deleted" in capsys.readouterr().out
    assert Event.objects.exists()
