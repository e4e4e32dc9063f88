"""What was replaced in a snapshot can be read before it is published, wherever it stands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.models import Adjudication, DatasetSnapshot, Study
from annotation.privacy.redacting import MARK
from annotation.services.publishing.releases import release_write
from annotation.services.publishing.replacements import snapshot_replacements
from annotation.services.publishing.snapshots import study_freeze
from annotation.services.studies.studies import guide_publish
from tests.factories import make_study
from tests.services.publishing.test_snapshots import judged_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def written(monkeypatch, tmp_path):
    """A snapshot whose files are written here; and what writes one of them."""
    monkeypatch.setattr(
        "annotation.services.publishing.replacements.snapshot_folder", lambda frozen: tmp_path
    )

    def write(name: str, *rows: dict[str, Any]) -> None:
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (tmp_path / name).write_text(lines, encoding="utf-8")

    return DatasetSnapshot(number=1, study=make_study()), write


def test_files_that_are_not_there_any_more_tell_nothing(written):
    assert snapshot_replacements(written[0]) == {}


def test_of_judgments_what_people_typed(written):
    """Two of three lines hold the mark where people type; more than asked for are not told."""
    frozen, write = written
    write(
        "judgments.jsonl",
        {"comment": "Rien.", "original": f"Les frais {MARK} sont payés."},
        {"comment": f"Dit par {MARK}."},
        {"explanation": f"{MARK} aussi", "comment": None},
    )
    assert snapshot_replacements(frozen) == {"answers": [f"Dit par {MARK}.", f"{MARK} aussi"]}
    assert snapshot_replacements(frozen, most=1) == {"answers": [f"Dit par {MARK}."]}
    write("practice.jsonl", {"comment": f"{MARK} s'exerce."})
    assert snapshot_replacements(frozen)["answers"][2:] == [f"{MARK} s'exerce."]


def test_of_rulings_reasons_and_the_notes_of_marks(written):
    frozen, write = written
    marks = [{"note": f"vu par {MARK}"}, {"note": ""}]
    write("rulings.jsonl", {"reasons": f"Selon {MARK}.", "marks": marks}, {"reasons": "Clair."})
    write("labels.jsonl", {"reasons": f"{MARK}"})
    assert snapshot_replacements(frozen) == {"rulings": [f"Selon {MARK}.", f"vu par {MARK}"]}


def test_of_guides_the_lines_each_once_and_of_the_rest_what_was_typed(written, tmp_path):
    frozen, write = written
    for name in ("guide-v1-fr.md", "guide-v2-fr.md"):
        (tmp_path / name).write_text(f"# Guide\n\nÉcrire à {MARK}.\n", "utf-8")
    write("glossary.jsonl", {"term": "franchise", "definition": f"selon {MARK}"})
    write("study.json", {"deviations": [{"reason": f"{MARK} l'a demandé", "settings": {}}]})
    line = {"name": f"note de {MARK}", "signature": f"note de {MARK}", "label": {}}
    write("metrics.json", {"reports": [{"lines": [line]}]})
    assert snapshot_replacements(frozen) == {
        "guides": [f"Écrire à {MARK}."],
        "glossary": [f"selon {MARK}"],
        "deviations": [f"{MARK} l'a demandé"],
        "metrics": [f"note de {MARK}"],
    }


def ruled_study() -> Study:
    """Where a ruling, a comment and the guide name somebody."""
    study = judged_study()
    guide_publish(actor=None, study=study, body_fr="Lisez.\n\nQuestions : lea@cabinet.example.")
    Adjudication.objects.create(
        study=study,
        simplification=study.items.get(key="item-0001").simplifications.get(),
        dimension="simplicity",
        outcome="settled",
        value=2,
        reasons="Selon Me Lavoie (jean.lavoie@cabinet.example, 514 555-0199), clair.",
        judgments_digest="d",
    )
    return study


def test_a_frozen_study_tells_of_its_rulings_and_guides_and_so_does_its_card(tmp_path):
    frozen = study_freeze(actor=None, study=ruled_study())
    assert snapshot_replacements(frozen) == {
        "answers": [f"Écrire à {MARK}, {MARK}."],
        "rulings": [f"Selon Me Lavoie ({MARK}, {MARK}), clair."],
        "guides": [f"Lisez, puis écrivez à {MARK}.", f"Questions : {MARK}."],
    }
    release_write(actor=None, snapshot=frozen, folder=tmp_path / "bundle")
    card = (tmp_path / "bundle" / "README.md").read_text("utf-8")
    assert "(2 marks in the judgments, 2 in the rulings, 2 in the guides; an ellipsis that" in card
