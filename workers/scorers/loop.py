"""The training loop of the transformer scorer: AdamW, linear decay, early stopping, a checkpoint
after every epoch.

Every random number of an epoch follows from (seed, epoch), so that a training that goes on after
its worker was killed takes the same way as one that was not; on one CPU thread to the last bit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator

from workers.scorers.base import FloatArray
from workers.scorers.checkpoint import Checkpoint, Standing
from workers.scorers.device_problems import loss_not_finite
from workers.scorers.recipe import Epoch, Recipe, Watch

Encoded = dict[str, list[int]]
_SEED_STRIDE = 100_003


@dataclass(frozen=True)
class Examples:
    """Tokenised pairs with targets (n,) in 0–1 and weights (n,) > 0."""

    encoded: Sequence[Encoded]
    targets: FloatArray
    weights: FloatArray


@dataclass(frozen=True)
class Loop:
    """One training of ``model``; ``pad`` turns tokenised pairs into a padded batch of tensors."""

    model: Any
    pad: Any
    recipe: Recipe
    seed: int
    accelerator: Accelerator

    def run(
        self,
        train: Examples,
        validation: Examples,
        checkpoint: Checkpoint,
        key: str,
        watch: Watch,
        *,
        until: int | None = None,
    ) -> Standing:
        """Train until patience or epochs end; the model then has the weights of its best epoch.
        With ``until``: for so many epochs, without a look at ``validation``; the last is kept.

        Raises ``ScoringError`` ("loss_not_finite") and whatever ``watch.on_step`` raises.
        """
        optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=self.recipe.learning_rate,
            weight_decay=self.recipe.weight_decay,
        )
        standing = checkpoint.restore(key, self.model, optimizer)
        model, prepared = self.accelerator.prepare(self.model, optimizer)
        keeps_last = until is not None or self.recipe.keep == "last"
        steps = math.ceil(len(train.encoded) / self.recipe.batch)
        while (
            standing.epoch < self.recipe.epochs
            and standing.epoch - standing.best_epoch < self.recipe.patience
            if until is None
            else standing.epoch < until
        ):
            began = time.monotonic()
            training = self._epoch(model, prepared, train, standing.epoch, steps, watch)
            loss = self.loss(model, validation) if until is None else training
            if not math.isfinite(loss):
                raise loss_not_finite(standing.epoch + 1)
            is_best = standing.note(training, loss, is_last=keeps_last)
            checkpoint.store(standing, self.model, optimizer, is_best=is_best)
            watch.on_epoch(Epoch(standing.epoch, training, loss, time.monotonic() - began, is_best))
        self.model.load_state_dict(checkpoint.best(standing))
        return standing

    def _epoch(
        self, model: Any, optimizer: Any, train: Examples, epoch: int, steps: int, watch: Watch
    ) -> float:
        """One pass over the training pairs; their mean loss."""
        torch.manual_seed(self.seed * _SEED_STRIDE + epoch)
        order = np.random.default_rng([self.seed, epoch]).permutation(len(train.encoded))
        model.train()
        total = torch.zeros((), device=self.accelerator.device)
        for step, places in enumerate(_batches(order, self.recipe.batch)):
            watch.on_step()
            self._decay(optimizer, epoch * steps + step, steps * self.recipe.epochs)
            with self.accelerator.autocast():
                loss = self._loss(model, train, places)
            self.accelerator.backward(loss)
            self.accelerator.clip_grad_norm_(model.parameters(), self.recipe.gradient_norm)
            optimizer.step()
            optimizer.zero_grad()
            # Added on the device: asking for the number at every step would wait for it.
            total += loss.detach() * len(places)
        mean = float(total) / len(order)
        if not math.isfinite(mean):
            raise loss_not_finite(epoch + 1)
        return mean

    def loss(self, model: Any, examples: Examples) -> float:
        """Weighted mean squared error, without training."""
        model.eval()
        total = 0.0
        with torch.inference_mode(), self.accelerator.autocast():
            for places in _batches(np.arange(len(examples.encoded)), self.recipe.batch):
                total += float(self._loss(model, examples, places)) * len(places)
        return total / len(examples.encoded)

    def _loss(self, model: Any, examples: Examples, places: Sequence[int]) -> torch.Tensor:
        batch = self.pad([examples.encoded[place] for place in places]).to(self.accelerator.device)
        targets, weights = (
            torch.tensor(values[places], dtype=torch.float32, device=self.accelerator.device)
            for values in (examples.targets, examples.weights)
        )
        output = model(**batch).logits.squeeze(-1).float()
        return (weights * (output - targets) ** 2).sum() / weights.sum()

    def _decay(self, optimizer: Any, step: int, steps: int) -> None:
        """Linear, from the recipe's rate to zero at the last possible step; before that, where the
        recipe warms up, from zero to the rate, as transformers' linear schedule with warm-up."""
        rising = int(self.recipe.warmup * steps)
        share = step / rising if step < rising else max(0.0, (steps - step) / (steps - rising))
        rate = self.recipe.learning_rate * share
        for group in optimizer.param_groups:
            group["lr"] = rate


def _batches(order: Any, size: int) -> Iterator[Any]:
    return (order[start : start + size] for start in range(0, len(order), size))
