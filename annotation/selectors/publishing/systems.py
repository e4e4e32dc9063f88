"""A study's systems side by side as a snapshot keeps them: what the page shows, without filters and
without whoever has withdrawn, or in words why not."""

from __future__ import annotations

from typing import Any

from annotation.agreement.mixed.wording import NO_ORDER
from annotation.agreement.systems.figure import Drawn, wording_facts
from annotation.models import Study
from annotation.protocols.base import Level, Wording
from annotation.release.recipe import SnapshotRecipe
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.modelled import ModelsState, models_state
from annotation.selectors.agreement.systems import systems_figures
from annotation.selectors.publishing.withdrawn import has_withdrawn_answers

NOT_NAMED = Wording(
    "La recette de cet instantané tait quel système a écrit quoi\u00a0: les systèmes n'y sont pas "
    "comparés.",
    "This snapshot's recipe does not tell which system wrote what: systems are not compared in it.",
)
STILL_OPEN = Wording(
    "L'étude n'était pas fermée quand elle a été figée\u00a0: les tests ne tiennent pas compte de "
    "ce qu'on aurait pu s'arrêter au vu des résultats, et d'autres réponses pouvaient suivre.",
    "The study was not closed when it was frozen: the tests do not allow for stopping at a result "
    "that one likes, and more answers could follow.",
)
NOT_FITTED = Wording(
    "Aucun modèle mixte n'avait été calculé quand l'étude a été figée. Calculez-le à la page des "
    "modèles, puis figez de nouveau.",
    "No mixed model had been computed when the study was frozen. Compute it on the page of models, "
    "then freeze again.",
)
FITTED_BEFORE = Wording(
    "Le modèle mixte qui avait été calculé est d'avant les dernières réponses\u00a0: il est laissé "
    "de côté. Calculez-le de nouveau, puis figez.",
    "The mixed model that had been computed is of before the last answers, and is left out. "
    "Compute it again, then freeze.",
)
FITTED_WITH_WITHDRAWN = Wording(
    "Le modèle mixte compte les réponses d'une personne qui s'est retirée, et que l'instantané "
    "laisse de côté\u00a0: il n'y est pas. Calculé de nouveau, il les compterait aussi; sans "
    "elles, il se calcule des réponses publiées.",
    "The mixed model counts answers of somebody who has withdrawn, and whom the snapshot leaves "
    "out: it is not in here. Computed again it would count them too; without them, it can be "
    "computed from the released answers.",
)


def frozen_systems(study: Study, recipe: SnapshotRecipe) -> dict[str, Any]:
    """JSON-safe: what ``SystemsFigures`` tells but of models as judges, whose answers no snapshot
    holds; ``mixed`` by dimension; ``flagged``: the outputs that bear each flag;
    ``bracket_column`` of the table of judgments."""
    if not recipe.systems:
        return {"undefined": wording_facts(NOT_NAMED)}
    # As many draws as on the page, so that both say the same; what else the recipe says holds.
    drawn = Drawn(seed=recipe.seed, confidence=recipe.confidence)
    figures = systems_figures(study, Filters(), drawn, withdrawn=False, helped=False)
    facts = figures.as_dict()
    del facts["with_models"]
    if figures.reason is not None:
        return {name: facts[name] for name in ("undefined", "systems", "notes", "unnamed_outputs")}
    if study.state != Study.State.CLOSED:
        facts["notes"].append(wording_facts(STILL_OPEN))
    flagged = {name: list(units) for name, units in figures.flagged}
    column = next((scale.name for scale in study.protocol.bracketed), None)
    return facts | {"flagged": flagged, "bracket_column": column, "mixed": _mixed(study)}


def _mixed(study: Study) -> dict[str, Any]:
    """By dimension the mixed models that a worker fitted last, where they are of these answers. Of
    classes there never is one, and nothing is left to do."""
    state = models_state(study)
    reason = _not_taken(study, state)
    fitted = state.dimensions if reason is None else {}
    mixed = {}
    for scale in study.protocol.scales:
        why = NO_ORDER if scale.level == Level.NOMINAL else reason or NOT_FITTED
        missing = {"undefined": wording_facts(why)}
        mixed[scale.name] = fitted.get(scale.name, {}).get("mixed", missing)
    return mixed


def _not_taken(study: Study, state: ModelsState) -> Wording | None:
    """Why what a worker fitted last is not in the snapshot; None where it is."""
    if state.last is None:
        return NOT_FITTED
    if not state.is_current:
        return FITTED_BEFORE
    return FITTED_WITH_WITHDRAWN if has_withdrawn_answers(study) else None
