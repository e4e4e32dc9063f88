"""How the transformer scorer is trained: JUDGEBERT's recipe (protocol 1.8) as data; what it tells
of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from annotation.scoring.errors import ScoringError

ENCODER = "almanach/camembertv2-base"


@dataclass(frozen=True)
class Recipe:
    """``encoder``: a name on the Hugging Face hub or a local folder. ``patience``: epochs without a
    better validation loss before it stops. ``most_tokens``: pairs are cut there, the longer text
    first. ``precision``: "auto" takes bfloat16 on a GPU that has it, else "float32". ``warmup``:
    the share of the steps in which the rate rises from zero. ``labels``: "unit" brings them to 0–1,
    "raw" learns them as they are. ``keep``: the "best" epoch by validation loss, or the "last"."""

    encoder: str = ENCODER
    epochs: int = 100
    patience: int = 5
    batch: int = 16
    learning_rate: float = 5e-5
    weight_decay: float = 0.0
    gradient_norm: float = 1.0
    most_tokens: int = 512
    precision: str = "auto"
    warmup: float = 0.0
    labels: str = "unit"
    keep: str = "best"

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Self:
        """What is left out is as published. Raises ``ScoringError`` for an unknown name or an
        impossible value."""
        known = {field.name: field.type for field in fields(cls)}
        if unknown := sorted(set(given) - set(known)):
            raise _wrong(
                unknown[0],
                f"inconnu; il y a {', '.join(known)}",
                f"unknown; there are {', '.join(known)}",
            )
        recipe = cls(**given)
        _check_numbers(recipe)
        for name in ("epochs", "patience", "batch", "most_tokens"):
            value = getattr(recipe, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise _wrong(name, "un nombre entier d'au moins 1", "a whole number of at least 1")
        if not 0 < recipe.learning_rate < 1:
            raise _wrong("learning_rate", "entre 0 et 1", "between 0 and 1")
        if recipe.precision not in ("auto", "float32", "bfloat16"):
            raise _wrong("precision", "auto, float32 ou bfloat16", "auto, float32 or bfloat16")
        if not 0 <= recipe.warmup < 1:
            raise _wrong("warmup", "de 0 à moins de 1", "from 0 to below 1")
        if recipe.labels not in ("unit", "raw"):
            raise _wrong("labels", "unit ou raw", "unit or raw")
        if recipe.keep not in ("best", "last"):
            raise _wrong("keep", "best ou last", "best or last")
        return recipe

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe."""
        return asdict(self)


@dataclass(frozen=True)
class Epoch:
    """One epoch as it ended: mean squared errors on the scale brought to 0–1. ``number`` counts
    from 1."""

    number: int
    training_loss: float
    validation_loss: float
    seconds: float
    is_best: bool


def _nothing() -> None:
    """Nobody can ask for a stop."""


def _ignore_epoch(_: Epoch) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class Watch:
    """Who watches a training. ``on_step`` is called before every batch and may raise whatever is to
    end it."""

    on_step: Callable[[], None] = _nothing
    on_epoch: Callable[[Epoch], None] = _ignore_epoch


def _check_numbers(recipe: Recipe) -> None:
    for name in ("learning_rate", "weight_decay", "gradient_norm", "warmup"):
        value = getattr(recipe, name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise _wrong(name, "un nombre", "a number")


def _wrong(name: str, fr: str, en: str) -> ScoringError:
    return ScoringError(
        "bad_parameter", f"Paramètre « {name} » : {fr}.", f"Parameter “{name}”: {en}."
    )
