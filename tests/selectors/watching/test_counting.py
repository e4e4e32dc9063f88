"""One set of counts: home, overview, people, watching, closing and the API say the same of a study
with practice, control pairs, somebody who left and what was sent back."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Assignment, Study
from annotation.selectors.practice.practice import practice_done
from annotation.selectors.studies.readiness import readiness
from annotation.selectors.watching.counting import round_counts
from annotation.selectors.watching.progress import annotators_progress, study_counts, with_sizes
from annotation.selectors.watching.watching import study_watch
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.people.people import annotator_add, annotator_withdraw, lead_add
from annotation.services.planning.plans import plan_set
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.planning import WORDS, rows, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """Two practice pairs and ten others, controls among them, for three people; C has left after
    a few, A and B have all but their last one."""
    study = make_study()
    for number in range(12):
        word = WORDS[number % len(WORDS)]
        text = " ".join(f"{word}{place}{number}" for place in range(6))
        make_pair(
            study,
            original=f"{text}.",
            text=f"{word} {number} simple.",
            round="practice" if number < 2 else "main",
        )
    people = [make_annotator(study) for _ in range(3)]
    plan_set(actor=None, study=study, control_unrelated=2)
    study_change_state(actor=None, study=study, to="practice", reason="essai")
    for assignment in rows(study, in_practice=True):
        submit(assignment)
    study = study_change_state(actor=None, study=study, to="main", reason="essai")
    for annotator in people:
        mine = rows(study, annotator=annotator, in_practice=False)
        for assignment in mine[:3] if annotator is people[2] else mine[:-1]:
            submit(assignment)
    annotator_withdraw(actor=None, annotator=people[2], reason="malade")
    return Study.objects.get(pk=study.pk)


def said(study: Study, url: str) -> str:
    lead = make_user()
    lead_add(actor=None, study=study, user=lead)
    client = Client()
    client.force_login(lead)
    page = client.get(url).content.decode()
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_every_page_is_told_the_same(study):
    controls = study.items.filter(round="control").count()
    assert controls
    each = 10 + controls
    counts = study_counts(study)
    assert (counts.items, counts.practice_items, counts.pairs, counts.asides) == (
        12,
        2,
        12,
        controls,
    )
    assert (counts.practice_done, counts.practice_total) == (4, 4)
    assert (counts.main_done, counts.main_total) == (2 * (each - 1), 2 * each)
    watch = study_watch(study, timezone.now())
    assert (watch.done, watch.total) == (counts.main_done, counts.main_total)
    sizes = with_sizes(Study.objects.filter(pk=study.pk)).get()
    assert (sizes.item_count, sizes.annotator_count, sizes.submitted) == (
        12,
        2,
        counts.judgments,
    )
    [left] = [
        requirement for requirement in readiness(study, "closed") if requirement.key == "main_done"
    ]
    assert left.missing == counts.main_total - counts.main_done
    people = annotators_progress(study)
    assert sum(person.main_total - person.main_done for person in people) == left.missing


def test_who_left_is_awaited_no_longer(study):
    [gone] = [person for person in annotators_progress(study) if person.annotator.withdrawn_at]
    assert (gone.practice_done, gone.practice_total) == (2, 2)
    assert (gone.main_done, gone.main_total) == (3, 3)
    for assignment in rows(study, judgment__isnull=True, annotator__withdrawn_at__isnull=True):
        submit(assignment)
    counts = study_counts(study)
    assert counts.judgments == counts.expected
    assert study_watch(study, timezone.now()).outlook == "done"


def test_what_is_sent_back_is_awaited_again_on_every_page(study):
    before = study_counts(study)
    annotator = study.annotators.order_by("pk").first()
    sent_back = rows(study, annotator=annotator, judgment__isnull=False, in_practice=False)[:2]
    keys = [assignment.simplification.item.key for assignment in sent_back]
    number = rejudge_request(actor=make_user(), study=study, keys=keys, reason="le guide a changé")
    assert number
    counts = study_counts(study)
    assert counts.main_done == before.main_done - number
    assert counts.expected == before.expected
    assert study_watch(study, timezone.now()).done == counts.main_done
    [sizes] = with_sizes(Study.objects.filter(pk=study.pk))
    assert sizes.submitted == counts.judgments


def test_each_round_alone_is_as_in_both(study):
    people = list(study.annotators.all())
    both = round_counts(people)
    for practice in (True, False):
        alone = round_counts(people, [practice])
        assert alone == {key: value for key, value in both.items() if key[1] == practice}


def test_the_pages(study):
    counts = study_counts(study)
    total, done = counts.main_total, counts.main_done
    assert f"{done} / {total}" in said(study, f"/studies/{study.key}/watch/")
    overview = said(study, f"/studies/{study.key}/")
    assert f"{done} / {total}" in overview
    assert re.search(rf"\b{counts.judgments} \S+ {counts.expected}\b", overview)


def test_practice_is_not_awaited_from_who_came_after_it(study):
    """D joins during the main round: pairs of practice are theirs, and can never be judged."""
    before = study_counts(study)
    late = annotator_add(actor=None, study=study, user=make_user("tard"))
    assert rows(study, annotator=late, in_practice=True), "as everybody's, to be read"
    [part] = [part for part in practice_done(study) if part.annotator == late]
    assert part.is_late
    [person] = [row for row in annotators_progress(study) if row.annotator == late]
    assert (person.practice_done, person.practice_total) == (0, 0)
    assert person.main_total
    counts = study_counts(study)
    assert (counts.practice_done, counts.practice_total) == (4, 4)
    assert counts.expected == before.expected + person.main_total
    assert "0 / 2" not in said(study, f"/studies/{study.key}/")


def test_what_was_released_and_nobody_judges_is_counted_out(study):
    """A pair that stays in sight though it was released, while the main round is open."""
    before = study_counts(study)
    unjudged = Assignment.objects.filter(
        annotator__study=study, annotator__withdrawn_at=None, judgment=None, standing__gt=0
    )
    Assignment.objects.filter(pk=unjudged[:1].get().pk).update(released_at=timezone.now())
    assert study_counts(study).main_total == before.main_total - 1
    assert study_counts(study).practice_total == before.practice_total


def test_practice_is_awaited_while_it_may_be_judged(study):
    """Taken up again, the round waits for who came late too, and for what somebody has left."""
    late = annotator_add(actor=None, study=study, user=make_user("tard"))
    for state in ("draft", "practice"):
        Study.objects.filter(pk=study.pk).update(state=state)
        again = Study.objects.get(pk=study.pk)
        assert study_counts(again).practice_total == 6
        assert not any(part.is_late for part in practice_done(again))
    submit(rows(study, annotator=late, in_practice=True)[0])
    Study.objects.filter(pk=study.pk).update(state="main")
    assert study_counts(Study.objects.get(pk=study.pk)).practice_total == 6
