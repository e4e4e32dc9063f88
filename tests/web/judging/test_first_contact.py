"""The way of somebody new: invitation, account, what awaits them, the guide; and of somebody who
comes late."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.corpus.glossary import Term
from annotation.models import Study
from annotation.selectors.practice.practice import practice_done, practice_part, practice_parts
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.people.invitations import invitation_create
from annotation.services.people.people import annotator_add
from annotation.services.studies.studies import guide_publish, study_change_state
from tests.cast import Cast
from tests.factories import kept_anew, make_user
from tests.planning import seen
from tests.planning import submit as judge
from tests.practising import pairs, people, practice_study, submit

pytestmark = pytest.mark.django_db
PASSWORD = "quatre mots sans rapport"


def joined(cast: Cast) -> tuple[Client, str]:
    """A new annotator of «alpha», and the page that they land on."""
    _, token = invitation_create(
        actor=cast.lead, study=cast.alpha, email="neuve@uni.example", role="annotator"
    )
    client = Client(headers={"accept-language": "fr"})
    form = client.get(f"/account/invitation/{token}/").content.decode()
    assert "Au moins 12 caractères" in form
    assert "ne peut pas" not in form
    filled = {"name": "Neuve", "password": PASSWORD, "again": PASSWORD}
    return client, client.post(
        f"/account/invitation/{token}/", filled, follow=True
    ).content.decode()


def test_what_awaits_somebody_new(cast: Cast):
    Study.objects.filter(pk=cast.alpha.pk).update(
        hourly_rate="22.50", contact="Prof. Roy, roy@uni.example"
    )
    _, home = joined(cast)
    assert "commencez par le guide" in home
    assert re.search(r"30 h (?:in all by the plan|en tout selon le plan)", home)
    assert "environ 5 minutes par paire" in home
    assert "22,50" in home
    assert "Prof. Roy, roy@uni.example" in home
    assert re.search(r'href="/annotate/alpha/"\s+autofocus>', home)


def test_a_closed_study_waits_for_nobody(cast: Cast):
    Study.objects.filter(pk=cast.alpha.pk).update(state="closed")
    client, home = joined(cast)
    assert "À juger" not in home
    assert 'href="/annotate/alpha/mine/"' in home
    assert "Aucune étude pour le moment" not in home
    Study.objects.filter(pk=cast.alpha.pk).update(state="main")
    assert "À juger" in client.get("/").content.decode()


def test_a_study_in_preparation_says_so(cast: Cast):
    Study.objects.filter(pk=cast.alpha.pk).update(state="draft")
    _, home = joined(cast)
    assert "encore en préparation" in home


def test_nothing_of_it_once_one_has_begun(cast: Cast):
    assert "Arrêt" in cast.client("annotator").get("/").content.decode()
    judge(next(row for row in seen(cast.judge) if row.simplification.item.round == "main"))
    assert "Arrêt" not in cast.client("annotator").get("/").content.decode()


def test_the_guide_has_the_focus_while_it_is_to_be_read(cast: Cast):
    guide_publish(actor=cast.lead, study=cast.alpha, body_fr="Lisez.")
    url = "/annotate/alpha/guide/read/"
    assert (
        'class="prose" tabindex="-1" autofocus'
        in cast.client("annotator").get(url).content.decode()
    )
    cast.client("annotator").post(url, {"number": "1"})
    assert (
        'class="prose" tabindex="-1" autofocus'
        not in cast.client("annotator").get(url).content.decode()
    )


def test_new_passwords_are_asked_for_in_one_sentence(cast: Cast):
    page = cast.client("annotator").get("/account/password/change/").content.decode()
    assert "Au moins 12 caractères" in page
    assert "ne peut pas" not in page


class TestComingLate:
    def test_who_comes_after_practice_is_told_and_offered_no_feedback(self, cast: Cast):
        client = cast.client("annotator")
        assert practice_part(cast.alpha, cast.annotator) == "late"
        page = client.get("/annotate/alpha/mine/").content.decode()
        assert "après l'essai" in page.replace("&#x27;", "'")
        assert "/annotate/alpha/feedback/" not in page
        assert "Il n'y a pas eu d'essai" in client.get(
            "/annotate/alpha/feedback/"
        ).content.decode().replace("&#x27;", "'")

    @pytest.mark.parametrize("page", ["", "annotate/alpha/mine/", "annotate/alpha/work/", "annotate/alpha/guide/",  # noqa: E501
                                      "annotate/alpha/guide/read/", "annotate/alpha/glossary/"])  # fmt: skip  # noqa: E501
    def test_every_page_of_theirs_says_so(self, cast: Cast, page):
        guide_publish(actor=cast.lead, study=cast.alpha, body_fr="Lisez.")
        glossary_replace(actor=cast.lead, study=cast.alpha, terms=[Term("prime", "Un prix.")])
        answer = cast.client("annotator").get(f"/{page}")
        assert answer.status_code == 200
        text = answer.content.decode().replace("&#x27;", "'")
        assert "après l'essai" in text
        assert "premières paires comptent" in text
        assert "/feedback/" not in text

    def test_who_was_there_and_submitted_none_of_it_is_not_said_to_have_come_late(self):
        study = practice_study()
        anne, other = people(study)
        submit(other, pairs(study)[0])
        study_change_state(actor=None, study=study, to="main", reason="assez")
        study.refresh_from_db()
        client = Client()
        client.force_login(anne.user)
        assert practice_part(study, anne.user) == "missed"
        for page in ("", "annotate/pratique/mine/", "annotate/pratique/feedback/"):
            text = client.get(f"/{page}").content.decode().replace("&#x27;", "'")
            assert "vous n'en avez rien soumis" in text, page
            assert "après l'essai" not in text, page
        late = annotator_add(actor=None, study=study, user=make_user("tard"))
        anne.refresh_from_db()
        assert practice_parts([anne, late]) == {anne.pk: "missed", late.pk: "late"}
        parts = {part.annotator: part for part in practice_done(study)}
        assert (parts[anne].is_late, parts[anne].is_missed) == (False, True)
        assert (parts[late].is_late, parts[late].is_missed) == (True, False)
        lead = make_user("lead", is_admin=True)
        client.force_login(lead)
        practice = client.get("/studies/pratique/practice/").content.decode()
        assert practice.replace("&#x27;", "'").count("n'en a rien soumis") == 1

    def test_who_practised_finds_it(self):
        study = practice_study()
        anne = people(study)[0]
        client = Client()
        client.force_login(anne.user)
        assert practice_part(study, anne.user) == "open"
        assert (
            "/annotate/pratique/feedback/"
            in client.get("/annotate/pratique/mine/").content.decode()
        )
        submit(anne, pairs(study)[0])
        Study.objects.filter(pk=study.pk).update(state="main")
        study.refresh_from_db()
        assert practice_part(study, anne.user) == "done"
        assert (
            "/annotate/pratique/feedback/"
            in client.get("/annotate/pratique/mine/").content.decode()
        )

    def test_without_practice_there_is_nothing_to_tell(self, cast: Cast):
        cast.alpha.items.filter(round="practice").delete()
        kept_anew()
        assert practice_part(cast.alpha, cast.annotator) == "none"
        assert (
            "après l" not in cast.client("annotator").get("/annotate/alpha/mine/").content.decode()
        )
