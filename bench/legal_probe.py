"""The lexical scorer under the legal probe: ``python -m bench.legal_probe [frjudge] [SEEDS]``.

For each seed the scorer is fitted on 70 % of FrJUDGE's source texts and probed on the other 30 %;
cases of all seeds are taken together, and intervals draw source texts. Seeds are 142–151 unless
said: the rules on wording were tried on them too, so for a figure that nothing was chosen on, name
others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from annotation.scoring.legal.cases import Case, Written, probe_cases
from annotation.scoring.legal.probe import Threshold, measure
from annotation.scoring.splits import split_by_source
from bench.record import record
from tests.workers.scorers import figures
from workers.scorers.base import Pair
from workers.scorers.features import PairReader
from workers.scorers.lexical import LexicalScorer

SEEDS = tuple(range(142, 152))
TOPS = (1.0, 6.0)


def probed(seeds: Sequence[int] = SEEDS, *, learned: bool = False) -> dict[str, Any]:
    """``legal.probe.measure`` over the seeds; ``learned``: without the stated rules."""
    judged, reader = figures.frjudge(), PairReader()
    cases: list[Case] = []
    known: dict[tuple[int, str, str], float] = {}
    of_seed: list[int] = []
    for seed in seeds:
        split = split_by_source([pair.original for pair in judged.pairs], seed)
        fitted = np.concatenate([split.train, split.validation])
        scorer = LexicalScorer(judged.scale, reader=reader).fit(
            [judged.pairs[place] for place in fitted], judged.labels[fitted], seed=seed
        )
        written = [
            Written(str(place), judged.pairs[place].original, judged.pairs[place].simplification)
            for place in split.test
        ]
        seed_cases = probe_cases(written, "fr", seed)
        text_pairs = list(dict.fromkeys(
            (case.original, text) for case in seed_cases for text in (case.unchanged, case.changed)
        ))  # fmt: skip
        judgments = scorer.judged([Pair(*texts) for texts in text_pairs])
        for texts, judgment in zip(text_pairs, judgments, strict=True):
            known[seed, *texts] = judgment.learned if learned else judgment.score
        cases += seed_cases
        of_seed += [seed] * len(seed_cases)
    return _together(cases, of_seed, known)


def _together(
    cases: Sequence[Case], seeds: Sequence[int], known: dict[tuple[int, str, str], float]
) -> dict[str, Any]:
    # A text may be scored by several seeds' scorers: it is marked by its seed while it is asked.
    own = [
        replace(case, unchanged=f"{seed}\x00{case.unchanged}", changed=f"{seed}\x00{case.changed}")
        for case, seed in zip(cases, seeds, strict=True)
    ]

    def predict(pairs: list[tuple[str, str]]) -> list[float]:
        values = []
        for original, text in pairs:
            seed, _, plain = text.partition("\x00")
            values.append(known[int(seed), original, plain])
        return values

    return measure(predict, own, Threshold.of_scale(1.0, 10.0, TOPS), 42)


def main() -> None:
    seeds = tuple(map(int, sys.argv[1].split(","))) if len(sys.argv) > 1 else SEEDS
    began = time.perf_counter()
    report = probed(seeds)
    for place, rates in report["rates"].items():
        for name in ("false_accept", "false_reject"):
            print(f"{place} {name}: {_shown(rates[name])}")
    for kind in report["kinds"]:
        print(f"  {kind['place']} {kind['kind']}: {_shown(kind['rate'])}")
    record("legal probe, lexical, ten seeds", time.perf_counter() - began, "s")


def _shown(rate: dict[str, Any]) -> str:
    if rate["value"] is None:
        return f"undefined, {rate['undefined']['en']} ({rate['n']} of {rate['cases']})"
    shown = f"{rate['value']:.3f} [{rate['low']:.3f}, {rate['high']:.3f}]"
    return f"{shown}, {rate['method']} ({rate['n']} of {rate['cases']}, {rate['sources']} sources)"


if __name__ == "__main__":
    main()
