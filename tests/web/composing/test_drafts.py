"""Pages on which a lead composes a protocol: kept whatever it says, and nobody else's."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import ProtocolDraft, User
from annotation.protocols.files import protocol_text
from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.composing.drafts import examined
from annotation.services.composing.drafts import LONGEST_TEXT
from annotation.web.composing.rows import skeleton
from annotation.web.composing.structure import structure
from tests.cast import Cast
from tests.composing import composed, draft_of, files, sent

pytestmark = pytest.mark.django_db
URL = "/protocols/"
JADES = PROTOCOLS["jades", "1"]


@pytest.fixture
def lead(cast: Cast) -> Client:
    User.objects.filter(pk=cast.lead.pk).update(language="en")
    return cast.client("lead")


def address(draft: ProtocolDraft) -> str:
    return f"{URL}drafts/{draft.public_id}/"


def words(answer: object) -> str:
    return " ".join(answer.content.decode().split())  # type: ignore[attr-defined]


def test_what_is_installed_is_shown_and_can_be_tried(lead: Client) -> None:
    page = words(lead.get(URL))
    for protocol in PROTOCOLS.values():
        assert protocol.name in page
        assert f'href="{URL}trials/{protocol.key}-{protocol.version}/"' in page


@pytest.mark.parametrize("name", sorted(files()))
def test_a_draft_begins_with_any_installed_protocol_that_a_file_can_hold(
    lead: Client, name: str
) -> None:
    answer = lead.post(URL, {"beginning": name})
    draft = ProtocolDraft.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, address(draft))
    assert draft.name == name
    page = words(lead.get(answer["Location"]))
    assert "Just this protocol is installed" in page
    assert "What it asks, in words" in page


def test_a_copy_of_one_whose_rules_are_code_is_without_these(cast: Cast, lead: Client) -> None:
    code = {protocol.name for protocol in PROTOCOLS.values()} - {*files()}
    assert "legal_meaning 1" in code
    page = words(lead.get(URL))
    assert "Legal meaning (FrJUDGE), without its rules in code" in page
    lead.post(URL, {"beginning": "legal_meaning 1"})
    draft = ProtocolDraft.objects.get()
    assert "is that of a protocol of Barème" in words(lead.get(address(draft)))
    text = draft.text.replace('"key": "legal_meaning"', '"key": "mine"', 1)
    seen = examined(text, cast.lead)
    assert seen.may_be_installed
    assert "simplicity_confirmed" not in text
    assert len(seen.protocol.field("characterization").options) == 18
    assert structure(text)


def test_a_draft_begins_with_a_file_or_with_a_single_question(lead: Client) -> None:
    mine = protocol_text(JADES).replace('"key": "jades"', '"key": "mine"')
    lead.post(URL, {"file": SimpleUploadedFile("mine.json", mine.encode())})
    assert ProtocolDraft.objects.get().name == "mine 1"
    lead.post(URL, {})
    assert ProtocolDraft.objects.get(name="").text == skeleton()
    refused = lead.post(URL, {"file": SimpleUploadedFile("mine.json", b"\xff\xfe")})
    assert refused.status_code == 422
    assert "it is not UTF-8" in words(refused)
    assert ProtocolDraft.objects.count() == 2


def test_whatever_is_wrong_is_kept_and_said(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, protocol_text(JADES))
    wrong = protocol_text(JADES).replace('"kind": "scale"', '"kind": "scales"')
    answer = lead.post(address(draft), {"text": wrong, "builds_on": "1", "action": "try"})
    assert answer["Location"] == f"{address(draft)}?as=file#state"
    draft.refresh_from_db()
    assert (draft.text, draft.revision) == (wrong, 2)
    page = words(lead.get(address(draft)))
    assert "steps[fluency].fields[fluency].kind: “scales” is not known" in page
    assert lead.get(f"{URL}trials/{draft.public_id}/")["Location"] == address(draft)
    User.objects.filter(pk=cast.lead.pk).update(language="fr")
    assert "«\u00a0scales\u00a0» n&#x27;est pas connu" in lead.get(address(draft)).content.decode()


def test_the_form_and_the_file_are_of_one_draft(cast: Cast, lead: Client) -> None:
    text = protocol_text(JADES)
    draft = draft_of(cast.lead, text)
    assert 'name="steps.0.question.fr"' in words(lead.get(address(draft)))
    posted = sent(structure(text), base=text, builds_on="1", key="mine", action="save")
    assert lead.post(address(draft), posted.dict() | _lists(posted))["Location"] == (
        f"{address(draft)}#state"
    )
    draft.refresh_from_db()
    assert json.loads(draft.text) == json.loads(text) | {"key": "mine"}
    assert draft.name == "mine 1"
    page = words(lead.get(f"{address(draft)}?as=file"))
    assert "&quot;key&quot;: &quot;mine&quot;" in page
    assert "Try it; once it is installed" in page
    file = lead.get(f"{address(draft)}file/")
    assert file.content.decode() == draft.text
    assert file["Content-Disposition"] == 'attachment; filename="mine-1.json"'


def _lists(posted: object) -> dict[str, list[str]]:
    lists = dict(posted.lists())  # type: ignore[attr-defined]
    return {name: values for name, values in lists.items() if len(values) != 1}


def test_a_button_of_the_form_leads_to_what_it_made(cast: Cast, lead: Client) -> None:
    text = skeleton()
    draft = draft_of(cast.lead, text)
    posted = sent(structure(text), base=text, builds_on="1", action="add:steps")
    there = lead.post(address(draft), posted.dict() | _lists(posted))["Location"]
    assert there == f"{address(draft)}?open=steps.1#id_steps.1"
    assert 'id="id_steps.1" open' in words(lead.get(there))


def test_what_another_window_saved_is_not_overwritten(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, "{}")
    mine = {"text": '{"key": "mine"}', "builds_on": "1"}
    lead.post(address(draft), {"text": '{"key": "theirs"}', "builds_on": "1"})
    refused = lead.post(address(draft), mine)
    assert refused.status_code == 409
    page = words(refused)
    assert "{&quot;key&quot;: &quot;mine&quot;}</textarea>" in page
    assert "{&quot;key&quot;: &quot;theirs&quot;}</pre>" in page
    draft.refresh_from_db()
    assert draft.text == '{"key": "theirs"}'
    assert lead.post(address(draft), mine | {"builds_on": "2"}).status_code == 302
    draft.refresh_from_db()
    assert draft.text == '{"key": "mine"}'
    # The same once more is no other version.
    assert lead.post(address(draft), mine).status_code == 302


def test_what_cannot_be_kept_stands_in_the_form(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, "{}")
    long = "é" * (LONGEST_TEXT + 1)
    refused = lead.post(address(draft), {"text": "{}", "original": long, "builds_on": "1"})
    assert refused.status_code == 422
    page = refused.content.decode()
    assert "20001 characters: 20000 at most" in page
    assert long in page


def test_a_form_of_what_has_none_is_refused(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, "{}")
    assert lead.post(address(draft), {"base": "[", "builds_on": "1"}).status_code == 400
    assert lead.post(address(draft), {"base": "{}", "builds_on": "x"}).status_code == 422
    # What was not sent is not emptied.
    assert lead.post(address(draft), {"builds_on": "1"}).status_code == 400
    draft.refresh_from_db()
    assert draft.text == "{}"


def test_a_draft_that_another_window_has_deleted_is_gone(
    cast: Cast, lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = draft_of(cast.lead, "{}")

    def gone(*_: object, **__: object) -> None:
        raise ProtocolDraft.DoesNotExist

    monkeypatch.setattr("annotation.web.composing.views.protocol_draft_save", gone)
    assert lead.post(address(draft), {"text": "{}", "builds_on": "1"}).status_code == 404


def test_a_conflict_of_forms_stays_a_form(cast: Cast, lead: Client) -> None:
    text = skeleton()
    draft = draft_of(cast.lead, text)
    theirs = {"text": text, "original": "Autre texte.", "builds_on": "1"}
    assert lead.post(address(draft), theirs).status_code == 302
    posted = sent(structure(text), base=text, builds_on="1", key="mine", action="save")
    refused = lead.post(address(draft), posted.dict() | _lists(posted))
    page = words(refused)
    assert refused.status_code == 409
    assert 'name="key" value="mine"' in page
    assert '<p class="prewrap">Autre texte.</p>' in page


def test_a_new_draft_is_not_told_what_is_missing_before_it_is_saved(
    cast: Cast, lead: Client
) -> None:
    draft = draft_of(cast.lead, skeleton())
    assert "Fill in the form and save" in words(lead.get(address(draft)))
    lead.post(address(draft), {"text": skeleton(), "original": "x", "builds_on": "1"})
    assert "things to mend in this protocol" in words(lead.get(address(draft)))


@pytest.mark.parametrize("odd", ['{"steps": 5}', '{"steps": true}', '{"panels": "x"}', "null"])
def test_an_odd_file_is_shown(cast: Cast, lead: Client, odd: str) -> None:
    draft = draft_of(cast.lead, odd)
    page = lead.get(address(draft))
    assert page.status_code == 200
    assert "to mend in this protocol" in words(page)


def test_a_file_without_a_form_is_changed_as_a_file(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, "no JSON")
    assert "This file has no form" in words(lead.get(address(draft)))
    assert 'name="text"' in words(lead.get(f"{address(draft)}?as=file"))


def test_a_name_that_another_protocol_has_is_said(cast: Cast, lead: Client) -> None:
    other = protocol_text(JADES).replace("La langue de la simplification", "La langue du texte")
    draft = draft_of(cast.lead, other)
    assert "The key “jades” is that of a protocol of Barème" in words(lead.get(address(draft)))


def test_a_draft_is_deleted(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, "{}")
    assert lead.post(address(draft), {"action": "delete"})["Location"] == URL
    assert not ProtocolDraft.objects.exists()


def test_no_other_lead_and_no_admin_reads_a_draft(cast: Cast) -> None:
    draft = draft_of(cast.lead, protocol_text(JADES))
    tried = f"{URL}trials/{draft.public_id}/"
    for role in ("other_lead", "admin", "annotator"):
        for url in (address(draft), f"{address(draft)}file/", tried, f"{tried}guide/"):
            assert cast.client(role).get(url).status_code == 404, (role, url)
        assert str(draft.public_id) not in cast.client(role).get(URL).content.decode()


def test_a_condition_names_the_answer_that_it_asks_for(cast: Cast, lead: Client) -> None:
    """Python takes 1, the first of most scales, for true, and a tick for 1."""
    why = {"kind": "text", "name": "why", "label": {"fr": "Pourquoi?", "en": "Why?"}}
    sure = {"kind": "flag", "name": "sure", "label": {"fr": "Certain", "en": "Certain"}}
    draft = draft_of(
        cast.lead,
        composed(
            fields=[
                sure,
                why | {"shown_when": {"field": "clarity", "values": [1, 3]}},
                why | {"name": "how", "shown_when": {"field": "sure", "values": [True]}},
            ]
        ),
    )
    page = words(lead.get(address(draft)))
    assert "“Clarity” is: not clear or clear" in page
    assert "“Certain” is: ticked" in page
