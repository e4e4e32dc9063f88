"""The file as FrJUDGE released it, where it is at hand: in, through the database, and out again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.corpus.frjudge import format_row, is_frjudge, read_frjudge
from annotation.corpus.language import detect_language, is_identical
from annotation.corpus.table_files import read_table
from annotation.models import Judgment, Study
from tests.factories import said
from tests.house.sizes import ROOT

RELEASED = ROOT.parent / "shared" / "data" / "frjudge" / "FrJUDGE.jsonl"
pytestmark = pytest.mark.skipif(not RELEASED.exists(), reason="the released file is not at hand")


@pytest.fixture(scope="module")
def content() -> bytes:
    return Path(RELEASED).read_bytes()


def test_every_line_is_read_and_written_as_it_was(content):
    released = read_frjudge(content)
    assert released.problems == []
    assert released.judges_per_pair == {5: 297}
    lines = [
        format_row(
            original=row.original,
            simplification=row.simplification,
            simplicity=row.simplicity,
            qualification=row.qualification,
            legal_meaning=row.legal_meaning,
            justifications=row.justifications,
        )
        for row in released.rows
    ]
    assert "".join(lines).encode() == content


def test_it_is_recognised_by_its_keys(content):
    assert is_frjudge(read_table(content).columns)


def test_its_texts_are_french_and_none_repeats_its_original(content):
    pairs = {(row.original, row.simplification) for row in read_frjudge(content).rows}
    assert Counter(detect_language(text) for pair in pairs for text in pair) == {"fr": 594}
    assert not any(is_identical(*pair) for pair in pairs)


@pytest.mark.django_db
def test_what_is_stored_gives_the_same_bytes(content):
    call_command("import_frjudge", str(RELEASED), study="frjudge", verbosity=0)
    study = Study.objects.get(key="frjudge")
    assert list(study.items.values_list("key", flat=True)[:2]) == ["frjudge-001", "frjudge-002"]
    lines = []
    judgments = Judgment.objects.filter(assignment__annotator__study=study).order_by("imported_row")
    for judgment in judgments.select_related("assignment__simplification__item").prefetch_related(
        "ratings"
    ):
        values = {rating.dimension: rating.value for rating in judgment.ratings.all()}
        simplification = judgment.assignment.simplification
        lines.append(
            format_row(
                original=simplification.item.original,
                simplification=simplification.text,
                simplicity=values["simplicity"],
                qualification=values["characterization"],
                legal_meaning=values["legal_meaning"],
                justifications=said(judgment, "comment"),
            )
        )
    assert "".join(lines).encode() == content
