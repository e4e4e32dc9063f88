"""Assignments taken back for good, because what gave them out was a mistake. Only such of which
nobody has saved anything.

A position is the name of a pair in a browser, which may hold the page and answers that were typed
without a network: so no position that was given once is given to another pair, even where its row
is gone (``Annotator.places_used``).
"""

from __future__ import annotations

from django.db.models import Max, QuerySet

from annotation.errors import RuleError
from annotation.models import PARKED, Annotator, Assignment
from annotation.selectors.base.saved import saved_of
from annotation.services.base.answered import items_of, items_recount
from annotation.services.base.standings import annotators_hold, standings_recount


def assignments_undo(assignments: QuerySet[Assignment]) -> int:
    """Take these back; how many. Whoever is saving one at this moment is waited for. Within a
    transaction that holds the study.

    Raises ``RuleError`` ("begun") where somebody has saved something.
    """
    annotators = set(assignments.order_by().values_list("annotator", flat=True))
    annotators_hold(annotators)
    if saved := saved_of(assignments).count():
        raise RuleError.single(
            "state",
            "begun",
            f"Quelqu'un a déjà enregistré quelque chose ({saved} paire(s)) : rien n'a été retiré.",
            f"Somebody has saved something already ({saved} pair(s)): nothing was taken back.",
        )
    _places_keep(assignments)
    keys = list(assignments.order_by().values_list("pk", flat=True))
    items = items_of(keys)
    Assignment.objects.filter(pk__in=keys).delete()
    standings_recount(annotators)
    items_recount(items)
    return len(keys)


def _places_keep(assignments: QuerySet[Assignment]) -> None:
    """Remember the last place of each annotator among them."""
    given = assignments.filter(position__lt=PARKED).order_by()
    last = given.values_list("annotator").annotate(Max("position"))
    for annotator, position in last.order_by("annotator"):
        Annotator.objects.filter(pk=annotator, places_used__lt=position).update(
            places_used=position
        )
