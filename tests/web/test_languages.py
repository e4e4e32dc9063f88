"""Which language a page says of itself and of its parts, and in which a reader comes back."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.models import Assignment
from annotation.services.judging.judgments import judgment_submit
from annotation.services.studies.studies import guide_publish, study_update
from annotation.services.watching.remarks import remark_answer
from tests.cast import Cast
from tests.factories import save

pytestmark = pytest.mark.django_db


@pytest.fixture
def english(cast: Cast) -> Client:
    cast.annotator.language = "en"
    cast.annotator.save()
    return cast.client("annotator")


def text_of(answer) -> str:
    return answer.content.decode()


class TestParts:
    def test_a_title_has_the_study_s_language_whatever_the_page_s(self, cast, english):
        cast.alpha.title = "Clauses d'assurance"
        cast.alpha.save()
        for path in (
            "/",
            "/annotate/alpha/mine/",
            "/annotate/alpha/guide/",
            "/annotate/alpha/feedback/",
        ):
            page = text_of(english.get(path))
            assert '<html lang="en"' in page
            assert 'lang="fr">Clauses d&#x27;assurance<' in page, path
        study_update(actor=cast.lead, study=cast.alpha, language="en")
        assert 'lang="en">Clauses d&#x27;assurance<' in text_of(english.get("/"))

    def test_the_guide_in_the_language_that_it_has(self, cast, english):
        guide_publish(actor=cast.lead, study=cast.alpha, body_fr="Lisez.", body_en="")
        assert 'lang="fr" data-guide-body><p>Lisez.' in text_of(
            english.get("/annotate/alpha/guide/")
        )
        guide_publish(actor=cast.lead, study=cast.alpha, body_fr="Lisez.", body_en="Read.")
        assert 'lang="en" data-guide-body><p>Read.' in text_of(
            english.get("/annotate/alpha/guide/")
        )
        assert 'lang="en" data-guide-body><p>Read.' in text_of(
            english.get("/annotate/alpha/guide/read/")
        )

    def test_comments_and_the_lead_s_words(self, cast, english):
        rows = Assignment.objects.select_related(
            "annotator__study", "annotator__user", "simplification__item"
        )
        pair = rows.filter(annotator=cast.judge, simplification__item__round="main")[0]
        judgment_submit(actor=cast.annotator, assignment=pair, save=save(comment="Une remarque"))
        remark_answer(actor=cast.lead, study=cast.alpha, assignment=pair.pk, text="Une réponse")
        url = f"/annotate/alpha/{pair.position}/"
        assert re.search(r'<span\s+lang="fr">Une réponse', text_of(english.get(url)))
        history = text_of(english.get(f"{url}history/"))
        assert re.search(r'<dd lang="fr">\s*Une remarque', history)


class TestComingBack:
    def test_the_log_in_page_speaks_as_the_pages_before_it(self, cast, english):
        english.get("/")
        english.post("/account/logout/")
        back = english.get("/account/login/", headers={"accept-language": "fr"})
        assert '<html lang="en"' in text_of(back)

    def test_a_preference_moves_it(self, cast, english):
        english.get("/")
        english.post("/account/preferences/", {"language": "fr"})
        english.post("/account/logout/")
        assert '<html lang="fr"' in text_of(
            english.get("/account/login/", headers={"accept-language": "en"})
        )

    def test_nobody_s_browser_is_told_anything_it_knows(self, cast, english):
        assert "bareme_language" in english.get("/").cookies
        assert "bareme_language" not in english.get("/").cookies
        assert "bareme_language" not in Client().get("/account/login/").cookies


def test_no_preference_is_called_optional(cast):
    assert "facultatif" not in text_of(cast.client("annotator").get("/account/preferences/"))
