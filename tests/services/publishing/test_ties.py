"""Ties that a model settles before the lot, from the freeze to the bundle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.agreement.modelled import crowd
from annotation.errors import RuleError
from annotation.models import Study
from annotation.release import recipe as recipes
from annotation.release.bundle import write_bundle
from annotation.release.tables import read_rows
from annotation.services.publishing.publications import freeze_request
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from tests.agreement.modelled.needs import needs_crowdkit
from tests.factories import make_study, make_user
from tests.systems_study import fill_systems

pytestmark = pytest.mark.django_db

ASKED = {"labels": {"rules": {"legal_meaning": "majority"}, "ties": "dawid_skene"}}


def study() -> Study:
    """«A» and «B» agree on ten texts, «C» is elsewhere; on two more «A» and «B» are apart."""
    study = make_study("egal", state="closed")
    scores = [[2 + n % 4, 2 + n % 4, 9 - n % 4] for n in range(10)]
    fill_systems(study, {"a": [*scores, [2, 3, None], [4, None, 7]]})
    return study


@needs_crowdkit
def test_a_tie_goes_to_the_more_probable_label(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(crowd, "ITERATIONS", 15)
    new_study = study()
    drawn = study_freeze(actor=None, study=new_study, recipe={"labels": {"rules": {}}})
    made = study_freeze(actor=None, study=new_study, recipe=ASKED)
    folder = snapshot_folder(made)
    rows = [row for row in read_rows(folder / "labels.jsonl") if row["dimension"] != "simplicity"]
    tied = {row["simplification_key"]: row for row in rows if row["tied"]}
    row = next(label for key, label in tied.items() if label["dimension"] == "legal_meaning")
    sources = {label["provenance"] for label in tied.values()}
    assert "posterior" in sources
    assert sources <= {"posterior", "drawn"}
    assert sum(row["shares"].values()) == pytest.approx(1)
    for label in tied.values():
        settled = label["posteriors"].get(str(label["value"]), 0)
        assert (settled > 0.5) == (label["provenance"] == "posterior")
    model = json.loads((folder / "agreement.json").read_text())["models"]["legal_meaning"]
    assert model["signature"].startswith(
        f"dawid_skene|crowd-kit:{crowd.package_version()}|items:12"
    )
    assert "compared" not in model
    before = [label["posteriors"] for label in read_rows(snapshot_folder(drawn) / "labels.jsonl")]
    assert set(before) == {None}
    write_bundle(folder, tmp_path)
    card = (tmp_path / "README.md").read_text()
    assert model["signature"] in card
    assert "(provenance `posterior`)" in card
    words = (tmp_path / "METHODS.md").read_text()
    assert f"under Dawid–Skene (crowd-kit {crowd.package_version()}; " in words
    table = list(read_rows(tmp_path / "data" / "aggregated.jsonl"))
    assert any(row["legal_meaning_posteriors"] for row in table)
    assert all(row["legal_meaning_shares"] for row in table)


def test_what_decides_no_tie_is_refused(monkeypatch):
    new_study, lead = study(), make_user("lead")
    with pytest.raises(RuleError, match="“coin” decides none"):
        freeze_request(actor=lead, study=new_study, ties="coin")
    monkeypatch.setattr(recipes, "package_version", lambda: None)
    with pytest.raises(RuleError, match="crowd-kit is not installed"):
        freeze_request(actor=lead, study=new_study, ties="mace")
    assert not new_study.jobs.exists()
