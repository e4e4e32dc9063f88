"""The practice round's pages: the meeting for its lead, feedback for each annotator, nobody's
answer for a peer."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.models import Judgment, PracticeNote, Study
from annotation.protocols.direct_assessment.definition import PROTOCOL as DIRECT_ASSESSMENT
from annotation.services.planning.assignments import assignments_fill
from annotation.services.practice.practice import (
    meeting_open,
    practice_feedback_publish,
    practice_note_save,
)
from tests.factories import answers, make_user
from tests.practising import everybody_submits, pairs, people, practice_study, reference_of, submit

pytestmark = pytest.mark.django_db

REFERENCE = {"simplicity": "1", "characterization": "5", "bracket": "3"}


@pytest.fixture
def study() -> Study:
    return practice_study(make_user("responsable"))


@pytest.fixture
def lead(study) -> Client:
    client = Client()
    client.force_login(study.leads.get().user)
    return client


@pytest.fixture
def anne(study) -> Client:
    client = Client()
    client.force_login(people(study)[0].user)
    return client


def page_of(study: Study, number: int = 0) -> str:
    return f"/studies/pratique/practice/{pairs(study)[number].pk}/"


class TestMeeting:
    def test_before_it_the_lead_sees_who_is_done_and_nobody_s_answer(self, study, lead):
        submit(people(study)[0], pairs(study)[0], comment="secret de A")
        overview = lead.get("/studies/pratique/practice/").content.decode()
        assert "Anne Gagnon" in overview
        assert "secret de A" not in lead.get(page_of(study)).content.decode()

    def test_opened_shown_with_names_and_closed(self, study, lead):
        submit(people(study)[0], pairs(study)[0], comment="secret de A")
        url = "/studies/pratique/practice/"
        assert lead.post(url, {"action": "open"}).status_code == 422
        assert lead.post(url, {"action": "open", "reason": "B manque"}).status_code == 302
        shown = lead.get(page_of(study)).content.decode()
        assert "secret de A" in shown
        assert "Anne Gagnon" not in shown
        assert "overlay__tag" in shown
        lead.post(url, {"action": "names", "names": "1"})
        assert "Anne Gagnon" in lead.get(page_of(study)).content.decode()
        lead.post(url, {"action": "close"})
        assert study.meetings.get().closed_at
        assert lead.get(url).status_code == 200

    def test_the_practice_page_of_a_study_without_any(self, cast):
        cast.alpha.items.filter(round="practice").delete()
        assert cast.client("lead").get("/studies/alpha/practice/").status_code == 200

    def test_only_practice_pairs_have_a_page(self, study, lead, cast):
        main = study.items.get(round="main").simplifications.get()
        assert lead.get(f"/studies/pratique/practice/{main.pk}/").status_code == 404
        assert cast.client("lead").get(page_of(study)).status_code == 404


class TestNotes:
    def test_a_note_and_a_reference_with_its_passages(self, study, lead):
        form = REFERENCE | {
            "action": "save",
            "note": "**Retenez** ceci.",
            "errors-0-type": "omission",
            "errors-0-original": "pratique",
            "errors-0-note": "manque",
            "errors-1-type": "",
        }
        assert lead.post(page_of(study), form).status_code == 302
        (error,) = reference_of(pairs(study)[0])["errors"]
        assert (error["original_start"], error["original_end"], error["simplification_start"]) == (
            10,
            18,
            None,
        )
        shown = lead.get(page_of(study)).content.decode()
        assert "<strong>Retenez</strong>" in shown
        assert 'value="pratique"' in shown
        assert "★.1" in shown
        # A passage that stands twice keeps its place when the form is sent again.
        again = form | {"errors-0-original": "e", "errors-0-original_start": "8"}
        lead.post(page_of(study), again)
        assert reference_of(pairs(study)[0])["errors"][0]["original_start"] == 8
        lead.post(page_of(study), form | {"action": "drop_reference"})
        assert PracticeNote.objects.get().reference is None

    def test_a_passage_over_two_lines_is_found_without_its_line_end(self, study, lead):
        item = pairs(study)[0].item
        item.original = "Première ligne\r\net deuxième ligne."
        item.save()
        row = {"errors-0-type": "omission", "errors-0-original": "ligneet deuxième"}
        lead.post(page_of(study), REFERENCE | {"action": "save", **row})
        (error,) = reference_of(pairs(study)[0])["errors"]
        assert (
            item.original[error["original_start"] : error["original_end"]] == "ligne\r\net deuxième"
        )
        # Sent again as the form shows it, it stays where it is.
        shown = lead.get(page_of(study)).context["form"]["lists"][0]["rows"][0]
        row |= {"errors-0-original_start": str(shown["original_start"])}
        lead.post(page_of(study), REFERENCE | {"action": "save", **row})
        assert reference_of(pairs(study)[0])["errors"] == [error]
        lead.post(
            page_of(study), REFERENCE | {"action": "save", **row, "errors-0-original_start": "3"}
        )
        assert reference_of(pairs(study)[0])["errors"] == [error]

    def test_a_note_alone_has_no_reference(self, study, lead):
        lead.post(page_of(study), {"action": "save", "note": "seule"})
        assert PracticeNote.objects.get().reference is None

    @pytest.mark.parametrize(
        "wrong",
        [
            {"errors-0-type": "omission", "errors-0-simplification": "absent"},
            {"errors-0-type": "omission", "errors-0-simplification": "bien plus long que le texte"},
            {"characterization": ""},
            {"bracket": "99"},
            {"action": "adopt_0"},
            {"action": "adopt_x"},
            {"action": "other"},
        ],
    )
    def test_what_is_wrong_is_said_and_what_was_typed_stays(self, study, lead, wrong):
        form = {"action": "save", "note": "à garder", **REFERENCE} | wrong
        answer = lead.post(page_of(study), form)
        assert answer.status_code == 422
        assert "à garder" in answer.content.decode()
        assert wrong.get("errors-0-simplification", "") in answer.content.decode()
        assert not PracticeNote.objects.exists()

    def test_a_wrong_number_stays_beside_what_is_wrong_with_it(self):
        user = make_user("responsable")
        study = practice_study(
            user, protocol_key=DIRECT_ASSESSMENT.key, protocol_version=DIRECT_ASSESSMENT.version
        )
        lead = Client()
        lead.force_login(user)
        form = {"action": "save", "note": "à garder", "meaning": "4711", "fluency": "60"}
        answer = lead.post(page_of(study), form)
        assert answer.status_code == 422
        page = answer.content.decode()
        assert re.search(r'name="meaning"[^>]* value="4711"', page)
        assert re.search(r'name="fluency"[^>]* value="60"', page)
        assert not PracticeNote.objects.exists()

    def test_somebody_s_judgment_is_taken_as_the_reference(self, study, lead):
        everybody_submits(study)
        judgment = Judgment.objects.filter(assignment__simplification=pairs(study)[1])[0]
        assert f"adopt_{judgment.pk}" in lead.get(page_of(study, 1)).content.decode()
        assert lead.post(page_of(study, 1), {"action": f"adopt_{judgment.pk}"}).status_code == 302
        assert reference_of(pairs(study)[1])["bracket"] == 3

    def test_what_only_the_lead_can_add_is_typed_beside_what_was_taken(self, study, lead):
        for annotator in people(study):
            for pair in pairs(study):
                submit(annotator, pair, characterization=18, explanation="MOTS")
        judgment = Judgment.objects.filter(assignment__simplification=pairs(study)[0])[0]
        answer = lead.post(page_of(study), {"action": f"adopt_{judgment.pk}", "note": "à garder"})
        assert answer.status_code == 422
        assert "écrivez les vôtres" in answer.content.decode()
        assert answer.context["typed_note"] == "à garder"
        written = {f["name"]: f["written"] for f in answer.context["form"]["fields"]}
        assert (written["characterization"], written["explanation"]) == ("18", "")
        rows = answer.context["form"]["lists"][0]["rows"]
        assert len([row for row in rows if row]) == len(judgment.errors.all()) > 0
        assert all(not row.get("note") for row in rows)

    def test_taking_a_judgment_keeps_the_note_that_is_being_typed(self, study, lead):
        everybody_submits(study)
        judgment = Judgment.objects.filter(assignment__simplification=pairs(study)[0])[0]
        shown = lead.get(page_of(study)).content.decode()
        button = shown[: shown.index(f'value="adopt_{judgment.pk}"')].rpartition("<button")[2]
        assert 'form="note-form"' in button
        # Enter in a row saves: a form's first button is the one that Enter stands for.
        first = shown.partition('form="note-form"')[2].partition(">")[0]
        assert 'value="save"' in first
        typed = {"action": f"adopt_{judgment.pk}", "note": "en train d'écrire", "builds_on": ""}
        assert lead.post(page_of(study), typed).status_code == 302
        assert reference_of(pairs(study)[0])["bracket"] == 3
        assert PracticeNote.objects.get().note == "en train d'écrire"

    @pytest.mark.parametrize("action", ["save", "drop_reference", "adopt"])
    def test_a_second_window_does_not_write_over_what_the_first_saved(self, study, lead, action):
        everybody_submits(study)
        judgment = Judgment.objects.filter(assignment__simplification=pairs(study)[0])[0]
        action = f"adopt_{judgment.pk}" if action == "adopt" else action
        form = {"action": "save", "builds_on": lead.get(page_of(study)).context["builds_on"]}
        assert lead.post(page_of(study), form | {"note": "note A"}).status_code == 302
        refused = lead.post(page_of(study), form | {"action": action, "note": "note B"})
        assert refused.status_code == 422
        shown = refused.content.decode()
        assert "enregistrée entre-temps" in shown
        assert "<p>note A</p>" in shown
        assert ">note B</textarea>" in shown
        assert PracticeNote.objects.get().note == "note A"
        again = {"action": action, "note": "note A et B", "builds_on": refused.context["builds_on"]}
        assert lead.post(page_of(study), again).status_code == 302
        assert PracticeNote.objects.get().note == "note A et B"

    def test_the_same_saved_twice_is_no_conflict(self, study, lead):
        form = {"action": "save", "note": "une fois", "builds_on": ""}
        assert [lead.post(page_of(study), form).status_code for _again in range(2)] == [302, 302]


class TestFeedback:
    def test_one_reads_the_note_and_the_reference_beside_one_s_own_answer(self, study, lead, anne):
        everybody_submits(study)
        lead.post(page_of(study), {"action": "save", "note": "Voyez l'article 3.", **REFERENCE})
        assert "article 3" not in anne.get("/annotate/pratique/feedback/").content.decode()
        assert lead.post("/studies/pratique/practice/", {"action": "publish"}).status_code == 302
        assert lead.post("/studies/pratique/practice/", {"action": "publish"}).status_code == 422
        shown = anne.get("/annotate/pratique/feedback/").content.decode()
        assert "article 3" in shown
        assert "par A" in shown
        assert "par B" not in shown

    def test_it_is_announced_until_the_main_round_is_begun(self, study, lead, anne):
        """On the home page and among one's own judgments, with the way to it."""
        pages, link = ("/", "/annotate/pratique/mine/"), "/annotate/pratique/feedback/"

        def announced() -> list[bool]:
            shown = [anne.get(page).content.decode() for page in pages]
            return ["Retour sur l'essai à lire" in shown[0], "paires d'essai est là" in shown[1]]

        everybody_submits(study)
        lead.post(page_of(study), {"action": "save", "note": "Voyez l'article 3."})
        assert announced() == [False, False]
        assert "Un retour vous en sera fait" in anne.get(pages[1]).content.decode()
        lead.post("/studies/pratique/practice/", {"action": "publish"})
        assert announced() == [True, True]
        assert all(link in anne.get(page).content.decode() for page in pages)
        assert "Un retour vous en sera fait" not in anne.get(pages[1]).content.decode()
        Study.objects.update(state="main")
        assert announced() == [True, True]
        assignments_fill(actor=None, study=study)
        submit(people(study)[0], study.items.get(round="main").simplifications.get())
        assert announced() == [False, False]
        # Still there for whoever looks.
        assert link in anne.get(pages[1]).content.decode()

    def test_it_is_announced_to_nobody_whose_pairs_it_is_not_about(self, study, lead, anne):
        submit(people(study)[1], pairs(study)[0])
        meeting_open(actor=study.leads.get().user, study=study, reason="tôt")
        lead.post(page_of(study), {"action": "save", "note": "Voyez l'article 3."})
        lead.post("/studies/pratique/practice/", {"action": "publish"})
        assert "l'essai à lire" not in anne.get("/").content.decode()

    def test_a_note_needs_no_reference(self, study, lead, anne):
        everybody_submits(study)
        lead.post(page_of(study), {"action": "save", "note": "Rien de plus."})
        lead.post("/studies/pratique/practice/", {"action": "publish"})
        (row,) = anne.get("/annotate/pratique/feedback/").context["rows"]
        assert [voice["name"] for voice in row["voices"]] == ["Vous"]

    def test_each_pair_s_table_has_a_name_of_its_own(self, study, lead, anne):
        everybody_submits(study)
        for number in range(2):
            lead.post(page_of(study, number), {"action": "save", "note": "Lisez l'article 3."})
        lead.post("/studies/pratique/practice/", {"action": "publish"})
        shown = anne.get("/annotate/pratique/feedback/").content.decode()
        labels = re.findall(r'aria-label="(Ce que chaque personne a décidé[^"]*)"', shown)
        assert len(labels) == len(set(labels)) == 2

    def test_no_page_of_an_annotator_holds_a_peer_s_practice_answer(self, study, lead, anne):
        """The meeting being open and the feedback published, whatever the role of the address."""
        for annotator in people(study):
            for pair in pairs(study):
                submit(annotator, pair, comment=f"secret de {annotator.pseudonym}", explanation="")
        user = study.leads.get().user
        meeting_open(actor=user, study=study, shows_names=True)
        for pair in pairs(study):
            practice_note_save(
                actor=user, study=study, pair=pair, note="Note.", reference=answers(errors=[])
            )
        practice_feedback_publish(actor=user, study=study)
        seen = ""
        for path in (
            "",
            "mine/",
            "guide/",
            "guide/read/",
            "feedback/",
            "1/",
            "2/",
            "1/history/",
            "2/history/",
        ):
            answer = anne.get(f"/annotate/pratique/{path}", follow=True)
            assert answer.status_code == 200, path
            seen += answer.content.decode()
        assert "secret de A" in seen
        for hidden in ("secret de B", "Brice", "brice@", "sys-x"):
            assert hidden not in seen
        for path in (
            "practice/",
            page_of(study).removeprefix("/studies/pratique/"),
            "deviations/",
            "guide/rejudge/",
        ):
            assert anne.get(f"/studies/pratique/{path}").status_code == 404
