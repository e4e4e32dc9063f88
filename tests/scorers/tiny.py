"""A RoBERTa of a few thousand weights with a tokenizer trained on the spot: the real code path in
seconds."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from workers.scorers.base import Pair

_WHO = (
    "L'assureur",
    "L'assuré",
    "Le propriétaire",
    "Le conducteur",
    "Le créancier",
    "Le locataire",
)
_DOES = ("doit payer", "peut refuser", "ne doit pas vendre", "rembourse", "perd", "conserve")
_WHAT = ("les frais", "la prime", "le véhicule", "l'indemnité", "la franchise", "le contrat")
_WHEN = (
    "dans les 30 jours",
    "avant le 1er mai",
    "sans délai",
    "à chaque renouvellement",
    "pendant un an",
)
_MISSING = [
    name for name in ("torch", "transformers", "accelerate") if not importlib.util.find_spec(name)
]

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def require_torch() -> None:
    """Leave the module out where torch is absent; fail where CI asks for everything.

    Torch itself is imported by the tests that run: it takes three seconds, which every process that
    only collects them would spend.
    """
    if not _MISSING:
        return
    if os.environ.get("BAREME_REQUIRE_TORCH") == "1":
        raise pytest.UsageError(
            f"BAREME_REQUIRE_TORCH=1, but {', '.join(_MISSING)} cannot be imported"
        )
    pytest.skip("needs requirements-ml.txt", allow_module_level=True)


def torch_on_one_thread() -> None:
    """As trainings are repeated to the last bit."""
    import torch

    torch.set_num_threads(1)


def clauses(count: int) -> list[str]:
    """Distinct made-up clauses."""
    rng = np.random.default_rng(3)
    distinct: dict[str, None] = {}
    while len(distinct) < count:
        words = [str(rng.choice(part)) for part in (_WHO, _DOES, _WHAT, _WHEN)]
        distinct[f"{' '.join(words)}, article {rng.integers(1, 400)}."] = None
    return list(distinct)


def judged_pairs(
    count: int = 60, *, lowest: float = 1.0, highest: float = 10.0
) -> tuple[list[Pair], np.ndarray]:
    """Pairs whose score is the share of words that were kept: something that can be learned."""
    rng = np.random.default_rng(5)
    pairs, scores = [], []
    for clause in clauses(count):
        words = clause.split()
        share = float(rng.choice([0.2, 0.4, 0.6, 0.8, 1.0]))
        kept = words[: max(1, round(share * len(words)))]
        pairs.append(Pair(clause, " ".join(kept)))
        scores.append(lowest + (highest - lowest) * len(kept) / len(words))
    return pairs, np.array(scores)


def tiny_encoder(folder: Path) -> Path:
    """A saved encoder, without a head."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

    trained = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator(
        clauses(200), vocab_size=400, min_frequency=1, special_tokens=special
    )
    folder.mkdir(parents=True, exist_ok=True)
    trained.save_model(str(folder))
    tokenizer = RobertaTokenizerFast.from_pretrained(str(folder), model_max_length=64)
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=66,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
