"""Versions side by side, former ones and bringing one back: for their annotator, with and without
scripts."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from html import unescape
from typing import Any, ClassVar

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Assignment, Draft, DraftVersion, JudgmentRevision, Study
from annotation.services.judging.drafts import Save, draft_save
from annotation.services.judging.judgments import judgment_submit
from tests.factories import answers, make_annotator, make_assignment, make_study, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment()


@pytest.fixture
def student(assignment: Assignment, client: Client) -> Client:
    client.force_login(assignment.annotator.user)
    return client


def url(assignment: Assignment, verb: str = "") -> str:
    return f"/annotate/{assignment.annotator.study.key}/{assignment.position}/{verb}"


def drafted(assignment: Assignment, comment: str, base: int, aside: Any = None) -> None:
    save = Save(answers=answers(comment=comment), base_revision=base, key=uuid.uuid4(), aside=aside)
    draft_save(actor=assignment.annotator.user, assignment=assignment, save=save)


def post(client: Client, path: str, payload: Any) -> Any:
    return client.post(path, payload, content_type="application/json")


class TestComparing:
    def test_what_differs_is_open_and_what_is_equal_is_folded(self, student, assignment):
        drafted(assignment, "ailleurs", 0)
        answer = post(
            student,
            url(assignment, "compare/"),
            {"mine": answers(comment="<b>ici</b>", simplicity=2)},
        )
        body = answer.json()
        assert answer.status_code == 200
        assert body["differ"]
        assert body["current"]["revision"] == 1
        assert body["theirs"]["comment"] == "ailleurs"
        open_, folded = body["html"].split("<details")
        assert "&lt;b&gt;ici&lt;/b&gt;" in open_
        assert "<b>ici" not in open_
        assert 'data-names="simplicity simplicity_confirmed"' in open_
        assert "sans délai" in folded
        assert "L&#x27;assureu" in folded or "L'assureu" in folded

    def test_what_qualifies_an_answer_goes_along_with_it(self, student, assignment):
        drafted(assignment, "", 0)
        mine = answers(bracket=2, crossing_answer="moved", moved_from=3)
        html = post(student, url(assignment, "compare/"), {"mine": mine}).json()["html"]
        assert 'data-names="bracket crossing_answer moved_from"' in html
        assert "descendue d'une fourchette" in unescape(html)

    def test_a_confirmation_goes_along_with_the_answer_that_it_upholds(self, student, assignment):
        drafted(assignment, "", 0)
        mine = answers(simplicity=4, simplicity_confirmed=True)
        html = post(student, url(assignment, "compare/"), {"mine": mine}).json()["html"]
        assert 'data-names="simplicity simplicity_confirmed"' in html
        assert "malgré le constat · oui" in html

    def test_errors_of_both_can_be_kept_unless_they_are_too_many(self, student, assignment):
        drafted(assignment, "", 0)
        many = [{"type": "omission", "note": str(number)} for number in range(50)]
        path = url(assignment, "compare/")
        assert (
            'value="both"'
            in post(student, path, {"mine": answers(errors=[{"type": ""}])}).json()["html"]
        )
        assert (
            'value="both"' not in post(student, path, {"mine": answers(errors=many)}).json()["html"]
        )

    def test_a_copy_that_was_found_is_the_other_side(self, student, assignment):
        drafted(assignment, "ici", 0)
        copies = {
            "mine": answers(comment="ici"),
            "theirs": answers(comment="hier"),
            "theirs_ago": 60,
            "mine_ago": "no time at all",
        }
        body = post(student, url(assignment, "compare/"), copies).json()
        assert body["theirs"]["comment"] == "hier"
        assert body["current"]["answers"]["comment"] == "ici"
        assert "La copie ·" in body["html"]

    @pytest.mark.parametrize("stored_days_ago", [0, 3])
    @pytest.mark.parametrize("typed_days_ago", [0, 3])
    def test_the_day_is_said_where_it_is_not_today(
        self, student, assignment, stored_days_ago, typed_days_ago
    ):
        """Of both sides, whatever the clock of this computer shows."""
        drafted(assignment, "ailleurs", 0)
        Draft.objects.update(saved_at=timezone.now() - timedelta(days=stored_days_ago))
        copies = {"mine": answers(comment="ici"), "mine_ago": typed_days_ago * 24 * 3600}
        html = unescape(post(student, url(assignment, "compare/"), copies).json()["html"])
        for side, days_ago in {
            "Ici, dans cette fenêtre": typed_days_ago,
            "Dans l'autre fenêtre": stored_days_ago,
        }.items():
            day = re.search(rf"{side} · ([^<]*20\d\d à )?\d\d?\u00a0h\u00a0\d\d", html)
            assert day
            assert bool(day[1]) == (days_ago == 3)

    def test_a_page_of_an_earlier_version_says_moments(self, student, assignment):
        drafted(assignment, "ailleurs", 0)
        copies = {"mine": answers(comment="ici"), "mine_at": "2026-01-02T17:00:00Z"}
        assert "2 janvier 2026" in post(student, url(assignment, "compare/"), copies).json()["html"]

    def test_nothing_differs(self, student, assignment):
        drafted(assignment, "pareil", 0)
        assert not post(
            student, url(assignment, "compare/"), {"mine": answers(comment="pareil")}
        ).json()["differ"]

    @pytest.mark.parametrize(
        "payload", ["not json", "[]", {"mine": {"score": 10}}, {"mine": {}, "theirs": "x"}]
    )
    def test_what_is_no_answer_is_refused(self, student, assignment, payload):
        assert post(student, url(assignment, "compare/"), payload).status_code == 400

    def test_others_have_nothing_to_compare(self, client, assignment):
        path = url(assignment, "compare/")
        assert post(client, path, {"mine": {}}).status_code == 401
        client.force_login(make_annotator(assignment.annotator.study).user)
        assert post(client, path, {"mine": {}}).status_code == 404
        client.force_login(assignment.annotator.user)
        assert post(client, path, {"mine": {"comment": "x" * 600_000}}).status_code == 413
        answer = post(client, path, {"mine": {}, "user": "somebody-else"})
        assert (answer.status_code, answer.json()["type"]) == (403, "other_user")
        assert client.get(path).status_code == 405


class TestSettling:
    def test_a_save_says_what_was_decided_against(self, student, assignment):
        drafted(assignment, "ailleurs", 0)
        draft = {"key": str(uuid.uuid4()), "base_revision": 1, "answers": answers(comment="choisi")}
        refused = [
            {"answers": answers(comment="ici"), "typed_ago": 3 * 24 * 3600},
            {
                "answers": answers(comment="copie"),
                "found": True,
                "typed_at": "2026-99-99T10:00:00Z",
            },
        ]
        assert (
            post(student, url(assignment, "draft/"), draft | {"aside": refused}).status_code == 200
        )
        kept = set(DraftVersion.objects.values_list("origin", "answers__comment"))
        assert kept == {("overwritten", "ailleurs"), ("refused", "ici"), ("found", "copie")}
        days = timezone.now() - DraftVersion.objects.get(origin="refused").saved_at
        assert days.days == 3

    @pytest.mark.parametrize("aside", [{}, "x", [1], [{"answers": 3}]])
    def test_what_is_no_list_of_answers_is_refused(self, student, assignment, aside):
        draft = {"key": str(uuid.uuid4()), "base_revision": 0, "answers": answers(), "aside": aside}
        assert post(student, url(assignment, "draft/"), draft).status_code == 400
        assert not Draft.objects.exists()


class TestPlainForm:
    FORM: ClassVar[dict[str, Any]] = {
        "simplicity": "2",
        "characterization": "7",
        "comment": "mes mots",
    }

    @pytest.fixture
    def refused(self, student, assignment) -> dict[str, Any]:
        """The form as the refused page shows it."""
        drafted(assignment, "ailleurs", 0)
        answer = student.post(url(assignment), self.FORM | {"action": "save", "base_revision": "0"})
        html = answer.content.decode()
        assert answer.status_code == 409
        assert 'name="settles"' in html
        assert 'name="pick-comment"' in html
        assert html.count("ailleurs") == 1
        assert html.count("mes mots") == 3, "in the form, in the page's state, beside the other"
        return self.FORM | {"settles": "1", "base_revision": "1"}

    def stored(self) -> dict[str, Any]:
        return Draft.objects.get().answers

    def kept(self) -> set[tuple[str, str]]:
        return set(DraftVersion.objects.values_list("origin", "answers__comment"))

    def test_what_was_typed_wins_and_the_other_is_kept(self, student, assignment, refused):
        assert student.post(url(assignment), refused | {"action": "save"}).status_code == 302
        assert self.stored()["comment"] == "mes mots"
        assert self.kept() == {("overwritten", "ailleurs")}

    def test_what_is_saved_wins_and_what_was_typed_is_kept(self, student, assignment, refused):
        assert student.post(url(assignment), refused | {"action": "take_stored"}).status_code == 302
        assert self.stored()["comment"] == "ailleurs"
        assert self.kept() == {("refused", "mes mots")}

    def test_question_by_question(self, student, assignment, refused):
        picks = {
            "pick-simplicity": "mine",
            "pick-comment": "theirs",
            "pick-errors": "both",
            "pick-bracket": "theirs",
        }
        answer = student.post(url(assignment), refused | picks | {"action": "settle"})
        assert (answer.status_code, answer.url) == (302, url(assignment))
        stored = self.stored()
        assert (stored["simplicity"], stored["comment"], stored["bracket"]) == (2, "ailleurs", 3)
        assert [error["type"] for error in stored["errors"]] == ["omission"]
        assert self.kept() == {("refused", "mes mots"), ("overwritten", "ailleurs")}

    def test_a_window_that_was_faster_again_is_asked_about_again(
        self, student, assignment, refused
    ):
        drafted(assignment, "encore ailleurs", 1)
        answer = student.post(
            url(assignment), refused | {"action": "settle", "pick-comment": "mine"}
        )
        assert answer.status_code == 409
        assert "encore ailleurs" in answer.content.decode()
        assert self.kept() == set()


class TestHistory:
    @pytest.fixture
    def put_aside(self, assignment) -> None:
        drafted(assignment, "ailleurs", 0)
        drafted(assignment, "ici", 1, [])

    def restore(self, client: Client, assignment: Assignment, **form: Any) -> Any:
        return client.post(
            url(assignment, "history/restore/"),
            {"source": "draft", "number": "1"} | form,
            follow=True,
        )

    def test_it_shows_what_was_put_aside_beside_what_stands_there(
        self, student, assignment, put_aside
    ):
        html = student.get(url(assignment, "history/")).content.decode()
        assert "ailleurs" in html
        assert "ici" in html
        assert "history/restore/" in html
        listed = student.get(f"/annotate/{assignment.annotator.study.key}/mine/").content.decode()
        assert url(assignment, "history/") in listed

    def test_what_is_none_and_what_was_put_aside_agree_with_their_words(self, student, assignment):
        user = assignment.annotator.user
        judgment_submit(actor=user, assignment=assignment, save=save(errors=[]))
        drafted(assignment, "ici", 1, [])
        html = student.get(url(assignment, "history/")).content.decode()
        assert re.search(r"Erreurs légales</dt>\s*<dd[^>]*>\s*aucune\s", html)
        assert re.findall(r"<h2>(Mises? de côté)", html) == ["Mises de côté"]
        assert '<p class="versions__heads" aria-hidden="true"><span>Mise de côté</span>' in html
        assert '<span class="versions__line muted">aucune</span>' in html

    @pytest.mark.parametrize(
        ("language", "name", "others"),
        [
            ("fr", "ersions antérieures", ("istorique", ">Versions<")),
            ("en", "ormer versions", ("this pair's history", "in the history", ">Versions<")),
        ],
    )
    def test_it_has_one_name_wherever_it_is_spoken_of(
        self, client, assignment, put_aside, language, name, others
    ):
        user = assignment.annotator.user
        user.language = language
        user.save(update_fields=["language"])
        client.force_login(user)
        study = f"/annotate/{assignment.annotator.study.key}"
        dialog = post(client, url(assignment, "compare/"), {"mine": answers(comment="ici")})
        plain = client.post(
            url(assignment), {"action": "save", "comment": "x", "base_revision": "0"}
        )
        assert plain.status_code == 409
        pages = {
            "dialog": dialog.json()["html"],
            "plain": plain.content.decode().split("conflict-plain", 1)[1].split("</section>")[0],
            "pair": plain.content.decode(),
            "mine": client.get(f"{study}/mine/").content.decode(),
            "history": client.get(url(assignment, "history/")).content.decode(),
        }
        for page, html in pages.items():
            assert name in unescape(html), page
            assert [other for other in others if other in unescape(html)] == [], page

    def test_it_is_brought_back(self, student, assignment, put_aside):
        page = self.restore(student, assignment)
        assert page.redirect_chain[-1][0] == url(assignment)
        assert "ailleurs" in page.content.decode()
        assert Draft.objects.get().answers["comment"] == "ailleurs"

    @pytest.mark.parametrize(
        "form", [{"number": "9"}, {"number": "x"}, {"number": "9" * 12}, {"source": "other"}]
    )
    def test_what_is_not_kept_is_said(self, student, assignment, put_aside, form):
        page = self.restore(student, assignment, **form)
        assert "n&#x27;est plus gardée" in page.content.decode()
        assert Draft.objects.get().answers["comment"] == "ici"

    def test_a_closed_round_changes_nothing(self, student, assignment, put_aside):
        Study.objects.update(state="closed")
        assert "history/restore/" not in student.get(url(assignment, "history/")).content.decode()
        assert "Rien n&#x27;a été changé" in self.restore(student, assignment).content.decode()
        assert Draft.objects.get().answers["comment"] == "ici"


class TestTakingBack:
    @pytest.fixture
    def submitted(self, student, assignment) -> int:
        submission = {"key": str(uuid.uuid4()), "base_revision": 0, "answers": answers()}
        return post(student, url(assignment, "submit/"), submission).json()["number"]

    def test_it_leads_back_to_the_pair(self, student, assignment, submitted):
        for taken in (True, False):
            answer = post(student, url(assignment, "take-back/"), {"number": submitted})
            assert answer.json() == {"taken_back": taken, "url": url(assignment)}
        history = student.get(url(assignment, "history/")).content.decode()
        assert "reprise" in history or "annulée" in history

    @pytest.mark.parametrize(
        "body", ["x", "[]", {}, {"number": 0}, {"number": True}, {"number": "1"}]
    )
    def test_what_is_no_number_is_refused(self, student, assignment, submitted, body):
        assert post(student, url(assignment, "take-back/"), body).status_code == 400

    def test_what_cannot_be_taken_back_says_why(self, student, assignment, submitted):
        assert (
            post(student, url(assignment, "take-back/"), {"number": 1, "user": "x"}).status_code
            == 403
        )
        JudgmentRevision.objects.update(submitted_at="2026-01-01T00:00:00Z")
        answer = post(student, url(assignment, "take-back/"), {"number": submitted})
        assert (answer.status_code, answer.json()["problems"][0]["code"]) == (409, "too_late")
        Study.objects.update(state="closed")
        answer = post(student, url(assignment, "take-back/"), {"number": submitted})
        assert (answer.status_code, answer.json()["type"]) == (409, "study_closed")

    def test_what_was_never_submitted_says_so(self, student, assignment, submitted):
        for body in ({"number": submitted + 41}, {"number": submitted, "submission": "x"}):
            answer = post(student, url(assignment, "take-back/"), body)
            assert (answer.status_code, answer.json()["problems"][0]["code"]) == (409, "unknown")

    def test_others_have_nothing_to_take_back(self, client, assignment):
        path = url(assignment, "take-back/")
        assert post(client, path, {"number": 1}).status_code == 401
        client.force_login(make_annotator(assignment.annotator.study).user)
        assert post(client, path, {"number": 1}).status_code == 404


class TestEdits:
    """What tells two edits apart is shown, and what was refused; not each list is one of errors."""

    MARKED: ClassVar[dict[str, Any]] = {"type": "swapped", "original": [[0, 2]], "note": ""}

    def judged(self, client: Client) -> Assignment:
        study = make_study("essai", state="main", protocol_key="everything", protocol_version="1")
        assignment = make_assignment(study)
        client.force_login(assignment.annotator.user)
        return assignment

    def with_edit(self, refused: int, **edit: Any) -> dict[str, Any]:
        suggestion = {"original": [[refused, refused + 3]], "simplification": []}
        return {"edits": [self.MARKED | edit], "unwanted": [suggestion]}

    def saved(self, assignment: Assignment, answers: dict[str, Any], revision: int) -> None:
        save = Save(answers=answers, base_revision=revision, key=uuid.uuid4(), aside=[])
        draft_save(actor=assignment.annotator.user, assignment=assignment, save=save)

    def test_two_that_differ_in_more_than_their_words_are_told_apart(self, client):
        assignment = self.judged(client)
        self.saved(assignment, self.with_edit(0, severity="slight"), 0)
        mine = self.with_edit(3, severity="heavy", source="suggested")
        compared = post(client, url(assignment, "compare/"), {"mine": mine}).json()["html"]
        self.saved(assignment, mine, 1)
        history = client.get(url(assignment, "history/")).content.decode()
        for html in (compared, history):
            said = re.sub(r"\s+", " ", re.sub("<[^>]+>", "", unescape(html)))
            assert "mot échangé · lourd · d'après une suggestion · L'" in said
            assert "mot échangé · léger · L'" in said
            assert "suggestion · L'a" in said
            assert "suggestion · ssu" in said

    def test_a_submission_says_so_too(self, client):
        assignment = self.judged(client)
        whole = {"reader": 1, "ease": 0, "share": 0, "tier": 2}
        edited = self.with_edit(0, severity="heavy", simplification=[[0, 2]])
        judgment_submit(
            actor=assignment.annotator.user,
            assignment=assignment,
            save=Save(answers=whole | edited, base_revision=0, key=uuid.uuid4()),
        )
        html = unescape(client.get(url(assignment, "history/")).content.decode())
        said = re.sub(r"\s+", " ", re.sub("<[^>]+>", "", html))
        assert "mot échangé · lourd · L' →" in said
        assert "Suggestions refusées suggestion · L'a" in said

    def test_what_is_kept_of_both_is_not_called_errors(self, client):
        assignment = self.judged(client)
        self.saved(assignment, self.with_edit(0), 0)
        mine = {"mine": self.with_edit(3, severity="heavy")}
        html = post(client, url(assignment, "compare/"), mine).json()["html"]
        assert html.count('value="both"') == 2
        assert "erreur" not in html
