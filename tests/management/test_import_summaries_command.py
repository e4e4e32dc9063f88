"""``manage.py import_summaries``: references and systems' summaries as pairs of a study."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Simplification
from tests.factories import make_study

pytestmark = pytest.mark.django_db
GAVEL = Path(__file__).parents[2].parent / "shared" / "data" / "gavel" / "ten_cases.jsonl"
LONG = (
    "id,reference,structure,system,summary\n"
    "a,A reference. It has two sentences.,issue,LED,Short.\n"
    "a,,,BART,Shorter.\n"
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "summaries.csv"
    path.write_text(LONG, encoding="utf-8")
    return path


@pytest.fixture
def study():
    return make_study("summaries")


def brought(*arguments: object) -> str:
    out = io.StringIO()
    call_command("import_summaries", *map(str, arguments), "--study", "summaries", stdout=out)
    return out.getvalue()


def told(*arguments: object) -> str:
    with pytest.raises(CommandError) as caught:
        brought(*arguments)
    return str(caught.value)


def test_a_reference_is_an_original_and_each_summary_a_simplification(study, file):
    assert "Would add 1 items, 2 simplifications" in brought(file, "--dry-run")
    assert not study.items.exists()
    assert "Added 1 items, 2 simplifications" in brought(file)
    (item,) = study.items.all()
    assert (item.key, item.original) == ("a", "A reference. It has two sentences.")
    assert item.structure == "issue"
    assert dict(item.simplifications.values_list("system", "text")) == {
        "LED": "Short.",
        "BART": "Shorter.",
    }
    assert "Nothing was stored" in told(file), "it is there already"


def test_what_is_too_long_is_refused_or_cut(study, file):
    said = told(file, "--window", "6")
    assert "row 2, reference: The text has about 12 tokens; 6 are the most." in said
    assert not study.items.exists()
    assert "row 2, reference: cut" in brought(file, "--window", "6", "--cut", "sentence")
    assert study.items.get().original == "A reference."


def test_what_is_wrong_is_named_and_nothing_is_stored(study, file):
    file.write_text(LONG + ",R,,LED,S\n", encoding="utf-8")
    assert "row 4, id:" in told(file)
    file.write_text("id,reference\na,b\n", encoding="utf-8")
    assert "columns are missing: system, summary" in told(file)
    assert "--cut goes with --window" in told(file, "--cut", "sentence")
    assert "--window takes" in told(file, "--window", "-1")
    assert not study.items.exists()


@pytest.mark.skipif(not GAVEL.exists(), reason="the ten cases are not here")
def test_ten_legal_references_with_four_systems(study):
    assert "Added 10 items, 40 simplifications" in brought(GAVEL)
    assert Simplification.objects.filter(item__study=study).values("system").distinct().count() == 4
