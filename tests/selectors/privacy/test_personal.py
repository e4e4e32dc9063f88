"""What somebody takes along about themselves tells them nothing that the judging pages hide."""

import io
import json
import zipfile
from collections import Counter

import pytest
from django.utils import timezone

from annotation.models import (
    Assignment,
    Item,
    RejudgeRequest,
    RemarkAnswer,
    Reminder,
    Simplification,
    TableReport,
)
from annotation.selectors.privacy.personal import personal_data
from annotation.services.planning.repeats import repeats_sweep
from annotation.services.platform.events import event_record
from annotation.services.privacy.archive import personal_archive
from annotation.services.studies.ending import study_archive
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_assignment, make_user
from tests.planning import annotators, days_pass, planned_study, rows, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged() -> Assignment:
    assignment = make_assignment()
    assignment.annotator.study.state = "main"
    assignment.annotator.study.save()
    submit(assignment)
    return assignment


def pairs(assignment: Assignment) -> list[dict]:
    return personal_data(assignment.annotator.user)["annotates"][0]["pairs"]


@pytest.mark.parametrize(
    ("round_", "control"), [("control", "identical"), ("control", "unrelated"), ("repeat", "")]
)
def test_a_pair_is_of_the_main_round_whatever_it_is_for(judged: Assignment, round_, control):
    shown = pairs(judged)
    Item.objects.update(round=round_, control=control)
    assert pairs(judged) == shown
    assert shown[0]["round"] == "main"


def test_what_is_offered_again_is_told_once_all_of_it_is_judged_and_the_study_closed(
    judged: Assignment,
):
    study = judged.annotator.study
    first = Simplification.objects.get()
    again = Simplification.objects.create(
        item=Item.objects.create(
            study=study, key="again", position=99, round="repeat", original=first.item.original
        ),
        text=first.text,
        language="fr",
        repeat_of=first,
    )
    repeat = Assignment.objects.create(
        annotator=judged.annotator, simplification=again, position=99
    )
    assert pairs(judged) == []
    submit(repeat)
    assert len(pairs(judged)) == 1
    study.state = "closed"
    study.save()
    assert len(pairs(judged)) == 2
    # Asked for once more, under another guide, it is to be judged if the study is opened again.
    RejudgeRequest.objects.create(assignment=repeat, reason="guide")
    assert len(pairs(judged)) == 1


def test_reports_on_their_own_tables_are_theirs_and_nobody_else_s():
    """They go with the account, so they come along with it."""
    own, other = make_user(), make_user()
    for user in (own, other):
        TableReport.objects.create(
            requested_by=user, name=f"notes-{user.pk}.csv", asked={"language": "fr"}, state="done"
        )
    [report] = personal_data(own)["table_reports"]
    assert (report["name"], report["asked"]) == (f"notes-{own.pk}.csv", {"language": "fr"})
    archive = zipfile.ZipFile(io.BytesIO(personal_archive(actor=own, user=own)))
    assert f"notes-{own.pk}.csv" in archive.read("donnees.html").decode()


def test_what_was_written_to_them_is_theirs(judged: Assignment):
    RemarkAnswer.objects.create(assignment=judged, text="Voir la section 3 du guide.")
    Reminder.objects.create(annotator=judged.annotator, outcome="sent")
    make_annotator(judged.annotator.study, make_user("other"))
    part = personal_data(judged.annotator.user)["annotates"][0]
    assert [row["text"] for row in part["answers_received"]] == ["Voir la section 3 du guide."]
    assert [row["outcome"] for row in part["reminders"]] == ["sent"]


def test_nothing_tells_which_pairs_are_repeats_while_one_may_be_judged():
    study = planned_study(1, 4, repeat_percent=50, repeat_after_days=1, seed=3)
    for row in rows(study):
        submit(row, comment="à revoir")
        RemarkAnswer.objects.create(assignment=row, text="Voir le guide.")
        RejudgeRequest.objects.create(assignment=row, reason="guide", resolved_at=timezone.now())
    days_pass(study, 2)
    assert repeats_sweep() == 2
    user = annotators(study)[0].user
    # A closed study can be opened again: what was offered is then still to be judged.
    for to in ("main", "closed", "main"):
        if to != study.state:
            study = study_change_state(actor=None, study=study, to=to, reason="essai")
        personal = personal_data(user)
        [part] = personal["annotates"]
        known = {pair["position"] for pair in part["pairs"]}
        assert len(known) == 2
        assert {row["assignment__position"] for row in part["answers_received"]} == known
        assert {row["assignment__position"] for row in part["sent_back"]} == known
        verbs = Counter(event["verb"] for event in personal["events"])
        assert verbs["judgment_submitted"] == len(known), "no moment of a pair that is not there"
        assert "repeats_offered" not in verbs
    first, second = rows(study, simplification__item__round="repeat")
    submit(first)
    study = study_change_state(actor=None, study=study, to="closed", reason="essai")
    [part] = personal_data(user)["annotates"]
    assert len(part["pairs"]) == 3, "one of the two waits"
    study = study_change_state(actor=None, study=study, to="main", reason="essai")
    submit(second)
    study = study_change_state(actor=None, study=study, to="closed", reason="essai")
    personal = personal_data(user)
    [part] = personal["annotates"]
    assert len(part["pairs"]) == 6
    assert len(part["answers_received"]) == len(part["sent_back"]) == 4
    verbs = Counter(event["verb"] for event in personal["events"])
    assert (verbs["judgment_submitted"], verbs["repeats_offered"]) == (6, 1)


def test_what_nobody_judges_any_more_is_not_kept_from_them_for_good():
    study = planned_study(1, 4, repeat_percent=50, repeat_after_days=1, seed=3)
    for row in rows(study):
        submit(row)
    days_pass(study, 2)
    assert repeats_sweep() == 2
    user = annotators(study)[0].user
    study = study_change_state(actor=None, study=study, to="closed", reason="essai")
    assert len(personal_data(user)["annotates"][0]["pairs"]) == 2
    study_archive(actor=make_user("lead"), study=study, reason="finie")
    assert len(personal_data(user)["annotates"][0]["pairs"]) == 4


def test_no_event_holds_a_seed():
    """By a seed everybody's order is drawn, which pairs come again, and which are controls."""
    study = planned_study(1, 4, repeat_percent=50, repeat_after_days=1, seed=3)
    annotator = annotators(study)[0]
    for row in rows(study):
        submit(row)
    days_pass(study, 2)
    repeats_sweep()
    for row in rows(study, simplification__item__round="repeat"):
        submit(row)
    study = study_change_state(actor=None, study=study, to="closed", reason="essai")
    event_record(
        actor=annotator.user,
        study=study,
        verb="plan_set",
        before={"seed": 3, "per_item": 1},
        after={"seed": 4, "per_item": 2},
        draws=[{"seed": 5}],
    )
    details = [event["details"] for event in personal_data(annotator.user)["events"]]
    assert {"number": 2, "of": 2} in details
    assert {"before": {"per_item": 1}, "after": {"per_item": 2}, "draws": [{}]} in details
    assert '"seed"' not in json.dumps(details)
