"""How a snapshot is made, as data: the rule of each final label, the seeds, and what is told of
times and systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from annotation.agreement.bootstrap import CONFIDENCE, DRAWS, FEWEST_DRAWS
from annotation.agreement.consensus import LOT, RECIPE_VERSIONS, Recipe, Rule
from annotation.agreement.modelled.crowd import ABSENT, METHODS, package_version
from annotation.agreement.report import SEED
from annotation.protocols.base import Level, Problem, Wording

MOST_DRAWS = 100_000
TIES = (LOT, *METHODS)
"""Who decides a tie: the lot alone, or the posterior of a model before it."""


@dataclass(frozen=True)
class SnapshotRecipe:
    """Made by ``default_recipe`` or ``snapshot_recipe``; the same data under the same recipe are
    the same bytes.

    ``labels``: rule per dimension and the seed of draws among tied values. ``draws``, ``seed``,
    ``confidence``: of the intervals of agreement. ``systems``: tell which system wrote what.
    ``coarse_times``: days instead of moments.
    """

    labels: Recipe
    draws: int = DRAWS
    seed: int = SEED
    confidence: float = CONFIDENCE
    systems: bool = True
    coarse_times: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe values; ``snapshot_recipe`` gives the recipe back."""
        return asdict(self) | {"labels": self.labels.as_dict()}


def default_recipe(levels: Mapping[str, Level], seed: int) -> SnapshotRecipe:
    """Majority for classes, ties drawn by ``seed``; mean for scales (Beauchemin et al. 2025,
    section 3.2)."""
    rules = {
        name: Rule.MAJORITY if level == Level.NOMINAL else Rule.MEAN
        for name, level in levels.items()
    }
    return SnapshotRecipe(Recipe(tuple(sorted(rules.items())), seed))


def snapshot_recipe(
    given: Mapping[str, Any], levels: Mapping[str, Level], seed: int
) -> SnapshotRecipe:
    """The recipe that ``given`` describes; what is left out is as in ``default_recipe``.

    Only for entries without ``recipe_problems``. Raises ``ValueError`` with them otherwise.
    """
    problems = recipe_problems(given, levels, seed)
    if problems:
        raise ValueError("; ".join(problem.message.en for problem in problems))
    merged = _merged(given, levels, seed)
    return SnapshotRecipe(**{**merged, "labels": Recipe.from_dict(merged["labels"])})


def recipe_problems(
    given: Mapping[str, Any], levels: Mapping[str, Level], seed: int
) -> list[Problem]:
    """Every entry that is unknown, of a dimension that there is not, does not fit its level, or is
    out of bounds."""
    chosen = default_recipe(levels, seed).as_dict()
    unknown = [
        *_unknown(given, chosen, ""),
        *_unknown(given.get("labels", {}), chosen["labels"], "labels."),
    ]
    if unknown:
        return unknown
    merged = _merged(given, levels, seed)
    return [
        *_rule_problems(merged["labels"]["rules"], levels),
        *_ties_problems(merged["labels"]["ties"]),
        *_number_problems(merged),
    ]


def _merged(given: Mapping[str, Any], levels: Mapping[str, Level], seed: int) -> dict[str, Any]:
    chosen = default_recipe(levels, seed).as_dict()
    labels = given.get("labels", {})
    rules = {**chosen["labels"]["rules"], **labels.get("rules", {})}
    return {**chosen, **given, "labels": {**chosen["labels"], **labels, "rules": rules}}


def _unknown(given: Mapping[str, Any], chosen: Mapping[str, Any], where: str) -> list[Problem]:
    known = ", ".join(chosen)
    return [
        Problem(
            f"{where}{name}",
            "unknown",
            Wording(
                f"La recette n'a pas d'entrée « {name} ». Choisissez parmi : {known}.",
                f"The recipe has no entry “{name}”. Choose among: {known}.",
            ),
        )
        for name in sorted(set(given) - set(chosen))
    ]


def _rule_problems(rules: Mapping[str, str], levels: Mapping[str, Level]) -> list[Problem]:
    problems = []
    for name, rule in rules.items():
        if name not in levels:
            known = ", ".join(levels)
            problems.append(
                Problem(
                    f"labels.rules.{name}",
                    "unknown",
                    Wording(
                        (
                            f"Le protocole n'a pas de dimension « {name} ». Choisissez parmi : "
                            f"{known}."
                        ),
                        f"The protocol has no dimension “{name}”. Choose among: {known}.",
                    ),
                )
            )
            continue
        fitting = [Rule.MAJORITY] if levels[name] == Level.NOMINAL else list(Rule)
        if rule not in fitting:
            allowed = ", ".join(fitting)
            problems.append(
                Problem(
                    f"labels.rules.{name}",
                    "does_not_fit",
                    Wording(
                        (
                            f"La règle « {rule} » ne convient pas à « {name} ». Choisissez parmi : "
                            f"{allowed}."
                        ),
                        f"The rule “{rule}” does not fit “{name}”. Choose among: {allowed}.",
                    ),
                )
            )
    return problems


def _ties_problems(ties: object) -> list[Problem]:
    if ties not in TIES:
        known = ", ".join(TIES)
        return [
            Problem(
                "labels.ties",
                "unknown",
                Wording(
                    f"Égalités : « {ties} » n'en décide pas. Choisissez parmi : {known}.",
                    f"Ties: “{ties}” decides none. Choose among: {known}.",
                ),
            )
        ]
    if ties != LOT and package_version() is None:
        return [Problem("labels.ties", "absent", ABSENT)]
    return []


def _number_problems(merged: Mapping[str, Any]) -> list[Problem]:
    bounds = {
        "draws": (
            isinstance(merged["draws"], int) and FEWEST_DRAWS <= merged["draws"] <= MOST_DRAWS,
            f"{FEWEST_DRAWS}–{MOST_DRAWS}",
        ),
        "seed": (isinstance(merged["seed"], int) and merged["seed"] >= 0, "0, 1, 2, …"),
        "labels.seed": (
            isinstance(merged["labels"]["seed"], int) and merged["labels"]["seed"] >= 0,
            "0, 1, 2, …",
        ),
        "confidence": (
            isinstance(merged["confidence"], float) and 0 < merged["confidence"] < 1,
            "0–1",
        ),
        "labels.version": (
            merged["labels"]["version"] in RECIPE_VERSIONS,
            ", ".join(RECIPE_VERSIONS),
        ),
        "systems": (isinstance(merged["systems"], bool), "true, false"),
        "coarse_times": (isinstance(merged["coarse_times"], bool), "true, false"),
    }
    return [
        Problem(
            name,
            "out_of_bounds",
            Wording(f"« {name} » : attendu {allowed}.", f"“{name}”: expected {allowed}."),
        )
        for name, (is_right, allowed) in bounds.items()
        if not is_right
    ]
