"""``manage.py agreement`` on the released FrJUDGE ratings, and where nothing can be computed."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.agreement.generalizability import NOT_TOLD_FROM_NONE
from tests.bulk import fill_study
from tests.factories import make_study
from tests.house.sizes import ROOT
from tests.systems_study import fill_systems

RELEASED = ROOT.parent / "shared" / "data" / "frjudge" / "FrJUDGE.jsonl"
pytestmark = pytest.mark.django_db


def output(*arguments: str, **options: object) -> str:
    out = StringIO()
    call_command("agreement", *arguments, stdout=out, **options)
    return out.getvalue()


@pytest.mark.skipif(not RELEASED.exists(), reason="the released file is not at hand")
def test_the_published_numbers():
    """Beauchemin et al. (2025), table 2; ordinal and interval alpha: ``shared/data/README.md``."""
    call_command("import_frjudge", str(RELEASED), study="frjudge", verbosity=0, stdout=StringIO())
    report = json.loads(output("frjudge", "--json"))
    expected = {
        "simplicity": (57.17, {"nominal": 0.1827}),
        "characterization": (60.24, {"nominal": 0.5515}),
        "legal_meaning": (25.96, {"nominal": 0.1042, "ordinal": 0.3252, "interval": 0.3149}),
    }
    assert list(report) == list(expected)
    for name, (percent, alpha) in expected.items():
        assert round(100 * report[name]["percent_agreement"], 2) == percent
        assert {level: round(report[name]["alpha"][level], 4) for level in alpha} == alpha
        assert report[name]["n"] == {
            "items": 297,
            "pairable_items": 297,
            "annotators": 5,
            "ratings": 1485,
        }
        # Two of the originals stand there twice, once with other punctuation.
        assert report[name]["other_sources"]["sources"] == 295
        low, high = report[name]["intervals"]["alpha"]["nominal"]
        assert low < report[name]["alpha"]["nominal"] < high
    text = output("frjudge", draws=100)
    assert "0.3252" in text
    assert "25.96 %" in text
    assert "fits this scale" in text


def test_of_people_who_never_met_it_says_why():
    study = make_study("fremd")
    rows = [[1 + pair % 9 if who == pair % 4 else None for who in range(4)] for pair in range(16)]
    fill_systems(study, {"vif": rows})
    report = json.loads(output("fremd", "--json"))
    for dimension in report.values():
        assert dimension["alpha"]["nominal"] is None
    assert "No item was judged by two people or more" in output("fremd", draws=100)


def test_answers_that_are_all_the_same_have_no_interval():
    fill_systems(make_study("gleich"), {"vif": [[5, 5, 5]] * 6})
    shown = output("gleich", draws=100)
    assert "100.00 %  No interval: whichever items are drawn, the value stays the same" in shown
    assert "[100.00" not in shown
    assert "No interval" not in output("gleich", draws=0)


def test_without_ratings_it_says_why():
    make_study("vide")
    report = json.loads(output("vide", "--json"))
    assert report["legal_meaning"]["alpha"]["ordinal"] is None
    assert report["legal_meaning"]["undefined"]["alpha.ordinal"]["en"] == "There is no rating yet."
    assert "undefined: There is no rating yet." in output("vide")
    assert "variance          undefined: There is no rating yet." in output("vide")


def test_where_the_variance_is_and_what_means_are_worth():
    fill_study(make_study("plein", state="closed"), pairs=12, annotators=4)
    variance = json.loads(output("plein", "--json"))["legal_meaning"]["variance"]
    shown = output("plein")
    for part in variance["components"]:
        low, high = (100 * end for end in part["interval"])
        assert (
            f"variance.{part['name']:<10} {100 * part['share']:.2f} %  [{low:.2f}, {high:.2f}]"
            in shown
        )
    assert variance["typical_annotators"] == 4
    assert len([line for line in shown.splitlines() if line.endswith("points (as here)")]) == 1


def test_texts_below_zero_are_not_told_from_none():
    """Two systems that differ on texts that do not."""
    scores = {"a": [[8, 9, 10], [9, 8, 9]] * 7, "b": [[3, 4, 3], [4, 3, 5]] * 7}
    fill_systems(make_study("plein", state="closed"), scores)
    line = next(line for line in output("plein").splitlines() if "variance.sources" in line)
    assert line == f"  variance.sources    {NOT_TOLD_FROM_NONE.en}"


def test_a_study_that_there_is_not():
    with pytest.raises(CommandError, match="There is no study"):
        output("nothing")
