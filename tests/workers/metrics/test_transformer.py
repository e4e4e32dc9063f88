"""A small model made on the spot, read by transformers: what its vectors are, and folders that are
not what they seem."""

from __future__ import annotations

import json
from collections import OrderedDict

import numpy as np
import pytest

from annotation.metrics.metric import NO_WORDS, MetricUnavailable, pair
from tests.scorers.tiny import clauses, require_torch, tiny_encoder, torch_on_one_thread
from workers.metrics import encoders as module
from workers.metrics.encoders import encoder
from workers.metrics.folders import encoder_folder

require_torch()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    torch_on_one_thread()
    return tiny_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def copied(folder, tmp_path, settings, monkeypatch):
    """The folder, to be spoilt, and named."""
    monkeypatch.setattr(module, "_loaded", OrderedDict())
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    settings.ENCODERS = {"petit": str(tmp_path)}
    return tmp_path


def loaded(path):
    from workers.metrics.transformer import TransformerEncoder

    return TransformerEncoder(encoder_folder("petit", path))


def by_hand(path, text):
    """The last layer of one text, as anybody would ask transformers for it."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(path))
    model = AutoModel.from_pretrained(str(path), dtype=torch.float32).eval()
    with torch.inference_mode():
        return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()


def test_vectors_are_those_of_the_last_layer_whatever_stands_beside(copied):
    first, second = clauses(2)
    short = "Le conducteur."
    encoded = loaded(copied).encode([first, short, second])
    for text, vectors in zip([first, short, second], encoded, strict=True):
        layer = by_hand(copied, text)
        assert vectors.tokens == pytest.approx(layer, abs=1e-5)
        assert vectors.pooled == pytest.approx(layer.mean(axis=0), abs=1e-5)
        # <s> and </s> weigh nothing.
        assert vectors.weights.tolist() == [0, *[1] * (len(layer) - 2), 0]


def test_the_first_token_where_the_folder_says_so(copied):
    (copied / "1_Pooling").mkdir()
    (copied / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    (text,) = clauses(1)
    (vectors,) = loaded(copied).encode([text])
    assert vectors.pooled == pytest.approx(by_hand(copied, text)[0], abs=1e-5)


def test_a_long_text_is_read_to_its_end(copied):
    model = loaded(copied)
    assert model.window == 64
    text = " ".join(clauses(12))
    first, other = model.encode([text, text + " Le locataire perd le véhicule."])
    assert len(first.tokens) > 2 * model.window
    assert len(other.tokens) > len(first.tokens)
    assert int(first.weights.sum()) == len(
        model._tokenizer(text, add_special_tokens=False)["input_ids"]
    )
    assert model.encode([]) == []


def test_a_family_of_four_metrics(copied):
    family = encoder("petit")
    first, second, *_ = clauses(3)
    same, other, empty = family.all_readings(
        [pair(first, first), pair(first, second), pair(first, "")]
    )
    assert list(same.values()) == pytest.approx([1] * 4, abs=1e-5)
    assert all(0 < float(value) < 1 for value in other.values())
    assert set(empty.values()) == {NO_WORDS}
    digest = encoder_folder("petit", copied).sha256[:12]
    for metric in family.metrics:
        assert f"|encoder:sha256:{digest}|windows-of:64|" in metric.signature
        assert "|transformers:" in metric.signature
    recall = float(other["encoder-petit-bertscore_recall"])
    precision = float(other["encoder-petit-bertscore_precision"])
    assert other["encoder-petit-bertscore_f1"] == pytest.approx(
        2 * precision * recall / (precision + recall)
    )
    (back,) = family.all_readings([pair(second, first)])
    assert back["encoder-petit-bertscore_precision"] == pytest.approx(recall, abs=1e-5)


def test_a_folder_is_loaded_once_and_another_content_anew(copied):
    encoder("petit")
    (kept,) = module._loaded.values()
    encoder("petit")
    assert list(module._loaded.values()) == [kept]
    for number in range(2):
        config = json.loads((copied / "config.json").read_text())
        (copied / "config.json").write_text(json.dumps(config | {"number": number}))
        encoder("petit")
    assert len(module._loaded) == 2
    assert kept not in module._loaded.values()


def test_weights_of_another_model_are_not_made_up(copied):
    """transformers would draw them at random, and every score would be noise."""
    config = json.loads((copied / "config.json").read_text())
    config["num_hidden_layers"] = 3
    (copied / "config.json").write_text(json.dumps(config))
    with pytest.raises(MetricUnavailable, match="it lacks weights"):
        encoder("petit")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("model.safetensors", b"no weights"),
        ("config.json", b'{"model_type": "something-else"}'),
    ],
)
def test_what_cannot_be_loaded_is_named(copied, file, content):
    (copied / file).write_bytes(content)
    with pytest.raises(MetricUnavailable) as error:
        encoder("petit")
    assert "transformers cannot load it" in error.value.why.en
    assert "« petit »" in error.value.why.fr
    assert str(copied) not in error.value.why.fr, "leads read it"


def test_a_machine_without_memory_says_so(copied, monkeypatch):
    family = encoder("petit")
    (model,) = module._loaded.values()

    def full(*_args):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(model, "_last_layers", full)
    with pytest.raises(MetricUnavailable) as error:
        family.all_readings([pair("Une clause.", "Une phrase.")])
    assert error.value.why.en


def test_pairs_in_any_order_and_company_give_the_same(copied):
    family = encoder("petit")
    pairs = [
        pair(original, simplification)
        for original, simplification in zip(clauses(20), clauses(21)[1:], strict=False)
    ]
    together = family.all_readings(pairs)
    alone = [family.readings(texts) for texts in reversed(pairs)][::-1]
    for in_company, by_itself in zip(together, alone, strict=True):
        assert np.array(list(in_company.values())) == pytest.approx(
            list(by_itself.values()), abs=1e-5
        )
