"""A kind of export is a class and a line: page and command offer it, a worker writes it, the
codebook says what its columns mean."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.test import Client

from annotation import jobs
from annotation.models import Job
from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, column
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.layouts import LAYOUTS, TABLES
from annotation.selectors.publishing.exports.source import Source
from annotation.services.publishing.exports import export_write
from tests.bulk import fill_study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db


class Lengths(Layout):
    key = "lengths"
    title = Wording("Longueurs", "Lengths")
    explanation = Wording("Une ligne par étude.", "One row per study.")
    formats = ("tsv", "jsonl")

    def columns(self, source: Source) -> list[Column]:
        return [column("judged", "integer", "Paires jugées.", "Judged pairs.")]

    def count(self, source: Source) -> int:
        return 1

    def lines(self, source: Source, form: Format) -> Lines:
        write = form.part(self.columns(source))
        yield form.row([write([source.count_judged_pairs()])])


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setattr(jobs, "_send", lambda *_message: None)
    for layouts in (LAYOUTS, TABLES):
        monkeypatch.setitem(layouts, Lengths.key, Lengths())


@pytest.fixture
def lead():
    return make_user("lead")


@pytest.fixture
def study(lead):
    study = make_study("lengths", lead=lead, state="main")
    fill_study(study, pairs=3, annotators=2)
    return study


def test_the_page_offers_it_and_a_worker_writes_it(study, lead):
    client = Client()
    client.force_login(lead)
    offered = client.get(f"/studies/{study.key}/exports/").content.decode()
    assert "Longueurs" in offered
    assert "TSV, JSONL" in offered
    client.post(f"/studies/{study.key}/exports/", {"layout": "lengths", "round": "main"})
    job = Job.objects.get()
    assert export_write(job.public_id)
    fetched = client.get(f"/studies/{study.key}/exports/{job.public_id}/download/")
    assert fetched.getvalue() == b"judged\r\n3\r\n"


def test_the_command_writes_it(study, tmp_path):
    file = tmp_path / "lengths.jsonl"
    call_command("export_study", study.key, "--layout", "lengths", "--output", str(file))
    assert json.loads(file.read_text("utf-8")) == {"judged": 3}


def test_the_codebook_has_its_columns(study, tmp_path):
    file = tmp_path / "codebook.json"
    call_command("export_study", study.key, "--layout", "codebook", "--output", str(file))
    assert "Judged pairs." in file.read_text("utf-8")


def test_a_format_that_there_is_not_is_refused_at_start():
    with pytest.raises(TypeError, match="Unheard: there is no format parquet"):
        type("Unheard", (Lengths,), {"formats": ("tsv", "parquet")})
