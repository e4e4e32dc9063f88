"""The scorers: figures on the shared data, and what training and scoring take.

``python -m bench.scorer [frjudge|repaired|published|crossed|speed|loop …]`` (all where none is
named; ``loop`` needs requirements-ml.txt). Figures: ten seeds, 60-10-30 by source text, human test
items alone. Crossed: repeated grouped cross-validation, coverage of the intervals, each corpus left
out. Speed of the lexical scorer: a retrain of ten seeds, and scoring of pairs that were never
read, over the floor of reading both texts' words once. Loop: our training loop against
``transformers.Trainer`` on one model, the same batches, rate and precision, in turns.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.record import record
from tests.workers.scorers import figures
from workers.scorers.base import Pair
from workers.scorers.lexical import LexicalScorer

_DATA = {"frjudge": figures.frjudge, "repaired": figures.repaired, "published": figures.published}
_SHOWN = ("r", "r_sd", "rmse", "rmse_sd", "r_whole", "r_whole_sd", "share_above")
_ROUNDS = 5


def table(name: str) -> None:
    began = time.perf_counter()
    plain = figures.figures(_DATA[name]())
    taken = time.perf_counter() - began
    mixed = figures.figures(_DATA[name](), with_augmentation=True)
    shown = ", ".join(f"{key} {plain[key]:.3f}" for key in _SHOWN)
    print(
        f"{name}: {shown}; with augmentation: r {mixed['r']:.3f}, mixed r {mixed['r_mixed']:.3f}",
        flush=True,
    )
    record(f"scorer: ten seeds on {name}", taken, "s")


def speed() -> None:
    judged = figures.frjudge()
    scorer = LexicalScorer(judged.scale).fit(judged.pairs, judged.labels, seed=42)
    scorer.predict(
        [Pair(f"{pair.original}.", pair.simplification) for pair in judged.pairs[:50]]
    )  # warm
    fresh = [Pair(f"{pair.original} ", f"{pair.simplification} ") for pair in judged.pairs]
    began = time.perf_counter()
    for pair in fresh:
        re.findall(r"\w+", f"{pair.original} {pair.simplification}")
    floor = time.perf_counter() - began
    began = time.perf_counter()
    scorer.predict(fresh)
    taken = time.perf_counter() - began
    milliseconds = 1000 * taken / len(fresh)
    note = f"{len(fresh)} pairs; floor: reading the words"
    record("scorer: scoring a pair", milliseconds, "ms", floor=1000 * floor / len(fresh), note=note)


def loop() -> None:
    from bench.scorer_loop import Side, ours, theirs

    with tempfile.TemporaryDirectory() as folder:
        side = Side.made(Path(folder))
        ours(side), theirs(side)  # warm
        taken: dict[Callable[[Side], float], list[float]] = {ours: [], theirs: []}
        for _ in range(_ROUNDS):
            for train, seconds in taken.items():
                seconds.append(train(side))
    mine, other = (statistics.median(taken[train]) for train in (ours, theirs))
    note = f"floor: transformers.Trainer, 1 is as fast; on {side.device}, median of {_ROUNDS}"
    record("scorer: training loop", side.seen / mine, "pairs/s", floor=side.seen / other, note=note)


def crossed() -> None:
    """What reports say of the way in which a scorer is made."""
    for name, data in (
        ("frjudge", figures.training_set(figures.frjudge())),
        ("repaired", figures.training_set(figures.repaired(), figures.campaigns())),
    ):
        report = figures.reported(data)
        for part, figures_of in (
            ("all", report["cross_validation"]),
            ("whole", report["cross_validation"]["whole"]),
        ):
            shown = ", ".join(
                f"{metric} {mean['mean']:.3f} ± {mean['sd']:.3f} [{ends['low']:.3f}, "
                f"{ends['high']:.3f}]"
                for metric in ("pearson", "rmse")
                for mean, ends in [(figures_of["summary"][metric], figures_of["intervals"][metric])]
            )
            print(
                f"{name}, {part}, {figures_of['summary']['items']:.0f} items: {shown}", flush=True
            )
        interval = report["interval"]
        covered = {
            part: f"{held['value']:.3f} [{held['low']:.3f}, {held['high']:.3f}], {held['items']}"
            for part, held in interval["coverage"].items()
        }
        print(f"{name}, interval: ± {interval['half_width']:.3f}, coverage {covered}", flush=True)
        for row in report["off_corpus"]["corpora"]:
            ends, within = row["interval"], row["within"]["pearson"]["value"]
            beside = ", ".join(
                f"{other['name']} {other['pearson']['value']:.3f}" for other in row["beside"]
            )
            print(
                f"{name}, without {row['name']} ({row['items']}): r "
                f"{row['metrics']['pearson']['value']:.3f} [{ends['low']:.3f}, {ends['high']:.3f}],"
                f" {beside}; with it {within:.3f}",
                flush=True,
            )


def main() -> None:
    wanted = sys.argv[1:] or [*_DATA, "crossed", "speed", "loop"]
    for name in wanted:
        if name in _DATA:
            table(name)
        else:
            {"crossed": crossed, "speed": speed, "loop": loop}[name]()


if __name__ == "__main__":
    main()
