"""What an amended guide sent back: before as it stood then, after as it was made again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.agreement.studies.wording import ALREADY, CHOSEN, NOT_SENT_BACK, NOT_YET_AGAIN
from annotation.agreement.systems.figure import Drawn
from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Judgment,
    JudgmentRevision,
    RejudgeRequest,
    Study,
)
from annotation.selectors.agreement.facts import completeness
from annotation.selectors.agreement.reliability import PEOPLE, StudyRatings
from annotation.selectors.agreement.sent_back import (
    SentBack,
    sent_back_by,
    sent_back_digest,
    sent_back_ratings,
)
from annotation.selectors.agreement.studies import Part, sent_back_figures
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.guides.rejudging import rejudge_cancel, rejudge_request
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import guide_publish
from tests.factories import make_annotator, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db


def judge(person: str, item: str = "item-0001", **answers) -> None:
    """Submit anew what the study asks, as «simplicity» and «characterization» say."""
    assignment = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    ).get(annotator__pseudonym=person, simplification__item__key=item)
    draft = Draft.objects.filter(assignment=assignment).first()
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(draft.revision if draft else 0, **answers),
    )


def amend(study: Study) -> None:
    """Publish a version that everybody has read."""
    version = guide_publish(actor=None, study=study, body_fr=f"Guide {study.guides.count() + 1}")
    for annotator in study.annotators.all():
        guide_acknowledge(annotator=annotator, number=version.number)


def send_back(study: Study, *keys: str) -> None:
    rejudge_request(
        actor=make_user(), study=study, keys=keys or ["item-0001"], reason="Le guide a changé"
    )


def found_in(study: Study, **options) -> tuple[SentBack, StudyRatings, StudyRatings]:
    return sent_back_ratings(study, kinds=PEOPLE, **options)


def values(table: StudyRatings, dimension: str = "simplicity") -> list[float]:
    return table.tables[dimension].values.tolist()


@pytest.fixture
def study(db: None) -> Study:
    """Two pairs, A and B, version 1 of a guide; both have judged both pairs."""
    new_study = make_study("etude", state="main")
    for _ in range(2):
        make_pair(new_study, system="un")
        make_annotator(new_study)
    assignments_fill(actor=None, study=new_study)
    amend(new_study)
    for person, simplicity in (("A", 1), ("B", 3)):
        for item in ("item-0001", "item-0002"):
            judge(person, item, simplicity=simplicity)
    return new_study


def test_what_waits_to_be_made_again_is_no_end_of_a_round(study):
    """It counts as it stands, and is awaited all the same; from nobody who has left."""
    amend(study)
    assert completeness(study, "main") == (4, 4, 0)
    assert not completeness(study, "main").is_open
    send_back(study)
    assert completeness(study, "main") == (4, 4, 2)
    assert completeness(study, "main").is_open
    judge("A", simplicity=2)
    assert completeness(study, "main") == (4, 4, 1)
    study.annotators.filter(pseudonym="B").update(withdrawn_at=timezone.now())
    assert completeness(study, "main") == (4, 4, 0)


class TestBeforeAndAfter:
    def test_both_are_of_the_same_people_on_the_same_outputs(self, study):
        amend(study)
        send_back(study)
        judge("A", simplicity=2, characterization=5)
        judge("B", simplicity=3, errors=[])
        counts, before, after = found_in(study)
        assert counts == SentBack(sent=2, again=2, people=2, outputs=1, already=0, changed=2)
        for table in (before, after):
            assert table.tables["simplicity"].unit_ids == ("item-0001/0",)
            assert table.tables["simplicity"].rater_ids == ("A", "B")
            assert [unit.key for unit in table.items] == ["item-0001/0", "item-0002/0"]
        assert (values(before), values(after)) == ([1, 3], [2, 3])
        assert values(before, "characterization") == [7, 7]
        assert values(after, "characterization") == [5, 7]
        assert values(before, "legal_meaning") == [9, 9]
        assert values(after, "legal_meaning") == [9, 10]

    def test_before_is_what_stood_when_it_was_sent_back(self, study):
        judge("A", simplicity=2)
        amend(study)
        send_back(study)
        judge("A", simplicity=3)
        _told, before, after = found_in(study)
        assert (values(before), values(after)) == ([2], [3])

    def test_after_is_what_stands_now(self, study):
        amend(study)
        send_back(study)
        judge("A", simplicity=2)
        judge("A", simplicity=3)
        _told, before, after = found_in(study)
        assert (values(before), values(after)) == ([1], [3])

    def test_each_version_has_its_own_before_and_after(self, study):
        for version, simplicity in ((2, 2), (3, 3)):
            amend(study)
            send_back(study)
            judge("A", simplicity=simplicity)
            assert sent_back_by(study) == list(range(2, version + 1))
        # Of B the first version's is not made again, and the second could not ask once more.
        counts, before, after = found_in(study, guide=2)
        assert (counts.sent, counts.again, counts.waiting) == (2, 1, 1)
        assert (values(before), values(after)) == ([1], [2])
        counts, before, after = found_in(study, guide=3)
        assert (counts.sent, values(before), values(after)) == (1, [2], [3])
        counts, before, after = found_in(study)
        assert (counts.sent, values(before), values(after)) == (2, [1], [3])
        assert found_in(study, guide=1)[0].sent == 0

    def test_twice_under_one_version_is_one_sending_back(self, study):
        amend(study)
        for simplicity in (2, 3):
            send_back(study)
            judge("A", simplicity=simplicity)
        counts, before, after = found_in(study, guide=2)
        assert (counts.sent, values(before), values(after)) == (2, [1], [3])

    def test_what_a_later_version_sent_back_does_not_count_for_the_former(self, study):
        amend(study)
        send_back(study)
        judge("A", simplicity=2)
        judge("B", simplicity=2)
        for _ in range(2):
            amend(study)
            send_back(study)
            judge("B", simplicity=1)
        assert values(found_in(study, guide=2)[2]) == [2, 2]

    def test_without_a_guide(self, study):
        send_back(study)
        RejudgeRequest.objects.update(guide=None)
        judge("A", simplicity=2)
        assert sent_back_by(study) == []
        assert values(found_in(study)[2]) == [2]

    def test_what_was_judged_under_the_version_that_sent_it_back_is_told(self, study):
        amend(study)
        judge("A", simplicity=2)
        send_back(study)
        for person in "AB":
            judge(person, simplicity=3)
        assert found_in(study)[0].already == 1
        assert ALREADY.format(already=1) in sent_back_figures(study, Part()).notes


class TestWhatDoesNotCount:
    @pytest.fixture
    def waiting(self, study) -> Study:
        amend(study)
        send_back(study)
        return study

    def test_what_waits(self, waiting):
        judge("A", simplicity=2)
        counts, before, _after = found_in(waiting)
        assert (counts.sent, counts.again, values(before)) == (2, 1, [1])

    def test_what_was_cancelled(self, waiting):
        judge("A", simplicity=2)
        rejudge_cancel(actor=make_user(), study=waiting)
        assert found_in(waiting)[0].sent == 1

    def test_what_was_taken_back(self, waiting):
        judge("A", simplicity=2)
        own = Assignment.objects.get(annotator__pseudonym="A", simplification__item__position=1)
        judgment_take_back(actor=own.annotator.user, assignment=own, number=2)
        assert found_in(waiting)[0].again == 0
        judge("A", simplicity=3)
        _told, before, after = found_in(waiting)
        assert (values(before), values(after)) == ([1], [3])

    def test_who_has_left_where_they_are_left_out(self, waiting):
        judge("A", simplicity=2)
        Annotator.objects.filter(pseudonym="A").update(withdrawn_at=timezone.now())
        assert found_in(waiting)[0].again == 1
        assert found_in(waiting, withdrawn=False)[0] == SentBack(1, 0, 0, 0, 0, 0)

    def test_the_other_display_of_the_neighbouring_text(self, waiting):
        judge("A", simplicity=2)
        Assignment.objects.filter(annotator__pseudonym="A").update(context_shown=True)
        assert found_in(waiting, context=True)[0].again == 1
        assert found_in(waiting, context=False)[0] == SentBack(1, 0, 0, 0, 0, 0)

    def test_the_other_round_and_one_answer_too_many(self, waiting):
        judge("A", simplicity=2)
        assert found_in(waiting, round="practice")[0].sent == 0
        Judgment.objects.filter(assignment__annotator__pseudonym="A").update(surplus=True)
        assert found_in(waiting)[0].again == 0

    def test_other_studies(self, waiting):
        judge("A", simplicity=2)
        other = make_study("autre", state="main")
        assert found_in(other)[0].sent == 0
        assert sent_back_by(other) == []


def test_what_follows_changes_when_it_does(study):
    amend(study)
    seen = {sent_back_digest(study)}
    send_back(study)
    seen.add(sent_back_digest(study))
    judge("A", simplicity=2)
    seen.add(sent_back_digest(study))
    rejudge_cancel(actor=make_user(), study=study)
    seen.add(sent_back_digest(study))
    assert len(seen) == 4


def test_queries_do_not_grow(study, django_assert_num_queries):
    amend(study)
    send_back(study)
    judge("A", simplicity=2)
    with django_assert_num_queries(5):
        found_in(study)
    send_back(study, "item-0002")
    for person in "AB":
        judge(person, "item-0002", simplicity=2)
    with django_assert_num_queries(5):
        assert found_in(study)[0].again == 3


class TestFigures:
    def test_they_are_those_of_the_answers(self, study):
        amend(study)
        send_back(study)
        judge("A", simplicity=2, errors=[])
        judge("B", simplicity=3)
        figures = sent_back_figures(study, Part(guide=2), Drawn(draws=50, seed=1))
        change = figures.dimensions["legal_meaning"].change
        assert change is not None
        assert (change.means, change.difference.value) == ((9.0, 9.5), 0.5)
        assert (change.own.same.value, change.own.judgments) == (0.5, 2)
        assert [tuple(move) for move in change.own.moves] == [(9.0, 10.0, 1, 1)]
        (largest,) = figures.dimensions["legal_meaning"].largest
        assert (largest.first, largest.means, largest.change) == ("item-0001/0", (9.0, 9.5), 0.5)
        (of_class,) = figures.dimensions["simplicity"].largest
        assert (of_class.means, of_class.change) == ((None, None), 0.5)
        assert (str(figures.first.part), str(figures.second.part)) == (
            "round:main|guide:2|stood:before",
            "round:main|guide:2|stood:after",
        )
        assert figures.reason is None
        assert figures.notes == (CHOSEN,)
        assert figures.as_dict()["sent_back"]["again"] == 2

    def test_nothing_was_sent_back_or_made_again(self, study):
        assert sent_back_figures(study, Part()).reason == NOT_SENT_BACK
        assert sent_back_figures(study, Part()).notes == ()
        send_back(study)
        assert sent_back_figures(study, Part()).reason == NOT_YET_AGAIN.format(sent=2)

    def test_what_waits_is_said(self, study):
        send_back(study)
        judge("A", simplicity=2)
        waiting, already, chosen = sent_back_figures(study, Part(context="")).notes
        assert waiting.en.startswith("Sent back and not made again: 1.")
        assert (already, chosen) == (ALREADY.format(already=1), CHOSEN)

    def test_moments_decide_and_not_numbers(self, study):
        """A submission taken back gives its number to the next one."""
        send_back(study)
        judge("A", simplicity=2)
        request = RejudgeRequest.objects.get(assignment__annotator__pseudonym="A")
        JudgmentRevision.objects.filter(number=2).update(
            submitted_at=request.requested_at - timedelta(seconds=1)
        )
        assert found_in(study)[0].again == 0
