"""The end of the letters to leads: a link opens a page, a POST ends them, nobody has to log in."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.models import User
from annotation.services.studies.digests import digest_token

pytestmark = pytest.mark.django_db


def wish(user: User) -> str:
    return User.objects.values_list("digest", flat=True).get(pk=user.pk)


def test_fetching_the_link_changes_nothing(cast):
    answer = Client().get(f"/digest/off/{digest_token(cast.lead)}/")
    assert answer.status_code == 200
    assert b"js/studies/digest-off" in answer.content
    assert wish(cast.lead) == "weekly"


def test_a_program_for_mail_ends_them_without_a_session(cast):
    client = Client(enforce_csrf_checks=True)
    answer = client.post(
        f"/digest/off/{digest_token(cast.lead)}/", {"List-Unsubscribe": "One-Click"}
    )
    assert answer.status_code == 200
    assert b"digest-off" not in answer.content
    assert (wish(cast.lead), wish(cast.other_lead)) == ("never", "weekly")


def test_a_link_that_is_not_ours(cast):
    assert Client().get("/digest/off/nonsense/").status_code == 404
    assert Client().post("/digest/off/nonsense/").status_code == 404


def test_it_is_chosen_on_the_page_of_the_account_by_who_leads(cast):
    page = "/account/preferences/"
    lead = cast.client("lead")
    assert b'name="digest"' in lead.get(page).content
    assert b'name="digest"' not in cast.client("annotator").get(page).content
    assert lead.post(page, {"digest": "daily"}).status_code == 303
    assert wish(cast.lead) == "daily"
    assert lead.post(page, {"digest": "hourly"}).status_code in (302, 303)
    assert wish(cast.lead) == "daily"
