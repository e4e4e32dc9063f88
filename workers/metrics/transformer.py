"""Vectors of an encoder's last layer, by transformers. Safetensors only, no remote code, nothing
fetched.

Imports torch: reach it through ``workers.metrics.encoders``, which says plainly where torch is not
installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from annotation.metrics.encoders import Encoded
from workers.metrics.folders import EncoderFolder, refused
from workers.scorers.device_problems import device_errors_explained
from workers.scorers.transformer import quietly

_AT_ONCE = 16
_LONGEST = 512
# Heads that a model for one task has beside its encoder, and that nobody needs here.
_NOT_NEEDED = ("pooler.",)


class TransformerEncoder:
    """An encoder that was read from a folder."""

    def __init__(self, folder: EncoderFolder) -> None:
        self.folder = folder
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._load()
        self.window = self._window()

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Each text's vectors. One longer than the encoder's window is read in several, end to
        end: nothing of it is cut off. Raises ``ScoringError`` ("out_of_memory")."""
        if not texts:
            return []
        windows = self._tokenizer(
            list(texts),
            truncation=True,
            max_length=self.window,
            return_overflowing_tokens=True,
            return_special_tokens_mask=True,
        )
        owners = np.array(windows.pop("overflow_to_sample_mapping"))
        marks = windows.pop("special_tokens_mask")
        with device_errors_explained():
            layers = self._last_layers(windows)
        return [
            self._encoded(
                [(layers[place], marks[place]) for place in np.flatnonzero(owners == owner)]
            )
            for owner in range(len(texts))
        ]

    def _encoded(self, windows: Sequence[tuple[np.ndarray, Sequence[int]]]) -> Encoded:
        tokens = np.concatenate([layer for layer, _ in windows])
        weights = np.concatenate([1.0 - np.array(mark) for _, mark in windows])
        first = np.stack([layer[0] for layer, _ in windows])
        pooled = (first if self.folder.pooling == "cls" else tokens).mean(axis=0)
        return Encoded(pooled, tokens, weights)

    def _last_layers(self, windows: Any) -> list[np.ndarray]:
        """Of each window (tokens, d), without its padding."""
        ids = windows["input_ids"]
        # Windows of like length together: less padding, the same vectors.
        order = np.argsort([len(window_ids) for window_ids in ids], kind="stable")
        last_layers: list[np.ndarray] = [np.zeros(0)] * len(ids)
        for start in range(0, len(order), _AT_ONCE):
            places = order[start : start + _AT_ONCE]
            batch = self._tokenizer.pad(
                {name: [values[place] for place in places] for name, values in windows.items()},
                return_tensors="pt",
            ).to(self._device)
            with torch.inference_mode():
                layers = self._model(**batch).last_hidden_state.float().cpu().numpy()
            for place, layer, mask in zip(
                places, layers, batch["attention_mask"].cpu().numpy(), strict=True
            ):
                last_layers[place] = layer[mask.astype(bool)]
        return last_layers

    def _load(self) -> None:
        folder, source = self.folder, str(self.folder.path)
        # Whatever a strange folder makes them raise is the same to a person: it cannot be loaded.
        with quietly():
            try:
                self._tokenizer: Any = AutoTokenizer.from_pretrained(
                    source, trust_remote_code=False, local_files_only=True, use_fast=True
                )
                model, loading_info = AutoModel.from_pretrained(
                    source,
                    use_safetensors=True,
                    trust_remote_code=False,
                    local_files_only=True,
                    dtype=torch.float32,
                    output_loading_info=True,
                )
            except MemoryError:
                raise
            except Exception as error:
                words = str(error).strip().splitlines()
                why = words[0][:300] if words else type(error).__name__
                why = why.replace(source, folder.name)
                raise refused(
                    folder.name,
                    f"transformers ne le charge pas ({why})",
                    f"transformers cannot load it ({why})",
                ) from error
        missing = [
            name for name in loading_info["missing_keys"] if not name.startswith(_NOT_NEEDED)
        ]
        if missing:
            # They would be drawn at random, and every score would be noise.
            raise refused(
                folder.name,
                f"des poids y manquent ({len(missing)}, dont {min(missing)})",
                f"it lacks weights ({len(missing)}, {min(missing)} among them)",
            )
        self._model: Any = model.to(self._device).eval()

    def _window(self) -> int:
        """Tokens that are read at once, marks included: what the encoder has positions for.
        RoBERTa's begin after its padding id."""
        config = self._model.config
        positions = int(getattr(config, "max_position_embeddings", 0) or _LONGEST)
        if "roberta" in str(config.model_type):
            positions -= (config.pad_token_id or 0) + 1
        return min(positions, int(self._tokenizer.model_max_length), _LONGEST)
