"""The transformer scorer on a tiny encoder: it learns, goes on after a kill, reloads bit-equal, and
fails in words."""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from annotation.scoring.errors import ScoringError
from tests.scorers.tiny import judged_pairs, require_torch, tiny_encoder, torch_on_one_thread
from workers.scorers.backends import load_scorer, new_scorer
from workers.scorers.base import Scale
from workers.scorers.recipe import Epoch, Recipe, Watch

if TYPE_CHECKING:
    from workers.scorers.transformer import TransformerScorer

require_torch()

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch_on_one_thread()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def recipe(encoder) -> Recipe:
    return Recipe(encoder=str(encoder), epochs=4, patience=4, learning_rate=1e-3)


@pytest.fixture
def parts():
    pairs, scores = judged_pairs(60)
    return pairs[:48], scores[:48], (pairs[48:], scores[48:])


@pytest.fixture
def more_parts():
    pairs, scores = judged_pairs(96)
    return pairs[:76], scores[:76], (pairs[76:], scores[76:])


def untrained(recipe) -> TransformerScorer:
    from workers.scorers.transformer import TransformerScorer

    return TransformerScorer(Scale(), recipe)


def fitted(recipe, parts, *, seed=42, **more) -> TransformerScorer:
    pairs, scores, validation = parts
    return untrained(recipe).fit(pairs, scores, seed=seed, validation=validation, **more)


def test_it_learns_and_tells_every_epoch(recipe, more_parts):
    epochs: list[Epoch] = []
    longer = replace(recipe, epochs=25, patience=25, learning_rate=3e-3)
    scorer = fitted(longer, more_parts, watch=Watch(on_epoch=epochs.append))
    pairs, scores, _ = more_parts
    predicted = scorer.predict(pairs)
    assert [epoch.number for epoch in epochs] == list(range(1, 26))
    assert epochs[-1].training_loss < epochs[0].training_loss / 2
    assert np.corrcoef(predicted, scores)[0, 1] > 0.8
    assert predicted.min() >= 1
    assert predicted.max() <= 10


def test_the_seed_decides(recipe, parts):
    first, same, other = (fitted(recipe, parts, seed=seed) for seed in (42, 42, 43))
    pairs = parts[0]
    assert np.array_equal(first.predict(pairs), same.predict(pairs))
    assert not np.array_equal(first.predict(pairs), other.predict(pairs))


def test_it_stops_when_validation_no_longer_improves(recipe, parts):
    scorer = fitted(replace(recipe, epochs=60, patience=2, learning_rate=0.02), parts)
    standing = scorer.standing
    assert standing.epoch < 60
    assert standing.epoch - standing.best_epoch == 2
    assert standing.best_loss == min(standing.validation)


def test_a_killed_training_goes_on_bit_equal(recipe, parts, tmp_path):
    whole = fitted(recipe, parts)
    steps = iter(range(1000))

    def killed() -> None:
        if next(steps) == 8:  # in the middle of the third epoch: three batches each
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fitted(recipe, parts, checkpoint=tmp_path / "at", watch=Watch(on_step=killed))
    again: list[int] = []
    resumed = fitted(
        recipe,
        parts,
        checkpoint=tmp_path / "at",
        watch=Watch(on_epoch=lambda epoch: again.append(epoch.number)),
    )
    assert again == [3, 4]
    assert resumed.standing.validation == whole.standing.validation
    assert np.array_equal(resumed.predict(parts[0]), whole.predict(parts[0]))


@pytest.mark.parametrize("damage", ["another_training", "damaged_file", "missing_best"])
def test_a_checkpoint_that_does_not_fit_is_not_used(recipe, parts, tmp_path, damage):
    folder = tmp_path / "at"
    fitted(
        replace(recipe, epochs=1),
        parts,
        checkpoint=folder,
        seed=1 if damage == "another_training" else 42,
    )
    if damage == "damaged_file":
        next(folder.glob("optimizer-*")).write_bytes(b"short")
    if damage == "missing_best":
        next(folder.glob("*-best.safetensors")).unlink()
    epochs: list[int] = []
    watch = Watch(on_epoch=lambda epoch: epochs.append(epoch.number))
    fitted(replace(recipe, epochs=1), parts, checkpoint=folder, watch=watch)
    assert epochs == [1]


def test_saved_and_read_back_it_gives_the_same_bits(recipe, parts, tmp_path):
    scorer = fitted(recipe, parts)
    before = scorer.predict(parts[0])
    manifest = scorer.save(tmp_path / "scorer")
    assert "model.safetensors" in manifest["files"]
    assert not any(name.endswith((".bin", ".pt", ".pkl")) for name in manifest["files"])
    read = load_scorer("transformer", tmp_path / "scorer")
    assert np.array_equal(read.predict(parts[0]), before)
    weights = tmp_path / "scorer" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x00")
    with pytest.raises(ScoringError) as refused:
        load_scorer("transformer", tmp_path / "scorer")
    assert refused.value.code == "artefact_corrupted"


def test_a_stop_is_heeded_at_the_next_batch(recipe, parts):
    class Stop(Exception):
        """Asked for."""

    def stop() -> None:
        raise Stop

    with pytest.raises(Stop):
        fitted(recipe, parts, watch=Watch(on_step=stop))


def test_without_validation_it_leaves_some_sources_out_itself(recipe):
    pairs, scores = judged_pairs(60)
    scorer = untrained(recipe).fit(pairs, scores, seed=42)
    assert len(scorer.predict(pairs)) == 60


@pytest.mark.parametrize("source", ["/nowhere/at/all", "nobody/such-a-model", "pickled"])
def test_an_encoder_that_cannot_be_loaded(recipe, parts, tmp_path, encoder, source):
    if source == "pickled":
        import shutil

        import torch

        shutil.copytree(encoder, tmp_path / "pickled")
        (tmp_path / "pickled" / "model.safetensors").unlink()
        torch.save({}, tmp_path / "pickled" / "pytorch_model.bin")
        source = str(tmp_path / "pickled")
    with pytest.raises(ScoringError) as refused:
        fitted(replace(recipe, encoder=source), parts)
    assert refused.value.code == "encoder_unloadable"
    assert source in refused.value.message.en


def test_a_loss_that_is_no_number(recipe, parts):
    with pytest.raises(ScoringError) as refused:
        fitted(replace(recipe, learning_rate=0.9, gradient_norm=float("inf")), _poisoned(parts))
    assert refused.value.code == "loss_not_finite"


def _poisoned(parts):
    pairs, scores, (pairs_held, scores_held) = parts
    return pairs, scores, (pairs_held, np.full(len(scores_held), np.nan))


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "out_of_memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "out_of_memory"),
        (MemoryError(), "out_of_memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk_full"),
    ],
)
def test_what_the_machine_lacks_is_said_plainly(recipe, parts, monkeypatch, raised, code):
    def fail(*_):
        raise raised

    monkeypatch.setattr("workers.scorers.loop.Loop._loss", fail)
    with pytest.raises(ScoringError) as refused:
        fitted(recipe, parts)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "given",
    [{"epochs": 0}, {"batch": "16"}, {"learning_rate": 2}, {"precision": "int4"}, {"nonsense": 1}],
)
def test_bad_parameters_are_named(given):
    with pytest.raises(ScoringError) as refused:
        new_scorer("transformer", Scale(), given)
    assert refused.value.code == "bad_parameter"
    assert next(iter(given)) in refused.value.message.en


def test_texts_longer_than_the_encoder_are_cut_not_refused(recipe, parts):
    from workers.scorers.base import Pair

    scorer = fitted(replace(recipe, epochs=1), parts)
    long = Pair("mot " * 2000, "mot " * 3000)
    assert np.isfinite(scorer.predict([long, Pair("", "")])).all()


@pytest.mark.parametrize("most", [16, 60])
def test_what_is_read_of_a_long_pair_is_what_the_tokenizer_would_leave_of_it(recipe, parts, most):
    """However far both run beyond it; no word of what is read is cut."""
    from workers.scorers.base import Pair

    scorer = fitted(replace(recipe, epochs=1, most_tokens=most), parts)
    rng = np.random.default_rng(4)
    words = sorted({word for pair in parts[0] for word in pair.original.split()})

    def text(number: int) -> str:
        return " ".join(rng.choice(words, number))

    lengths = [(300, 5), (5, 300), (300, 300), (80, 200), (20, 21), (1, 0), (0, 300)]
    pairs = [Pair(text(first), text(second)) for first, second in lengths]
    pairs.append(Pair("é" * 400, "à l'" * 300))
    known = scorer._tokenizer(
        [pair.original for pair in pairs],
        [pair.simplification for pair in pairs],
        truncation="longest_first",
        max_length=most,
    )
    assert [own["input_ids"] for own in scorer._encode(pairs)] == known["input_ids"]


def test_far_beyond_what_it_reads_nothing_is_handed_on(recipe, parts, monkeypatch):
    """The tokenizer would make every window of one text with every one of the other."""
    from workers.scorers.base import Pair

    scorer = fitted(replace(recipe, epochs=1, most_tokens=32), parts)
    given: list[tuple[int, int]] = []
    tokenizer = scorer._tokenizer

    class Watched:
        is_fast = True

        def __call__(self, texts, others=None, **options):
            if others is not None:
                given.append((max(map(len, texts)), max(map(len, others))))
            return tokenizer(texts, others, **options)

    monkeypatch.setattr(scorer, "_tokenizer", Watched())
    scorer._encode([Pair("mot " * 5000, "autre mot " * 4000)])
    assert max(given[0]) < 64 * len("autre mot ")
