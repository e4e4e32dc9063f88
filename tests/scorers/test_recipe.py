"""Recipes: what is impossible is refused; the rate follows transformers' own schedule."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from annotation.scoring.errors import ScoringError
from tests.scorers.tiny import judged_pairs, require_torch, tiny_encoder, torch_on_one_thread
from workers.scorers.recipe import Recipe

require_torch()


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch_on_one_thread()


@pytest.mark.parametrize(
    "given", [{"warmup": 1.0}, {"warmup": -0.1}, {"labels": "percent"}, {"keep": "first"}]
)
def test_impossible_values_are_refused_by_name(given):
    with pytest.raises(ScoringError) as refused:
        Recipe.from_dict(given)
    assert next(iter(given)) in refused.value.message.en


@pytest.mark.parametrize("warmup", [0.0, 0.1, 0.5])
def test_the_rate_is_that_of_transformers_linear_schedule(warmup):
    import torch
    from transformers import get_linear_schedule_with_warmup

    from workers.scorers.loop import Loop

    steps = 40
    reference = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=5e-5)
    schedule = get_linear_schedule_with_warmup(reference, int(warmup * steps), steps)
    loop = Loop(None, None, Recipe(warmup=warmup), 42, None)
    mine = SimpleNamespace(param_groups=[{}])
    for step in range(steps):
        loop._decay(mine, step, steps)
        assert mine.param_groups[0]["lr"] == pytest.approx(reference.param_groups[0]["lr"])
        reference.step()
        schedule.step()


@pytest.mark.slow
def test_raw_labels_and_the_last_epoch(tmp_path):
    from workers.scorers.transformer import TransformerScorer

    encoder = tiny_encoder(tmp_path / "encoder")
    pairs, scores = judged_pairs(40)
    recipe = Recipe(
        encoder=str(encoder), epochs=3, patience=3, learning_rate=1e-3, labels="raw", keep="last"
    )
    scorer = TransformerScorer(recipe=recipe).fit(pairs, scores, seed=42)
    assert scorer.standing is not None
    assert scorer.standing.best_epoch == scorer.standing.epoch == 3
    # A model of 0–1 has a loss under 1 from the start.
    assert scorer.standing.training[0] > 1
    scorer.save(tmp_path / "kept")
    again = TransformerScorer.load(tmp_path / "kept")
    assert np.allclose(again.predict(pairs), scorer.predict(pairs))
    assert ((again.predict(pairs) >= 1) & (again.predict(pairs) <= 10)).all()
