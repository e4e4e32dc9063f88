"""The sentences for a paper: what was fitted, and nothing else."""

from __future__ import annotations

from annotation.agreement.generalizability import ANNOTATORS, ITEMS, SOURCES
from annotation.agreement.mixed.library import PACKAGE, statsmodels_version
from annotation.agreement.mixed.linear import TASTES, Linear
from annotation.agreement.mixed.ordinal import Ordinal
from annotation.agreement.mixed.reml import REST
from annotation.agreement.mixed.thresholds import FEWEST_ANSWERS, Fit, OwnThresholds
from annotation.agreement.mixed.wording import CLIMBED
from annotation.protocols.base import NO_WORDING, Wording

_LINEAR = Wording(
    "Les systèmes ont été comparés par un modèle linéaire mixte ({search}, maximum de "
    "vraisemblance restreinte) avec une moyenne par système et, comme effets aléatoires, {random}, "
    "sur {ratings} jugements de {outputs} sorties de {sources} textes par {annotators} personnes; "
    "les intervalles à {confidence}\u00a0% sont ceux de Student, aux degrés de liberté pondérés "
    "selon Cochran (1964).",
    "Systems were compared by a linear mixed model ({search}, restricted maximum likelihood) with "
    "a mean for each system and, as random effects, {random}, on {ratings} judgments of {outputs} "
    "outputs of {sources} texts by {annotators} people; the {confidence}% intervals are Student's, "
    "with degrees of freedom weighed by Cochran's (1964) rule.",
)
_CLIMBED = Wording("scores de Fisher", "Fisher's scoring")
_ORDINAL = Wording(
    "Un logit cumulatif (McCullagh, 1980; {package}), où les seuils de chaque personne sont les "
    "seuils communs déplacés d'un effet fixe, donne à côté des rapports de cotes; sur {ratings} "
    "jugements par {annotators} personnes, ses variances sont robustes par grappes de {sources} "
    "textes (Liang et Zeger, 1986).",
    "Beside it a cumulative logit (McCullagh, 1980; {package}), in which each annotator's "
    "thresholds are the common ones moved by a fixed effect, gives odds ratios; on {ratings} "
    "judgments by {annotators} people, its variances are robust over clusters of {sources} texts "
    "(Liang and Zeger, 1986).",
)
_OWN = Wording(
    "Avec des seuils propres à chaque personne (au moins {fewest} réponses entre deux seuils, "
    "valeurs voisines comptées ensemble sinon; {ratings} jugements par {annotators} personnes), le "
    "même modèle a un AIC (Akaike, 1974) de {own}, contre {moved} pour les seuils déplacés, sur "
    "les mêmes réponses.",
    "With thresholds of each annotator's own (at least {fewest} answers between two thresholds, "
    "neighbouring values counted together otherwise; {ratings} judgments by {annotators} people), "
    "the same model has an AIC (Akaike, 1974) of {own}, against {moved} for moved thresholds, on "
    "the same answers.",
)
_RANDOM = {
    ANNOTATORS: Wording("les personnes", "annotators"),
    TASTES: Wording(
        "les préférences de chaque personne entre systèmes", "their tastes for systems"
    ),
    SOURCES: Wording("les textes originaux", "original texts"),
    ITEMS: Wording("les sorties", "outputs"),
}
_NESTED = Wording("les sorties de chaque texte", "outputs within texts")
_AND = Wording(" et ", " and ")


def mixed_methods(
    linear: Linear, ordinal: Ordinal, own: OwnThresholds, confidence: float
) -> Wording | None:
    """A sentence for each model that says something; None where none does."""
    package = f"{PACKAGE} {statsmodels_version()}"
    said = NO_WORDING
    if linear.undefined is None:
        parts = [
            _part(component.name, linear)
            for component in linear.components
            if component.name != REST
        ]
        search = _CLIMBED if CLIMBED in linear.notes else Wording(package, package)
        said = Wording(
            _LINEAR.fr.format(
                random=_listed([part.fr for part in parts], _AND.fr),
                search=search.fr,
                **_numbers(linear, package, confidence),
            ),
            _LINEAR.en.format(
                random=_listed([part.en for part in parts], _AND.en),
                search=search.en,
                **_numbers(linear, package, confidence),
            ),
        )
    if ordinal.undefined is None:
        more = _ORDINAL.format(**_numbers(ordinal, package, confidence))
        said = _and_then(said, more)
        if own.fit is not None and own.moved is not None:
            said = _and_then(said, _compared(own, own.fit, own.moved))
    return said if said.fr else None


def _and_then(said: Wording, more: Wording) -> Wording:
    return Wording(f"{said.fr} {more.fr}".strip(), f"{said.en} {more.en}".strip())


def _compared(model: OwnThresholds, own: Fit, moved: Fit) -> Wording:
    numbers = {
        "fewest": FEWEST_ANSWERS,
        "ratings": model.counts.ratings,
        "annotators": model.counts.people,
    }
    criteria = {"own": f"{own.aic:.1f}", "moved": f"{moved.aic:.1f}"}
    french = {key: value.replace(".", ",") for key, value in criteria.items()}
    return Wording(_OWN.fr.format(**numbers, **french), _OWN.en.format(**numbers, **criteria))


def _numbers(model: Linear | Ordinal, package: str, confidence: float) -> dict[str, object]:
    return {
        "package": package,
        "ratings": model.counts.ratings,
        "outputs": model.counts.outputs,
        "sources": model.counts.sources,
        "annotators": model.counts.people,
        "confidence": f"{100 * confidence:g}",
    }


def _part(name: str, linear: Linear) -> Wording:
    is_nested = any(component.name == SOURCES for component in linear.components)
    return _NESTED if name == ITEMS and is_nested else _RANDOM[name]


def _listed(parts: list[str], last: str) -> str:
    return last.join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
