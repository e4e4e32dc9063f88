"""One small RoBERTa, trained by our loop and by ``transformers.Trainer``. Read by
``bench.scorer``."""

from __future__ import annotations

import copy
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

EPOCHS, PAIRS, BATCH, RATE = 2, 160, 16, 5e-5


@dataclass(frozen=True)
class Side:
    """What both train: a model with a regression head, tokenised pairs, targets in 0–1."""

    model: Any
    pad: Any
    encoded: list[dict[str, list[int]]]
    targets: Any
    device: str
    folder: Path

    @property
    def seen(self) -> int:
        """Pairs that one training sees."""
        return EPOCHS * len(self.encoded)

    @classmethod
    def made(cls, folder: Path) -> Side:
        """Eight times the width of the tests' encoder: a step takes milliseconds, not
        microseconds."""
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        import torch
        from transformers import (
            AutoTokenizer,
            DataCollatorWithPadding,
            RobertaConfig,
            RobertaForSequenceClassification,
        )

        from tests.scorers.tiny import judged_pairs, tiny_encoder

        if not torch.cuda.is_available():
            # Two libraries of threads on few cores measure each other.
            torch.set_num_threads(1)
        tokenizer = AutoTokenizer.from_pretrained(tiny_encoder(folder / "encoder"))
        torch.manual_seed(0)
        config = RobertaConfig(
            vocab_size=len(tokenizer),
            hidden_size=256,
            num_hidden_layers=4,
            num_attention_heads=4,
            intermediate_size=1024,
            max_position_embeddings=66,
            pad_token_id=tokenizer.pad_token_id,
            num_labels=1,
            problem_type="regression",
        )
        pairs, scores = judged_pairs(PAIRS)
        encoded = tokenizer(
            [p.original for p in pairs], [p.simplification for p in pairs], truncation=True
        )
        rows = [{name: encoded[name][place] for name in encoded} for place in range(len(pairs))]
        device = (
            torch.cuda.get_device_name()
            if torch.cuda.is_available()
            else f"{torch.get_num_threads()} CPU threads"
        )
        model = RobertaForSequenceClassification(config)
        return cls(
            model, DataCollatorWithPadding(tokenizer), rows, (scores - 1) / 9, device, folder
        )


def ours(side: Side) -> float:
    """Seconds of one training with ``workers.scorers.loop``: stopping, best weights and all."""
    from accelerate import Accelerator

    from workers.scorers.checkpoint import Checkpoint
    from workers.scorers.loop import Examples, Loop
    from workers.scorers.recipe import Recipe, Watch

    recipe = Recipe(epochs=EPOCHS, patience=EPOCHS, batch=BATCH, learning_rate=RATE)
    train = Examples(side.encoded, side.targets, np.ones(len(side.encoded)))
    held = Examples(side.encoded[:BATCH], side.targets[:BATCH], np.ones(BATCH))
    loop = Loop(copy.deepcopy(side.model), side.pad, recipe, 42, Accelerator())
    began = time.perf_counter()
    loop.run(train, held, Checkpoint(None), "bench", Watch())
    return time.perf_counter() - began


def theirs(side: Side) -> float:
    """Seconds of one training with a bare ``transformers.Trainer``: no evaluation, no checkpoint,
    no report."""
    from transformers import Trainer, TrainingArguments
    from transformers.utils import logging

    logging.set_verbosity_error()
    rows = [
        row | {"labels": float(target)}
        for row, target in zip(side.encoded, side.targets, strict=True)
    ]
    arguments = TrainingArguments(
        output_dir=str(side.folder / "trainer"),
        num_train_epochs=EPOCHS,
        per_device_train_batch_size=BATCH,
        learning_rate=RATE,
        lr_scheduler_type="linear",
        max_grad_norm=1.0,
        optim="adamw_torch",
        save_strategy="no",
        eval_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=False,
        seed=42,
    )
    trainer = Trainer(
        model=copy.deepcopy(side.model), args=arguments, train_dataset=rows, data_collator=side.pad
    )
    began = time.perf_counter()
    trainer.train()
    return time.perf_counter() - began
