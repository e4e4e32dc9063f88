"""A protocol tried: what annotators would see, what they would be refused, what would be stored;
and nothing of it is."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from annotation.answers import facts
from annotation.models import Draft, Judgment, User
from annotation.protocols.files import protocol_text
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from annotation.web.composing.trials import SAMPLES
from tests.cast import Cast
from tests.composing import draft_of
from tests.protocols.answered import answered

pytestmark = pytest.mark.django_db
JADES = PROTOCOLS["jades", "1"]
ORIGINAL, SIMPLIFICATION = SAMPLES["fr"]
FACTS = facts(original=ORIGINAL, simplification=SIMPLIFICATION, is_identical=False, language="fr")
ALL = sorted(PROTOCOLS.values(), key=lambda protocol: protocol.name)


@pytest.fixture
def lead(cast: Cast) -> Client:
    User.objects.filter(pk=cast.lead.pk).update(language="en")
    return cast.client("lead")


def address(protocol: Protocol) -> str:
    return f"/protocols/trials/{protocol.key}-{protocol.version}/"


@pytest.mark.parametrize("protocol", ALL, ids=lambda protocol: protocol.name)
def test_every_installed_protocol_is_tried(lead: Client, protocol: Protocol) -> None:
    page = lead.get(address(protocol)).content.decode()
    for field in protocol.fields:
        if not field.is_of_page and not field.stored_with:
            assert f'data-field="{field.name}"' in page, field.name
    empty = lead.post(address(protocol), {"action": "submit", "answers": "{}"})
    rulings = protocol.clean_rulings({})
    is_lacking = bool(protocol.problems(protocol.empty_answers(), FACTS, rulings))
    assert empty.status_code == (422 if is_lacking else 200)
    assert ("To mend before you submit:" in empty.content.decode()) == is_lacking
    assert f'href="{address(protocol)}guide/"' in page
    assert lead.get(f"{address(protocol)}guide/").status_code == 200
    answers = answered(protocol, "A")
    is_complete = not protocol.problems(answers, FACTS, rulings)
    told = lead.post(address(protocol), {"action": "submit", "answers": json.dumps(answers)})
    assert told.status_code == (200 if is_complete else 422)
    if is_complete:
        page = told.content.decode()
        for rating in protocol.ratings(answers, rulings):
            assert f"<code>{rating.dimension}</code>" in page
    assert not Judgment.objects.exists()
    assert not Draft.objects.exists()


def test_a_form_without_scripts_is_checked_as_well(lead: Client) -> None:
    given = {"fluency": "4", "meaning": "2", "simplicity": "1"}
    told = lead.post(address(JADES), given | {"action": "submit"})
    assert told.status_code == 200
    assert "<code>fluency</code>" in told.content.decode()
    kept = lead.post(address(JADES), given | {"action": "save"}).content.decode()
    assert kept.count("checked") >= 3


@pytest.mark.parametrize("answers", ["[", "[]", '{"a": 1, "a": 2}', '"\\ud800"', "[" * 2000])
def test_answers_that_cannot_be_read_are_refused(lead: Client, answers: str) -> None:
    given = {"action": "submit", "answers": answers}
    assert lead.post(address(JADES), given).status_code == 400


@pytest.mark.parametrize("answers", [{"none": 1}, {"fluency": "x"}, {"fluency": [1]}])
def test_answers_of_another_shape_are_worded(lead: Client, answers: dict[str, object]) -> None:
    given = {"action": "submit", "answers": json.dumps(answers)}
    refused = lead.post(address(JADES), given)
    assert refused.status_code == 422
    assert "To mend before you submit:" in refused.content.decode()


def test_what_is_tried_is_the_draft_as_it_stands_now(cast: Cast, lead: Client) -> None:
    """Parts of judging pages are kept by their protocol's name, which two drafts may share."""
    text = protocol_text(JADES)
    draft = draft_of(cast.lead, text.replace("Langue brisée", "Avant"), original="Un.")
    url = f"/protocols/trials/{draft.public_id}/"
    User.objects.filter(pk=cast.lead.pk).update(language="fr")
    assert "Avant" in lead.get(url).content.decode()
    page = {"text": text.replace("Langue brisée", "Après"), "original": "Deux.", "builds_on": "1"}
    assert lead.post(f"/protocols/drafts/{draft.public_id}/", page).status_code == 302
    after = lead.get(url).content.decode()
    assert "Après" in after
    assert "Avant" not in after
    assert "Deux." in after
    assert "Langue brisée" in lead.get(address(JADES)).content.decode()


@pytest.mark.parametrize("answers", ["{}", '{"errors": 5}', '{"errors": null}', '{"errors": [1]}'])
@pytest.mark.parametrize("action", ["add:errors", "remove:errors:0", "add:none"])
def test_rows_are_added_to_whatever_was_sent(lead: Client, answers: str, action: str) -> None:
    given = {"action": action, "answers": answers}
    assert lead.post(address(PROTOCOLS["legal_meaning", "1"]), given).status_code == 200


def test_a_draft_has_one_address(cast: Cast, lead: Client) -> None:
    draft = draft_of(cast.lead, "{}")
    number = str(draft.public_id)
    for other in (number.upper(), number.replace("-", ""), f"{{{number}}}", f"urn:uuid:{number}"):
        if other != number:
            assert lead.get(f"/protocols/trials/{other}/").status_code == 404


def test_nothing_else_is_tried(lead: Client) -> None:
    for tried in ("none-1", "jades", "jades-2", "00000000-0000-0000-0000-000000000000"):
        assert lead.get(f"/protocols/trials/{tried}/").status_code == 404
    assert lead.get(f"{address(JADES)}options/none/").status_code == 404
    assert "Broken" in lead.get(f"{address(JADES)}options/fluency/?language=en").content.decode()
