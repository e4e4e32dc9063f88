"""The transformer scorer: JUDGEBERT's recipe (protocol 1.8) on ``transformers``. Safetensors only,
no remote code.

Imports torch: reach it through ``workers.scorers.backends``, which says plainly where torch is not
installed.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from accelerate import Accelerator
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding
from transformers.utils import logging as transformers_logging

from annotation.accents import composed
from annotation.scoring.errors import ScoringError
from annotation.scoring.splits import VALIDATION_SHARE, split_by_source
from workers.scorers.artefact import read_artefact, write_artefact
from workers.scorers.base import FloatArray, Pair, Scale, refuse_untrainable
from workers.scorers.checkpoint import Checkpoint, Standing
from workers.scorers.device_problems import device_errors_explained, encoder_unloadable
from workers.scorers.loop import Encoded, Examples, Loop
from workers.scorers.recipe import Recipe, Watch

VERSION = 1
_AT_ONCE = 64
"""Pairs that are read, or scored, with one call."""
Judged = tuple[Sequence[Pair], FloatArray]


class TransformerScorer:
    """An encoder with a regression head; a pair is joined by the encoder's own separator token."""

    backend: ClassVar[str] = "transformer"
    learns_by_epochs: ClassVar[bool] = True

    def __init__(self, scale: Scale | None = None, recipe: Recipe | None = None) -> None:
        self.scale = scale or Scale()
        self.recipe = recipe or Recipe()
        self.seed: int | None = None
        self.standing: Standing | None = None
        self._model: Any = None
        self._tokenizer: Any = None
        self._accelerator: Accelerator | None = None

    def fit(
        self,
        pairs: Sequence[Pair],
        scores: FloatArray,
        *,
        seed: int,
        weights: FloatArray | None = None,
        validation: Judged | None = None,
        checkpoint: Path | None = None,
        until: int | None = None,
        watch: Watch | None = None,
    ) -> Self:
        """Learn from ``scores`` (n,) on the scale, ``weights`` (n,) > 0. ``seed`` draws the head
        and every order.

        ``validation`` decides when to stop (default: a seventh of the source texts, left out of
        training). ``until``: with it nothing is left out, and exactly so many epochs are taken, as
        a training on a part of the pairs found best. ``checkpoint``: a folder from which a
        broken-off training of the same data and recipe goes on. Raises ``ScoringError``: what
        cannot be learned from, "encoder_unloadable", "loss_not_finite", "out_of_memory",
        "disk_full".
        """
        scores = np.asarray(scores, dtype=np.float64)
        refuse_untrainable(pairs, scores, self.scale)
        weights = np.ones(len(pairs)) if weights is None else np.asarray(weights, dtype=np.float64)
        if until is not None:
            validation = ([], np.zeros(0))
        elif validation is None:
            pairs, scores, weights, validation = _without_validation(pairs, scores, weights, seed)
        with device_errors_explained():
            self._begin(seed)
            train = self._examples(pairs, scores, weights)
            stopping = self._examples(
                validation[0], np.asarray(validation[1]), np.ones(len(validation[1]))
            )
            kept = Checkpoint(checkpoint)
            loop = Loop(self._model, self._pad, self.recipe, seed, self.accelerator)
            key = self._key(seed, until, train, stopping)
            self.standing = loop.run(train, stopping, kept, key, watch or Watch(), until=until)
        self.seed = seed
        return self

    def predict(self, pairs: Sequence[Pair]) -> FloatArray:
        """(n,): scores on the scale. One output per pair, whatever it holds."""
        if self._model is None:
            raise ScoringError(
                "not_fitted",
                "Cet évaluateur n'a pas encore été entraîné.",
                "This scorer has not been trained yet.",
            )
        encoded = self._encode(pairs)
        # Pairs of like length together: less padding, the same scores.
        order = np.argsort([len(encoding["input_ids"]) for encoding in encoded], kind="stable")
        shares = np.zeros(len(pairs))
        self._model.to(self.accelerator.device).eval()
        with device_errors_explained(), torch.inference_mode(), self.accelerator.autocast():
            for start in range(0, len(order), _AT_ONCE):
                places = order[start : start + _AT_ONCE]
                batch = self._pad([encoded[place] for place in places]).to(self.accelerator.device)
                shares[places] = self._model(**batch).logits.squeeze(-1).float().cpu().numpy()
        if self.recipe.labels == "raw":
            return self.scale.clip(shares)
        return self.scale.clip(self.scale.lowest + shares * self.scale.range)

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the scorer as ``folder`` (new); returns the manifest with the SHA-256 of each
        file."""
        with device_errors_explained(), quietly(), tempfile.TemporaryDirectory() as aside:
            self._model.to("cpu").save_pretrained(aside, max_shard_size="100GB")
            self._tokenizer.save_pretrained(aside)
            files = {
                path.name: path.read_bytes()
                for path in sorted(Path(aside).iterdir())
                if path.is_file()
            }
            facts = {
                "backend": self.backend,
                "version": VERSION,
                "scale": asdict(self.scale),
                "seed": self.seed,
                "recipe": self.recipe.as_dict(),
            }
            return write_artefact(folder, files, facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read a folder that ``save`` wrote. Raises ``ScoringError`` for a missing or damaged
        file."""
        manifest, _ = read_artefact(folder, cls.backend)
        scorer = cls(Scale(**manifest["scale"]), Recipe.from_dict(manifest["recipe"]))
        scorer.seed = manifest["seed"]
        scorer._load(str(folder))
        return scorer

    @property
    def accelerator(self) -> Accelerator:
        """The device; bfloat16 on a GPU that has it, unless the recipe says otherwise."""
        if self._accelerator is None:
            wanted = self.recipe.precision
            has = torch.cuda.is_available() and torch.cuda.is_bf16_supported()
            mixed = "bf16" if wanted == "bfloat16" or (wanted == "auto" and has) else "no"
            self._accelerator = Accelerator(mixed_precision=mixed)
        return self._accelerator

    def _begin(self, seed: int) -> None:
        # The head is drawn when the model is made.
        torch.manual_seed(seed)
        self._load(self.recipe.encoder)

    def _load(self, source: str) -> None:
        # Whatever a strange folder makes them raise is the same to a person: it cannot be loaded.
        with quietly():
            try:
                self._tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False)
                self._model = AutoModelForSequenceClassification.from_pretrained(
                    source,
                    num_labels=1,
                    problem_type="regression",
                    use_safetensors=True,
                    trust_remote_code=False,
                    dtype=torch.float32,
                )
            except MemoryError:
                raise
            except Exception as error:
                raise encoder_unloadable(source, error) from error
        self._pad = DataCollatorWithPadding(self._tokenizer)

    def _encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        some = (pairs[start : start + _AT_ONCE] for start in range(0, len(pairs), _AT_ONCE))
        return [encoded for few in some for encoded in self._encoded(few)]

    def _encoded(self, pairs: Sequence[Pair]) -> Iterator[Encoded]:
        most = min(self.recipe.most_tokens, self._most_tokens())
        encodings = self._tokenizer(
            self._cut([composed(pair.original) for pair in pairs], most),
            self._cut([composed(pair.simplification) for pair in pairs], most),
            truncation="longest_first",
            max_length=most,
        )
        for place in range(len(pairs)):
            yield {name: values[place] for name, values in encodings.items()}

    def _cut(self, texts: list[str], most: int) -> list[str]:
        """Without what lies far beyond the ``most`` tokens of a window.

        Of a pair that is longer a fast tokenizer makes every window of one text with every window
        of the other, whether or not somebody asks for them: of two texts of 4,000 tokens 34 MB, of
        two of 16,000 half a gigabyte, and of all pairs at once.
        """
        # Twice what fits, so that the word that is cut in two is none that is read.
        far = 2 * most
        long = [place for place, text in enumerate(texts) if len(text) > far]
        if not long or not self._tokenizer.is_fast:
            return texts
        offsets = self._tokenizer(
            [texts[place] for place in long],
            add_special_tokens=False,
            return_offsets_mapping=True,
            verbose=False,
        )["offset_mapping"]
        cut = list(texts)
        for place, own in zip(long, offsets, strict=True):
            if len(own) > far:
                cut[place] = texts[place][: own[far][0]]
        return cut

    def _most_tokens(self) -> int:
        """What the encoder has positions for. RoBERTa's begin after its padding id."""
        config = self._model.config
        positions = int(getattr(config, "max_position_embeddings", 0) or 10**9)
        return (
            positions - (config.pad_token_id or 0) - 1
            if "roberta" in str(config.model_type)
            else positions
        )

    def _examples(self, pairs: Sequence[Pair], scores: FloatArray, weights: FloatArray) -> Examples:
        return Examples(self._encode(pairs), self._targets(scores), weights)

    def _targets(self, scores: FloatArray) -> FloatArray:
        """What the model learns to say."""
        if self.recipe.labels == "raw":
            return scores
        return (scores - self.scale.lowest) / self.scale.range

    def _key(self, seed: int, until: int | None, *parts: Examples) -> str:
        """Of everything that decides a training's way: another key's checkpoint is not gone on
        from."""
        setup = [seed, until, self.recipe.as_dict(), asdict(self.scale)]
        data = [[part.encoded, part.targets.tolist(), part.weights.tolist()] for part in parts]
        return hashlib.sha256(json.dumps([setup, data], sort_keys=True).encode()).hexdigest()


@contextmanager
def quietly() -> Iterator[None]:
    """Without transformers' progress bars, and its table of weights that a head does not have yet:
    expected here."""
    level = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(level)


def _without_validation(
    pairs: Sequence[Pair], scores: FloatArray, weights: FloatArray, seed: int
) -> tuple[Sequence[Pair], FloatArray, FloatArray, Judged]:
    share = VALIDATION_SHARE / 0.7
    split = split_by_source(
        [pair.original for pair in pairs], seed, train_share=1 - 2 * share, validation_share=share
    )
    train = np.sort(np.concatenate([split.train, split.test]))
    return (
        [pairs[place] for place in train],
        scores[train],
        weights[train],
        ([pairs[place] for place in split.validation], scores[split.validation]),
    )
