"""A protocol on whose last scale lower is better, from its judgments to everything that says which
system is better."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Study, User
from annotation.release.bundle import write_bundle
from annotation.release.frozen import Frozen
from annotation.release.methods import methods
from annotation.services.planning.assignments import assignments_fill
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.studies.studies import study_change_state, study_create
from tests.factories import make_annotator, make_pair, make_user
from tests.protocols.judged import answer
from tests.protocols.samples.plain import PROTOCOL
from tests.release.test_recompute_agreement import said

pytestmark = pytest.mark.django_db
TEXTS = 8


@pytest.fixture
def study() -> Study:
    """Two judges of two systems on eight texts: alpha is first or second, gamma fifth or sixth."""
    lead = make_user("leading")
    study = study_create(
        actor=lead,
        key="ranked",
        title="Une étude",
        language="fr",
        protocol_key=PROTOCOL.key,
        protocol_version=PROTOCOL.version,
    )
    for text in range(TEXTS):
        for system in ("alpha", "gamma"):
            make_pair(study, system=system, original=f"L'assureur paie la clause {text}.")
    for name in ("A", "B"):
        make_annotator(study, make_user(f"judge{name}"), pseudonym=name)
    study = study_change_state(actor=lead, study=study, to="main", reason="essai")
    assignments_fill(actor=None, study=study)
    rows = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    )
    for row in rows.order_by("pk"):
        best = 1 if row.simplification.system == "alpha" else 5
        place = best + (row.simplification.item.position // 2 % 2)
        answer(row, {"clarity": 2, "adequacy": 3, "style": place})
    return study_change_state(actor=lead, study=study, to="closed", reason="essai")


@pytest.fixture
def lead(study: Study, client: Client) -> Client:
    client.force_login(User.objects.get(email="leading@example.org"))
    return client


def test_pages_and_programs_call_the_lower_one_better(study, lead):
    address = reverse("study_systems", args=[study.key])
    page = re.sub(r"\s+", " ", unescape(lead.get(address).content.decode()))
    assert "Quel système les personnes jugent meilleur" in page
    assert "«\u00a0alpha\u00a0» est jugé meilleur que «\u00a0gamma\u00a0»".replace(
        "\u00a0", " "
    ) in page.replace("\u00a0", " ")
    assert "puisque plus bas est mieux" in page
    assert "le rang 1 a la moyenne la plus basse" in page
    assert "à gauche de zéro, le premier est jugé meilleur" in page
    style = lead.get(f"/api/v1/studies/{study.key}/systems/").json()["dimensions"]["style"]
    assert style["better"] == "lower"
    assert [(rank["system"], rank["rank"]) for rank in style["ranks"]] == [
        ("alpha", 1),
        ("gamma", 2),
    ]
    (pair,) = style["comparisons"]
    assert (pair["first"], pair["difference"]["value"]) == ("alpha", -4)
    assert (pair["superiority"]["value"], pair["cliffs_delta"]["value"]) == (1, -1)
    for name, side in (("style", "au-dessus"), ("clarity", "au-dessous")):
        agreement = lead.get(reverse("study_agreement", args=[study.key]), {"dimension": name})
        shown = re.sub(r"\s+", " ", unescape(agreement.content.decode()))
        assert f"{side} de zéro, la personne est plus sévère" in shown


def test_a_release_says_so_and_is_computed_again(study, tmp_path: Path, capsys):
    made = study_freeze(actor=None, study=study, recipe={"draws": 100}, reason="essai")
    folder, bundle = snapshot_folder(made), tmp_path / "bundle"
    bundle.mkdir()
    write_bundle(folder, bundle)
    frozen = Frozen(folder)
    told = methods(frozen)
    assert "Lower is better for style: ranks" in told.en
    assert "Plus bas est mieux pour style" in told.fr
    assert "`style`: lower is better. Rank 1 has the lowest mean" in (
        bundle / "README.md"
    ).read_text("utf-8")
    better = {d["name"]: d["better"] for d in frozen.study["protocol"]["dimensions"]}
    assert better == {"clarity": "higher", "adequacy": "higher", "style": "lower"}
    assert said(bundle, capsys).endswith(" numbers are as published.\n")
    # The same figures, taken for a scale on which higher is better, are others.
    path = bundle / "systems.json"
    facts = json.loads(path.read_text("utf-8"))
    facts["dimensions"]["style"]["better"] = "higher"
    path.write_text(json.dumps(facts), "utf-8")
    output = said(bundle, capsys)
    assert "style alpha – gamma superiority: " in output
    assert "style rank of alpha: " in output
