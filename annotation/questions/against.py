"""A model's grades against people's YES and NO on the same answers.

People's label is what most of them say; where as many say YES as NO there is none. The threshold
that suits people best is chosen on one half of the sources and reported on the other: chosen and
reported on the same answers it would look better than it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from annotation.agreement.bootstrap import generator
from annotation.agreement.systems.figure import wording_facts
from annotation.corpus.question_rows import QuestionRow
from annotation.metrics.report.estimate import Drawn
from annotation.metrics.report.people import BoolArray, FloatArray, IntArray
from annotation.protocols.base import Wording
from annotation.questions.figures import NO_YES_OF_MODEL, NO_YES_OF_PEOPLE, Maker
from annotation.questions.values import HIGHEST, LOWEST, THRESHOLD

FEWEST_SOURCES = 4
TOO_FEW_SOURCES = Wording(
    f"Moins de {FEWEST_SOURCES} textes de référence jugés : on ne peut choisir un seuil sur une "
    "moitié et le rapporter sur l'autre.",
    f"Fewer than {FEWEST_SOURCES} reference texts judged: no threshold can be chosen on one half "
    "and reported on the other.",
)
NO_KAPPA = Wording(
    "Le kappa n'est défini à aucun seuil sur la moitié où l'on choisit.",
    "Kappa is defined at no threshold on the half where it is chosen.",
)


def against_people(
    rows: Sequence[QuestionRow],
    scores: FloatArray,
    groups: IntArray,
    threshold: int,
    drawn: Drawn,
) -> dict[str, Any]:
    """Of rows (n) with ``scores`` (n,), NaN where missing: correlations of the grade with the share
    of people who say YES; labels at the ``threshold``, at every threshold, and at the one chosen
    on a half."""
    shares = np.array(
        [np.mean(list(row.people.values())) if row.people else np.nan for row in rows], dtype=float
    )
    judged = ~np.isnan(shares)
    both = judged & ~np.isnan(scores)
    maker = Maker(groups, drawn)
    correlated = maker.within(both)
    decided = both & (shares != 0.5)
    values, labels, on_labels = scores[decided], shares[decided] > 0.5, maker.within(decided)
    return {
        "judged": int(judged.sum()),
        "missing": int((judged & np.isnan(scores)).sum()),
        "tied": int((both & (shares == 0.5)).sum()),
        "judges": len({who for row in rows for who in row.people}),
        "pearson": maker.figure("pearson", correlated.pearson(scores[both], shares[both]).estimate),
        "spearman": maker.figure(
            "spearman", correlated.spearman(scores[both], shares[both]).estimate
        ),
        "people_yes": on_labels.share("people_yes", labels),
        "model_yes": on_labels.share("model_yes", values >= threshold),
        **labelled(on_labels, values, labels, threshold),
        "curve": [
            {"threshold": at, **labelled(on_labels, values, labels, at)}
            for at in range(LOWEST, HIGHEST + 1)
        ],
        "chosen": _chosen(on_labels, values, labels, threshold),
    }


def labelled(
    maker: Maker, values: FloatArray, people: BoolArray, threshold: int
) -> dict[str, dict[str, Any]]:
    """Kappa, precision and recall of the model's YES, from ``threshold`` on."""
    model = values >= threshold
    at = f"threshold:{threshold}"
    return {
        "kappa": maker.figure(f"kappa|{at}", maker.kappa(model, people)),
        "precision": maker.figure(
            f"precision|{at}", maker.ratio(model & people, model, NO_YES_OF_MODEL)
        ),
        "recall": maker.figure(
            f"recall|{at}", maker.ratio(model & people, people, NO_YES_OF_PEOPLE)
        ),
    }


def _chosen(maker: Maker, values: FloatArray, people: BoolArray, threshold: int) -> dict[str, Any]:
    """The threshold of the highest kappa on one half of the sources, and what it and ``threshold``
    give on the other."""
    sources = np.unique(maker.groups)
    if len(sources) < FEWEST_SOURCES:
        return {
            "threshold": None,
            "undefined": wording_facts(TOO_FEW_SOURCES),
            "seed": maker.drawn.seed,
        }
    order = generator(maker.drawn.seed).permutation(len(sources))
    choosing = np.isin(maker.groups, sources[order[: len(sources) // 2]])
    best = best_threshold(maker.within(choosing), values[choosing], people[choosing])
    if best is None:
        return {"threshold": None, "undefined": wording_facts(NO_KAPPA), "seed": maker.drawn.seed}
    other = maker.within(~choosing)
    return {
        "threshold": best,
        "undefined": None,
        "seed": maker.drawn.seed,
        "chosen_on": {"n": int(choosing.sum()), "sources": len(sources) // 2},
        "there": labelled(other, values[~choosing], people[~choosing], best),
        "default": labelled(other, values[~choosing], people[~choosing], threshold),
    }


def best_threshold(maker: Maker, values: FloatArray, people: BoolArray) -> int | None:
    """The threshold of the highest kappa; of several the one next to the default, then the lower.
    None where it is defined at none."""
    silent = Maker(maker.groups, Drawn(0, maker.drawn.seed, maker.drawn.confidence))
    candidates = [
        (kappa, -abs(at - THRESHOLD), -at)
        for at in range(LOWEST, HIGHEST + 1)
        if (kappa := silent.kappa(values >= at, people).value) is not None
    ]
    return -max(candidates)[2] if candidates else None
