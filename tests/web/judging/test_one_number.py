"""A pair has one number, whatever page, file or answer names it to its annotator."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone

from annotation.models import Annotator, Assignment, Item, PracticeNote, Simplification, Study
from annotation.selectors.judging.queue import ordinals, place
from annotation.selectors.privacy.personal import personal_data
from annotation.services.base.standings import standings_recount
from annotation.services.planning.assignments import assignments_fill
from tests.cast import Cast
from tests.planning import submit

pytestmark = pytest.mark.django_db


def own(annotator: Annotator) -> list[Assignment]:
    assignments = Assignment.objects.filter(annotator=annotator).order_by("position")
    return list(
        assignments.select_related(
            "annotator__study", "annotator__user", "simplification__item", "judgment"
        )
    )


@pytest.fixture
def judge(cast: Cast) -> Annotator:
    """An annotator whose positions tell nothing: a practice pair first, one pair released unseen,
    one judged once and offered again as a silent repeat, one control."""
    study = cast.alpha
    for number in range(4):
        Simplification.objects.create(
            item=Item.objects.create(
                study=study, key=f"n{number}", position=50 + number, original=f"Clause {number}."
            ),
            text="Plus simple.",
        )
    assignments_fill(actor=None, study=study)
    rows = own(cast.judge)
    Assignment.objects.filter(pk=rows[2].pk).update(released_at=timezone.now())
    submit(rows[3])
    item = Item.objects.create(
        study=study, key="again", position=90, original="Encore.", round="repeat"
    )
    again = Simplification.objects.create(
        item=item, text="Encore.", repeat_of=rows[3].simplification
    )
    Assignment.objects.create(annotator=cast.judge, simplification=again, position=90)
    Item.objects.filter(pk=rows[4].simplification.item_id).update(
        round="control", control="identical"
    )
    standings_recount([cast.judge.pk])
    return cast.judge


def test_it_counts_what_is_seen_practice_and_main_apart(judge):
    rows = own(judge)
    hidden = {rows[2].position, rows[3].position}
    shown = [row.position for row in rows if row.position not in hidden]
    assert ordinals(judge) == {shown[0]: 1} | {
        position: n for n, position in enumerate(shown[1:], start=1)
    }
    for row in rows:
        if row.position not in hidden:
            assert place(Assignment.objects.get(pk=row.pk)).ordinal == ordinals(judge)[row.position]


def test_everywhere(cast, judge):
    client = cast.client("annotator")
    for row in own(judge):
        if row.position in ordinals(judge) and row.simplification.item.round != "practice":
            submit(row)
    numbers = ordinals(judge)
    listed = client.get("/annotate/alpha/mine/").content.decode()
    through_api = {
        row["position"]: row["number"]
        for row in client.get("/api/v1/my/studies/alpha/assignments/").json()["results"]
    }
    taken = {
        row["position"]: row["number"]
        for row in personal_data(cast.annotator)["annotates"][0]["pairs"]
    }
    assert through_api == numbers
    for position, number in numbers.items():
        is_practice = own_round(judge, position) == "practice"
        name = f"Essai {number}" if is_practice else f"Paire {number}"
        url = f"/annotate/alpha/{position}/"
        page = client.get(url).content.decode()
        assert f"Paire {number} sur" in page
        assert f'data-pair-name="{name}"' in page
        assert (
            client.get(f"/api/v1/my/studies/alpha/assignments/{position}/").json()["number"]
            == number
        )
        history = client.get(f"{url}history/").content.decode()
        assert re.search(rf"<h1>{name}\s:", history)
        assert f'<a href="{url}">{name}</a>' in history
        assert re.search(
            rf'href="{url}">\s*\w+<span\s+class="visually-hidden"> {name}</span>', listed
        )
        if not is_practice:
            assert taken[position] == number


def test_feedback_names_practice_pairs_as_the_bar_does(cast, judge):
    practice = own(judge)[0]
    study = Study.objects.get(pk=cast.alpha.pk)
    study.state = "practice"
    study.save()
    submit(
        Assignment.objects.select_related(
            "annotator__study", "annotator__user", "simplification__item"
        ).get(pk=practice.pk)
    )
    PracticeNote.objects.create(
        simplification=practice.simplification, note="Bien.", published_at=timezone.now()
    )
    assert (
        "Essai 1</a>" in cast.client("annotator").get("/annotate/alpha/feedback/").content.decode()
    )


def own_round(judge: Annotator, position: int) -> str:
    return Assignment.objects.get(annotator=judge, position=position).simplification.item.round
