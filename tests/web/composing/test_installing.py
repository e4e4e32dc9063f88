"""Pages on which a lead has studies choose what they composed, and takes it away again."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.models import PublishedProtocol, Study, User
from annotation.protocols.registry import COMPOSED, withdraw_composed
from annotation.services.composing.drafts import Composed, protocol_draft_save
from annotation.services.composing.installing import draft_install
from annotation.services.studies.studies import study_create
from tests.cast import Cast
from tests.composing import composed, draft_of, installed
from tests.web.composing.test_drafts import URL, address, words
from tests.web.studies.test_studies import filled

pytestmark = pytest.mark.django_db
REMOVE = f"{URL}installed/clarity-1/remove/"


@pytest.fixture
def lead(cast: Cast) -> Client:
    User.objects.filter(pk=cast.lead.pk).update(language="en")
    return cast.client("lead")


@pytest.fixture(autouse=True)
def _every_request_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Client.request

    def request(client: Client, **asked: object) -> object:
        for identity in list(COMPOSED):
            withdraw_composed(*identity)
        return ask(client, **asked)

    monkeypatch.setattr(Client, "request", request)


def test_from_the_draft_to_a_study(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, composed())
    assert "Install it" in words(lead.get(address(draft)))
    page = words(lead.get(f"{address(draft)}install/"))
    assert "whoever has an account can read what it asks" in page
    assert "Is it clear?" in page
    assert not PublishedProtocol.objects.filter(key="clarity").exists()

    answer = lead.post(f"{address(draft)}install/", {"seen": 1}, follow=True)
    assert answer.redirect_chain == [(URL, 302)]
    page = words(answer)
    assert "“clarity 1” is installed: new studies can choose it." in page
    assert "composed by you" in page
    assert f'href="{REMOVE}"' in page
    assert "Just this protocol is installed" in words(lead.get(address(draft)))
    assert lead.get(f"{address(draft)}install/")["Location"] == address(draft)

    new = lead.get("/studies/new/?protocol=clarity")
    assert (
        '<optgroup label="Composed here"> <option value="clarity" selected>Clarity</option>'
        in words(new)
    )
    form = filled(new) | {"key": "clear", "title": "Clear"}
    assert lead.post("/studies/new/", form)["Location"] == "/studies/clear/"
    assert Study.objects.get(key="clear").protocol.title.en == "Clarity"
    page = words(lead.get(URL))
    assert "A study follows it." in page
    assert REMOVE not in page


def test_another_lead_chooses_it_and_cannot_take_it_away(cast: Cast) -> None:
    installed(cast.lead)
    other = cast.client("other_lead")
    page = words(other.get(URL))
    assert "composé ici" in page
    assert cast.lead.email not in page
    assert REMOVE not in page
    assert (other.get(REMOVE).status_code, other.post(REMOVE).status_code) == (404, 404)
    assert 'value="clarity"' in words(other.get("/studies/new/"))
    assert REMOVE in words(cast.client("admin").get(URL))


def test_it_is_removed_where_no_study_follows_it(cast: Cast, lead: Client) -> None:
    installed(cast.lead)
    assert "given to no other" in words(lead.get(REMOVE))
    study_create(actor=cast.lead, key="a", title="A", protocol_key="clarity")
    answer = lead.post(REMOVE)
    assert (answer.status_code, "A study follows “clarity 1”" in words(answer)) == (422, True)
    page = words(lead.get(REMOVE))
    assert ("it stays as long as there is one" in page, "Remove clarity 1" in page) == (True, False)
    Study.objects.filter(key="a").delete()
    assert "Remove clarity 1" in words(lead.get(REMOVE))
    answer = lead.post(REMOVE, follow=True)
    assert "“clarity 1” is removed" in words(answer)
    assert f'href="{URL}trials/clarity-1/"' not in words(answer)
    # Another window, and whoever comes back to the page.
    for again in (lead.post(REMOVE, follow=True), lead.get(REMOVE, follow=True)):
        assert "“clarity 1” is removed already" in words(again)


def test_what_another_window_saved_meanwhile_is_not_installed(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, composed())
    other = composed(title={"fr": "Autre", "en": "Other"})
    protocol_draft_save(draft=draft, composed=Composed(other), builds_on=1)
    answer = lead.post(f"{address(draft)}install/", {"seen": 1})
    assert answer.status_code == 409
    page = words(answer)
    assert "Nothing was installed: look it through" in page
    assert "Other" in page
    assert 'name="seen" value="2"' in page
    assert not PublishedProtocol.objects.filter(key="clarity").exists()


@pytest.mark.parametrize("seen", ["", "x", "0", "99999999999"])
def test_what_no_page_sends_is_refused(cast: Cast, lead: Client, seen: str) -> None:
    draft = draft_of(cast.lead, composed())
    assert lead.post(f"{address(draft)}install/", {"seen": seen}).status_code == 400


def test_what_cannot_be_installed_is_not_offered(cast: Cast, lead: Client) -> None:
    """A refusal says why, and the draft stays."""
    for text in (composed(key="jades", version="7"), composed(fields=[{"kind": "x"}])):
        draft = draft_of(cast.lead, text)
        page = words(lead.get(address(draft)))
        assert "Install it" not in page
        assert lead.get(f"{address(draft)}install/")["Location"] == address(draft)
        answer = lead.post(f"{address(draft)}install/", {"seen": 1})
        assert answer.status_code == 422
        assert "Back to the draft" in words(answer)
    installed(cast.other_lead)
    claimed = draft_of(cast.lead, composed(version="2"))
    assert "Somebody else has installed a protocol under the key" in words(
        lead.get(address(claimed))
    )


def test_what_was_typed_and_not_saved_is_not_offered(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, composed())
    form = {"text": composed(version="2"), "builds_on": "x"}
    answer = lead.post(address(draft), form)
    assert (answer.status_code, "Install it" in words(answer)) == (422, False)


def test_a_draft_begins_with_what_somebody_else_installed(cast: Cast, lead: Client) -> None:
    installed(cast.other_lead)
    answer = lead.post(URL, {"beginning": "clarity 1"}, follow=True)
    assert "Just this protocol is installed" in words(answer)


def test_a_lower_version_says_what_new_studies_get(cast: Cast, lead: Client) -> None:
    installed(cast.lead, version="2")
    draft = draft_of(cast.lead, composed())
    page = words(lead.get(f"{address(draft)}install/"))
    assert "New studies get “clarity 2”, which is higher." in page
    page = words(lead.post(f"{address(draft)}install/", {"seen": 1}, follow=True))
    assert "“clarity 1” is installed. New studies get “clarity 2”, which is higher." in page
    # Two of one title are told apart, also to who does not see where they stand.
    assert page.count("(Clarity (clarity 1))") == 2
    assert page.count("(Clarity (clarity 2))") == 3
    assert '<option value="clarity 1">Clarity (clarity 1)</option>' in page
    assert page.index("clarity 1</span>") < page.index("legal_meaning 1</span>")


def test_the_list_of_drafts_says_which_of_them_is_installed(cast: Cast, lead: Client) -> None:
    kept = draft_of(cast.lead, composed())
    other = draft_of(cast.lead, composed(version="2"))

    def badges() -> list[bool]:
        drafts = {draft.pk: draft.is_installed for draft in lead.get(URL).context["drafts"]}
        return [drafts[kept.pk], drafts[other.pk]]

    assert badges() == [False, False]
    draft_install(actor=cast.lead, draft=kept, seen=1)
    assert badges() == [True, False]
    protocol_draft_save(
        draft=kept, composed=Composed(composed(title={"fr": "A", "en": "B"})), builds_on=1
    )
    assert badges() == [False, False]
