"""Reports on tables that leads bring in: stored, carried out, kept, taken out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.db import OperationalError
from django.utils import timezone

from annotation.corpus.human_scores import ScoreColumns
from annotation.errors import RuleError
from annotation.models import Event, Lead, TableReport, User
from annotation.reading import ReadingBusy, ReadLater
from annotation.services.metrics import table_reports as module
from annotation.services.metrics.table_reports import (
    KEPT_TABLES,
    TableOrder,
    table_files_expire,
    table_report_forget,
    table_report_request,
    table_report_write,
    table_reports_resend,
)
from annotation.services.metrics.tables import TableRequest
from annotation.services.people.people import admin_set, lead_remove, user_set_active
from annotation.services.privacy.erasure import belongings_remove
from tests.factories import make_study, make_user
from tests.services.metrics.test_tables import line, table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


def order(**columns) -> TableOrder:
    given = {"human": ("human",), "scores": ("bleu", "errors"), "lowest": 0, "highest": 10}
    request = TableRequest(ScoreColumns(**{**given, **columns}), frozenset(["errors"]), "fr")
    return TableOrder(request, seed=7, draws=100)


def brought(content=None, actor=None, **columns) -> TableReport:
    return table_report_request(
        actor=actor or make_user(is_admin=True),
        name="notes.csv",
        content=content or table(),
        order=order(**columns),
    )


def test_an_order_comes_back_from_its_row_as_it_was():
    table_order = order(references=("a", "b"), system="system")
    assert TableOrder.of(table_order.stored()) == table_order


def test_a_report_is_written_and_its_table_goes(django_capture_on_commit_callbacks):
    row = brought()
    assert default_storage.exists(row.input_path)
    with django_capture_on_commit_callbacks(execute=True):
        assert table_report_write(row.public_id)
    done = TableReport.objects.get()
    assert (done.state, done.input_path, done.problems) == ("done", "", [])
    assert done.done == done.total > 0
    assert not default_storage.exists(row.input_path)
    assert line(done.result, "bleu (table)")["direction"] == 1
    assert line(done.result, "errors")["direction"] == -1
    assert done.result["sources"] == 9
    assert not table_report_write(row.public_id)


def test_what_is_wrong_is_said_at_once_and_nothing_is_kept():
    with pytest.raises(RuleError) as error:
        brought(human=("meaning",))
    assert error.value.problems[0].code == "no_column"
    with pytest.raises(RuleError) as error:
        brought(b"original,simplification,human,bleu,errors\n")
    assert [problem.code for problem in error.value.problems] == ["no_rows"]
    assert not TableReport.objects.exists()


def test_an_encoder_that_is_not_here_is_refused():
    with pytest.raises(RuleError) as error:
        table_report_request(
            actor=make_user(),
            name="a.csv",
            content=table(),
            order=TableOrder(order().table_request, encoders=("none",)),
        )
    assert error.value.problems[0].field == "encoders"


def test_what_a_worker_finds_wrong_is_kept_with_its_row(
    monkeypatch, django_capture_on_commit_callbacks
):
    def later(*_, **__):
        raise ReadLater

    with monkeypatch.context() as at_once:
        at_once.setattr(module, "table_read", later)
        row = brought(table([["Un.", "Deux.", "a", "high"]]))
    with django_capture_on_commit_callbacks(execute=True):
        assert not table_report_write(row.public_id)
    failed = TableReport.objects.get()
    assert (failed.state, failed.input_path) == ("failed", "")
    assert [(problem["row"], problem["field"]) for problem in failed.problems] == [(2, "human")]
    assert failed.problems[0]["en"].startswith("“high” is not a number.")
    assert Event.objects.filter(verb="table_report_failed").exists()
    assert not default_storage.exists(row.input_path)


def test_a_refusal_without_row_or_remedy_is_kept_too(monkeypatch):
    row = brought()

    def refuse(*_, **__):
        raise RuleError.single("scale", "no_width", "Sans étendue.", "Without width.")

    monkeypatch.setattr(module, "table_report", refuse)
    assert not table_report_write(row.public_id)
    assert TableReport.objects.get().problems == [{"fr": "Sans étendue.", "en": "Without width."}]


def test_a_file_that_cannot_be_read_at_all_names_no_row(monkeypatch):
    def later(*_, **__):
        raise ReadLater

    with monkeypatch.context() as at_once:
        at_once.setattr(module, "table_read", later)
        row = brought(human=("meaning",))
    assert not table_report_write(row.public_id)
    (problem,) = TableReport.objects.get().problems
    assert "row" not in problem
    assert problem["en"].startswith("The file has no column “meaning”. Its columns: original,")


def test_a_table_that_is_gone_is_said():
    row = brought()
    default_storage.delete(row.input_path)
    assert not table_report_write(row.public_id)
    assert TableReport.objects.get().problems[0]["en"] == (
        "The file is no longer there: send it again."
    )


def test_another_file_of_theirs_is_waited_for(monkeypatch):
    row = brought()

    def busy(*_, **__):
        raise ReadingBusy([])

    monkeypatch.setattr(module, "table_report", busy)
    assert not table_report_write(row.public_id)
    stored = TableReport.objects.get()
    assert (stored.state, stored.attempt, stored.input_path) == ("queued", 0, row.input_path)


def test_a_defect_is_recorded_and_raised(monkeypatch):
    row = brought()

    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(module, "table_report", fail)
    with pytest.raises(ZeroDivisionError):
        table_report_write(row.public_id)
    assert TableReport.objects.get().problems[0]["en"].startswith("The report failed")


def test_a_database_that_is_away_fails_nothing(monkeypatch):
    row = brought()

    def away(*_, **__):
        raise OperationalError

    monkeypatch.setattr(module, "table_report", away)
    with pytest.raises(OperationalError):
        table_report_write(row.public_id)
    assert TableReport.objects.get().state == "running"


def test_one_that_was_taken_out_meanwhile_is_not_written(monkeypatch):
    row = brought()
    real = module.table_report

    def forgotten(*args, **named):
        table_report_forget(actor=row.requested_by, report=row)
        return real(*args, **named)

    monkeypatch.setattr(module, "table_report", forgotten)
    assert not table_report_write(row.public_id)
    assert not TableReport.objects.exists()
    module._fail(row, [])
    assert not Event.objects.filter(verb="table_report_failed").exists()


def test_taking_one_out_takes_its_table(django_capture_on_commit_callbacks):
    row = brought()
    with django_capture_on_commit_callbacks(execute=True):
        table_report_forget(actor=row.requested_by, report=row)
    assert not TableReport.objects.exists()
    assert not default_storage.exists(row.input_path)


def test_the_newest_of_each_person_are_kept():
    person, other = make_user(is_admin=True), make_user(is_admin=True)
    for owner, number in ((person, KEPT_TABLES + 2), (other, 1)):
        for _ in range(number):
            TableReport.objects.create(name="old", state="done", requested_by=owner)
    row = brought(actor=person)
    assert table_report_write(row.public_id)
    assert TableReport.objects.filter(requested_by=person).count() == KEPT_TABLES
    assert TableReport.objects.filter(requested_by=other).count() == 1


def test_a_lost_worker_is_replaced_and_given_up_after_three():
    row = brought()
    late = timezone.now() - timedelta(minutes=5)
    TableReport.objects.update(lease_until=late)
    assert table_reports_resend() == 1
    TableReport.objects.update(state="running", attempt=3, lease_until=late)
    assert table_reports_resend() == 0
    assert TableReport.objects.get(pk=row.pk).problems[0]["en"].startswith("The worker that")


def test_files_that_no_row_names_go(monkeypatch):
    row = brought()
    TableReport.objects.all().delete()
    assert table_files_expire() == 0
    soon = timezone.now() + timedelta(days=2)
    monkeypatch.setattr("django.utils.timezone.now", lambda: soon)
    assert table_files_expire() >= 1
    assert not default_storage.exists(row.input_path)


def test_they_go_with_their_owner_s_account():
    row = brought()
    assert belongings_remove(row.requested_by)["table_reports"] == 1
    assert not TableReport.objects.exists()


def led_no_more(person: User, admin: User) -> None:
    lead_remove(actor=admin, lead=person.led.get(), reason="parti")


def admin_no_more(person: User, admin: User) -> None:
    admin_set(actor=admin, user=person, is_admin=False, reason="fini")


def closed(person: User, admin: User) -> None:
    user_set_active(actor=admin, user=person, is_active=False, reason="parti")


@pytest.mark.parametrize("lose", [led_no_more, admin_no_more, closed])
def test_nothing_is_measured_for_who_may_not_bring_tables_any_more(
    lose, django_capture_on_commit_callbacks
):
    admin, person = make_user(is_admin=True), make_user(is_admin=lose is admin_no_more)
    if lose is not admin_no_more:
        Lead.objects.create(study=make_study(lead=admin), user=person)
    row = brought(actor=person)
    lose(person, admin)
    with django_capture_on_commit_callbacks(execute=True):
        assert not table_report_write(row.public_id)
    failed = TableReport.objects.get()
    assert (failed.state, failed.input_path, failed.result) == ("failed", "", {})
    assert failed.problems[0]["en"].startswith("Whoever asked for it may not")
    assert not default_storage.exists(row.input_path)
    assert Event.objects.filter(verb="table_report_failed").exists()


def test_a_lead_s_table_is_measured():
    person = make_user()
    Lead.objects.create(study=make_study(), user=person)
    assert table_report_write(brought(actor=person).public_id)
