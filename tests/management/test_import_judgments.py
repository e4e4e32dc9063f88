"""``manage.py import_judgments``: as the page, from a terminal."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Judgment, Study
from annotation.services.studies.studies import study_create
from tests.corpus.peers import samples

LONG = (
    "texte;sortie;qui;fluency;meaning;simplicity\n"
    "La prime est due.;Payez.;A;4;4;bien\nLa prime est due.;Payez.;B;4;3;4\n"
)
NAMES = ["--map", "original=texte", "--map", "simplification=sortie"]
VALUE = ["--value", "simplicity:bien=3"]


@pytest.fixture
def study(db: None) -> Study:
    return study_create(actor=None, key="ailleurs", title="Ailleurs", protocol_key="jades")


def run(path, content, *options, capsys=None) -> str:
    path = path / "notes.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    call_command("import_judgments", str(path), "--study", "ailleurs", *options)
    return str(capsys.readouterr().out)


def test_a_long_table(study, tmp_path, capsys):
    assert "2 judgments of 2 judges" in run(
        tmp_path, LONG, *NAMES, *VALUE, "--dry-run", capsys=capsys
    )
    assert not Judgment.objects.exists()
    said = run(tmp_path, LONG, *NAMES, *VALUE, capsys=capsys)
    assert "Added 1 items, 1 simplifications, 2 judgments of 2 judges" in said
    assert Judgment.objects.filter(origin="imported").count() == 2


def test_whoever_names_columns_says_that_there_is_a_row_of_names(study, tmp_path, capsys):
    long = "La prime est due au premier jour de chaque mois, sauf avis contraire. " * 2
    rows = "départ;arrivée;qui;fluency;meaning;note\n" + "".join(
        f"{text};Payez.;{who};4;4;{note}\n"
        for text in ("La prime est due.", long)
        for who, note in (("A", "bien"), ("B", "4"))
    )
    names = ["original=départ", "simplification=arrivée", "simplicity=note"]
    maps = [part for name in names for part in ("--map", name)]
    said = run(tmp_path, rows, *maps, *VALUE, capsys=capsys)
    assert "Added 2 items, 2 simplifications, 4 judgments of 2 judges" in said


def test_onto_the_pairs_of_the_study(study, tmp_path, capsys):
    run(tmp_path, LONG, *NAMES, *VALUE, capsys=capsys)
    more = LONG.replace(";A;", ";C;").replace(";B;", ";D;")
    tried = run(tmp_path, more, *NAMES, *VALUE, "--dry-run", capsys=capsys)
    assert "Would add 0 items, 0 simplifications, 2 judgments" in tried
    said = run(tmp_path, more, *NAMES, *VALUE, capsys=capsys)
    assert "2 of them onto 1 pairs of the study" in said
    assert Judgment.objects.filter(assignment__simplification__item__study=study).count() == 4


def test_every_bad_row_is_named_and_nothing_stored(study, tmp_path, capsys):
    with pytest.raises(CommandError) as refused:
        run(tmp_path, LONG, *NAMES, capsys=capsys)
    assert "row 2, simplicity" in str(refused.value)
    assert not study.items.exists()


def test_another_programs_export_with_its_scale_confirmed(study, tmp_path, capsys):
    same = ["--same-scale", "simplicity"]
    said = run(tmp_path, samples.LABEL_STUDIO, *same, capsys=capsys)
    assert "2 judgments of 2 judges" in said
    assert "1 answers left out" in said


@pytest.mark.parametrize("content", [samples.INCEPTION, samples.INCEPTION_ZIP])
def test_a_project_of_inceptions(study, tmp_path, capsys, content):
    same = [part for name in samples.NAMES for part in ("--same-scale", name)]
    said = run(tmp_path, content, *same, capsys=capsys)
    assert "Added 1 items, 1 simplifications, 2 judgments of 2 judges" in said
    item = study.items.get()
    assert (item.key, item.original) == ("clause-1.txt", samples.ORIGINAL)


@pytest.mark.parametrize(
    "wrong", [["--map", "nothing=texte"], ["--value", "simplicity"], ["--same-scale", "nothing"]]
)
def test_an_option_that_names_nothing(study, tmp_path, capsys, wrong):
    with pytest.raises(CommandError, match=r"Fields of this study|FIELD"):
        run(tmp_path, LONG, *wrong, capsys=capsys)
