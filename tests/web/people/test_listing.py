"""The table of annotators, sorted and narrowed."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.utils import timezone

from annotation.models import Assignment, Event, User
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import erasure_request
from tests.factories import kept_anew, make_annotator, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(cast):
    """A has judged one of two pairs, B none, C has left with all done."""
    study = make_study("table", lead=cast.lead, state="main")
    for _ in range(2):
        make_pair(study)
    for name in ("zoé", "Émile", "anne"):
        make_annotator(study, make_user(name, email=f"{name[1:]}@example.org"))
    assignments_fill(actor=None, study=study)
    own = Assignment.objects.select_related("annotator__study", "simplification__item")
    done = own.filter(annotator__study=study).exclude(annotator__pseudonym="B")
    for assignment in [
        done.filter(annotator__pseudonym="A")[0],
        *done.filter(annotator__pseudonym="C"),
    ]:
        judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save())
    study.annotators.filter(pseudonym="C").update(withdrawn_at=timezone.now())
    kept_anew()
    return study


def listed(cast, study, query: str) -> list[str]:
    page = cast.client("lead").get(f"/studies/{study.key}/people/?{query}").content.decode()
    return re.findall(r'id="annotator-\d+">(\w+)<', page)


@pytest.mark.parametrize(
    ("query", "letters"),
    [
        ("", "ABC"),
        ("order=person", "CBA"),
        ("order=least", "BAC"),
        ("order=most", "CAB"),
        ("order=quiet", "BAC"),
        ("state=active", "AB"),
        ("state=withdrawn", "C"),
        ("state=active&order=least", "BA"),
        ("state=nonsense&order=nonsense", "ABC"),
    ],
)
def test_in_the_order_and_of_the_state_that_is_asked_for(cast, study, query, letters):
    assert "".join(listed(cast, study, query)) == letters


def test_somebody_without_a_pair_has_done_nothing(cast):
    study = make_study("vide", lead=cast.lead)
    make_annotator(study)
    assert listed(cast, study, "order=most") == ["A"]


def test_the_list_as_a_file_is_what_the_table_shows_and_leaves_a_trace(cast, study):
    client = cast.client("lead")
    path = f"/studies/{study.key}/people.csv?order=most&amp;"
    page = client.get(f"/studies/{study.key}/people/?order=most").content.decode()
    assert path.removesuffix("&amp;") in page
    answer = client.get(f"/studies/{study.key}/people.csv?order=most&state=active")
    header, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";")
    assert header[:3] == ["pseudonyme", "personne", "courriel"]
    assert [row[:3] for row in rows] == [
        ["A", "Zoé", "oé@example.org"],
        ["B", "Émile", "mile@example.org"],
    ]
    assert [row[5:7] for row in rows] == [["1", "2"], ["0", "2"]]
    assert {row[-1] for row in rows} == {"actif"}
    trace = Event.objects.get(verb="people_downloaded")
    assert (trace.actor, trace.details) == (cast.lead, {"people": 2})


def test_who_came_with_imported_judgments_has_no_address(cast, study):
    study.annotators.create(pseudonym="I1", kind="imported")
    answer = cast.client("lead").get(f"/studies/{study.key}/people.csv")
    (row,) = [
        line for line in answer.content.decode("utf-8-sig").splitlines() if line.startswith("I1;")
    ]
    assert row.split(";")[1:3] == ["importé·e, identité inconnue", ""]


def test_whoever_was_erased_is_not_called_active(cast, study):
    erased = study.annotators.get(pseudonym="A")
    request = erasure_request(actor=erased.user, user=erased.user, wish="keep")
    erasure_grant(actor=cast.admin, request=request, judgments="keep", reason="essai")
    client = cast.client("lead")
    User.objects.update(language="en")
    page = client.get(f"/studies/{study.key}/people/").content.decode()
    row = page.partition(f'id="annotator-{erased.pk}"')[2].partition("</tr>")[0]
    assert "erased account" in row
    assert "<td>active<" not in re.sub(r"\s", "", row)
    assert listed(cast, study, "state=active") == ["B"]
    assert listed(cast, study, "state=erased") == ["A"]
    for name in ("", "watch/"):
        shown = client.get(f"/studies/{study.key}/{name}").content.decode()
        assert 'class="muted">None<' not in shown
