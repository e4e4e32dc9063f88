"""Which pairs and which judgments make up a round of the data. Whoever reads answers asks here.

``practice``, ``control`` and ``repeat`` are items of their own, and so are those of ``machine``: a
draw left them to models (``services/planning/parts.py``). ``surplus`` are answers to main
pairs that came after as many as the plan counts. ``all`` is practice and the main round, as people
were asked for them; what stands aside is in none but its own.
"""

from __future__ import annotations

from django.db.models import Q

from annotation.models import Item, Judgment

ROUNDS = ("main", "practice", "control", "repeat", "machine", "surplus", "all")
# Judgments that count towards the answers that a plan asks for. A withdrawn annotator's do not: no
# release holds them.
COUNTED = Q(
    submitted_at__isnull=False,
    surplus=False,
    origin=Judgment.Origin.PERSON,
    assignment__annotator__withdrawn_at__isnull=True,
)
_ITEM_ROUNDS = {"surplus": (Item.Round.MAIN,), "all": (Item.Round.PRACTICE, Item.Round.MAIN)}


def items_in(round_: str, prefix: str = "") -> Q:
    """Items of a round; ``prefix`` leads to them ("item__")."""
    return Q(**{f"{prefix}round__in": _ITEM_ROUNDS.get(round_, (round_,))})


def judgments_in(round_: str, prefix: str = "") -> Q:
    """Judgments of a round; ``prefix`` leads to them ("judgment__")."""
    surplus = Q(**{f"{prefix}surplus": round_ == "surplus"})
    return items_in(round_, f"{prefix}assignment__simplification__item__") & surplus
