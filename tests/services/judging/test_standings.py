"""What is kept of an annotator's order is what counting finds, whatever happened; and it is found
without counting."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Item,
    Judgment,
    RemarkAnswer,
    Simplification,
    Study,
    StudyPlan,
    Tally,
)
from annotation.selectors.base.standings import annotators_kept, departures
from annotation.selectors.judging.queue import counts, first_open, ordinals, place, waiting_of
from annotation.services.base.standings import (
    assignments_hold,
    positions_check,
    standing_set,
    unread_add,
)
from annotation.services.guides.rejudging import rejudge_cancel, rejudge_request
from annotation.services.items.rounds import items_set_round, practice_draw
from annotation.services.judging import drafts
from annotation.services.judging.drafts import assignment_open, draft_restore, draft_save
from annotation.services.judging.judgments import Refused, judgment_submit
from annotation.services.judging.own_pairs import answers_read, pair_set_aside, pair_take_up
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning import assignments as planning
from annotation.services.planning.absences import absence_release
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.repeats import repeats_offer
from annotation.services.privacy.erasure import parts_close
from annotation.services.watching.remarks import remark_answer
from tests.factories import (
    kept_anew,
    make_annotator,
    make_assignment,
    make_pair,
    make_study,
    make_user,
    save,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = make_study(state="main", lead=make_user())
    for _ in range(4):
        make_pair(study)
    make_pair(study, round="practice")
    for _ in range(2):
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    return study


def rows(study, number=0):
    annotator = study.annotators.order_by("pk")[number]
    assignments = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    )
    return list(
        assignments.filter(annotator=annotator, in_practice=False, standing__gt=0).order_by(
            "position"
        )
    )


def submit(assignment, **changed):
    draft = Draft.objects.filter(assignment=assignment).first()
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(draft.revision if draft else 0, **changed),
    )


def kept():
    """Nothing departs; what everybody's pairs of the main round stand for, by position."""
    assert list(positions_check()) == []
    return {
        number: [
            assignment.standing
            for assignment in Assignment.objects.filter(annotator=pk, in_practice=False).order_by(
                "position"
            )
        ]
        for number, pk in enumerate(annotators_kept())
    }


def test_what_is_given_out_is_numbered_and_open(study):
    assert kept() == {0: [1, 1, 1, 1], 1: [1, 1, 1, 1]}
    assert ordinals(study.annotators.first()) == {1: 1, 2: 1, 3: 2, 4: 3, 5: 4}
    make_pair(study)
    assignments_fill(actor=None, study=study)
    assert kept() == {0: [1] * 5, 1: [1] * 5}
    assert Tally.objects.filter(in_practice=False, total=5).count() == 2


def test_submitted_corrected_taken_back(study):
    first, second, *_ = rows(study)
    submit(first)
    assert kept()[0] == [4, 1, 1, 1]
    submit(first, characterization=5)
    assert kept()[0] == [4, 1, 1, 1]
    assert counts(first.annotator) == (1, 4)
    judgment_take_back(actor=first.annotator.user, assignment=first, number=2)
    assert kept()[0] == [4, 1, 1, 1]
    judgment_take_back(actor=first.annotator.user, assignment=first, number=1)
    assert kept()[0] == [1, 1, 1, 1]
    assert first_open(first.annotator) == first.position
    assert place(second).next_open == second.position + 1


def test_a_refused_submission_changes_nothing(study):
    assignment = rows(study)[0]
    with pytest.raises(Refused):
        submit(assignment, bracket=None)
    assert kept()[0] == [1, 1, 1, 1]


def test_kept_for_later_taken_up_and_done(study):
    first, second, *_ = rows(study)
    pair_set_aside(assignment=first)
    pair_set_aside(assignment=second)
    assert kept()[0] == [3, 3, 1, 1]
    assert waiting_of([first.annotator])[first.annotator.pk].aside == 2
    pair_take_up(assignment=first)
    assert kept()[0] == [1, 3, 1, 1]
    submit(rows(study)[1])
    assert kept()[0] == [1, 4, 1, 1]
    pair_set_aside(assignment=rows(study)[1])
    assert kept()[0] == [1, 4, 1, 1], "done is done"


def test_sent_back_and_called_off(study):
    first, second, *_ = rows(study)
    for assignment in (first, second, *rows(study, 1)[:2]):
        submit(assignment)
    keys = [first.simplification.item.key, second.simplification.item.key]
    rejudge_request(actor=make_user(), study=study, keys=keys, reason="Frais")
    assert kept()[0][:2] == [1, 1]
    submit(first, characterization=5)
    assert kept()[0][:2] == [4, 1]
    rejudge_cancel(actor=make_user(), study=study)
    assert kept()[0][:2] == [4, 4]


def test_what_is_sent_back_while_others_are_called_off_stays_sent_back(study, monkeypatch):
    """Another lead is a moment later than the list that is called off."""
    first, second, *_ = rows(study)
    for assignment in (first, second):
        submit(assignment)
    send_back = partial(rejudge_request, actor=make_user(), study=study, reason="Frais")
    send_back(keys=[first.simplification.item.key])

    def hold(queryset):
        monkeypatch.undo()
        send_back(keys=[second.simplification.item.key])
        assignments_hold(queryset)

    monkeypatch.setattr("annotation.services.guides.rejudging.assignments_hold", hold)
    assert rejudge_cancel(actor=make_user(), study=study) == 1
    assert kept()[0][:2] == [4, 1]


def test_released_and_given_back(study):
    StudyPlan.objects.create(study=study, per_item=1)
    Assignment.objects.filter(simplification__item__round="main").delete()
    kept_anew()
    assignments_fill(actor=None, study=study)
    held = kept()
    assert (len(held[0]), len(held[1])) == (2, 2)
    assignment = rows(study)[0]
    draft_save(actor=assignment.annotator.user, assignment=assignment, save=save())
    absence_release(actor=make_user(), annotator=assignment.annotator, reason="away")
    assert kept() == {0: [1, 0], 1: [1, 1, 1, 1]}
    StudyPlan.objects.update(per_item=None)
    assignments_fill(actor=None, study=study)
    assert kept()[0] == [1, 1, 1, 1], "what comes back is taken up where it was"


@pytest.mark.parametrize("way", ["opened", "saved", "submitted", "refused", "restored"])
def test_what_is_begun_as_it_is_released_stays_in_sight(study, way):
    _, two, *_ = rows(study)
    Assignment.objects.filter(pk=two.pk).update(released_at=timezone.now())
    kept_anew()
    assert kept()[0] == [1, 0, 1, 1]
    assert [assignment.ordinal for assignment in rows(study)] == [1, 2, 3]
    if way == "opened":
        assignment_open(assignment=two)
        assert two.opened_at is not None
    elif way == "saved":
        draft_save(actor=two.annotator.user, assignment=two, save=save())
    elif way == "refused":
        with pytest.raises(Refused):
            submit(two, characterization=None)
    elif way == "restored":
        answers = dict(save().answers)
        draft_restore(actor=two.annotator.user, assignment=two, answers=answers)
    else:
        submit(two)
    assert kept()[0] == [1, 4 if way == "submitted" else 1, 1, 1]
    assert place(Assignment.objects.get(pk=two.pk)).ordinal == 2


def test_offered_again(study):
    StudyPlan.objects.create(study=study, repeat_percent=50, repeat_after_days=1)
    for assignment in rows(study):
        submit(assignment)
    Judgment.objects.update(submitted_at=timezone.now() - timedelta(days=2))
    Draft.objects.update(saved_at=timezone.now() - timedelta(days=3))
    kept_anew()
    assert repeats_offer(study=study) == 2
    assert sorted(kept()[0]) == [0, 0, 2, 2, 4, 4]
    annotator = rows(study)[0].annotator
    assert counts(annotator) == (2, 4)
    assert first_open(annotator) is not None
    kept()


@pytest.mark.parametrize(("pairs", "numbers"), [(2, [(0, 1), (0, 2), (0, 2)]), (0, [(0, 1)])])
def test_of_a_closed_study_the_main_round_counts(pairs, numbers):
    """As while it was open: what somebody missed of practice is awaited of nobody. Where it has no
    main pairs, practice does."""
    study = make_study(state="practice")
    make_pair(study, round="practice")
    for _ in range(pairs):
        make_pair(study)
    annotator = make_annotator(study)
    assignments_fill(actor=None, study=study)
    seen = []
    for state in ("practice", "main", "closed") if pairs else ("closed",):
        Study.objects.filter(pk=study.pk).update(state=state)
        seen.append(counts(Annotator.objects.select_related("study").get(pk=annotator.pk)))
    assert seen == numbers


def test_answers_to_remarks(study):
    assignment = rows(study)[0]
    submit(assignment, comment="Le délai ?")
    remark_answer(actor=make_user(), study=study, assignment=assignment.pk, text="Oui.")
    kept()
    assert waiting_of([assignment.annotator])[assignment.annotator.pk].unread == 1
    answers_read(assignment=assignment)
    kept()
    assert waiting_of([assignment.annotator])[assignment.annotator.pk].unread == 0
    assert RemarkAnswer.objects.get().read_at


def test_moved_between_rounds(study):
    study.state = "draft"
    study.save()
    key = rows(study)[0].simplification.item.key
    items_set_round(actor=make_user(), study=study, keys=[key], to="practice")
    assert [len(of) for of in kept().values()] == [3, 3]
    practice_draw(actor=make_user(), study=study, number=1)
    assert [len(of) for of in kept().values()] == [4, 4]


def test_an_erased_part(study):
    assignment = rows(study)[1]
    submit(assignment)
    parts_close(assignment.annotator.user, "keep")
    assert kept()[0] == [4]
    assert Assignment.objects.get(pk=assignment.pk).ordinal == 1


def test_the_command_says_what_departs_and_mends_it(study):
    out = StringIO()
    call_command("check_positions", stdout=out)
    assert "is what is counted" in out.getvalue()
    assignment = rows(study)[0]
    Assignment.objects.filter(annotator=assignment.annotator).update(ordinal=9, standing=4)
    Tally.objects.filter(annotator=assignment.annotator, in_practice=False).update(done=-1)
    with pytest.raises(CommandError, match="--rebuild"):
        call_command("check_positions", stdout=out)
    assert (
        f"assignment {assignment.pk}: kept (4, False, 9), counted (1, False, 1)" in out.getvalue()
    )
    call_command("check_positions", "--rebuild", stdout=out)
    assert "rebuilt" in out.getvalue()
    assert list(positions_check()) == []
    Tally.objects.all().delete()
    assert len(list(positions_check(rebuild=True))) == 4
    assert list(positions_check()) == []


def test_a_standing_that_counts_alike_leaves_the_numbers(study):
    assignment = rows(study)[0]
    before = list(Tally.objects.order_by("pk").values())
    with transaction.atomic():
        standing_set(assignment, Assignment.Standing.OPEN, Assignment.Standing.REPEAT)
    assert list(Tally.objects.order_by("pk").values()) == before
    assert Assignment.objects.get(pk=assignment.pk).standing == Assignment.Standing.REPEAT


def test_a_released_pair_is_kept_for_later_out_of_sight(study):
    assignment = rows(study)[0]
    with transaction.atomic():
        planning._release([assignment.pk])
    assignment.refresh_from_db()
    pair_set_aside(assignment=assignment)
    assignment.refresh_from_db()
    assert assignment.set_aside_at
    assert assignment.standing == Assignment.Standing.HIDDEN
    assert departures(annotators_kept()) == []


def test_a_released_pair_that_another_window_has_opened_stays_as_it_is(study):
    assignment = rows(study)[0]
    assignment_open(assignment=assignment)
    opened = Assignment.objects.get(pk=assignment.pk).opened_at
    drafts._open_released(assignment, timezone.now())
    assert Assignment.objects.get(pk=assignment.pk).opened_at == opened


def test_a_pair_that_is_gone_is_nobody_s(study):
    assignment = rows(study)[0]
    Assignment.objects.filter(pk=assignment.pk).delete()
    with pytest.raises(Http404):
        draft_save(actor=assignment.annotator.user, assignment=assignment, save=save())


def test_it_says_whose_the_drafts_of_an_older_version_are(study):
    assignment = rows(study)[0]
    draft_save(actor=assignment.annotator.user, assignment=assignment, save=save())
    Draft.objects.update(annotator=None)
    out = StringIO()
    call_command("check_positions", "--rebuild", stdout=out)
    assert "1 drafts of an older version" in out.getvalue()
    assert Draft.objects.get().annotator == assignment.annotator


def test_only_so_many_are_shown(study):
    for _ in range(25):
        make_pair(study)
    assignments_fill(actor=None, study=study)
    Assignment.objects.update(standing=0)
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("check_positions", stdout=out)
    assert "… and" in out.getvalue()


def test_who_has_nothing_stands_nowhere():
    study = make_study(state="main")
    annotator = make_annotator(study)
    make_pair(study)
    item = Item.objects.get()
    assignment = Assignment.objects.create(
        annotator=annotator,
        simplification=Simplification.objects.get(item=item),
        position=1,
        context_shown=False,
    )
    assert place(assignment).total == 0
    assert (counts(annotator), first_open(annotator)) == ((0, 0), None)


def test_an_answer_to_a_remark_on_a_pair_that_is_out_of_sight_is_not_counted():
    study = make_study(state="main")
    assignment = make_assignment(study)
    before = list(assignment.annotator.tallies.order_by("pk").values())
    assignment.standing = Assignment.Standing.HIDDEN
    unread_add(assignment, 1)
    assert list(assignment.annotator.tallies.order_by("pk").values()) == before
