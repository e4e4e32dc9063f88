"""A table of human scores without a study, from the form to the files."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import TableReport, User
from annotation.services.metrics.table_reports import table_report_write
from tests.cast import Cast
from tests.services.metrics.test_tables import table

pytestmark = pytest.mark.django_db
URL = "/score-tables/"


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch, cast: Cast) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    User.objects.filter(pk=cast.lead.pk).update(language="en")


def send(cast: Cast, content=None, **fields):
    file = SimpleUploadedFile("notes.csv", content or table())
    given = {"file": file, "human": "human", "seed": "7", "system": "system", "lower": "errors"}
    return cast.client("lead").post(URL, {**given, **fields})


def finished(cast: Cast, **fields) -> TableReport:
    assert send(cast, **fields).status_code == 302
    row = TableReport.objects.get()
    assert table_report_write(row.public_id)
    return row


def test_a_lead_brings_a_table_and_reads_the_report(cast):
    answer = send(cast, lowest="0", highest="10", language="fr")
    row = TableReport.objects.get()
    assert answer["Location"] == f"{URL}{row.public_id}/"
    waiting = cast.client("lead").get(answer["Location"]).content.decode()
    assert f'hx-get="{URL}{row.public_id}/"' in waiting
    assert table_report_write(row.public_id)
    moved = cast.client("lead").get(answer["Location"], headers={"HX-Request": "true"})
    assert "<html" not in moved.content.decode()
    page = cast.client("lead").get(answer["Location"]).content.decode()
    assert "18 outputs of 9 originals, 18 answers of 1 people on 0–10." in " ".join(page.split())
    assert "Where " in page
    assert ">Row</th>" in page
    assert row.name in cast.client("lead").get(URL).content.decode()
    assert row.name not in cast.client("other_lead").get(URL).content.decode()


def test_every_table_and_chart_is_a_file(cast):
    row = finished(cast)
    client, base = cast.client("lead"), f"{URL}{row.public_id}/"
    for sheet in ("agreement", "apart", "signatures", "by-system"):
        for form in ("csv", "tex", "md"):
            answer = client.get(f"{base}tables/{sheet}/?format={form}")
            assert answer.status_code == 200, (sheet, form)
            assert answer.content
    assert client.get(f"{base}tables/none/").status_code == 404
    assert client.get(f"{base}charts/scatter/?format=svg").status_code == 200
    assert client.get(f"{base}charts/none/").status_code == 404
    everything = json.loads(client.get(f"{base}?format=json").content)
    assert everything["table"]["human"] == ["human"]


def test_nothing_to_draw_and_nothing_ended_are_not_found(cast):
    assert send(cast).status_code == 302
    row = TableReport.objects.get()
    base = f"{URL}{row.public_id}/"
    for address in (f"{base}?format=json", f"{base}tables/agreement/", f"{base}charts/scatter/"):
        assert cast.client("lead").get(address).status_code == 404
    assert table_report_write(row.public_id)
    TableReport.objects.update(result={**TableReport.objects.get().result, "lines": []})
    assert cast.client("lead").get(f"{base}charts/scatter/").status_code == 404


def test_what_is_wrong_is_named(cast):
    answer = send(cast, human="meaning")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The file has no column “meaning”." in page
    assert "Its columns: original, simplification, system, human, bleu, errors." in page
    assert send(cast, lowest="1").status_code == 422
    assert send(cast, language="français").status_code == 422
    assert not TableReport.objects.exists()


def test_what_a_worker_found_wrong_stands_on_its_page(cast):
    row = TableReport.objects.create(
        name="a.csv",
        state="failed",
        requested_by=cast.lead,
        problems=[{"fr": "Non.", "en": "No.", "row": 3, "field": "human"}, {"fr": "A", "en": "B"}],
    )
    page = cast.client("lead").get(f"{URL}{row.public_id}/").content.decode()
    assert "Row 3, column human: No." in page
    assert "<li>B" in " ".join(page.split()) or "B" in page


def test_one_is_taken_out(cast):
    row = finished(cast)
    assert cast.client("lead").post(f"{URL}{row.public_id}/").status_code == 422
    answer = cast.client("lead").post(f"{URL}{row.public_id}/", {"action": "forget"})
    assert answer["Location"] == URL
    assert not TableReport.objects.exists()
