"""Which class is behind the name of a backend. The transformer's libraries are loaded when it is
asked for."""

from __future__ import annotations

import importlib.util
from dataclasses import fields
from pathlib import Path
from typing import Any

from annotation.scoring.errors import ScoringError
from workers.scorers.base import Scale, Scorer
from workers.scorers.device_problems import torch_missing
from workers.scorers.lexical import LexicalScorer
from workers.scorers.recipe import Recipe

_LIBRARIES = ("torch", "transformers", "accelerate", "safetensors")


def has_torch() -> bool:
    """Whether the libraries of requirements-ml.txt are installed."""
    return all(importlib.util.find_spec(name) for name in _LIBRARIES)


def new_scorer(backend: str, scale: Scale, parameters: dict[str, Any]) -> Scorer:
    """An untrained scorer. Raises ``ScoringError`` ("torch_missing", "bad_parameter",
    "backend_unknown")."""
    if backend == "lexical":
        return LexicalScorer(scale)
    if backend == "transformer":
        recipe = Recipe.from_dict(parameters)
        scorer: Scorer = _transformer()(scale, recipe)
        return scorer
    raise _unknown(backend)


def parameters_check(backend: str, parameters: dict[str, Any]) -> None:
    """Raise ``ScoringError`` ("bad_parameter") for parameters that this backend does not take, and
    say which there are: before a training is ordered with them."""
    if backend == "transformer":
        Recipe.from_dict(parameters)
    elif parameters:
        known = ", ".join(field.name for field in fields(Recipe))
        unknown = ", ".join(sorted(parameters))
        raise ScoringError(
            "bad_parameter",
            f"Le type {backend} n'a pas de paramètres (donnés : {unknown}) ; le type transformer a "
            f"{known}.",
            f"The {backend} backend has no parameters (given: {unknown}); the transformer backend "
            f"has {known}.",
        )


def load_scorer(backend: str, folder: Path) -> Scorer:
    """A scorer as it was saved. Raises ``ScoringError`` for what is missing, damaged, or of another
    kind."""
    if backend == "lexical":
        return LexicalScorer.load(folder)
    if backend == "transformer":
        scorer: Scorer = _transformer().load(folder)
        return scorer
    raise _unknown(backend)


def _transformer() -> Any:
    if not has_torch():
        raise torch_missing()
    from workers.scorers.transformer import TransformerScorer

    return TransformerScorer


def _unknown(backend: str) -> ScoringError:
    return ScoringError(
        "backend_unknown",
        f"Type d'évaluateur inconnu : « {backend} ».",
        f"Unknown kind of scorer: “{backend}”.",
    )
