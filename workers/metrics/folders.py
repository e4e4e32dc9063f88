"""Folders of encoders that an admin names: whether one is what it should be, and which one it is.

Read without torch, so that a folder that is something else is refused by name wherever it lies.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.metrics.metric import MetricUnavailable
from annotation.protocols.base import Wording

_READ = ("*.json", "*.txt", "*.model", "*.safetensors", "1_Pooling/config.json")
_WRITES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
_COMPUTED = ("Transformer", "Pooling", "Normalize")
_BLOCK = 1 << 20


@dataclass(frozen=True)
class EncoderFolder:
    """``sha256`` over names and contents of what is read. ``pooling``: how the folder says that a
    text's vector comes about, mean or cls."""

    name: str
    path: Path
    sha256: str
    pooling: str


def encoder_folder(name: str, path: Path) -> EncoderFolder:
    """The folder. Raises ``MetricUnavailable`` that says its name and what it lacks."""
    if not path.is_dir():
        raise refused(
            name,
            "son dossier n'existe pas sur la machine qui calcule",
            "its folder is not on the machine that computes",
        )
    config = _json(name, path, "config.json")
    if "model_type" not in config:
        raise refused(
            name,
            "son config.json n'est pas celui d'un modèle de transformers",
            "its config.json is not that of a transformers model",
        )
    _refuse_writers(name, config)
    if not list(path.glob("*.safetensors")):
        raise refused(
            name,
            "son dossier ne contient pas de poids safetensors (d'autres formats ne sont pas lus)",
            "its folder holds no safetensors weights (other formats are not read)",
        )
    return EncoderFolder(name, path, _digest(path), _pooling(name, path))


def refused(name: str, fr: str, en: str) -> MetricUnavailable:
    """Why the folder gives no metrics. Leads read it: where it lies is the admins' to know."""
    return MetricUnavailable(
        Wording(
            f"L'encodeur « {name} » n'est pas lu : {fr}.",
            f"The encoder “{name}” is not read: {en}.",
        )
    )


def _json(name: str, path: Path, file: str) -> dict[str, Any]:
    try:
        content = json.loads((path / file).read_bytes())
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict):
        raise refused(
            name, f"son dossier n'a pas de {file} lisible", f"its folder has no readable {file}"
        )
    return content


def _refuse_writers(name: str, config: dict[str, Any]) -> None:
    """Models that write, of which the last layer is made to foretell words."""
    made_for = config.get("architectures") or []
    writes = isinstance(made_for, list) and any(
        str(architecture).endswith(_WRITES) for architecture in made_for
    )
    if config.get("is_encoder_decoder") or writes:
        raise refused(
            name,
            "c'est un modèle qui écrit du texte, pas un encodeur",
            "it is a model that writes text, no encoder",
        )


def _pooling(name: str, path: Path) -> str:
    """As sentence-transformers notes it; the mean where nothing is noted."""
    if (path / "modules.json").is_file():
        _refuse_further_steps(name, path)
    if not (path / "1_Pooling" / "config.json").is_file():
        return "mean"
    noted = _json(name, path, "1_Pooling/config.json")
    ways = [way for way, used in noted.items() if way.startswith("pooling_mode") and used is True]
    if ways == ["pooling_mode_cls_token"]:
        return "cls"
    if ways == ["pooling_mode_mean_tokens"]:
        return "mean"
    raise refused(
        name,
        f"il demande un regroupement qui n'est pas calculé ici ({', '.join(ways) or '–'})",
        f"it asks for a pooling that is not computed here ({', '.join(ways) or '–'})",
    )


def _refuse_further_steps(name: str, path: Path) -> None:
    try:
        steps = [
            str(step["type"]).rpartition(".")[2]
            for step in json.loads((path / "modules.json").read_bytes())
        ]
    except (OSError, ValueError, TypeError, KeyError):
        raise refused(
            name, "son modules.json est illisible", "its modules.json cannot be read"
        ) from None
    others = [step for step in steps if step not in _COMPUTED]
    if others:
        raise refused(
            name,
            f"il demande une étape qui n'est pas calculée ici ({', '.join(others)})",
            f"it asks for a step that is not computed here ({', '.join(others)})",
        )


def _digest(path: Path) -> str:
    files = {file for pattern in _READ for file in path.glob(pattern) if file.is_file()}
    whole = hashlib.sha256()
    for file in sorted(files):
        file_digest = hashlib.sha256()
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                file_digest.update(block)
        whole.update(f"{file.relative_to(path).as_posix()} {file_digest.hexdigest()}\n".encode())
    return whole.hexdigest()
