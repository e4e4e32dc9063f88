"""The column beside a study's pages: what waits on which, and that every page of a study has it."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import pytest
from django.urls import reverse
from django.urls.converters import IntConverter, UUIDConverter

from annotation.models import GenerationRun, Tally
from annotation.selectors.studies.due import Due, study_due
from annotation.selectors.studies.due_words import words_of
from annotation.web.studies.navigation import PAGES, navigation
from tests.factories import make_study
from tests.web.test_access_matrix import URLS

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


# It only takes what is sent, and leads back to the study's page.
SENT_TO = {"study_state"}


def addresses_of_studies() -> dict[str, str]:
    """Where each page of a study stands, by name; files are none."""
    addresses = {}
    for name, pattern in URLS.items():
        parts = pattern.pattern.converters
        if "study" not in parts or name in SENT_TO:
            continue
        values = {part: value_for(converter) for part, converter in parts.items()}
        address = reverse(name, kwargs=values | {"study": "s"})
        if address.startswith("/studies/s/") and not address.endswith(".csv"):
            addresses[name] = address
    return addresses


def value_for(converter: object) -> object:
    if isinstance(converter, IntConverter):
        return 1
    return uuid.UUID(int=1) if isinstance(converter, UUIDConverter) else "x"


@pytest.mark.django_db
def test_every_page_of_a_study_is_marked_once():
    """A page that is nowhere in the column cannot be found again: ``_PHASES`` names it, or the page
    that it stands beneath."""
    study = make_study("s")
    marked = {
        name: [
            page.url
            for phase in navigation(study, path).phases
            for page in phase.pages
            if page.current
        ]
        for name, path in addresses_of_studies().items()
    }
    assert len(marked) > 50
    assert {name: pages for name, pages in marked.items() if len(pages) != 1} == {}


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
