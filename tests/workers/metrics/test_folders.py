"""Folders that are no encoders are refused by name, each for what it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.metrics.metric import MetricUnavailable
from workers.metrics.folders import encoder_folder

FINE = {"model_type": "camembert", "architectures": ["CamembertModel"]}


def made(path: Path, config: object = FINE, **files: object) -> Path:
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(json.dumps(config))
    (path / "model.safetensors").write_bytes(b"weights")
    for name, content in files.items():
        file = path / {"pooling": "1_Pooling/config.json", "modules": "modules.json"}[name]
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(content))
    return path


def refusal(path: Path) -> str:
    with pytest.raises(MetricUnavailable) as error:
        encoder_folder("essai", path)
    assert "« essai »" in error.value.why.fr
    assert str(path) not in error.value.why.fr, "leads read it"
    return error.value.why.en


def test_an_encoder_is_known_by_its_files(tmp_path):
    first = encoder_folder("essai", made(tmp_path / "a"))
    again = encoder_folder("autre", made(tmp_path / "b"))
    assert first.sha256 == again.sha256, "neither its name nor its place is part of it"
    (tmp_path / "b" / "model.safetensors").write_bytes(b"others")
    assert encoder_folder("autre", tmp_path / "b").sha256 != first.sha256
    (tmp_path / "a" / "README.md").write_text("read by nobody")
    assert encoder_folder("essai", tmp_path / "a").sha256 == first.sha256


def test_there_is_no_such_folder(tmp_path):
    assert "not on the machine that computes" in refusal(tmp_path / "none")


def test_a_folder_of_something_else(tmp_path):
    (tmp_path / "notes.txt").write_text("rien")
    assert "no readable config.json" in refusal(tmp_path)


@pytest.mark.parametrize("config", ["[]", "{", '"text"'])
def test_a_config_that_cannot_be_read(tmp_path, config):
    (made(tmp_path / "a") / "config.json").write_text(config)
    assert "no readable config.json" in refusal(tmp_path / "a")


def test_a_config_of_another_library(tmp_path):
    assert "not that of a transformers model" in refusal(made(tmp_path / "a", {"name": "spacy"}))


def test_weights_in_another_format(tmp_path):
    path = made(tmp_path / "a")
    (path / "model.safetensors").rename(path / "pytorch_model.bin")
    assert "no safetensors weights" in refusal(path)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]},
        {"model_type": "llama", "architectures": ["LlamaForCausalLM"]},
        {"model_type": "t5", "is_encoder_decoder": True},
    ],
)
def test_a_model_that_writes(tmp_path, config):
    assert "a model that writes text" in refusal(made(tmp_path / "a", config))


def test_architectures_that_are_no_list_say_nothing(tmp_path):
    odd = {"model_type": "bert", "architectures": "GPT2LMHeadModel"}
    assert encoder_folder("essai", made(tmp_path / "a", odd)).pooling == "mean"


@pytest.mark.parametrize(
    ("noted", "pooling"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
    ],
)
def test_how_a_text_s_vector_comes_about_is_read_from_the_folder(tmp_path, noted, pooling):
    steps = [{"type": "sentence_transformers.models.Transformer"}, {"type": "Pooling"}]
    path = made(tmp_path / "a", pooling=noted, modules=steps)
    assert encoder_folder("essai", path).pooling == pooling


def test_a_pooling_that_is_not_computed_here(tmp_path):
    assert "pooling_mode_max_tokens" in refusal(
        made(tmp_path / "a", pooling={"pooling_mode_max_tokens": True})
    )


def test_a_step_that_is_not_computed_here(tmp_path):
    """distiluse and sentence-t5 end in a dense layer: without it another vector comes out."""
    steps = [{"type": "sentence_transformers.models.Dense"}]
    assert "(Dense)" in refusal(made(tmp_path / "a", modules=steps))
    assert "modules.json cannot be read" in refusal(made(tmp_path / "b", modules=[3]))
