"""The judging page and its two requests, as browsers use and misuse them."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any, ClassVar

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Draft, Judgment, Study
from annotation.services.planning.assignments import assignments_fill
from annotation.web.platform.user_ref import user_ref
from tests.factories import (
    answers,
    make_annotator,
    make_assignment,
    make_pair,
    make_study,
    make_user,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment(system="secret-system-7")


@pytest.fixture
def student(assignment: Assignment, client: Client) -> Client:
    client.force_login(assignment.annotator.user)
    return client


def url(assignment: Assignment, verb: str = "") -> str:
    return f"/annotate/{assignment.annotator.study.key}/{assignment.position}/{verb}"


def body(
    base_revision: int = 0, key: str = "", active_seconds: int = 3, **changed: Any
) -> dict[str, Any]:
    return {
        "key": key or str(uuid.uuid4()),
        "base_revision": base_revision,
        "answers": answers(**changed),
        "active_seconds": active_seconds,
    }


def post(client: Client, path: str, payload: Any) -> Any:
    return client.post(path, payload, content_type="application/json")


class TestSaving:
    def test_a_draft_is_acknowledged_with_its_revision_and_score(self, student, assignment):
        answer = post(student, url(assignment, "draft/"), body())
        assert answer.status_code == 200
        assert answer.json()["revision"] == 1
        assert answer.json()["score"] == 9
        assert answer.json()["saved_at_text"]

    def test_a_replay_is_acknowledged_once_only(self, student, assignment):
        payload = body()
        first = post(student, url(assignment, "draft/"), payload).json()
        second = post(student, url(assignment, "draft/"), payload).json()
        assert second == first | {"replayed": True}

    def test_a_stale_tab_gets_what_stands_there(self, student, assignment):
        post(student, url(assignment, "draft/"), body(comment="un"))
        answer = post(student, url(assignment, "draft/"), body(0, comment="deux"))
        assert answer.status_code == 409
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "stale"
        assert answer.json()["current"]["answers"]["comment"] == "un"
        assert answer.json()["current"]["revision"] == 1

    def test_a_submission_leads_on(self, student, assignment):
        study = assignment.annotator.study
        make_pair(study)
        assignments_fill(actor=None, study=study)
        first = post(student, url(assignment, "submit/"), body()).json()
        assert (first["done"], first["total"]) == (1, 2)
        assert first["next_url"] == f"/annotate/{study.key}/2/"

    def test_the_last_submission_leads_to_ones_own_list(self, student, assignment):
        answer = post(student, url(assignment, "submit/"), body()).json()
        assert answer["next_url"] == f"/annotate/{assignment.annotator.study.key}/mine/"

    def test_a_refused_submission_names_the_field_and_keeps_the_draft(self, student, assignment):
        answer = post(student, url(assignment, "submit/"), body(characterization=18))
        assert answer.status_code == 422
        assert answer.json()["problems"][0]["field"] == "explanation"
        assert answer.json()["revision"] == 1
        assert Draft.objects.get().answers["characterization"] == 18

    def test_class_19_is_refused_by_name(self, student, assignment):
        answer = post(student, url(assignment, "draft/"), body(characterization=19))
        assert answer.status_code == 400
        assert answer.json()["problems"][0]["field"] == "characterization"

    def test_a_typed_score_is_no_answer(self, student, assignment):
        answer = post(student, url(assignment, "submit/"), body(score=10))
        assert answer.status_code == 400
        assert not Judgment.objects.exists()

    def test_a_closed_study_takes_nothing(self, student, assignment):
        Study.objects.update(state="closed")
        answer = post(student, url(assignment, "submit/"), body())
        assert (answer.status_code, answer.json()["type"]) == (409, "study_closed")

    @pytest.mark.parametrize(
        "payload",
        [
            "not json",
            "[" * 100_000,
            '{"key": ' + "9" * 5000 + "}",
            '{"key": "\\ud800"}',
            "[]",
            {"key": "x"},
            {"key": str(uuid.uuid4())},
            {"key": str(uuid.uuid4()), "base_revision": -1},
        ],
    )
    def test_what_is_no_save_is_refused_as_malformed(self, student, assignment, payload):
        answer = post(student, url(assignment, "draft/"), payload)
        assert (answer.status_code, answer.json()["type"]) == (400, "malformed")

    def test_a_body_too_large_is_refused(self, student, assignment):
        answer = post(student, url(assignment, "draft/"), body(comment="x" * 300_000))
        assert (answer.status_code, answer.json()["type"]) == (413, "too_large")

    def test_an_ended_session_says_so(self, client, assignment):
        for verb in ("draft/", "submit/"):
            answer = post(client, url(assignment, verb), body())
            assert (answer.status_code, answer.json()["type"]) == (401, "login_required")

    def test_an_old_csrf_token_says_so(self, assignment):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(assignment.annotator.user)
        answer = post(strict, url(assignment, "draft/"), body())
        assert (answer.status_code, answer.json()["type"]) == (403, "csrf_failed")

    def test_somebody_else_s_pair_is_not_there(self, client, assignment):
        other = make_annotator(assignment.annotator.study)
        client.force_login(other.user)
        assert post(client, url(assignment, "draft/"), body()).status_code == 404

    def test_a_page_of_somebody_else_saves_nothing_under_this_name(self, student, assignment):
        answer = post(student, url(assignment, "draft/"), body() | {"user": "somebody-else"})
        assert (answer.status_code, answer.json()["type"]) == (403, "other_user")
        assert not Draft.objects.exists()
        own = body() | {"user": user_ref(assignment.annotator.user)}
        assert post(student, url(assignment, "draft/"), own).status_code == 200

    def test_get_is_no_way_to_save(self, student, assignment):
        assert student.get(url(assignment, "draft/")).status_code == 405


class TestPage:
    def test_it_shows_the_pair_and_what_was_answered(self, student, assignment):
        post(student, url(assignment, "draft/"), body(comment="mon commentaire"))
        page = student.get(url(assignment))
        assert page.status_code == 200
        html = page.content.decode()
        assert "mon commentaire" in html
        assert "sauf si l" in html

    def test_nothing_in_it_names_the_system_or_a_peer(self, student, assignment):
        study = assignment.annotator.study
        peer = make_annotator(study, make_user("peer-of-mine"))
        assignments_fill(actor=None, study=study)
        for path in ("", "history/"):
            page = student.get(url(assignment, path))
            whole = page.content.decode() + json.dumps(dict(page.headers))
            assert "secret-system-7" not in whole
            assert peer.user.email not in whole
            assert "peer-of-mine" not in whole.lower()

    def test_texts_are_never_html(self, client):
        assignment = make_assignment(
            original="<script>alert(1)</script> & <b>gras</b>", text="<img src=x onerror=y>"
        )
        client.force_login(assignment.annotator.user)
        html = client.get(url(assignment)).content.decode()
        assert "<script>alert(1)" not in html
        assert "<img src=x" not in html
        assert "&lt;script&gt;alert(1)" in html

    @pytest.mark.parametrize("position", [0, 2**31, 2**63, 10**30])
    def test_a_position_that_nobody_has(self, client, position):
        assignment = make_assignment()
        client.force_login(assignment.annotator.user)
        address = f"/annotate/{assignment.annotator.study.key}/{position}/"
        assert client.get(address).status_code == 404
        assert post(client, f"{address}draft/", body()).status_code == 404

    def test_a_main_pair_is_hidden_during_practice(self, client):
        study = make_study(state="main")
        assignment = make_assignment(study)
        Study.objects.filter(pk=study.pk).update(state="practice")
        client.force_login(assignment.annotator.user)
        assert client.get(url(assignment)).status_code == 404

    def test_resuming_goes_to_the_first_pair_without_a_judgment(self, student, assignment):
        study = assignment.annotator.study
        make_pair(study)
        assignments_fill(actor=None, study=study)
        post(student, url(assignment, "submit/"), body())
        assert student.get(f"/annotate/{study.key}/").url == f"/annotate/{study.key}/2/"

    def test_the_cost_in_queries_does_not_grow_with_the_study(self, student, assignment):
        def queries() -> int:
            with CaptureQueriesContext(
                connection,
            ) as captured:
                assert student.get(url(assignment)).status_code == 200
            return len(captured)

        student.get(url(assignment))
        few = queries()
        for _ in range(30):
            make_pair(assignment.annotator.study)
        assignments_fill(actor=None, study=assignment.annotator.study)
        assert queries() == few <= 8


class TestKeptSteps:
    """The steps of a pair that nobody has answered yet are kept for all pairs that show the
    same."""

    STEPS = re.compile(r'<nav class="stepper.*?</fieldset>\s*</form>', re.DOTALL)

    @pytest.fixture
    def anew(self, monkeypatch):
        """The steps as they are drawn without anything kept."""

        def draw(client: Client, path: str) -> str:
            with monkeypatch.context() as patch:
                patch.setattr(
                    "annotation.web.judging.views.annotate.untouched_steps", lambda *_: ""
                )
                return self.shown(client, path)

        return draw

    def shown(self, client: Client, path: str) -> str:
        [steps] = self.STEPS.findall(client.get(path).content.decode())
        return " ".join(re.sub(r">\s+", ">", steps).split())

    @pytest.mark.parametrize("language", ["fr", "en"])
    @pytest.mark.parametrize("policy", ["ask", "clamp", "fall_through"])
    def test_they_are_what_would_be_drawn_anew(self, client, anew, language, policy):
        study = make_study(state="main", rulings={"crossing_policy": policy})
        make_pair(study)
        identical = make_pair(study)
        identical.text = identical.item.original
        identical.is_identical = True
        identical.save()
        annotator = make_annotator(study, make_user(language=language))
        assignments_fill(actor=None, study=study)
        client.force_login(annotator.user)
        paths = [url(assignment) for assignment in Assignment.objects.filter(annotator=annotator)]
        for path in [*paths, *paths]:
            assert self.shown(client, path) == anew(client, path)
        first, second = (self.shown(client, path) for path in paths)
        assert first != second, "the finding of the identical pair"

    def test_an_answer_is_its_annotator_s_alone(self, student, assignment, anew, client):
        untouched = self.shown(student, url(assignment))
        post(
            student,
            url(assignment, "draft/"),
            body(comment="À relire", errors=[{"type": "omission"}]),
        )
        begun = self.shown(student, url(assignment))
        assert begun == anew(student, url(assignment))
        assert "À relire" in begun
        another = make_annotator(assignment.annotator.study)
        assignments_fill(actor=None, study=another.study)
        client.force_login(another.user)
        assert self.shown(client, url(Assignment.objects.get(annotator=another))) == untouched

    def test_a_submitted_pair_offers_a_correction(self, student, assignment, anew):
        self.shown(student, url(assignment))
        assert post(student, url(assignment, "submit/"), body()).status_code == 200
        assert "Soumettre la correction" in self.shown(student, url(assignment))
        Draft.objects.update(answers={})
        assert self.shown(student, url(assignment)) == anew(student, url(assignment))

    def test_a_refused_empty_form_shows_its_problems(self, student, assignment):
        self.shown(student, url(assignment))
        page = student.post(
            url(assignment), {"key": str(uuid.uuid4()), "base_revision": 0, "action": "submit"}
        )
        assert page.status_code == 422
        assert "field__problem" in page.content.decode()


class TestWithoutJavaScript:
    FORM: ClassVar[dict[str, Any]] = {
        "simplicity": "1",
        "characterization": "7",
        "bracket": "3",
        "errors-0-type": "omission",
        "errors-0-note": "sans délai",
        "errors-0-original_start": "",
        "comment": "bien",
    }

    def test_the_form_submits_and_leads_on(self, student, assignment):
        answer = student.post(
            url(assignment), self.FORM | {"action": "submit", "base_revision": "0"}
        )
        assert answer.status_code == 302
        judgment = Judgment.objects.get()
        assert judgment.ratings.get(dimension="legal_meaning").value == 9
        assert judgment.errors.get().note == "sans délai"

    def test_it_saves_an_incomplete_draft(self, student, assignment):
        answer = student.post(
            url(assignment), {"simplicity": "2", "action": "save", "base_revision": "0"}
        )
        assert answer.status_code == 302
        assert Draft.objects.get().answers["simplicity"] == 2

    def test_a_row_is_added_and_removed_without_losing_the_rest(self, student, assignment):
        student.post(url(assignment), self.FORM | {"action": "add:errors", "base_revision": "0"})
        errors = Draft.objects.get().answers["errors"]
        assert [error["type"] for error in errors] == ["omission", ""]
        student.post(
            url(assignment), self.FORM | {"action": "remove:errors:0", "base_revision": "1"}
        )
        draft = Draft.objects.get()
        assert (draft.answers["errors"], draft.answers["comment"]) == ([], "bien")

    def test_a_refusal_shows_everything_again(self, student, assignment):
        form = self.FORM | {"characterization": "18", "action": "submit", "base_revision": "0"}
        answer = student.post(url(assignment), form)
        assert answer.status_code == 422
        html = answer.content.decode()
        assert "bien" in html
        assert "sans délai" in html
        assert not Judgment.objects.exists()

    def test_an_unreadable_answer_does_not_blank_the_others(self, student, assignment):
        answer = student.post(url(assignment), self.FORM | {"bracket": "many", "action": "save"})
        assert answer.status_code == 422
        assert "sans délai" in answer.content.decode()

    def test_a_stale_form_shows_what_was_typed_and_may_be_sent_again(self, student, assignment):
        post(student, url(assignment, "draft/"), body(comment="ailleurs"))
        answer = student.post(url(assignment), self.FORM | {"action": "save", "base_revision": "0"})
        assert answer.status_code == 409
        assert "bien" in answer.content.decode()
        assert Draft.objects.get().answers["comment"] == "ailleurs"

    def test_a_closed_study_shows_what_was_typed(self, student, assignment):
        Study.objects.update(state="closed")
        answer = student.post(url(assignment), self.FORM | {"action": "submit"})
        assert answer.status_code == 409
        assert "bien" in answer.content.decode()


class TestOwnPages:
    def test_the_list_shows_ones_own_answers_by_state(self, student, assignment):
        study = assignment.annotator.study
        make_pair(study)
        assignments_fill(actor=None, study=study)
        post(student, url(assignment, "submit/"), body(doubt=True))
        html = student.get(f"/annotate/{study.key}/mine/").content.decode()
        assert "07 Frais" in html
        for state, shown in {"submitted": 1, "doubt": 1, "open": 1, "begun": 0, "": 2}.items():
            page = student.get(f"/annotate/{study.key}/mine/", {"state": state})
            assert len(page.context["rows"]) == shown, state

    def test_a_history_without_a_submission_leads_back_to_the_pair(self, student, assignment):
        page = student.get(url(assignment, "history/")).content.decode()
        assert f'<a class="button" href="{url(assignment)}">Paire 1</a>' in page

    def test_the_history_shows_each_submission(self, student, assignment):
        post(student, url(assignment, "submit/"), body(comment="d'abord"))
        post(student, url(assignment, "submit/"), body(1, comment="ensuite", bracket=2, errors=[]))
        page = student.get(url(assignment, "history/"))
        assert [(r["number"], r["score"]) for r in page.context["revisions"]] == [(2, 6), (1, 9)]
        [errors] = [
            answer for answer in page.context["revisions"][1]["answers"] if answer["is_marks"]
        ]
        assert errors["marks"][0]["original"] == "L'assureur"

    def test_the_guide_is_markdown_without_anybody_s_html(self, student, assignment):
        assignment.annotator.study.guides.create(
            number=1, body_fr="# Guide\n\n<script>x</script> **gras**"
        )
        for path in ("", "?fragment=1"):
            html = student.get(
                f"/annotate/{assignment.annotator.study.key}/guide/{path}"
            ).content.decode()
            assert "<strong>gras</strong>" in html
            assert "<script>x" not in html
