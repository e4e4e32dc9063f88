"""What a computation hands back: a number with its interval and signature, or the reason why there
is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan, nan

from annotation.agreement.signature import Signature
from annotation.agreement.table import Ratings
from annotation.protocols.base import Wording

NO_PAIR = Wording(
    "Aucun élément n'a été jugé par deux personnes ou plus : il n'y a rien à comparer.",
    "No item was judged by two people or more: there is nothing to compare.",
)
NO_SPREAD = Wording(
    (
        "Moins de deux éléments comparables, ou rien qui diffère : la corrélation intraclasse est "
        "indéfinie."
    ),
    (
        "Fewer than two items to compare, or nothing that differs: the intraclass correlation is "
        "not defined."
    ),
)
NO_RATING = Wording("Il n'y a encore aucun jugement.", "There is no rating yet.")
ONE_RATER = Wording(
    "Une seule personne a jugé, ou un fichier ne donne qu'une moyenne : un accord demande au "
    "moins deux personnes.",
    "Only one person judged, or a file gives a mean alone: agreement takes at least two people.",
)
ONE_VALUE = Wording(
    (
        "Tous les jugements comparables ont la même valeur : le désaccord attendu est nul, le "
        "coefficient est indéfini."
    ),
    (
        "All comparable ratings have the same value: expected disagreement is zero, the "
        "coefficient is not defined."
    ),
)
ONE_UNIT = Wording(
    "Un seul élément a été jugé par deux personnes ou plus : l'alpha y vaut 0 dès que deux "
    "réponses diffèrent, et ne dit rien de l'accord.",
    "Only one item was judged by two people or more: alpha is then 0 as soon as two answers "
    "differ, and says nothing of agreement.",
)
ONE_CATEGORY = Wording(
    "L'échelle n'a qu'une valeur : l'accord dû au hasard n'est pas défini.",
    "The scale has a single value: chance agreement is not defined.",
)
OPEN_ENDED = Wording(
    "Un nombre sans borne n'a pas d'échelle fermée, sur laquelle un accord dû au hasard se "
    "calculerait : plus la borne serait haute, plus le coefficient approcherait de 1.",
    "An open-ended count has no closed scale to compute chance agreement on: the higher its bound, "
    "the nearer the coefficient would be to 1.",
)
NO_COMMON_ITEM = Wording(
    "Ces deux personnes n'ont jugé aucun élément en commun.",
    "These two people judged no item in common.",
)
NO_PAIR_DEFINED = Wording(
    "Le kappa n'est défini pour aucune paire de personnes.",
    "Kappa is not defined for any pair of people.",
)
NO_ORDER = Wording(
    "Sans objet : les classes n'ont pas d'ordre.", "Does not apply: the classes have no order."
)
TOO_FEW_UNITS = Wording(
    "Un intervalle demande au moins deux éléments jugés par deux personnes ou plus.",
    "An interval takes at least two items judged by two people or more.",
)
TOO_MANY_UNDEFINED = Wording(
    "Le coefficient n'est pas défini dans {undefined} des {draws} tirages : pas d'intervalle.",
    "The coefficient is undefined in {undefined} of the {draws} draws: no interval.",
)
NO_VALUE_NO_INTERVAL = Wording(
    "Sans valeur, pas d'intervalle.", "There is no value, hence no interval."
)
NO_VARIATION = Wording(
    "Pas d'intervalle\u00a0: quels que soient les éléments tirés, la valeur reste la même, et rien "
    "ne dit de combien elle pourrait varier.",
    "No interval: whichever items are drawn, the value stays the same, and nothing tells by how "
    "much it might vary.",
)
NO_WIDTH = 1e-9
"""An interval narrower than this would say that the value is exact."""
NO_DRAWS = Wording("Aucun tirage n'a été demandé.", "No draw was asked for.")

BOOTSTRAP = "percentile bootstrap over items"
JACKKNIFE = "infinitesimal jackknife over items (normal)"


@dataclass(frozen=True)
class Interval:
    """A confidence interval, or in ``undefined`` why there is none (``low`` and ``high`` are then
    None).

    ``draws`` bootstrap draws, of which the coefficient was undefined in ``undefined_draws``;
    ``method`` in words.
    """

    low: float | None
    high: float | None
    confidence: float
    draws: int
    undefined_draws: int = 0
    undefined: Wording | None = None
    method: str = BOOTSTRAP


@dataclass(frozen=True)
class Coefficient:
    """A value, or in ``undefined`` the reason in plain words; exactly one of the two is None. Never
    NaN.

    ``items`` units with at least one rating, ``annotators`` people with at least one rating,
    ``ratings`` in all.
    """

    value: float | None
    undefined: Wording | None = None
    items: int = 0
    annotators: int = 0
    ratings: int = 0
    interval: Interval | None = None
    signature: Signature | None = None

    def with_interval(self, interval: Interval) -> Coefficient:
        """The same coefficient with that interval."""
        return replace(self, interval=interval)

    def with_signature(self, signature: Signature) -> Coefficient:
        """The same coefficient with that signature."""
        return replace(self, signature=signature)


def coefficient(ratings: Ratings, value: float, reason: Wording) -> Coefficient:
    """``value`` with the numbers of ``ratings``; a NaN becomes ``reason``, or the plainer cause in
    the table itself."""
    counts = (ratings.n_rated, ratings.n_active, ratings.n_ratings)
    if isnan(value):
        return Coefficient(None, table_reason(ratings) or reason, *counts)
    return Coefficient(float(value), None, *counts)


def alpha_coefficient(ratings: Ratings, value: float) -> Coefficient:
    """``value`` as an alpha. Of one unit observed and expected disagreement are the same pairs of
    ratings, so that alpha is 0 by construction: undefined, as an intraclass correlation is."""
    if ratings.n_pairable == 1:
        return coefficient(ratings, nan, ONE_UNIT)
    return coefficient(ratings, value, ONE_VALUE)


def table_reason(ratings: Ratings) -> Wording | None:
    """Why nothing can be compared in this table, or None where something can."""
    if ratings.n_ratings == 0:
        return NO_RATING
    if ratings.n_active == 1:
        return ONE_RATER
    if ratings.n_pairable == 0:
        return NO_PAIR
    return None
