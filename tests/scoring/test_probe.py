"""Legal edits change one point of law; the probe counts what a scorer lets through."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scoring.edits import EDIT_WORDING, EditKind, legal_edits
from annotation.scoring.errors import ScoringError
from annotation.scoring.probe import probe, probe_edits

CLAUSES = {
    EditKind.NEGATION_DROPPED: (
        "L'assureur ne couvre pas les bris.",
        "L'assureur couvre les bris.",
    ),
    EditKind.NEGATION_ADDED: ("L'assureur paie les frais.", "L'assureur ne paie pas les frais."),
    EditKind.MODAL: ("L'assuré doit avertir la police.", "L'assuré peut avertir la police."),
    EditKind.EXCEPTION_REMOVED: (
        "Le vol est couvert, sauf si la clé est restée dans le véhicule.",
        "Le vol est couvert.",
    ),
    EditKind.PARTIES_SWAPPED: ("La prime revient à l'assuré.", "La prime revient à l'assureur."),
}


@pytest.mark.parametrize("kind", CLAUSES)
def test_each_rule_makes_its_edit(kind):
    clause, expected = CLAUSES[kind]
    assert {edit.kind: edit.edited for edit in legal_edits(clause, 1)}[kind] == expected


def test_amounts_deadlines_and_units_change():
    edits = {edit.kind: edit.edited for edit in legal_edits("Il paie 500 $ dans les 30 jours.", 3)}
    assert not edits[EditKind.AMOUNT].startswith("Il paie 500 $")
    assert "30 jours" in edits[EditKind.AMOUNT]
    assert edits[EditKind.DEADLINE_UNIT] == "Il paie 500 $ dans les 30 mois."
    assert "les 30 jours" not in edits[EditKind.DEADLINE]


def test_a_prohibition_is_not_softened_by_may_not():
    assert EditKind.MODAL not in {
        edit.kind for edit in legal_edits("L'assuré ne peut céder ce droit.", 1)
    }


def test_every_kind_has_words_and_edits_repeat_with_the_seed():
    clauses = [clause for clause, _ in CLAUSES.values()]
    assert set(EDIT_WORDING) == set(EditKind)
    assert probe_edits(clauses, 5) == probe_edits(clauses, 5)
    assert len(probe_edits(clauses, 5, most_per_kind=1)) <= len(EditKind)


def test_a_scorer_that_sees_nothing_accepts_everything():
    edits = probe_edits([clause for clause, _ in CLAUSES.values()], 5)
    report = probe(lambda pairs: np.full(len(pairs), 9.0), edits, lowest=1, highest=10, seed=5)
    assert report.overall.false_accept == 1
    assert report.overall.margin == 0
    strict = probe(
        lambda pairs: np.array([10.0 if first == second else 3.0 for first, second in pairs]),
        edits,
        lowest=1,
        highest=10,
        seed=5,
    )
    assert strict.overall.false_accept == 0
    assert strict.overall.margin == 7
    assert sum(kind.edits for kind in strict.kinds) == len(edits)


def test_a_low_score_without_a_margin_is_accepted_too():
    edits = probe_edits(["L'assuré doit avertir la police."], 1)
    report = probe(lambda pairs: np.full(len(pairs), 2.0), edits, lowest=1, highest=10, seed=1)
    assert report.overall.false_accept == 1


def test_nothing_to_edit_is_refused():
    with pytest.raises(ScoringError) as refusal:
        probe(lambda pairs: np.zeros(len(pairs)), [], lowest=1, highest=10, seed=1)
    assert refusal.value.code == "no_edits"
