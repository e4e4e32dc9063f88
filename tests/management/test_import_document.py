"""``import_document``: the funnel is printed, items are drawn, a refusal stores nothing."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Item
from annotation.models.document import SourceDocument
from tests.documents import CONTRACT, HARD
from tests.factories import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_study("s")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "contrat.txt"
    path.write_text(CONTRACT, encoding="utf-8")
    return str(path)


def run(*arguments):
    out = StringIO()
    call_command("import_document", "s", *arguments, stdout=out)
    return out.getvalue()


def test_the_funnel_is_printed_and_items_are_drawn(study, file):
    said = run(file, "--practice", "2", "--main", "all", "--seed", "11")
    assert "blocks                          11\n" in said
    assert "dropped: duplicate             1   left 5\n" in said
    assert "Added 5 items: 2 practice, 3 main, seed 11." in said
    assert SourceDocument.objects.get().draw["seed"] == "11"


def test_a_dry_run_says_the_same_and_stores_nothing(study, file):
    said = run(file, "--practice", "1", "--main", "2", "--dry-run")
    assert "dropped: language              1" in said
    assert "Would draw 1 practice, 2 main, seed 7." in said
    assert not SourceDocument.objects.exists()
    assert not Item.objects.exists()


def test_the_criteria_are_options(study, file):
    assert "kept                             6\n" in run(
        file, "--hardest-only", "any", "--main", "6", "--practice", "0", "--dry-run"
    )
    run(
        file,
        "--most-sentences",
        "3",
        "--syllables",
        "hyphenation",
        "--main",
        "all",
        "--practice",
        "0",
    )
    assert SourceDocument.objects.get().criteria["most_sentences"] == 3


def test_what_is_refused_stores_nothing(study, file):
    with pytest.raises(CommandError, match="312 items are asked for and 5 blocks are kept"):
        run(file)
    assert not SourceDocument.objects.exists()


@pytest.mark.parametrize(
    "option", [["--most-sentences", "0"], ["--practice", "-1"], ["--main", "0"]]
)
def test_impossible_numbers_are_said(study, file, option):
    with pytest.raises(CommandError):
        run(file, *option)


@pytest.mark.parametrize(
    "option", [["--main", "some"], ["--hardest-only", "low"], ["--encoding", "klingon"]]
)
def test_what_is_no_choice_is_said(study, file, option):
    with pytest.raises(CommandError):
        run(file, *option)


def test_a_guessed_encoding_is_said(study, tmp_path):
    path = tmp_path / "ancien.txt"
    path.write_bytes(HARD[0].encode("cp1252"))
    assert "was guessed" in run(str(path), "--practice", "0", "--main", "1")
    assert Item.objects.get().original == HARD[0]
