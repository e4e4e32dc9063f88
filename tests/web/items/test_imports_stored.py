"""Getting pairs in by the browser: what is stored, once, and the released ratings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import translation

from annotation.models import Judgment, PairsUpload
from annotation.web.items.forms import MappingForm
from annotation.web.items.views import imports
from tests.factories import make_pair, make_study
from tests.web.items.importing import CSV, page_text, post, sent, shown_form

FRJUDGE = {
    "original": "L'assuré paie.",
    "simplification": "Vous payez.",
    "simplicity": "Plus simple à lire",
    "qualification": "8",
    "legal_meaning": "7",
    "justifications": "",
}


@pytest.fixture
def study(cast):
    return make_study("gamma", lead=cast.lead)


@pytest.fixture
def lead(cast, study):
    return cast.client("lead")


class TestImporting:
    def test_pairs_go_in_and_the_page_says_how_many(
        self, lead, study, django_capture_on_commit_callbacks
    ):
        url = sent(lead, CSV)
        path = Path(PairsUpload.objects.get().file.path)
        with django_capture_on_commit_callbacks(execute=True):
            answer = post(lead, url)
        assert answer.url == reverse("study_items", args=["gamma"])
        assert list(study.items.values_list("original", "round")) == [
            ("L'assuré paie la prime.", "main"),
            ("L'assureur rembourse.", "main"),
        ]
        assert "2" in page_text(lead.get(answer.url))
        assert not path.exists()

    def test_practice_pairs(self, lead, study):
        post(lead, sent(lead, CSV), round="practice")
        assert set(study.items.values_list("round", flat=True)) == {"practice"}

    def test_a_second_click_adds_nothing(self, lead, study):
        url = sent(lead, CSV)
        form = shown_form(lead, url) | {"action": "import"}
        lead.post(url, form)
        again = lead.post(url, form)
        assert again.url == reverse("study_items", args=["gamma"])
        assert study.items.count() == 2
        assert lead.get(url).status_code == 302
        assert lead.get(url + "problems.csv").status_code == 404

    def test_duplicates_stop_it_until_they_are_left_out(self, lead, study):
        make_pair(study, original="L'assuré paie la prime.", text="Vous payez.", system="s1")
        url = sent(lead, CSV)
        assert lead.get(url).context["shown"].only_duplicates
        assert post(lead, url).status_code == 422
        assert study.items.count() == 1
        answer = post(lead, url, skip_duplicates="on")
        assert answer.status_code == 302
        assert study.items.count() == 2

    def test_advice_on_duplicates_names_the_box_as_it_is_called(self, lead, study):
        make_pair(study, original="L'assuré paie la prime.", text="Vous payez.", system="s1")
        first, row, *_rest = CSV.splitlines()
        with translation.override("en"):
            box = str(MappingForm.base_fields["skip_duplicates"].label).lower()
        for rows in (CSV, "\n".join([first, row.replace("prime", "somme")] + [row] * 2)):
            problems = lead.get(sent(lead, rows)).context["shown"].problems
            remedies = [problem.remedy.en for problem in problems if problem.duplicate]
            assert remedies
            assert all(f"choose to {box}" in remedy for remedy in remedies)

    def test_a_study_that_was_closed_meanwhile_says_so(self, lead, study):
        url = sent(lead, CSV)
        study.state = "closed"
        study.save()
        answer = lead.post(url, shown_form(lead, url) | {"action": "import"}, follow=True)
        assert not study.items.exists()
        assert PairsUpload.objects.get().consumed_at is None
        assert list(answer.context["messages"])

    def test_what_another_import_took_meanwhile_is_named(self, lead, study, monkeypatch):
        url = sent(lead, CSV)
        form = shown_form(lead, url) | {"action": "import"}
        real = imports.upload_import

        def after_another(**arguments):
            make_pair(study, original="L'assuré paie la prime.", text="Vous payez.", system="s1")
            return real(**arguments)

        monkeypatch.setattr(imports, "upload_import", after_another)
        answer = lead.post(url, form)
        assert answer.status_code == 422
        assert [problem["row"] for problem in answer.context["problems"]] == [2]

    def test_a_file_can_be_thrown_away(self, lead, study):
        url = sent(lead, CSV)
        assert lead.post(url, {"action": "discard"}).url == reverse("pairs_upload", args=["gamma"])
        assert not PairsUpload.objects.exists()
        assert lead.get(url).status_code == 404


class TestReleasedRatings:
    @pytest.fixture
    def content(self):
        other = FRJUDGE | {"original": "Autre."}
        return "".join(
            json.dumps(row, ensure_ascii=False) + "\n" for row in (FRJUDGE, other, FRJUDGE)
        )

    def test_the_page_says_what_such_judgments_know(self, lead, content):
        answer = lead.get(sent(lead, content, name="FrJUDGE.jsonl"))
        assert answer.context["shown"].released is not None
        assert answer.context["uneven"]
        assert "map_original" not in answer.context["form"].fields
        assert "Plus simple à lire" in page_text(answer)

    def test_pairs_and_judgments_go_in(self, lead, study, content):
        answer = post(lead, sent(lead, content))
        assert answer.status_code == 302
        assert Judgment.objects.filter(assignment__annotator__study=study).count() == 3
        assert study.annotators.count() == 2

    def test_the_pairs_can_be_taken_without_the_judgments(self, lead, study, content):
        url = sent(lead, content)
        assert post(lead, url, content="pairs").url == url
        assert lead.get(url).context["shown"].only_duplicates
        post(lead, url, skip_duplicates="on")
        assert (
            study.items.count(),
            Judgment.objects.filter(assignment__annotator__study=study).count(),
        ) == (2, 0)

    def test_and_back(self, lead, content):
        url = sent(lead, content)
        post(lead, url, action="preview", content="pairs")
        post(lead, url, action="preview", content="frjudge")
        assert lead.get(url).context["shown"].released is not None

    def test_a_class_19_is_named(self, lead, study):
        bad = json.dumps(FRJUDGE | {"qualification": "19"})
        url = sent(lead, json.dumps(FRJUDGE) + "\n" + bad + "\n")
        problem = lead.get(url).context["problems"][0]
        assert (problem["row"], problem["field"]) == (2, "qualification")
        assert post(lead, url).status_code == 422
        assert not study.items.exists()

    def test_pairs_that_are_there_are_named(self, lead, study, content):
        post(lead, sent(lead, content))
        assert lead.get(sent(lead, content)).context["problem_count"] == 2
