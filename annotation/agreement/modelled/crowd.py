"""Dawid–Skene and MACE by crowd-kit: posteriors of each answer, and how reliable each annotator is.

Dawid and Skene 1979, Applied Statistics 28(1): each annotator has an error matrix, estimated by EM
with the labels. Hovy et al. 2013, NAACL-HLT: an annotator either knows the label or guesses from
a strategy of their own. Both take values as classes without an order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from typing import Any

import numpy as np

from annotation.agreement.report import SEED
from annotation.agreement.result import NO_PAIR, NO_RATING, ONE_RATER
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level, Wording

DAWID_SKENE, MACE = "dawid_skene", "mace"
METHODS = (DAWID_SKENE, MACE)
PACKAGE = "crowd-kit"
ITERATIONS, TOLERANCE = 100, 1e-5
"""Of Dawid–Skene: crowd-kit's own defaults."""
MACE_ITERATIONS, RESTARTS = 50, 10
MOST_RESTARTS = 100
MOST_SEED = 2**32 - 1 - MOST_RESTARTS
"""What MACE can begin by, with room for its restarts."""
METHOD_VERSION = "1"
"""Counted up whenever the same ratings and seed would give other posteriors."""
ABSENT = Wording(
    "crowd-kit n'est pas installé ici\u00a0: Dawid–Skene et MACE ne peuvent pas être calculés. "
    "Une personne qui administre Barème l'ajoute par «\u00a0make crowd\u00a0».",
    "crowd-kit is not installed here: Dawid–Skene and MACE cannot be computed. Whoever runs Barème "
    "adds it by “make crowd”.",
)
NOT_CLASSES = Wording(
    "Sans objet\u00a0: ces modèles prennent les valeurs pour des catégories, et une échelle "
    "d'intervalle en a trop.",
    "Does not apply: these models take values for classes, and an interval scale has too many.",
)
ONE_ANSWER = Wording(
    "Toutes les réponses sont les mêmes\u00a0: il n'y a rien à modéliser. Il faudrait au moins "
    "deux réponses différentes.",
    "All answers are the same: there is nothing to model. It would take two different ones.",
)

Progress = Callable[[], None]


class CrowdKitMissing(ModuleNotFoundError):
    """crowd-kit is not installed."""


@dataclass(frozen=True, eq=False)
class Modelled:
    """One fitted model. ``posteriors`` has a row for each rated unit (``unit_ids``) and a column
    for each value that occurs (``values``, ascending); rows add up to 1. ``reliability`` (rater,
    share), of Dawid–Skene: how probably they give the label that holds, classes weighted as they
    are frequent; of MACE: how probably they know it rather than guess. ``seed`` and ``restarts``
    are MACE's. ``unsteady``: units whose most probable label is another after ``ITERATIONS`` steps
    whatever the stopping rule says (Dawid–Skene), or in any other restart (MACE)."""

    method: str
    package: str
    unit_ids: tuple[Hashable, ...]
    values: tuple[float, ...]
    posteriors: FloatArray
    reliability: tuple[tuple[Hashable, float], ...]
    ratings: int
    iterations: int
    unsteady: int
    log_likelihood: float | None = None
    seed: int | None = None
    restarts: int | None = None

    @property
    def signature(self) -> str:
        """What somebody needs in order to compute the same posteriors again."""
        parts = [
            self.method,
            f"{PACKAGE}:{self.package}",
            f"items:{len(self.unit_ids)}",
            f"annotators:{len(self.reliability)}",
            f"ratings:{self.ratings}",
            f"values:{len(self.values)}",
            f"iterations:{self.iterations}",
        ]
        if self.seed is not None:
            parts += [f"restarts:{self.restarts}", f"seed:{self.seed}"]
        return "|".join([*parts, f"version:{METHOD_VERSION}"])

    def probabilities(self, unit: int) -> dict[float, float]:
        """The posterior of each value at a row."""
        return dict(zip(self.values, self.posteriors[unit].tolist(), strict=True))


def package_version() -> str | None:
    """The version of crowd-kit that is installed; None where there is none."""
    try:
        return version_of(PACKAGE)
    except PackageNotFoundError:
        return None


def fits(method: str, restarts: int = RESTARTS) -> int:
    """How many steps of progress ``modelled`` tells of."""
    return 2 if method == DAWID_SKENE else restarts


def not_modelled(ratings: Ratings, level: Level) -> Wording | None:
    """Why a dimension cannot be modelled; None where it can."""
    if level == Level.INTERVAL:
        return NOT_CLASSES
    if not ratings.n_ratings:
        return NO_RATING
    if ratings.n_active < 2:
        return ONE_RATER
    if not ratings.n_pairable:
        return NO_PAIR
    return ONE_ANSWER if len(ratings.observed_values) < 2 else None


def modelled(
    ratings: Ratings,
    method: str,
    *,
    seed: int = SEED,
    restarts: int = RESTARTS,
    progress: Progress = lambda: None,
) -> Modelled:
    """Fit one of ``METHODS``; only for ratings of which ``not_modelled`` finds nothing.

    crowd-kit's restarts of MACE all begin from one seed, and so are one and the same run. Here
    each has a seed of its own (``seed``, ``seed`` + 1, …), and the one under which the ratings are
    most likely is kept. ``progress`` is called after each of ``fits`` steps.

    Raises ``CrowdKitMissing`` without crowd-kit, ``ValueError`` for another method.
    """
    package = package_version()
    if package is None:
        raise CrowdKitMissing
    if method not in METHODS:
        raise ValueError(f"no such model: {method}")
    table = _Coded.of(ratings)
    with warnings.catch_warnings():
        # crowd-kit 1.4.2 says by ways of pandas 2 what pandas 3 takes as well.
        warnings.simplefilter("ignore", DeprecationWarning)
        if method == DAWID_SKENE:
            return _dawid_skene(table, package, progress)
        return _mace(table, package, seed, restarts, progress)


@dataclass(frozen=True, eq=False)
class _Coded:
    """Ratings as numbers, ordered by value, so that whatever crowd-kit numbers by first appearance
    it numbers as it sorts: MACE 1.4.2 mixes the two orders, and takes one annotator's strategy for
    another's where they differ. ``rater_ids`` are in that order."""

    unit_ids: tuple[Hashable, ...]
    rater_ids: tuple[Hashable, ...]
    values: tuple[float, ...]
    unit: IntArray
    rater: IntArray
    value: IntArray

    @classmethod
    def of(cls, ratings: Ratings) -> _Coded:
        values, value = np.unique(ratings.values, return_inverse=True)
        units, unit = np.unique(ratings.unit_index, return_inverse=True)
        order = np.lexsort((unit, ratings.rater_index, value))
        raters, first = np.unique(ratings.rater_index[order], return_index=True)
        appearing = raters[np.argsort(first)]
        place = np.zeros(ratings.n_raters, dtype=np.int64)
        place[appearing] = np.arange(len(appearing))
        return cls(
            tuple(ratings.unit_ids[at] for at in units.tolist()),
            tuple(ratings.rater_ids[at] for at in appearing.tolist()),
            tuple(values.tolist()),
            unit[order],
            place[ratings.rater_index[order]],
            value[order],
        )

    def frame(self) -> Any:
        """As crowd-kit reads it: task, worker, label."""
        import pandas as pd

        return pd.DataFrame({"task": self.unit, "worker": self.rater, "label": self.value})

    def named(self, shares: FloatArray) -> tuple[tuple[Hashable, float], ...]:
        """A share of each rater, in order of their ids."""
        pairs = zip(self.rater_ids, shares.tolist(), strict=True)
        return tuple(sorted(pairs, key=lambda pair: str(pair[0])))


def _dawid_skene(table: _Coded, package: str, progress: Progress) -> Modelled:
    from crowdkit.aggregation import DawidSkene

    frame, n = table.frame(), len(table.values)
    model = DawidSkene(n_iter=ITERATIONS, tol=TOLERANCE).fit(frame)
    progress()
    posteriors = _filled(model.probas_, len(table.unit_ids), n)
    # crowd-kit stops by a bound that holds the share of each class once per answer instead of once
    # per text, and may stop early: what further steps change is told.
    further = DawidSkene(n_iter=ITERATIONS, tol=-np.inf).fit(frame)
    progress()
    after = _filled(further.probas_, len(table.unit_ids), n)
    matrices = model.errors_.reindex(columns=range(n), fill_value=0.0)
    hits = np.zeros((len(table.rater_ids), n))
    for (rater, label), row in zip(matrices.index.tolist(), matrices.to_numpy(), strict=True):
        hits[rater, label] = row[label]
    shares = model.priors_.reindex(range(n), fill_value=0.0).to_numpy()
    return Modelled(
        DAWID_SKENE,
        package,
        table.unit_ids,
        table.values,
        posteriors,
        table.named(hits @ shares),
        len(table.value),
        len(model.loss_history_),
        int(np.count_nonzero(posteriors.argmax(axis=1) != after.argmax(axis=1))),
    )


def _filled(frame: Any, units: int, values: int) -> FloatArray:
    """A frame of posteriors as an array; rows add up to 1 again after crowd-kit's clipping."""
    cells = frame.reindex(index=range(units), columns=range(values), fill_value=0.0)
    array = np.asarray(cells.to_numpy(), dtype=np.float64)
    return np.asarray(array / array.sum(axis=1, keepdims=True), dtype=np.float64)


def _mace(table: _Coded, package: str, seed: int, restarts: int, progress: Progress) -> Modelled:
    from crowdkit.aggregation import MACE as Mace  # noqa: N811 (the name is taken)

    frame, runs = table.frame(), []
    for restart in range(restarts):
        model = Mace(n_restarts=1, n_iter=MACE_ITERATIONS, random_state=seed + restart).fit(frame)
        runs.append((*_likely(table, model.spamming_, model.thetas_), model.spamming_[:, 1]))
        progress()
    # The first of equally likely ones, to the digits that sums in another order still share.
    best = max(range(restarts), key=lambda at: (round(runs[at][0], 6), -at))
    likelihood, posteriors, knowing = runs[best]
    labels = posteriors.argmax(axis=1)
    others = [posteriors.argmax(axis=1) != labels for _likelihood, posteriors, _knowing in runs]
    return Modelled(
        MACE,
        package,
        table.unit_ids,
        table.values,
        posteriors,
        table.named(knowing),
        len(table.value),
        MACE_ITERATIONS,
        int(np.count_nonzero(np.any(others, axis=0))),
        likelihood,
        seed,
        restarts,
    )


def _likely(
    table: _Coded, spamming: FloatArray, strategies: FloatArray
) -> tuple[float, FloatArray]:
    """The marginal log likelihood of the ratings under a fitted MACE, which crowd-kit does not
    keep, and the posteriors, shape (units, values); Hovy et al. 2013, equation 1."""
    guessed = spamming[table.rater, 0] * strategies[table.rater, table.value]
    n = len(table.values)
    logs = np.repeat(np.log(guessed)[:, None], n, axis=1)
    rows = np.arange(len(table.value))
    logs[rows, table.value] = np.log(guessed + spamming[table.rater, 1])
    joint = np.zeros((len(table.unit_ids), n))
    np.add.at(joint, table.unit, logs)
    joint -= np.log(n)
    highest = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - highest)
    total = shares.sum(axis=1, keepdims=True)
    return float((highest + np.log(total)).sum()), shares / total
