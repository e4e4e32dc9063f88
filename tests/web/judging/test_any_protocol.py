"""The judging page of other protocols without a script: its plain form, its texts, and steps that a
protocol draws itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from annotation.models import Assignment, Draft, Judgment, User
from annotation.protocols.kinds import Slider
from annotation.protocols.registry import PROTOCOLS
from annotation.services.planning.assignments import assignments_fill
from annotation.web.base.presenters import has_template
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db


def judging(key: str, version: str) -> tuple[Client, str]:
    """Somebody logged in with one pair of a study of this protocol, and its address."""
    study = make_study("essai", state="main", protocol_key=key, protocol_version=version)
    make_pair(study, language="fr")
    user = make_user("student")
    make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    client = Client()
    client.force_login(user)
    return client, f"/annotate/essai/{Assignment.objects.get().position}/"


FORM: dict[str, Any] = {
    "reader": "3",
    "reason": "des voisins",
    "changes": ["none"],
    "ease": "0",
    "warmth": "",
    "share": "0",
    "tier": "2",
    "flaws-0-type": "typo",
    "flaws-0-note": "",
    "decided_by": "first_reading",
    "readings": "2",
    "unsure": "on",
    "base_revision": "0",
}


def test_the_plain_form_submits_every_kind_of_field() -> None:
    client, url = judging("everything", "1")
    assert client.post(url, FORM | {"action": "submit"}).status_code == 302
    ratings = {rating.dimension: rating.value for rating in Judgment.objects.get().ratings.all()}
    # 0 is an answer, and so is «none of these»; what was left empty is none.
    assert ratings["ease"] == ratings["share"] == 0
    assert ratings["changes_shorter"] == ratings["changes_softer"] == 0
    assert ratings["worth"] == 19
    assert "warmth" not in ratings


def test_a_score_of_nought_is_said() -> None:
    client, url = judging("everything", "1")
    flaws = {f"flaws-{row}-type": "typo" for row in range(4)}
    assert client.post(url, FORM | flaws | {"tier": "1", "action": "save"}).status_code == 302
    html = client.get(url).content.decode()
    (said,) = re.findall(r'id="score-text"[^>]*>(.*?)</p>', html, re.DOTALL)
    assert said.split() == ["Score", ":", "0", "sur", "20"]


def test_a_row_is_added_to_the_list_that_was_asked_for() -> None:
    client, url = judging("everything", "1")
    answer = client.post(url, FORM | {"action": "add:flaws"})
    assert answer["Location"].endswith("#id_flaws")
    assert [row["type"] for row in Draft.objects.get().answers["flaws"]] == ["typo", ""]
    # A list that the protocol does not have changes nothing.
    client.post(url, FORM | {"action": "add:errors", "base_revision": "1"})
    assert len(Draft.objects.get().answers["flaws"]) == 1


def test_what_is_missing_is_said_at_its_field() -> None:
    client, url = judging("everything", "1")
    page = client.post(url, {"reader": "3", "action": "submit", "base_revision": "0"})
    assert page.status_code == 422
    fields = {
        field["name"]: field["problems"]
        for step in page.context["steps"]
        for field in step["fields"]
    }
    assert [name for name, problems in fields.items() if problems] == [
        "reason",
        "ease",
        "share",
        "tier",
    ]


def test_the_texts_are_headed_and_spoken_as_the_protocol_says() -> None:
    client, url = judging("everything", "1")
    html = client.get(url).content.decode()
    assert '<span id="title-original">Avant</span>' in html
    assert 'data-sides="simplification"' in html
    panels = client.get(url).context["panels"]
    assert [(panel["heading"], panel["language"]) for panel in panels] == [
        ("Avant", "en"),
        ("Après", "en"),
    ]


@pytest.mark.parametrize(
    ("key", "version", "counted", "legend"),
    [
        (
            "everything",
            "1",
            "{original} in “Before”, {simplification} in “After”",
            ["only in “Before”", "only in “After”"],
        ),
        (
            "jades",
            "1",
            "{original} in the original, {simplification} in the simplification",
            ["only in the original", "only in the simplification"],
        ),
    ],
)
def test_the_texts_are_spoken_of_as_they_are_headed(
    key: str, version: str, counted: str, legend: list[str]
) -> None:
    client, url = judging(key, version)
    User.objects.update(language="en")
    html = client.get(url).content.decode()
    (said,) = re.findall('data-term-count="([^"]*)"', html)
    assert " ".join(said.split()) == counted
    assert re.findall(r'class="diff diff--\w+">\s*([^<]+?)\s*</span>', html) == legend


def test_the_other_language_of_a_field_that_is_not_there() -> None:
    client, _url = judging("plain", "2.0")
    assert client.get("/annotate/essai/options/clarity/").status_code == 200
    assert client.get("/annotate/essai/options/characterization/").status_code == 404


def test_a_protocol_draws_a_step_of_its_own(settings: Any, tmp_path: Path) -> None:
    folder = tmp_path / "protocols" / "plain"
    folder.mkdir(parents=True)
    (folder / "style.html").write_text("<p>drawn by plain</p>", encoding="utf-8")
    [engine] = settings.TEMPLATES
    settings.TEMPLATES = [engine | {"DIRS": [tmp_path, *engine["DIRS"]]}]
    has_template.cache_clear()
    # The steps of a pair that nobody has answered are kept, and were drawn by another test.
    cache.clear()
    try:
        client, url = judging("plain", "2.0")
        html = client.get(url).content.decode()
    finally:
        has_template.cache_clear()
        cache.clear()
    assert "drawn by plain" in html
    assert 'id="id_clarity"' in html
    assert 'id="id_style"' not in html


def test_the_sheet_of_keys_is_the_protocol_s() -> None:
    client, _url = judging("plain", "2.0")
    sheet = client.get("/account/keys/?protocol=plain-2.0").content.decode()
    assert "Étape 3\xa0: Style" in sheet
    assert 'data-action="doubt"' not in sheet
    assert 'data-action="add_error"' not in sheet


# Nothing is to be seen on the page that does these.
WITHOUT_CONTROL = {"save", "redo", "back"}


@pytest.mark.walk
@pytest.mark.parametrize(("key", "version"), sorted(PROTOCOLS))
def test_each_key_of_the_sheet_is_one_of_the_page(key: str, version: str) -> None:
    """Both ways. What depends on the study or the browser is marked, and left out by the page
    (``tests/browser/test_any_protocol.py``)."""
    client, url = judging(key, version)
    page = client.get(url).content.decode()
    sheet = client.get(f"/account/keys/?protocol={key}-{version}").content.decode()
    rows = set(re.findall(r'<div data-action="(\w+)"(?! data-of-page)', sheet))
    maybe = set(re.findall(r'<div data-action="(\w+)" data-of-page', sheet))
    # A type without a letter has a digit alone.
    keyed = set(re.findall(r'data-key="(\w+)"(?!></kbd>)', page))
    protocol = PROTOCOLS[key, version]
    # The menu beside the words is bound by lists of marks alone.
    kinds = {field.kind for field in protocol.fields}
    if "marks" not in kinds:
        keyed -= {"find"}
        keyed -= {"attach"} if "edits" not in kinds else set()
    assert rows - keyed - WITHOUT_CONTROL == set()
    assert keyed - rows - maybe - {"next"} == set()
    assert ("back" in rows) == (len(protocol.steps) > 1)
    assert ("Sur une erreur" in sheet) == protocol.has_errors
    others = {field.kind for field in protocol.no_errors}
    assert ("Sur une marque" in sheet) == ("marks" in others)
    digits = set(re.findall(r"<kbd>(-?\d+)</kbd> – <kbd>(-?\d+)</kbd>", sheet))
    for field in protocol.fields:
        if isinstance(field, Slider):
            assert (str(field.lowest), str(field.highest)) in digits


def test_a_list_of_edits_has_its_own_keys_in_the_texts() -> None:
    client, _url = judging("assetann", "1")
    sheet = client.get("/account/keys/?protocol=assetann-1").content.decode()
    assert "par mots entiers" not in sheet
    assert "avec Maj, plusieurs mots" in sheet
    other = client.get("/account/keys/?protocol=legal_meaning-1").content.decode()
    assert "par mots entiers" in other
    assert "avec Maj, plusieurs mots" not in other
