"""Augmentation follows the paper's rule; the similarity behind it keeps accents and agrees with
worked values."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scoring.augmentation import Synthetic, are_unrelated, augment
from annotation.scoring.baselines import baseline_predictions, signals
from annotation.scoring.errors import ScoringError
from annotation.scoring.sanity import sanity
from annotation.scoring.similarity import bleu, rouge_l, rouge_n, word_overlap

SOURCES = [
    "L'assuré désigné doit déclarer le sinistre à l'assureur dans les trente jours.",
    "Nul ne transporte une arme à feu chargée dans une remorque sans permission écrite.",
    "Un permis probatoire autorise son titulaire à conduire certains véhicules routiers.",
    "Le ministre publie annuellement les renseignements relatifs aux essais pratiques.",
]


def test_rouge_against_values_worked_by_hand():
    # Lin (2004), example 3.2: "police killed the gunman" against "police kill the gunman" shares 3
    # of 4 words, and so does "the gunman kill police" with an LCS of 2: ROUGE-L F1 0.75 and 0.5.
    assert rouge_l("police killed the gunman", "police kill the gunman") == 75
    assert rouge_l("police killed the gunman", "the gunman kill police") == 50
    assert rouge_n("police killed the gunman", "police kill the gunman", 2) == pytest.approx(
        100 / 3
    )


def test_accents_are_kept():
    assert rouge_n("assuré", "assur", 1) == 0
    assert word_overlap("été", "ete") == 0
    assert rouge_l("", "") == 0


def test_labels_kinds_and_rule():
    made = augment(SOURCES, 42, lowest=1, highest=10)
    identical, unrelated = made.of_kind(Synthetic.IDENTICAL), made.of_kind(Synthetic.UNRELATED)
    assert [pair.original for pair in identical] == SOURCES
    assert all(pair.original == pair.simplification and pair.label == 10 for pair in identical)
    assert all(pair.label == 1 and pair.simplification in SOURCES for pair in unrelated)
    for pair in unrelated:
        texts = pair.original, pair.simplification
        assert max(rouge_n(*texts, 1), rouge_n(*texts, 2), rouge_l(*texts), bleu(*texts)) <= 25
    assert len(unrelated) + len(made.without_unrelated) == len(SOURCES)


def test_same_seed_same_pairs_and_repeated_sources_count_once():
    assert augment(SOURCES, 7, lowest=1, highest=10) == augment(
        SOURCES * 2, 7, lowest=1, highest=10
    )


def test_the_mixed_figure_repeats_a_source_as_published():
    made = augment(SOURCES * 2, 7, lowest=1, highest=10, repeat=True)
    assert len(made.of_kind(Synthetic.IDENTICAL)) == 2 * len(SOURCES)


def test_a_second_corpus_is_used_alone():
    corpus = ["Les piétons traversent aux feux verts."]
    made = augment(SOURCES[:1], 1, lowest=0, highest=100, corpus=corpus).of_kind(
        Synthetic.UNRELATED
    )
    assert [pair.simplification for pair in made] == corpus


def test_a_source_without_an_unrelated_sentence_is_said():
    assert augment(SOURCES[:1], 1, lowest=1, highest=10).without_unrelated == (0,)
    assert not are_unrelated(SOURCES[0], SOURCES[0])
    with pytest.raises(ScoringError):
        augment([], 1, lowest=1, highest=10)


def test_sanity_rounds_to_whole_per_cent_as_published():
    identical = sanity("identical", "learned", [10, 9.88, 9.5, 5], 1, 10)
    assert (identical.strict.value, identical.lenient.value) == (0.5, 0.5)
    unrelated = sanity("unrelated", "ruled", [1, 1.1, 1.4, 3], 1, 10, ruled=[1, 0, 0, 0])
    assert (unrelated.strict.value, unrelated.lenient.value, unrelated.by_rule) == (0.5, 0.75, 0.25)
    assert sanity("identical", "learned", [], 1, 10).strict.value is None


def test_baselines_are_fitted_on_training_labels_alone():
    pairs = [(source, source[:cut]) for source in SOURCES for cut in (20, 40, 200)]
    signal_values = signals(pairs)
    labels = np.array([3.0, 5.0, 9.0] * 4)
    predictions = baseline_predictions(signal_values, labels, signal_values, lowest=1, highest=10)
    assert set(predictions) == {"mean", "truncation", "bleu", "chrf", "rouge_l", "word_overlap"}
    assert predictions["mean"] == pytest.approx([17 / 3] * 12)
    assert predictions["truncation"][2] == pytest.approx(9)


def test_a_baseline_stays_on_the_scale():
    """Through two signals that hardly differ the line is steep, and far from them far off."""
    near, far = {"chrf": np.array([0.50, 0.52])}, {"chrf": np.array([0.1, 0.505, 0.9])}
    predictions = baseline_predictions(near, np.array([20.0, 40.0]), far, lowest=0, highest=100)
    assert predictions["chrf"] == pytest.approx([0, 25, 100])
    assert predictions["mean"] == pytest.approx([30] * 3)
