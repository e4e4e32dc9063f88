"""The column beside a study's pages: what waits on which, and that every page of a study has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.urls import reverse

from annotation.models import GenerationRun, Tally
from annotation.selectors.studies.due import Due, study_due
from annotation.selectors.studies.due_words import words_of
from annotation.web.studies.navigation import PAGES, navigation
from tests.factories import make_study

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"


@pytest.mark.django_db
class TestColumn:
    def test_says_what_waits_on_its_page_and_what_is_next(self, cast):
        GenerationRun.objects.create(study=cast.alpha, number=1, ceiling=1, undecided=12)
        Tally.objects.filter(annotator=cast.judge, in_practice=False).update(remarks=3)
        page = cast.client("lead").get("/studies/alpha/settings/").content.decode()
        nav = page[page.index('<nav class="study-nav"') : page.index('<main id="main"')]
        words = " ".join(re.sub(r"<[^>]+>", " ", nav).split())
        assert "À faire : Remarques 3 remarques ouvertes" in words
        assert "Modèles 12 sorties à relire" in words
        assert "Suivi 4 paires à juger" in words

    def test_marks_the_page_and_what_stands_beneath_another(self):
        study = make_study("copy")
        marked = {
            path: [
                (page.url, page.current)
                for phase in navigation(study, path).phases
                for page in phase.pages
                if page.current
            ]
            for path in ("/studies/copy/", "/studies/copy/pay/", "/studies/copy/plan/steadiness/")
        }
        assert marked == {
            "/studies/copy/": [("/studies/copy/", "page")],
            "/studies/copy/pay/": [("/studies/copy/watch/", "true")],
            "/studies/copy/plan/steadiness/": [("/studies/copy/plan/", "true")],
        }

    def test_nothing_is_next_of_a_study_that_is_put_away(self, cast):
        cast.alpha.archived_at = cast.alpha.created_at
        assert study_due(cast.alpha) == []
        assert navigation(cast.alpha, "/").next is None

    def test_an_annotator_never_sees_it(self, cast):
        for path in ("/", "/annotate/alpha/mine/", "/annotate/alpha/guide/"):
            assert b"study-nav" not in cast.client("annotator").get(path).content


@pytest.mark.parametrize("key", PAGES)
def test_everything_that_waits_has_words_and_a_page(key):
    assert words_of(Due(key, 2))
    assert "%" not in words_of(Due(key, 2))
    assert reverse(PAGES[key], args=["s"])


def test_only_the_frame_has_the_column():
    """A page of a study extends the frame; one that included the column would show it twice."""
    paths = [
        str(path.relative_to(TEMPLATES))
        for path in TEMPLATES.rglob("*.html")
        if "studies/_nav.html" in path.read_text(encoding="utf-8")
    ]
    assert paths == ["studies/frame.html"]
