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
from django.utils import timezone
from django.utils.html import escape

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Judgment,
    JudgmentRevision,
    Simplification,
    Study,
    User,
)
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

    @pytest.mark.parametrize("character", ["\0", "\ud83d"])
    @pytest.mark.parametrize(
        ("changed", "field"),
        [
            ({"comment": "du texte {} collé"}, "comment"),
            ({"errors": [{"type": "omission", "note": "{}"}]}, "errors.0.note"),
        ],
    )
    @pytest.mark.parametrize("verb", ["draft/", "submit/"])
    def test_a_character_that_cannot_be_stored_is_told_at_its_field(
        self, student, assignment, verb, changed, field, character
    ):
        sent = json.dumps(body(**changed)).replace("{}", json.dumps(character)[1:-1])
        answer = student.post(url(assignment, verb), sent, content_type="application/json")
        assert answer.status_code == 400
        [problem] = answer.json()["problems"]
        assert (problem["field"], problem["code"]) == (field, "character")
        assert "effacez" in problem["message"]
        assert not Draft.objects.exists()

    def test_a_character_elsewhere_in_the_body_is_told_too(self, student, assignment):
        sent = json.dumps(body() | {"aside": [{"answers": {"comment": "{}"}}]})
        for text, problems in ((sent, 1), ('{"key": "{}"}', 0), ('{"answers": {"{}": 1}}', 0)):
            answer = student.post(
                url(assignment, "draft/"), text.replace("{}", "\\u0000"), "application/json"
            )
            assert answer.status_code == 400
            assert len(answer.json().get("problems", [])) == problems
            assert problems or "NUL" in answer.json()["title"]

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

    def test_it_is_answered_in_the_language_of_the_page(self, student, assignment):
        """The account's was changed in another tab while a French page stood open."""
        User.objects.update(language="en")
        path, payload = url(assignment, "submit/"), body(characterization=18)

        def said(language: str) -> tuple[str, str]:
            headers = {"X-Bareme-Language": language}
            answer = student.post(
                path,
                payload | {"key": str(uuid.uuid4())},
                content_type="application/json",
                headers=headers,
            )
            problems = answer.json()["problems"]
            payload["base_revision"] = answer.json()["revision"]
            return problems[0]["message"], answer.json()["saved_at_text"]

        french, clock = said("fr")
        assert french.startswith("Expliquez")
        assert clock[-1].isdigit()
        for other in ("en", "xx", ""):
            english, clock = said(other)
            assert english.startswith("Explain")
            assert clock.endswith(("AM", "PM"))
        assert student.cookies["bareme_language"].value == "en"

    def test_who_has_withdrawn_is_told_that_and_where_their_data_are(self, student, assignment):
        Annotator.objects.update(withdrawn_at=timezone.now())
        for verb in ("draft/", "submit/", "compare/"):
            answer = post(student, url(assignment, verb), body())
            assert (answer.status_code, answer.json()["type"]) == (404, "withdrawn")
            assert "ne participez plus" in answer.json()["title"]
            assert answer.json()["url"] == "/account/data/"
        assert not Draft.objects.exists()
        for path in (url(assignment), "/annotate/essai/", url(assignment, "history/")):
            page = student.get(path.replace("essai", assignment.annotator.study.key))
            assert page.status_code == 404
            assert "/account/data/" in page.content.decode()
            assert "ne participez plus" in page.content.decode()
            assert assignment.annotator.study.title not in page.content.decode()

    def test_an_outsider_is_told_nothing_of_that(self, client, assignment):
        Annotator.objects.update(withdrawn_at=timezone.now())
        client.force_login(make_user("autre"))
        pages = [client.get(path) for path in (url(assignment), "/annotate/nulle-part/1/")]
        assert [page.status_code for page in pages] == [404, 404]
        assert all("ne participez plus" not in page.content.decode() for page in pages)
        answer = post(client, url(assignment, "draft/"), body())
        assert answer.json()["type"] == "not_found"

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

    def submitted(self, student, assignment, number_of_pairs: int = 2) -> str:
        """The page that follows the submission of the first pair."""
        study = assignment.annotator.study
        for _ in range(number_of_pairs - 1):
            make_pair(study)
        assignments_fill(actor=None, study=study)
        form = self.FORM | {"action": "submit", "base_revision": "0", "key": str(uuid.uuid4())}
        answer = student.post(url(assignment), form)
        # Acknowledged once more, and said once.
        assert student.post(url(assignment), form)["location"] == answer["location"]
        return answer["location"]

    def offer(self, page) -> tuple[str, dict[str, str]]:
        """The form that takes it back: its address and its fields."""
        [form] = re.findall(
            r'<form method="post" action="([^"]*)" class="notice.*?</form>',
            page.content.decode(),
            re.DOTALL,
        )
        return form, page.context["just_done"]["fields"]

    @pytest.mark.parametrize("number_of_pairs", [1, 2])
    def test_a_submission_is_said_once_and_taken_back(self, student, assignment, number_of_pairs):
        following = self.submitted(student, assignment, number_of_pairs)
        page = student.get(following)
        assert "Paire 1 soumise." in page.content.decode()
        assert "Paire 1 soumise." not in student.get(following).content.decode()
        address, fields = self.offer(page)
        answer = student.post(address, fields, follow=True)
        assert answer.redirect_chain == [(url(assignment), 302)]
        assert "soumission retirée." in answer.content.decode()
        assert not Judgment.objects.exists()
        assert Draft.objects.get().answers["comment"] == "bien"
        again = student.post(address, fields, follow=True)
        assert escape("L'annulation n'a pas pu se faire.") in again.content.decode()

    def test_what_cannot_be_taken_back_says_why(self, student, assignment, client):
        address, fields = self.offer(student.get(self.submitted(student, assignment)))
        assert student.post(address, fields | {"number": "x"}).status_code == 400
        JudgmentRevision.objects.update(submitted_at="2026-01-01T00:00:00Z")
        late = {"number": fields["number"], "submission": ""}
        assert "10 minutes" in student.post(address, late, follow=True).content.decode()
        Study.objects.update(state="closed")
        answer = student.post(address, fields, follow=True)
        assert "ne prend pas de réponse" in answer.content.decode()
        assert Judgment.objects.get().submitted_at
        client.logout()
        assert client.post(address, fields)["location"].endswith(f"?next={url(assignment)}")
        client.force_login(make_annotator(assignment.annotator.study).user)
        assert client.post(address, fields).status_code == 404

    def test_it_is_offered_as_long_as_it_can_be_done_and_in_its_study(self, student, assignment):
        following = self.submitted(student, assignment)
        other = make_assignment(make_study("autre", state="main"))
        make_annotator(other.annotator.study, assignment.annotator.user)
        assignments_fill(actor=None, study=other.annotator.study)
        assert student.get("/annotate/autre/1/").context["just_done"] is None
        session = student.session
        session["just_done"] |= {"at": session["just_done"]["at"] - 601}
        session.save()
        assert student.get(following).context["just_done"] is None

    def test_a_pair_kept_for_later_is_said_and_taken_up(self, student, assignment):
        study = assignment.annotator.study
        make_pair(study)
        assignments_fill(actor=None, study=study)
        page = student.post(url(assignment, "later/"), follow=True)
        assert page.redirect_chain != [(url(assignment), 302)]
        assert "Paire 1 gardée pour plus tard." in page.content.decode()
        address, fields = self.offer(page)
        back = student.post(address, fields, follow=True)
        assert back.redirect_chain == [(url(assignment), 302)]
        assert "Annulé." in back.content.decode()
        assignment.refresh_from_db()
        assert assignment.set_aside_at is None

    def test_the_place_in_a_page_is_not_asked_of_the_next(self, student, assignment):
        """A form without an address keeps it: its answer would be looked for in the next pair."""
        page = student.get(url(assignment)).content.decode()
        assert re.search(rf'id="judgment-form"[^>]* action="{url(assignment)}"', page)

    def test_a_score_is_called_score(self, student, assignment):
        """«Note» is what is written beside an error."""
        student.post(url(assignment), self.FORM | {"action": "save", "base_revision": "0"})
        html = student.get(url(assignment)).content.decode()
        assert "Score\N{NO-BREAK SPACE}: 9 sur 10" in html
        assert "Note\N{NO-BREAK SPACE}: 9" not in html

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

    def test_a_confirmation_is_of_the_answer_that_it_was_shown_for(self, student, assignment):
        """The finding is the same for both: it would uphold one that nobody confirmed."""
        Simplification.objects.update(is_identical=True)
        student.post(url(assignment), self.FORM | {"action": "save", "base_revision": "0"})
        page = student.get(url(assignment)).content.decode()
        assert 'id="id_simplicity_confirmed" value="1"' in page
        form = self.FORM | {"action": "submit", "base_revision": "1", "simplicity_confirmed": "1"}
        answer = student.post(url(assignment), form | {"simplicity": "3"})
        assert answer.status_code == 422
        assert Draft.objects.get().answers["simplicity_confirmed"] is False
        assert student.post(url(assignment), form | {"base_revision": "2"}).status_code == 302
        assert Draft.objects.get().answers["simplicity_confirmed"] is True

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
