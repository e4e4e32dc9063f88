"""Silent repeats: drawn by the seed, offered after some days, invisible as such, apart in the
data."""

from __future__ import annotations

import pytest
from django.http import Http404
from django.utils import timezone

from annotation.access import assignment_for
from annotation.models import (
    PARKED,
    Annotator,
    Assignment,
    Event,
    Item,
    Simplification,
    Study,
    StudyPlan,
    out_of_sight,
    plan_of,
)
from annotation.selectors.agreement.consistency import study_repeats
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.guides.rejudging import sendable
from annotation.selectors.judging.blinded import blinded_pair
from annotation.selectors.judging.own import own_judgments
from annotation.selectors.judging.queue import counts, first_open, place
from annotation.selectors.planning.repeats import repeats_drawn, repeats_left
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.selectors.studies.readiness import unmet
from annotation.selectors.watching.progress import with_sizes
from annotation.services.base.standings import positions_check
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.planning import repeats as service
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.plans import plan_set
from annotation.services.planning.repeats import repeats_offer, repeats_sweep
from annotation.services.studies.studies import study_change_state
from tests.factories import make_pair, make_user
from tests.planning import annotators, begin, days_pass, planned_study, rows, seen, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged():
    """Two people, ten pairs each, all judged eight days ago; 25 % are repeated after a week."""
    study = planned_study(2, 10, repeat_percent=25, repeat_after_days=7, seed=3)
    for row in rows(study):
        submit(row)
    assert repeats_sweep() == 0, "their day has not come"
    days_pass(study, 8)
    return study


def test_a_share_of_each_person_s_pairs_is_offered_once(judged):
    assert repeats_left(judged) == 6
    assert "repeats" in unmet(judged, "closed")
    assert repeats_sweep() == 6
    assert repeats_sweep() == 0
    assert {
        annotator.assignments.filter(simplification__item__round="repeat").count()
        for annotator in annotators(judged)
    } == {3}
    event = Event.objects.filter(study=judged, verb="repeats_offered").first()
    assert (event.details["number"], event.details["seed"], event.actor) == (3, 3, None)
    assert repeats_left(judged) == 0


@pytest.fixture
def in_steps(monkeypatch):
    """Two pairs at once, five at one look."""
    monkeypatch.setattr(service, "AT_ONCE", 2)
    monkeypatch.setattr(service, "MOST", 5)
    monkeypatch.setattr(service, "_BREATH_SECONDS", 0)


def test_much_that_is_due_at_once_is_offered_in_steps(judged, in_steps):
    chosen = {
        annotator: repeats_drawn(judged, plan_of(judged), annotator)
        for annotator in annotators(judged)
    }
    # The days that passed only in the database.
    before = list(positions_check())
    assert [repeats_sweep(), repeats_sweep(), repeats_sweep()] == [5, 1, 0]
    numbers = Event.objects.filter(study=judged, verb="repeats_offered").order_by("pk")
    assert [event.details["number"] for event in numbers] == [2, 1, 2, 1]
    for annotator, firsts in chosen.items():
        repeated = annotator.assignments.filter(standing=Assignment.Standing.HIDDEN)
        assert set(repeated.values_list("pk", flat=True)) == set(firsts)
    assert list(positions_check()) == before


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda study: StudyPlan.objects.filter(study=study).update(repeat_percent=5),
        lambda study: Study.objects.filter(pk=study.pk).update(state="closed"),
        lambda study: study.annotators.update(withdrawn_at=timezone.now()),
    ],
    ids=["another plan", "closed", "left"],
)
def test_nothing_of_what_changed_since_it_was_looked_for(judged, monkeypatch, meanwhile):
    due = service._due

    def changed(firsts, days):
        of_now = due(firsts, days)
        meanwhile(judged)
        return of_now

    monkeypatch.setattr(service, "_due", changed)
    assert repeats_offer(study=judged) == 0
    assert not Item.objects.filter(study=judged, round="repeat").exists()


def test_what_was_submitted_is_no_less_while_it_is_offered_again(judged):
    """Out of sight, and judged: a lead's home page counts it on."""

    def submitted() -> int:
        return with_sizes(Study.objects.filter(pk=judged.pk)).get().submitted

    before = submitted()
    repeats_offer(study=judged)
    assert Assignment.objects.filter(standing=Assignment.Standing.HIDDEN).exists()
    assert submitted() == before


def test_the_draw_follows_from_the_seed(judged):
    other = planned_study(2, 10, repeat_percent=25, repeat_after_days=7, seed=3)
    for row in rows(other):
        submit(row)
    days_pass(other, 8)
    for study in (judged, other):
        repeats_offer(study=study)
    keys = [
        set(
            Simplification.objects.filter(item__study=study, repeat_of__isnull=False).values_list(
                "repeat_of__item__key", flat=True
            )
        )
        for study in (judged, other)
    ]
    assert keys[0] == keys[1]


def test_for_its_annotator_it_is_a_pair_like_any_other(judged):
    annotator = annotators(judged)[0]
    before = counts(annotator)
    repeats_offer(study=judged)
    assert before == (10, 10)
    assert counts(annotator) == (7, 10), "the total betrays nothing"
    repeat = Assignment.objects.filter(
        annotator=annotator, simplification__item__round="repeat"
    ).first()
    first = repeat.simplification.repeat_of
    pair = blinded_pair(assignment_for(annotator.user, judged.key, repeat.position))
    assert (pair.round, pair.submitted_at, pair.revision, pair.editable) == ("main", None, 0, True)
    assert (pair.original, pair.simplification) == (first.item.original, first.text)
    assert pair.answers["simplicity"] is None
    own = list(own_judgments(annotator))
    assert len({row.opening for row in own}) == len(own) == 10, "no text stands there twice"
    assert {row.round for row in own} == {"main"}
    hidden = Assignment.objects.get(annotator=annotator, simplification=first)
    with pytest.raises(Http404):
        assignment_for(annotator.user, judged.key, hidden.position)
    where = place(repeat)
    assert (where.total, where.done) == (10, 7)
    assert hidden.position not in (where.previous, where.following, where.next_open)


def test_it_stands_where_the_first_stood(judged):
    annotator = annotators(judged)[0]
    visible = Assignment.objects.filter(annotator=annotator).exclude(out_of_sight())
    before = sorted(visible.values_list("position", flat=True))
    repeats_offer(study=judged)
    assert sorted(visible.values_list("position", flat=True)) == before == list(range(1, 11))
    hidden = Assignment.objects.filter(annotator=annotator, position__gte=PARKED)
    assert {row.position - PARKED for row in hidden} == {
        row.position for row in visible.filter(simplification__item__round="repeat")
    }
    make_pair(judged)
    assignments_fill(actor=None, study=judged)
    assert visible.filter(position=11).exists(), (
        "what comes later follows the order, not what is parked"
    )


def test_who_comes_back_goes_on_before_they_are_asked_again(judged):
    annotator = annotators(judged)[0]
    make_pair(judged)
    assignments_fill(actor=None, study=judged)
    repeats_offer(study=judged)
    assert first_open(annotator) == 11
    submit(rows(judged, annotator=annotator, position=11)[0])
    repeats = rows(judged, annotator=annotator, simplification__item__round="repeat")
    assert first_open(annotator) == min(row.position for row in repeats)


def test_answers_to_it_are_in_a_round_of_their_own(judged):
    repeats_offer(study=judged)
    annotator = annotators(judged)[0]
    for row in rows(judged, annotator=annotator, simplification__item__round="repeat"):
        submit(row, bracket=2, simplicity=2)
    assert study_ratings(judged).judgments == 20
    assert study_ratings(judged, round="all").judgments == 20
    assert study_ratings(judged, round="repeat").judgments == 3
    for round_, number in (("main", 20), ("repeat", 3)):
        chunks = export_chunks(judged, export_spec("long", "jsonl", {"round": round_}))
        lines = "".join(chunk.text for chunk in chunks).splitlines()
        assert len(lines) == number
        assert all(f'"split":"{round_}"' in line.replace(": ", ":") for line in lines)
    assert counts(annotator) == (10, 10)


def test_agreement_with_oneself(judged):
    assert study_repeats(judged).twice == ()
    repeats_offer(study=judged)
    first, second = annotators(judged)
    for row in rows(judged, annotator=first, simplification__item__round="repeat"):
        submit(row)
    for row in rows(judged, annotator=second, simplification__item__round="repeat")[:1]:
        submit(row, bracket=2, characterization=3)
    repeats = study_repeats(judged)
    assert (repeats.offered, len(repeats.twice)) == (6, 4)
    own = {
        (figure.annotator, figure.dimension): (figure.pairs, figure.same, figure.shift)
        for figure in repeats.by_person
    }
    assert own["A", "legal_meaning"] == (3, 1.0, 0.0)
    assert own["B", "legal_meaning"] == (1, 0.0, -4.0)
    assert own["B", "characterization"] == (1, 0.0, None)
    assert own["B", "simplicity"] == (1, 1.0, None)
    assert repeats.reports["legal_meaning"].percent_agreement.value == 0.75


def test_a_text_that_came_twice_before_several_people_is_one():
    """Three people, twelve texts, all offered again: 36 pairs judged twice, of which twelve texts
    are drawn, each with all of its repeats."""
    study = planned_study(3, 12, repeat_percent=100, repeat_after_days=1, seed=2)
    for row in rows(study):
        submit(row)
    days_pass(study, 2)
    repeats_offer(study=study)
    for number, row in enumerate(rows(study, simplification__item__round="repeat")):
        submit(row, bracket=2, simplicity=1 + number % 5 % 2)
    report = study_repeats(study).reports["simplicity"]
    assert (report.pairable, report.other_sources.sources) == (36, 12)
    assert report.other_sources.shared
    assert "|interval_over:sources|sources:12|" in report.as_dict()["other_sources"]["signature"]


class TestWhatIsNotOffered:
    def test_what_somebody_is_at_work_on_or_was_asked_to_judge_again(self, judged):
        for assignment in rows(judged, annotator__pseudonym="A"):
            begin_again(assignment)
        keys = [row.simplification.item.key for row in rows(judged, annotator__pseudonym="B")]
        rejudge_request(actor=make_user(), study=judged, keys=keys, reason="le guide a changé")
        assert repeats_offer(study=judged) == 0

    def test_nothing_outside_an_open_main_round_or_without_a_plan(self, judged):
        study_change_state(actor=None, study=judged, to="closed", reason="fin")
        assert repeats_offer(study=judged) == 0
        assert repeats_sweep() == 0
        assert repeats_offer(study=planned_study(1, 1)) == 0
        assert repeats_left(planned_study(1, 1)) == 0

    def test_who_has_left(self, judged):
        Annotator.objects.filter(study=judged, pseudonym="A").update(withdrawn_at=judged.created_at)
        assert repeats_offer(study=judged) == 3


def begin_again(assignment):
    from annotation.services.judging.drafts import draft_save
    from tests.factories import save

    draft_save(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(assignment.draft.revision, comment="encore"),
    )


def test_a_first_answer_that_is_offered_again_is_not_sent_back(judged):
    repeats_offer(study=judged)
    firsts = Simplification.objects.filter(item__study=judged, repeat__isnull=False)
    back = Assignment.objects.filter(sendable(judged))
    shown = {row.pk for annotator in annotators(judged) for row in seen(annotator)}
    assert set(back.values_list("pk", flat=True)) <= shown
    assert set(back.values_list("simplification__item__round", flat=True)) == {"main"}
    assert firsts.count() == len({simplification.pk for simplification in firsts})


def test_a_pair_repeated_by_several_people_is_one_item():
    study = planned_study(2, 1, repeat_percent=100, repeat_after_days=1, seed=1)
    make_pair(study, key="item-0001.repeat-0", round="practice")
    for row in rows(study):
        submit(row)
    days_pass(study, 2)
    assert repeats_offer(study=study) == 2
    item = Item.objects.get(study=study, round="repeat")
    assert item.key == "item-0001.repeat-0.2", "a key that is taken is not taken twice"
    assert item.simplifications.get().assignments.count() == 2


def test_more_are_not_offered_where_the_draw_has_shifted(judged):
    repeats_offer(study=judged)
    for number in range(2):
        make_pair(judged, key=f"late-{number}")
    from annotation.services.planning.assignments import assignments_fill

    assignments_fill(actor=None, study=judged)
    for row in rows(judged, judgment=None, simplification__item__round="main"):
        submit(row)
    days_pass(judged, 8)
    assert repeats_offer(study=judged) == 0, "25 % of 12 are the three that there are"
    begin(rows(judged, simplification__item__round="repeat")[0])


def test_who_has_more_than_a_lowered_share_has_none_to_spare(judged):
    annotator, other = annotators(judged)
    Annotator.objects.filter(pk=other.pk).update(withdrawn_at=timezone.now())
    assert repeats_sweep() == 3
    Annotator.objects.filter(pk=other.pk).update(withdrawn_at=None)
    plan_set(actor=None, study=judged, repeat_percent=10)
    assert annotator.assignments.filter(simplification__item__round="repeat").count() == 3
    assert repeats_left(judged) == 1


def test_an_erased_account_is_offered_nothing(judged):
    Annotator.objects.filter(study=judged).update(user=None)
    assert repeats_left(judged) == 0
    assert repeats_sweep() == 0
