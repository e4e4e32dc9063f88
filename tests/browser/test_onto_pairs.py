"""A lead brings judgments made elsewhere onto pairs that the study has: looks, imports, undoes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment, Study, User
from tests.browser.test_pages import demo, demo_rows, lead, violations

__all__ = ["demo", "demo_rows", "lead"]
pytestmark = pytest.mark.django_db(transaction=True)
ANSWERS = {"simplicity": 1, "characterization": 3, "legal_meaning": 9}


def rows_of(study: Study) -> bytes:
    pairs = [
        item.simplifications.first()
        for item in study.items.filter(round="main").order_by("position")[:2]
    ]
    rows = [
        {
            "id": pair.item.key,
            "original": pair.item.original,
            "simplification": pair.text,
            "system": pair.system,
            "annotator": who,
            **ANSWERS,
        }
        for pair in pairs
        for who in ("X1", "X2")
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_looked_at_imported_and_undone(
    page: Page, live_server: Any, lead: User, screenshot: Any
) -> None:
    study = Study.objects.get(key="demo")
    before = Judgment.objects.count()
    file = {"name": "ailleurs.jsonl", "mimeType": "application/jsonl", "buffer": rows_of(study)}
    page.goto(f"{live_server.url}/studies/demo/import/")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Examiner le fichier").click()
    for name in ANSWERS:
        if page.locator(f"[name=same_{name}]").count():
            page.locator(f"[name=same_{name}]").check()
    page.get_by_role("button", name="Mettre l'aperçu à jour").click()
    expect(page.get_by_text("sur 2 paires de l'étude")).to_be_visible()
    assert violations(page) == []
    page.locator("#import-title").scroll_into_view_if_needed()
    screenshot("import-onto-pairs", full_page=True)
    page.get_by_role("button", name="Importer", exact=True).click()
    expect(page.get_by_text("dont 4 sur des paires que l'étude avait")).to_be_visible()
    assert Judgment.objects.count() == before + 4
    page.goto(f"{live_server.url}/studies/demo/imports/")
    page.locator("tbody th a").first.click()
    expect(page.get_by_text("4 jugements venus avec le fichier")).to_be_visible()
    page.get_by_role("button", name="Annuler l'importation").click()
    expect(page.get_by_role("button", name="Annuler l'importation")).to_have_count(0)
    assert Judgment.objects.count() == before
