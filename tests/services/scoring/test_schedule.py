"""Training by itself: off until set, after enough new judgments of people, never two at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    DatasetSnapshot,
    Event,
    Judgment,
    Study,
    TrainingRun,
    TrainingSchedule,
)
from annotation.scoring.errors import ScoringError
from annotation.services.scoring import schedule as module
from annotation.services.scoring.schedule import (
    MOST_JUDGMENTS,
    snapshots_waiting,
    training_schedule,
    training_schedule_run,
    training_schedule_set,
)
from annotation.services.scoring.training import TrainingSpec, new_judgments, training_request
from tests.bulk import fill_study
from tests.factories import make_study, make_user
from tests.scorers.judged import judged_set

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.fixture(autouse=True)
def _small_sets(monkeypatch) -> None:
    """What a snapshot holds is not what is tested here."""
    monkeypatch.setattr(module, "set_of_snapshot", lambda snapshot: judged_set(name=snapshot.name))


@pytest.fixture
def admin(db):
    return make_user("admin", is_admin=True)


@pytest.fixture
def study(db) -> Study:
    """Twelve judgments, submitted long ago."""
    new_study = make_study("judged", state="main")
    fill_study(new_study, pairs=4, annotators=3)
    return new_study


def freeze(study: Study, number: int = 1, hours: int = 0) -> DatasetSnapshot:
    return DatasetSnapshot.objects.create(
        study=study,
        number=number,
        content_digest="d",
        path="p",
        created_at=NOW + timedelta(hours=hours),
    )


def judge_again(study: Study, number: int, hours: int) -> None:
    """So many judgments count as submitted then."""
    chosen = Judgment.objects.filter(assignment__annotator__study=study).order_by("pk")[:number]
    Judgment.objects.filter(pk__in=list(chosen.values_list("pk", flat=True))).update(
        submitted_at=NOW + timedelta(hours=hours)
    )


def switch_on(admin, threshold=5, **changed) -> TrainingSchedule:
    given = {"backend": "lexical", "seeds": (42, 43), "augment": False} | changed
    return training_schedule_set(actor=admin, threshold=threshold, **given)


def finish(run: TrainingRun, state: str = "done") -> None:
    TrainingRun.objects.filter(pk=run.pk).update(state=state, lease_until=None)


def test_it_is_off_until_an_admin_sets_it(admin, study):
    freeze(study)
    assert training_schedule().threshold is None
    assert training_schedule_run() is None
    switch_on(admin, threshold=None)
    assert training_schedule_run() is None
    assert not TrainingRun.objects.exists()


def test_the_setting_is_kept_and_audited(admin):
    switch_on(admin, threshold=40, seeds=(1, 2, 3), augment=True)
    switch_on(admin, threshold=None)
    first, second = Event.objects.filter(verb="training_schedule_set").order_by("pk")
    assert first.actor == admin
    assert first.details["before"]["threshold"] is None
    assert first.details["after"] == {
        "threshold": 40,
        "backend": "lexical",
        "seeds": 3,
        "augment": True,
    }
    assert second.details["before"] == first.details["after"]
    assert str(training_schedule()) == "off"
    assert str(switch_on(admin, threshold=7)) == "after 7 judgments"
    assert TrainingSchedule.objects.count() == 1


@pytest.mark.parametrize(
    "given",
    [{"threshold": 0}, {"threshold": MOST_JUDGMENTS + 1}, {"seeds": ()}, {"backend": "magic"}],
)
def test_what_cannot_be_set(admin, given):
    with pytest.raises(RuleError):
        switch_on(admin, **given)
    assert not TrainingSchedule.objects.exists()


def test_enough_judgments_ask_for_one_training_on_the_newest_snapshot(admin, study):
    freeze(study)
    newest = freeze(study, 2, hours=1)
    switch_on(admin, threshold=12)
    run = training_schedule_run()
    assert (run.snapshot, run.backend, run.seeds, run.requested_by) == (
        newest,
        "lexical",
        [42, 43],
        None,
    )
    due = Event.objects.get(verb="training_due")
    assert (due.study, due.details["new_judgments"], due.details["threshold"]) == (study, 12, 12)
    assert training_schedule_run() is None, "never two at once"
    finish(run)
    assert training_schedule_run() is None, "nothing is new since"


def test_too_few_do_not(admin, study):
    freeze(study)
    switch_on(admin, threshold=13)
    assert training_schedule_run() is None


def test_what_is_not_frozen_waits_for_the_next_snapshot(admin, study):
    freeze(study)
    switch_on(admin, threshold=5)
    finish(training_schedule_run())
    judge_again(study, 6, hours=1)
    (waiting,) = snapshots_waiting()
    assert (waiting.new, waiting.unfrozen) == (0, 6)
    assert training_schedule_run() is None
    second = freeze(study, 2, hours=2)
    (waiting,) = snapshots_waiting()
    assert (waiting.new, waiting.unfrozen) == (6, 0)
    assert training_schedule_run().snapshot == second


@pytest.mark.parametrize("state", ["failed", "stopped"])
def test_a_training_that_failed_is_not_asked_for_again_and_again(admin, study, state):
    freeze(study)
    switch_on(admin)
    finish(training_schedule_run(), state)
    assert training_schedule_run() is None
    assert TrainingRun.objects.count() == 1


def test_a_training_asked_for_by_hand_counts(admin, study):
    snapshot = freeze(study)
    run = training_request(
        actor=admin, data=judged_set(), spec=TrainingSpec("lexical"), snapshot=snapshot
    )
    switch_on(admin)
    assert training_schedule_run() is None, "it waits or runs"
    finish(run)
    assert training_schedule_run() is None, "it had these judgments"


def test_practice_rows_and_machines_teach_nothing(admin, study):
    snapshot = freeze(study)
    assert new_judgments(None, study=study) == 12
    Annotator.objects.filter(study=study, pseudonym="R1").update(kind="machine")
    assert new_judgments(None, study=study) == 8
    study.items.filter(key="clause-000001").update(round="practice")
    assert new_judgments(None, snapshot, study=study) == 6
    unsealed = Judgment.objects.filter(assignment__annotator__pseudonym="R2").first()
    Judgment.objects.filter(pk=unsealed.pk).update(submitted_at=None)
    assert new_judgments(None, study=study) in (5, 6)
    switch_on(admin, threshold=7)
    assert training_schedule_run() is None


def test_demonstrations_are_left_out(admin, study):
    freeze(study)
    Study.objects.filter(pk=study.pk).update(is_demo=True)
    switch_on(admin)
    assert training_schedule_run() is None
    assert snapshots_waiting() == []


def test_the_study_with_most_new_judgments_comes_first_and_one_that_cannot_is_passed_over(
    admin, study, monkeypatch
):
    other = make_study("other", state="main")
    fill_study(other, pairs=2, annotators=3)
    for judged in (study, other):
        freeze(judged)
    switch_on(admin)

    def damaged(snapshot):
        if snapshot.study == study:
            raise ScoringError("snapshot_damaged", "Des fichiers manquent.", "Files are missing.")
        return judged_set()

    monkeypatch.setattr(module, "set_of_snapshot", damaged)
    assert training_schedule_run() is None
    event = Event.objects.get(verb="training_not_started")
    assert (event.study, event.details["problem"]) == (study, "snapshot_damaged")
    first, second = snapshots_waiting()
    assert (first.snapshot.study, first.refusal.en, second.refusal) == (
        study,
        "Files are missing.",
        None,
    )
    run = training_schedule_run()
    assert run.snapshot.study == other
    finish(run)
    assert training_schedule_run() is None
    assert Event.objects.filter(verb="training_not_started").count() == 1, "said once"
    monkeypatch.setattr(module, "set_of_snapshot", lambda snapshot: judged_set())
    switch_on(admin)
    assert training_schedule_run().snapshot.study == study, "set anew, it is tried again"


def test_what_is_too_few_to_learn_from_is_not_started(admin, study, monkeypatch):
    freeze(study)
    monkeypatch.setattr(module, "set_of_snapshot", lambda _: judged_set(20))
    switch_on(admin)
    assert training_schedule_run() is None
    assert Event.objects.get(verb="training_not_started").details["problem"] == "too_few_pairs"
    (waiting,) = snapshots_waiting()
    assert "12 of 20 pairs are left to learn from" in waiting.refusal.en
    assert not TrainingRun.objects.exists()


def test_all_refused_leaves_nothing_to_do(admin, study, monkeypatch):
    freeze(study)

    def damaged(_):
        raise ScoringError("no_labels", "Rien.", "Nothing.")

    monkeypatch.setattr(module, "set_of_snapshot", damaged)
    switch_on(admin)
    assert training_schedule_run() is None
    assert training_schedule_run() is None


def test_switched_off_between_two_looks(admin, study, monkeypatch):
    freeze(study)
    switch_on(admin)
    monkeypatch.setattr(TrainingSchedule.objects, "filter", lambda **_: Study.objects.all())
    TrainingSchedule.objects.update(threshold=None)
    assert training_schedule_run() is None


def test_the_sweep_looks(admin, study, monkeypatch):
    from workers import sweep

    freeze(study)
    switch_on(admin)
    monkeypatch.setattr(sweep, "batches_look", lambda: None)
    sweep.sweep()
    assert TrainingRun.objects.get().snapshot.study == study
    sweep.sweep()
    assert TrainingRun.objects.count() == 1
