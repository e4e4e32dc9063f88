"""Where a training stands after an epoch, on disk as safetensors and JSON: whole or not at all,
never pickle."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

_STATE = "state.json"
_BEST = "best.safetensors"


@dataclass
class Standing:
    """After ``epoch`` (0: not begun): losses so far, the best epoch. ``key`` tells one training
    from another."""

    key: str
    epoch: int = 0
    best_epoch: int = 0
    best_loss: float = float("inf")
    training: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)

    def note(self, training: float, validation: float, *, is_last: bool = False) -> bool:
        """Count an epoch; whether it is the best so far. ``is_last``: the last one counts as that,
        whatever its loss."""
        self.epoch += 1
        self.training.append(training)
        self.validation.append(validation)
        if is_last or validation < self.best_loss:
            self.best_epoch, self.best_loss = self.epoch, validation
            return True
        return False


class Checkpoint:
    """The last epoch and the best weights in ``folder``; without a folder the best weights are kept
    in memory.

    Every file bears its epoch in its name and ``state.json`` is replaced last, so that a killed
    worker leaves the former epoch whole.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._best: dict[str, torch.Tensor] = {}

    def restore(
        self, key: str, model: torch.nn.Module, optimizer: torch.optim.Optimizer
    ) -> Standing:
        """Put model and optimizer back to the last epoch; a damaged or another training's
        checkpoint counts as none."""
        folder = self._folder
        if folder is None or not (folder / _STATE).is_file():
            return Standing(key)
        try:
            standing = Standing(**json.loads((folder / _STATE).read_text("utf-8")))
            if standing.key != key:
                return Standing(key)
            weights = load_file(folder / f"model-{standing.epoch}.safetensors")
            moments = load_file(folder / f"optimizer-{standing.epoch}.safetensors")
            if not (folder / _best_name(standing)).is_file():
                return Standing(key)
        except (OSError, ValueError, TypeError, SafetensorError):
            return Standing(key)
        model.load_state_dict(weights)
        _restore_moments(optimizer, moments)
        return standing

    def store(
        self,
        standing: Standing,
        model: torch.nn.Module,
        optimizer: torch.optim.Optimizer,
        *,
        is_best: bool,
    ) -> None:
        """Keep this epoch, and its weights where it is the best one. Raises ``OSError`` or
        safetensors' own error when the disk is full: ``device_problems`` knows both."""
        weights = _weights(model)
        folder = self._folder
        if folder is None:
            if is_best:
                self._best = {name: tensor.clone() for name, tensor in weights.items()}
            return
        folder.mkdir(parents=True, exist_ok=True)
        _save(weights, folder / f"model-{standing.epoch}.safetensors")
        _save(_moments(optimizer), folder / f"optimizer-{standing.epoch}.safetensors")
        if is_best:
            best = folder / _best_name(standing)
            best.unlink(missing_ok=True)
            os.link(folder / f"model-{standing.epoch}.safetensors", best)
        _replace(folder / _STATE, json.dumps(asdict(standing)).encode())
        self._clear(standing)

    def best(self, standing: Standing) -> dict[str, torch.Tensor]:
        """Weights of the best epoch."""
        return load_file(self._folder / _best_name(standing)) if self._folder else self._best

    def drop(self) -> None:
        """Remove what the training no longer needs."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _clear(self, standing: Standing) -> None:
        kept = {
            _STATE,
            _best_name(standing),
            *(f"{what}-{standing.epoch}.safetensors" for what in ("model", "optimizer")),
        }
        for path in self._folder.iterdir() if self._folder else ():
            if path.name not in kept:
                path.unlink(missing_ok=True)


def _best_name(standing: Standing) -> str:
    return f"{standing.best_epoch}-{_BEST}"


def _weights(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    # Tied weights share memory, which safetensors refuses.
    return {
        name: tensor.detach().cpu().contiguous().clone()
        for name, tensor in model.state_dict().items()
    }


def _moments(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    state: dict[Any, dict[str, Any]] = optimizer.state_dict()["state"]
    return {
        f"{place}.{name}": torch.as_tensor(value).detach().cpu().contiguous().clone()
        for place, values in state.items()
        for name, value in values.items()
    }


def _restore_moments(optimizer: torch.optim.Optimizer, moments: dict[str, torch.Tensor]) -> None:
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in moments.items():
        place, _, what = name.partition(".")
        state.setdefault(int(place), {})[what] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def _save(tensors: dict[str, torch.Tensor], path: Path) -> None:
    part = path.with_suffix(".part")
    save_file(tensors, part)
    with part.open("rb") as written:
        os.fsync(written.fileno())
    part.replace(path)


def _replace(path: Path, content: bytes) -> None:
    part = path.with_suffix(".part")
    with part.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    part.replace(path)
