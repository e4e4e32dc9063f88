"""The lexical scorer: its rules, its files, its explanation, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.scoring.errors import ScoringError
from workers.scorers.base import Pair, Scale
from workers.scorers.explanation import explain
from workers.scorers.features import FEATURE_NAMES, GROUPS, group_of
from workers.scorers.lexical import LexicalScorer
from workers.scorers.rules import Rule
from workers.scorers.text import Text, number_value

CLAUSE = (
    "L'assureur rembourse les frais de location du véhicule {n} pendant sa réparation, jusqu'à "
    "{m} $ par jour."
)


def training(count=48):
    rng = np.random.default_rng(0)
    pairs, scores = [], []
    for number in range(count):
        clause = CLAUSE.format(n=f"numéro {number}", m=100 + number)
        words = clause.split()
        kept = int(rng.integers(4, len(words)))
        pairs.append(Pair(clause, " ".join(words[:kept])))
        scores.append(1 + 9 * kept / len(words))
    return pairs, np.array(scores)


@pytest.fixture(scope="module")
def scorer():
    pairs, scores = training()
    return LexicalScorer().fit(pairs, scores, seed=42)


def test_it_learns_and_stays_on_the_scale(scorer):
    pairs, scores = training()
    predictions = scorer.predict(pairs)
    assert np.corrcoef(predictions, scores)[0, 1] > 0.9
    assert predictions.min() >= 1
    assert predictions.max() <= 10


def test_same_seed_same_scorer(scorer):
    pairs, scores = training()
    again = LexicalScorer().fit(pairs, scores, seed=42)
    np.testing.assert_array_equal(again.predict(pairs), scorer.predict(pairs))


@pytest.mark.parametrize(
    ("simplification", "rule", "score"),
    [
        (CLAUSE.replace("'", "’"), Rule.IDENTICAL, 10),
        ("", Rule.EMPTY, 1),
        ("  … ", Rule.EMPTY, 1),
        ("Les piétons traversent quand le feu devient vert.", Rule.UNRELATED, 1),
    ],
)
def test_rules_are_stated_and_reported_apart(scorer, simplification, rule, score):
    verdict = scorer.judged([Pair(CLAUSE, simplification)])[0]
    assert (verdict.rule, verdict.score) == (rule, score)
    assert 1 <= verdict.learned <= 10


@pytest.mark.parametrize(
    "pair", [Pair("", ""), Pair("", "x"), Pair("x", "$$$ 12"), Pair("a" * 5000, "🙂", "de")]
)
def test_odd_texts_get_a_score(scorer, pair):
    assert 1 <= scorer.predict([pair])[0] <= 10


def test_no_pair_gives_no_score(scorer):
    assert scorer.predict([]).shape == (0,)


def test_saved_and_loaded_to_the_last_bit(scorer, tmp_path):
    pairs, _ = training()
    manifest = scorer.save(tmp_path / "v1")
    assert list(manifest["files"]) == ["model.json"]
    np.testing.assert_array_equal(
        LexicalScorer.load(tmp_path / "v1").predict(pairs), scorer.predict(pairs)
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v1"]


def test_a_damaged_missing_or_foreign_artefact_is_refused(scorer, tmp_path):
    scorer.save(tmp_path / "v1")
    model = tmp_path / "v1" / "model.json"
    whole = model.read_bytes()
    for content, code in ((whole[:-10], "artefact_corrupted"), (None, "artefact_missing")):
        model.unlink()
        if content is not None:
            model.write_bytes(content)
        else:
            assert not model.exists()
        with pytest.raises(ScoringError) as refusal:
            LexicalScorer.load(tmp_path / "v1")
        assert refusal.value.code == code
        model.write_bytes(whole)
    manifest = tmp_path / "v1" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "backend": "transformer"}))
    with pytest.raises(ScoringError) as refusal:
        LexicalScorer.load(tmp_path / "v1")
    assert refusal.value.code == "artefact_other_backend"


def test_a_scorer_is_never_written_over_and_never_half_written(scorer, tmp_path, monkeypatch):
    scorer.save(tmp_path / "v1")
    with pytest.raises(ScoringError, match="written over"):
        scorer.save(tmp_path / "v1")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("workers.scorers.artefact.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        scorer.save(tmp_path / "v2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v1"]


def test_an_explanation_adds_up_and_repeats(scorer):
    pair = Pair(CLAUSE, "L'assureur rembourse une partie de la location.")
    explanation = explain(scorer, pair)
    raw = scorer.model.scores(scorer.model.encoder.inputs(scorer.readings([pair])))[0]
    assert explanation.reference + sum(
        contribution.points for contribution in explanation.contributions
    ) == pytest.approx(raw)
    assert explanation == explain(scorer, pair)
    assert all(
        contribution.label.fr and contribution.label.en
        for contribution in explanation.contributions
    )
    sizes = [abs(contribution.points) for contribution in explanation.contributions]
    assert sizes == sorted(sizes, reverse=True)


def test_an_explanation_shows_words_that_stand_in_the_text(scorer):
    """Stems alone are other words (*loyer* has "loi") or none."""
    pair = Pair(f"{CLAUSE} Les assureurs remboursent.", "L'Assureur REMBOURSE la location.")
    sides = {
        "terms_original": pair.original,
        "terms_lost": pair.original,
        "terms_simplification": pair.simplification,
        "terms_new": pair.simplification,
    }
    shown = {
        contribution.group: [term for term, _points in contribution.terms]
        for contribution in explain(scorer, pair).contributions
        if contribution.terms
    }
    assert {"terms_original", "terms_simplification"} <= set(shown)
    for group, terms in shown.items():
        words = Text(sides[group], "fr").words
        for term in terms:
            assert set(term.split(" / ")) <= set(words)
    every = [term for terms in shown.values() for term in terms]
    assert any(" / " in term for term in every), "two words of one stem"
    assert not {"loi", "rembours", "assureur / assureurs"} & set(shown["terms_simplification"])


def test_an_explanation_names_the_rule_and_the_change(scorer):
    explanation = explain(
        scorer,
        Pair("Il doit payer 500 $ dans les 30 jours.", "Il doit payer 500 $ dans les 60 jours."),
    )
    assert explanation.rule in (Rule.CONTRADICTED, None)
    assert (explanation.contradictions[0].before, explanation.contradictions[0].after) == (
        "30",
        "60",
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda pairs, scores: (pairs[:5], scores[:5]), "too_few_pairs"),
        (lambda pairs, scores: (pairs, np.full(len(pairs), 5.0)), "constant_scores"),
        (lambda pairs, scores: (pairs, np.where(scores > 5, np.nan, scores)), "missing_score"),
        (lambda pairs, scores: (pairs, scores * 10), "off_scale"),
        (lambda pairs, scores: (pairs, scores[:-1]), "lengths_differ"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(change, code):
    with pytest.raises(ScoringError) as refusal:
        LexicalScorer(Scale(1, 10)).fit(*change(*training()), seed=42)
    assert refusal.value.code == code
    assert refusal.value.message.fr


def test_an_untrained_scorer_says_so():
    with pytest.raises(ScoringError, match="not been trained"):
        LexicalScorer().predict([Pair("a", "b")])


def test_every_feature_has_a_group_with_words():
    assert {group_of(name) for name in FEATURE_NAMES} <= set(GROUPS)


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("1 000,50", "1000.5"),
        ("1,000.50", "1000.5"),
        ("1000", "1000"),
        ("12,5", "12.5"),
        ("douze", "12"),
    ],
)
def test_a_number_has_one_spelling(token, value):
    assert number_value(token) == value


def test_un_counts_as_a_number_before_a_unit_only():
    assert Text("Pendant un an, un véhicule.", "fr").numbers == {"1": 1}
