"""One seed of a training: split by source text, augment the training side, fit, and score what was
held out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from annotation.protocols.base import Wording
from annotation.scoring.augmentation import AugmentedPair, augment
from annotation.scoring.baselines import baseline_predictions
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.metrics import FloatArray, rmse
from annotation.scoring.outcome import Scores, SeedOutcome, items_of
from annotation.scoring.presets import PRESETS, Preset, hold_out, random_split
from annotation.scoring.splits import COMMON_SEED, Split, common_split, source_key
from annotation.services.scoring.training_work import TrainingHeartbeat
from workers.scorers.backends import new_scorer
from workers.scorers.base import Pair, Scale, Scorer
from workers.scorers.features import PairReader
from workers.scorers.lexical import LexicalScorer
from workers.scorers.recipe import Epoch, Watch


@dataclass(frozen=True)
class Training:
    """What every seed of a run shares. ``signals``: of every pair, for the baselines. ``current``:
    in service now, or None; ``seen``: keys of the sources that it learned from."""

    data: TrainingSet
    backend: str
    parameters: dict[str, Any]
    augment: bool
    corpus: Sequence[str]
    signals: dict[str, FloatArray]
    current: Scorer | None
    seen: frozenset[str]
    folder: Path
    heartbeat: TrainingHeartbeat
    reader: PairReader = field(default_factory=PairReader)
    preset_name: str = ""
    corpora: Sequence[Sequence[str]] = ()

    @property
    def preset(self) -> Preset | None:
        """The published recipe that the run follows."""
        return PRESETS.get(self.preset_name)

    @cached_property
    def held_out(self) -> tuple[list[AugmentedPair], list[str]]:
        """A preset's hold-out, and the sentences that are left for its made-up pairs."""
        preset = self.preset
        if preset is None or not self.corpora:
            return [], list(self.corpus)
        return hold_out(self.corpora, preset.hold_out, self.data.lowest, self.data.highest)

    @cached_property
    def added(self) -> list[AugmentedPair]:
        """A preset's made-up pairs, one of each kind for every judged pair; they are split like
        these."""
        if self.preset is None or not self.augment:
            return []
        data = self.data
        return list(
            augment(
                data.originals,
                COMMON_SEED,
                lowest=data.lowest,
                highest=data.highest,
                corpus=self.held_out[1],
                repeat=True,
            ).pairs
        )

    def split(self, seed: int) -> Split:
        """Of the items, and under a preset of ``added`` after them."""
        if self.preset is None:
            return common_split(self.data.originals, seed)
        return random_split(len(self.data.pairs) + len(self.added), seed)

    def rows(self, places: Sequence[int]) -> tuple[list[Pair], FloatArray]:
        """Pairs and labels at these positions, which may be those of ``added``."""
        count = len(self.data.pairs)
        added = [self.added[place - count] for place in places if place >= count]
        items = [place for place in places if place < count]
        pairs = [Pair(pair.original, pair.simplification, self.data.language) for pair in added]
        labels = [*self.data.labels[items], *(pair.label for pair in added)]
        return [*self.pairs(items), *pairs], np.array(labels, dtype=np.float64)

    @property
    def scale(self) -> Scale:
        """Of the labels."""
        return Scale(self.data.lowest, self.data.highest)

    def pairs(self, places: Sequence[int]) -> list[Pair]:
        """The pairs at these positions."""
        chosen = (self.data.pairs[place] for place in places)
        return [Pair(pair.original, pair.simplification, self.data.language) for pair in chosen]


def train_seed(training: Training, seed: int) -> tuple[Scorer, SeedOutcome]:
    """Fit one scorer and score its held-out items. Raises ``ScoringError``, ``StopRequested``,
    ``WorkerEnds``, ``LeaseLost``."""
    began = time.monotonic()
    data = training.data
    split = training.split(seed)
    training.heartbeat.progress(seed=seed, epoch=0)
    validation_pairs, validation_labels = training.rows(split.validation.tolist())
    scorer = fitted(
        training,
        split.train.tolist(),
        seed,
        str(seed),
        validation=split.validation.tolist(),
        is_preset=training.preset is not None,
    )
    training.heartbeat.check()
    test = items_of(split.test, data)
    controls = _controls(training, split, test)
    validation = scored(scorer, validation_pairs)
    fitting = time.monotonic() - began
    outcome = SeedOutcome(
        seed=seed,
        sizes={name: len(getattr(split, name)) for name in ("train", "validation", "test")},
        test=test,
        scores=scored(scorer, training.pairs(test)),
        controls=[{**asdict(control), "kind": str(control.kind)} for control in controls],
        control_scores=scored(
            scorer,
            [Pair(control.original, control.simplification, data.language) for control in controls],
        ),
        validation_rmse=rmse(np.array(validation.served), validation_labels),
        baselines=_baselines(training, split),
        current=_of_current(training, test),
        seconds=fitting,
        training_losses=_losses(scorer, "training"),
        validation_losses=_losses(scorer, "validation"),
        hold_out=_of_hold_out(training, scorer),
    )
    return scorer, outcome


def scored(scorer: Scorer, pairs: Sequence[Pair]) -> Scores:
    """Served and learned scores. A backend without rules learned all of them."""
    if isinstance(scorer, LexicalScorer):
        judged = scorer.judged(pairs)
        return Scores(
            [float(scored_pair.score) for scored_pair in judged],
            [float(scored_pair.learned) for scored_pair in judged],
            [float(scored_pair.rule is not None) for scored_pair in judged],
        )
    served = [float(score) for score in scorer.predict(pairs)]
    return Scores(served, served, [0.0] * len(served))


def seen_sources(data: TrainingSet) -> list[str]:
    """Keys of the source texts that a served scorer has learned from: all, since it is refitted on
    everything."""
    return sorted({source_key(original) for original in data.originals})


def fitted(
    training: Training,
    places: Sequence[int],
    seed: int,
    name: str,
    *,
    validation: Sequence[int] | None = None,
    until: int | None = None,
    is_preset: bool = False,
) -> Scorer:
    """A new scorer that learned from the pairs at ``places``, and from made-up pairs of their
    sources where the run asks for them.

    Of use to what is trained by epochs alone: ``validation``, the positions by which it is stopped
    (None: a part of ``places`` that it does not learn from then), ``until``, how many epochs it
    takes where it learns from all of them; ``name``, of its checkpoint. ``is_preset``: the
    positions are a preset's, whose made-up pairs are among them.
    """
    data = training.data
    scorer = new_scorer(training.backend, training.scale, training.parameters)
    if isinstance(scorer, LexicalScorer):
        scorer.reader = training.reader
    pairs, labels = training.rows(places)
    if training.augment and not is_preset:
        added = _synthetic(training, [data.originals[place] for place in places], seed)
        pairs = [
            *pairs,
            *(Pair(pair.original, pair.simplification, data.language) for pair in added),
        ]
        labels = np.concatenate([labels, [pair.label for pair in added]])
    if not scorer.learns_by_epochs:
        return scorer.fit(pairs, labels, seed=seed)
    judged = None if validation is None else training.rows(validation)
    return _fitted_by_epochs(training, scorer, (pairs, labels), judged, seed, name, until)


def _fitted_by_epochs(
    training: Training,
    scorer: Any,
    judged: tuple[Sequence[Pair], FloatArray],
    validation: tuple[Sequence[Pair], FloatArray] | None,
    seed: int,
    name: str,
    until: int | None,
) -> Scorer:
    heartbeat = training.heartbeat
    place = training.folder / f"checkpoint-{name}"

    def on_epoch(epoch: Epoch) -> None:
        # Curves are drawn of the seeds; folds and the refit have no validation side of the run's.
        if validation is None:
            heartbeat.progress(epoch=epoch.number)
        else:
            heartbeat.epoch(name, epoch.number, epoch.training_loss, epoch.validation_loss)

    fitted_scorer: Scorer = scorer.fit(
        *judged,
        seed=seed,
        validation=validation,
        checkpoint=place,
        until=until,
        watch=Watch(on_step=heartbeat.check, on_epoch=on_epoch),
    )
    ended = scorer.standing
    if validation is not None:
        heartbeat.losses(name, ended.training, ended.validation)
    heartbeat.say(
        Wording(
            f"Entraînement {name} : fin à l'époque {ended.epoch}, la meilleure étant "
            f"{ended.best_epoch}.",
            f"Training {name}: ended at epoch {ended.epoch}, the best being {ended.best_epoch}.",
        )
    )
    return fitted_scorer


def _synthetic(training: Training, sources: Sequence[str], seed: int) -> list[AugmentedPair]:
    data, rest = training.data, training.held_out[1]
    augmented = augment(sources, seed, lowest=data.lowest, highest=data.highest, corpus=rest)
    return list(augmented.pairs)


def _controls(training: Training, split: Split, test: Sequence[int]) -> list[AugmentedPair]:
    """Made-up pairs of the test side: a preset's own where it adds some."""
    data = training.data
    if training.added:
        count = len(data.pairs)
        return [training.added[place - count] for place in split.test.tolist() if place >= count]
    return _synthetic(training, [data.originals[place] for place in test], split.seed)


def _of_hold_out(training: Training, scorer: Scorer) -> list[float]:
    language = training.data.language
    pairs = [Pair(pair.original, pair.simplification, language) for pair in training.held_out[0]]
    return scored(scorer, pairs).served if pairs else []


def _baselines(training: Training, split: Split) -> dict[str, list[float]]:
    """Lines through the training labels, on the test items."""
    train, test = (items_of(side, training.data) for side in (split.train, split.test))
    of_train = {name: values[train] for name, values in training.signals.items()}
    of_test = {name: values[test] for name, values in training.signals.items()}
    data = training.data
    predictions = baseline_predictions(
        of_train, data.labels[train], of_test, lowest=data.lowest, highest=data.highest
    )
    return {name: [float(value) for value in values] for name, values in predictions.items()}


def _of_current(training: Training, test: Sequence[int]) -> list[float | None]:
    if training.current is None:
        return []
    unseen = [
        place for place in test if source_key(training.data.originals[place]) not in training.seen
    ]
    scores = (
        dict(zip(unseen, training.current.predict(training.pairs(unseen)), strict=True))
        if unseen
        else {}
    )
    return [float(scores[place]) if place in scores else None for place in test]


def _losses(scorer: Any, name: str) -> list[float]:
    standing = getattr(scorer, "standing", None)
    return list(getattr(standing, name)) if standing else []
