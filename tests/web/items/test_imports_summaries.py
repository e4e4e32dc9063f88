"""Reference summaries and systems' summaries on the import page and by program: shown, mapped,
refused by row and field, whole or not at all, and undone."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Item, Simplification
from tests.corpus.test_summaries import GAVEL
from tests.factories import make_study
from tests.web.items.importing import page_text, post, send, sent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("gamma")]

WIDE = (
    "id,reference,summaries.led,summaries.bart\n"
    "a,La cour rejette la demande.,Rejet.,La cour dit non.\n"
    "b,Le bail prend fin.,Fin du bail.,\n"
)


@pytest.fixture
def gamma(cast):
    """A study without pairs."""
    return make_study("gamma", lead=cast.lead)


def stored(key: str) -> list[tuple[str, str]]:
    simplifications = Simplification.objects.filter(item__study__key="gamma", item__key=key)
    return sorted(simplifications.values_list("system", "text"))


def test_shown_imported_and_undone(cast):
    lead = cast.client("lead")
    url = sent(lead, WIDE, name="resumes.csv")
    page = page_text(lead.get(url))
    assert "La cour dit non." in page
    assert not Item.objects.filter(study__key="gamma", key="a").exists()
    assert post(lead, url).status_code == 302
    assert stored("a") == [("bart", "La cour dit non."), ("led", "Rejet.")]
    assert stored("b") == [("led", "Fin du bail.")]
    record = Item.objects.get(study__key="gamma", key="a").brought_by
    undone = lead.post(f"/studies/gamma/imports/{record.pk}/", {"action": "undo"})
    assert undone.status_code == 302
    assert not Item.objects.filter(study__key="gamma", key__in=["a", "b"]).exists()


def test_a_bad_row_is_named_and_nothing_is_stored(cast):
    lead = cast.client("lead")
    bad = WIDE + "c,,Un résumé sans référence.,\n"
    url = sent(lead, bad, name="resumes.csv")
    page = page_text(lead.get(url))
    assert "« Original » est vide." in page
    assert post(lead, url).status_code == 422
    assert stored("a") == []
    assert "4" in page_text(lead.get(f"{url}problems/"))


def test_an_empty_file_is_said_at_once(cast):
    answer = send(cast.client("lead"), "id,reference,summary\n", name="resumes.csv")
    assert answer.status_code in (302, 422)
    assert stored("a") == []


def test_by_program(cast):
    lead = cast.client("lead")
    file = SimpleUploadedFile("resumes.csv", WIDE.encode())
    answer = lead.post("/api/v1/studies/gamma/pairs/file/", {"file": file})
    assert answer.status_code in (200, 201), answer.content
    assert stored("a") == [("bart", "La cour dit non."), ("led", "Rejet.")]


@pytest.mark.skipif(not GAVEL.exists(), reason="the cases are not beside this folder")
def test_ten_cases_of_four_systems(cast):
    lead = cast.client("lead")
    url = sent(lead, GAVEL.read_bytes(), name="ten_cases.jsonl")
    assert post(lead, url).status_code == 302
    made = Simplification.objects.filter(item__study__key="gamma", item__brought_by__isnull=False)
    assert made.filter(item__brought_by__name="ten_cases.jsonl").count() == 40
