"""``manage.py probe``: generated pairs to read, and figures of metrics on them."""

from __future__ import annotations

import csv
import json

import pytest
from django.core.management import CommandError, call_command

from tests.factories import make_pair, make_study

TEXT = "L'assureur ne couvre pas les bris dans les 30 jours, et l'assuré doit aviser la police."


@pytest.fixture
def pairs(tmp_path):
    place = tmp_path / "pairs.csv"
    with place.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["original", "simplification"])
        for number in range(9):
            writer.writerow([f"{TEXT} Cas {number}.", f"En bref : {TEXT} Cas {number}."])
    return place


@pytest.mark.django_db
def test_metrics_on_a_file_of_pairs(pairs, tmp_path, capsys):
    listed = tmp_path / "cases.csv"
    call_command("probe", pairs=str(pairs), metric=["chrf2"], cases=str(listed), json=True)
    (probe,) = json.loads(capsys.readouterr().out)
    assert probe["name"] == "chrf2"
    assert probe["rates"]["identical"]["false_accept"]["n"] >= 9
    rows = list(csv.DictReader(listed.read_text("utf-8").splitlines()))
    assert len(rows) == probe["cases"]
    assert rows[0]["chrf2_before"]
    call_command("probe", pairs=str(pairs), metric=["chrf2"])
    assert "false accepts" in capsys.readouterr().out


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "one of the three"),
        ({"study": "none"}, "no study"),
        ({"snapshot": "none-1"}, "no snapshot"),
        ({"seed": -1}, "from 0"),
    ],
)
def test_what_cannot_be_probed_is_said(options, words):
    with pytest.raises(CommandError, match=words):
        call_command("probe", **options)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metric": ["none"]}, "no metric"),
        ({"scorer": ["v99"]}, "no scorer"),
        ({"scale": [10.0, 1.0]}, "lower end first"),
        ({"accepted_from": 99.0}, "at most 10"),
    ],
)
def test_bad_options_are_refused(pairs, options, words):
    with pytest.raises(CommandError, match=words):
        call_command("probe", pairs=str(pairs), **options)


@pytest.mark.django_db
def test_the_texts_of_a_study_at_its_protocol_s_own_threshold(capsys):
    study = make_study("essai")
    for number in range(6):
        text = f"{TEXT} Cas {number}."
        make_pair(study, original=text, text=f"En bref : {text}")
    call_command("probe", study="essai", metric=["chrf2"], json=True)
    (probe,) = json.loads(capsys.readouterr().out)
    assert {place: rate["false_accept"]["cases"] > 0 for place, rate in probe["rates"].items()} == {
        "identical": True,
        "simplification": True,
    }
    call_command("probe", study="essai", metric=["chrf2"])
    assert "accepted from 7 on 1–10 (bracket)" in capsys.readouterr().out
