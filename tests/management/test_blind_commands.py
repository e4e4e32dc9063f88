"""A blind round on a terminal: no command prints what no page and no operation tells."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.corpus.question_rows import as_csv
from annotation.models import Event, Study
from tests.bulk import fill_study
from tests.factories import make_study
from tests.questions.rows import rows

pytestmark = pytest.mark.django_db
HIDDEN = "The study shows no answers before its main round is closed"


@pytest.fixture
def blind() -> Study:
    study = make_study("aveugle", state="main", is_blind=True)
    fill_study(study, pairs=3, annotators=2)
    return study


def refusal(*arguments: str) -> str:
    out = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command(*arguments, stdout=out, stderr=StringIO())
    assert not out.getvalue()
    return str(refused.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ["agreement", "aveugle", "--draws", "0"],
        ["agreement", "aveugle", "--round", "all", "--json"],
        ["systems", "aveugle", "--draws", "0"],
        ["models", "aveugle"],
        ["metrics", "aveugle", "--draws", "0"],
        ["edits", "--study", "aveugle", "--field", "errors"],
        ["freeze", "aveugle", "--reason", "maintenant"],
    ],
    ids=" ".join,
)
def test_figures_of_answers_are_refused_in_the_page_s_words(blind, arguments):
    assert refusal(*arguments).startswith(HIDDEN)


def test_practice_is_told_as_on_its_page(blind):
    Study.objects.update(state="practice")
    for round_ in ("practice", "all"):
        words = "Practice answers stay hidden until everybody has submitted"
        assert refusal("agreement", "aveugle", "--round", round_).startswith(words)
    call_command("agreement", "aveugle", "--draws", "0", stdout=StringIO())


def test_what_people_said_of_questions_is_not_joined_to_their_rows(tmp_path):
    make_study("gens", state="main", is_blind=True, protocol_key="qa_pairs")
    path = tmp_path / "rows.csv"
    path.write_text(as_csv(rows()), encoding="utf-8", newline="")
    assert refusal("question_report", str(path), "--judged", "gens").startswith(HIDDEN)


@pytest.mark.parametrize("where", ["file", "standard output"])
def test_no_file_with_answers_is_written(blind, tmp_path, where):
    path = tmp_path / "long.csv"
    output = str(path) if where == "file" else "-"
    for round_ in ("main", "all", "machine"):
        why = refusal(
            *("export_study", "aveugle", "--layout", "long", "--format", "csv"),
            *("--round", round_, "--output", output),
        )
        assert why.startswith(HIDDEN)
        assert "ask for the practice round or the codebook" in why
    assert not list(tmp_path.iterdir())
    assert not Event.objects.filter(verb="export_written").exists()


def test_codebook_and_practice_are_written(blind, tmp_path):
    written(tmp_path / "codebook.json", "codebook", "main")
    written(tmp_path / "long.csv", "long", "practice")


def written(path: Path, layout: str, round_: str) -> None:
    call_command(
        *("export_study", "aveugle", "--layout", layout, "--format", path.suffix[1:]),
        *("--round", round_, "--output", str(path)),
        stderr=StringIO(),
    )
    assert path.stat().st_size


@pytest.mark.parametrize("options", [[], ["--zip"]], ids=["folder", "zip"])
def test_no_bundle_of_a_study_that_was_opened_again_as_a_blind_one(blind, tmp_path, options):
    Study.objects.update(state="closed")
    call_command("freeze", "aveugle", stdout=StringIO(), stderr=StringIO())
    Study.objects.update(state="main")
    output = tmp_path / "bundle"
    assert refusal("release", "aveugle-1", "--output", str(output), *options).startswith(HIDDEN)
    assert not output.exists()
    assert not Event.objects.filter(verb="release_written").exists()
