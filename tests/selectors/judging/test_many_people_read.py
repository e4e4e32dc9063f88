"""What pages read of a study that many people judge is what they show, whatever the study holds:
SQLite chooses its index by how many people are asked about."""

from __future__ import annotations

import pytest

from annotation.models import Annotator, Draft, RejudgeRequest, Study, plan_of
from annotation.selectors.guides.rejudging import candidates, waiting_to_be_made
from annotation.selectors.items.removal import item_doomed, removal
from annotation.selectors.planning.plan import allocation
from annotation.selectors.studies.ending import study_contents
from annotation.selectors.studies.going_back import main_begun
from annotation.selectors.watching.counting import round_counts
from annotation.services.platform.row_counts import row_counts_refresh
from tests.bulk import fill_study
from tests.factories import make_study, make_user
from tests.reading_rows import reading

pytestmark = pytest.mark.django_db

PEOPLE, SMALL, LARGE, SHOWN = 25, 40, 800, 10


def counts(study: Study) -> None:
    assert round_counts(list(study.annotators.all()))


def begun(study: Study) -> None:
    assert main_begun(study)


def sent_back(study: Study) -> None:
    items = list(study.items.order_by("position").values_list("pk", flat=True)[:SHOWN])
    assert [of.judgments for of in candidates(study, items)] == [PEOPLE] * SHOWN
    assert waiting_to_be_made(study) == 0


def gone(study: Study) -> None:
    item = study.items.order_by("position")[5]
    assert removal(item_doomed(item)).given == PEOPLE


def test_of_many_people_no_more_is_read_in_a_study_twenty_times_as_large():
    read: dict[str, list[int]] = {}
    for size in (SMALL, LARGE):
        study = make_study(f"of-{size}", state="main")
        fill_study(study, pairs=size, annotators=PEOPLE)
        for annotator in study.annotators.all():
            user = make_user(f"{annotator.pseudonym}-{size}")
            Annotator.objects.filter(pk=annotator.pk).update(user=user)
    row_counts_refresh(Draft, RejudgeRequest)
    for size in (SMALL, LARGE):
        study = Study.objects.get(key=f"of-{size}")
        for step in (counts, begun, sent_back, gone):
            for _ in range(2):
                with reading() as counter:
                    step(study)
            read.setdefault(step.__name__, []).append(counter.read)
    assert not {name: of for name, of in read.items() if of[1] > 2 * of[0] + 20}, read


@pytest.mark.parametrize("pairs", [2, 5])
def test_nobody_who_has_everything_is_given_anything(pairs, django_assert_max_num_queries):
    study = make_study("all", state="main")
    fill_study(study, pairs=pairs, annotators=3)
    for annotator in study.annotators.all():
        Annotator.objects.filter(pk=annotator.pk).update(user=make_user(annotator.pseudonym))
    with django_assert_max_num_queries(5):
        drawn = allocation(study, plan_of(study))
    assert drawn.added == {key: [] for key in drawn.pairs}
    assert set(drawn.loads.values()) == {pairs}
    assert study_contents(study).judgments == 3 * pairs
