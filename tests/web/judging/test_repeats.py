"""Answers that waited in a browser while their pair was offered again as a silent repeat: they
belong to the first answer, and nothing of them is shown on the repeat."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.access import assignment_ref
from annotation.models import (
    PARKED,
    Assignment,
    Draft,
    DraftVersion,
    Judgment,
    PrivateNote,
    SaveReceipt,
    Study,
)
from annotation.selectors.base.standings import annotators_kept, departures
from annotation.services.judging.own_pairs import note_save
from annotation.services.planning.repeats import repeats_offer
from annotation.web.platform.user_ref import user_ref
from tests.factories import answers, kept_anew, make_user
from tests.planning import days_pass, planned_study, rows, submit
from tests.web.judging.test_judging import body, post, url

pytestmark = pytest.mark.django_db

CORRECTED = {"comment": "corrigée hors ligne"}


class Offered:
    """Somebody's only pair, judged and offered again: the first answer, and the repeat."""

    def __init__(self, client: Client) -> None:
        self.study = planned_study(1, 1, repeat_percent=100, repeat_after_days=7, seed=3)
        [self.first] = rows(self.study)
        submit(self.first)
        self.ref = assignment_ref(self.first)
        note_save(assignment=self.first, text="pour moi", base_revision=0)
        days_pass(self.study, 8)
        assert repeats_offer(study=self.study) == 1
        self.repeat = rows(self.study, position=1)[0]
        self.first.refresh_from_db()
        self.client = client
        client.force_login(self.first.annotator.user)

    def send(self, verb: str, base_revision: int = 1, **more: Any) -> Any:
        return post(self.client, url(self.repeat, verb), body(base_revision, **CORRECTED) | more)

    def comment(self, assignment: Assignment) -> str | None:
        draft = Draft.objects.filter(assignment=assignment).first()
        return draft.answers["comment"] if draft else None


@pytest.fixture
def offered(client: Client) -> Offered:
    return Offered(client)


@pytest.mark.parametrize("known_by", ["ref", "revision"])
def test_a_draft_goes_to_the_first(offered, known_by):
    """Earlier versions of the page did not say which assignment they show."""
    said = {"assignment": offered.ref} if known_by == "ref" else {}
    answer = offered.send("draft/", **said)
    assert (answer.status_code, answer.json()["revision"]) == (200, 2)
    assert offered.comment(offered.first) == CORRECTED["comment"]
    assert offered.comment(offered.repeat) is None
    assert Judgment.objects.get().revision == 1, "the first answer is the one that counts"
    assert departures(annotators_kept()) == []


def test_a_correction_is_the_first_s(offered):
    answer = offered.send("submit/", assignment=offered.ref)
    assert answer.status_code == 200
    judgment = Judgment.objects.get()
    assert (judgment.assignment_id, judgment.revision) == (offered.first.pk, 2)
    assert (answer.json()["done"], answer.json()["total"]) == (0, 1)
    assert Assignment.objects.get(pk=offered.first.pk).standing == Assignment.Standing.HIDDEN
    assert departures(annotators_kept()) == []


def test_a_correction_that_is_refused_is_a_draft_of_the_first(offered):
    wrong = {"answers": answers(characterization=None, **CORRECTED)}
    answer = offered.send("submit/", assignment=offered.ref, **wrong)
    assert answer.status_code == 422
    assert offered.comment(offered.first) == CORRECTED["comment"]
    assert offered.comment(offered.repeat) is None


@pytest.mark.parametrize("verb", ["draft/", "submit/"])
def test_what_builds_on_an_older_version_is_kept_and_asks_nobody(offered, verb):
    """Nobody is shown the first any more, so nobody can choose: both are kept, and nothing of the
    first is told."""
    sent = {"assignment": offered.ref, "key": str(uuid.uuid4())}
    for number in range(2):
        answer = offered.send(verb, 0, **sent)
        assert (answer.status_code, answer.json()["revision"]) == (200, 2)
        assert answer.json()["replayed"] == bool(number)
        assert "current" not in answer.json()
    assert offered.comment(offered.first) == CORRECTED["comment"]
    assert Judgment.objects.get().revision == 1
    assert DraftVersion.objects.get().answers["comment"] == ""
    assert offered.comment(offered.repeat) is None


def test_a_refused_correction_that_comes_again_later_is_no_judgment(offered):
    """Its answer was lost, and something newer was saved since."""
    wrong = {
        "answers": answers(characterization=None),
        "assignment": offered.ref,
        "key": str(uuid.uuid4()),
    }
    assert offered.send("submit/", **wrong).status_code == 422
    assert offered.send("draft/", 2, assignment=offered.ref).status_code == 200
    again = offered.send("submit/", **wrong)
    assert (again.status_code, again.json()["replayed"]) == (200, True)
    assert Judgment.objects.get().revision == 1
    assert offered.comment(offered.first) == CORRECTED["comment"]


def test_what_was_acknowledged_before_is_acknowledged_again(offered):
    """By its key, where the page did not say which assignment it shows."""
    receipt = SaveReceipt.objects.get()
    answer = offered.send("submit/", 1, key=str(receipt.key), answers=answers(errors=[]))
    assert (answer.status_code, answer.json()["replayed"]) == (200, True)
    assert offered.comment(offered.repeat) is None


def test_the_repeat_takes_its_own(offered):
    ref = assignment_ref(offered.repeat)
    assert ref != offered.ref
    assert offered.send("draft/", 0, assignment=ref).status_code == 200
    assert offered.comment(offered.repeat) == CORRECTED["comment"]
    assert offered.comment(offered.first) == ""
    stale = offered.send("draft/", 0, assignment=ref, answers=answers(comment="autre"))
    assert (stale.status_code, stale.json()["type"]) == (409, "stale")
    assert stale.json()["current"]["answers"]["comment"] == CORRECTED["comment"]


def test_a_save_of_the_repeat_that_is_stale_is_not_the_first_s(offered):
    """It has had more saves than the first: what builds on an older one is its own."""
    for number in range(2):
        assert (
            offered.send("draft/", number, answers=answers(comment=str(number))).status_code == 200
        )
    stale = offered.send("draft/", 1)
    assert (stale.status_code, stale.json()["current"]["revision"]) == (409, 2)
    assert offered.comment(offered.first) == ""


@pytest.mark.parametrize("ref", ["", "0" * 20, 7])
def test_a_name_of_no_assignment_says_nothing(offered, ref):
    answer = offered.send("draft/", 0, assignment=ref)
    assert answer.status_code == {"": 200, 7: 400}.get(ref, 404)
    assert offered.comment(offered.first) == ""


def test_it_is_nobody_else_s(offered):
    offered.client.force_login(make_user("outsider"))
    assert offered.send("draft/", assignment=offered.ref).status_code == 404
    assert offered.comment(offered.first) == ""


def test_it_reaches_the_first_also_where_the_repeat_is_out_of_sight(offered):
    Assignment.objects.filter(pk=offered.repeat.pk).update(released_at=timezone.now())
    kept_anew()
    assert offered.client.get(url(offered.repeat)).status_code == 404
    assert offered.send("draft/", assignment=offered.ref).status_code == 200
    answer = offered.send("submit/", 2, assignment=offered.ref)
    assert answer.status_code == 200
    assert Judgment.objects.get().revision == 2


def test_a_closed_round_takes_nothing(offered):
    Study.objects.update(state="closed")
    answer = offered.send("submit/", assignment=offered.ref)
    assert (answer.status_code, answer.json()["type"]) == (409, "study_closed")


def test_two_versions_are_compared_of_the_assignment_that_the_window_shows(offered):
    path = url(offered.repeat, "compare/")
    for ref, expected in ((offered.ref, 1), (assignment_ref(offered.repeat), None)):
        answer = post(offered.client, path, {"mine": answers(), "assignment": ref})
        assert answer.json()["theirs"]["simplicity"] == expected
    assert post(offered.client, path, {"mine": answers(), "assignment": "x"}).status_code == 404
    assert post(offered.client, path, []).status_code == 400


def test_a_note_that_waited_is_not_shown_on_the_repeat(offered):
    own = {"X-Bareme-User": user_ref(offered.first.annotator.user)}
    path = url(offered.repeat, "note/")
    text = {"text": "pour moi, hors ligne", "base_revision": 1, "user": own["X-Bareme-User"]}
    of_first = f"{path}?of={offered.ref}"
    assert offered.client.get(of_first, headers=own).json()["text"] == "pour moi"
    assert post(offered.client, of_first, text).status_code == 200
    assert PrivateNote.objects.get().assignment_id == offered.first.pk
    shown = f"{path}?of={assignment_ref(offered.repeat)}"
    assert offered.client.get(shown, headers=own).json() == {"text": "", "revision": 0}


@pytest.mark.parametrize("action", ["save", "submit"])
@pytest.mark.parametrize("characterization", [7, ""])
def test_a_plain_form_that_was_open_is_the_first_s(offered, action, characterization):
    form = {
        "assignment": offered.ref,
        "base_revision": 1,
        "key": str(uuid.uuid4()),
        "action": action,
        **answers(**CORRECTED, characterization=characterization),
    }
    form.pop("errors")
    answer = offered.client.post(url(offered.repeat), form)
    assert answer.status_code == 302
    assert offered.comment(offered.first) == CORRECTED["comment"]
    assert offered.comment(offered.repeat) is None
    assert CORRECTED["comment"] not in offered.client.get(url(offered.repeat)).content.decode()


def test_a_page_names_its_assignment_to_scripts_and_forms(offered):
    page = offered.client.get(url(offered.repeat)).content.decode()
    ref = assignment_ref(offered.repeat)
    assert re.search(rf'data-assignment="{ref}"', page)
    assert re.search(rf'name="assignment" value="{ref}"', page)
    assert offered.ref not in page


def test_a_program_s_save_goes_to_the_first_as_well(offered):
    path = f"/api/v1/my/studies/{offered.study.key}/assignments/1/"
    sent = {"base_revision": 1, "answers": answers(**CORRECTED), "key": str(uuid.uuid4())}
    answer = offered.client.put(f"{path}judgment/", sent, content_type="application/json")
    assert answer.status_code == 200, answer.content
    assert Judgment.objects.get().revision == 2
    assert offered.comment(offered.first) == CORRECTED["comment"]
    assert offered.comment(offered.repeat) is None
    assert offered.client.get(path).json()["revision"] == 0


def test_the_parked_position_itself_is_nobody_s_address(offered):
    for position in (PARKED + 1, 2**31 - 1):
        path = f"/annotate/{offered.study.key}/{position}/"
        assert offered.client.get(path).status_code == 404
        assert post(offered.client, f"{path}draft/", body()).status_code == 404
        said = body() | {"assignment": offered.ref}
        assert post(offered.client, f"{path}draft/", said).status_code == 404
