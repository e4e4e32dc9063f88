"""The design that a study is carried out by, as its lead chose it: recorded with what was computed
of it, for the datasheet's questions on the size of the sample."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from annotation.agreement.precision import (
    TEAMS,
    TEXT_SETS,
    Assumptions,
    ImpossibleAssumptions,
    as_settings,
)
from annotation.errors import RuleError
from annotation.models import Event, Study, User
from annotation.protocols.base import Problem
from annotation.selectors.agreement.precision import (
    METHOD,
    Learned,
    PrecisionAim,
    choice,
    standing,
)
from annotation.services.platform.events import event_record

_DIGITS = 4


@transaction.atomic
def precision_choose(
    *,
    actor: User,
    study: Study,
    assumed: Assumptions,
    wanted: PrecisionAim,
    per_pair: int,
    known: Learned | None = None,
    dimension: str = "",
) -> Event:
    """Record that ``per_pair`` of ``wanted``'s annotators are to judge each output, and the
    half-widths that this may expect, computed here. ``known``: what ``assumed`` was learned from,
    of the ``dimension``. The plan itself is not changed.

    Raises ``RuleError`` for a closed study, more judges per output than there are, and assumptions
    that no ratings have.
    """
    if study.state == Study.State.CLOSED:
        raise RuleError.single(
            "per_pair",
            "closed",
            "L'étude est fermée : on ne choisit plus combien de personnes jugent chaque paire.",
            "The study is closed: how many judge each pair is no longer chosen.",
        )
    if not 1 <= per_pair <= wanted.annotators:
        raise RuleError.single(
            "per_pair",
            "out_of_range",
            f"Donnez un nombre entier de 1 à {wanted.annotators}.",
            f"Give a whole number from 1 to {wanted.annotators}.",
        )
    try:
        chosen = choice(assumed, wanted, per_pair)
    except ImpossibleAssumptions as error:
        raise RuleError([Problem("rest", "impossible", error.reason)]) from error
    these, others = (chosen.widths[wanted.target, more] for more in (False, True))
    design: dict[str, Any] = {
        "method": METHOD,
        "target": wanted.target,
        "half_width": wanted.half_width,
        "confidence": wanted.confidence,
        "texts": wanted.texts,
        "systems": wanted.systems,
        "annotators": wanted.annotators,
        "widths": {"these": _rounded(these), "others": _rounded(others)},
        "assumed": as_settings(assumed),
        "learned": _learned(known, dimension),
        "teams": TEAMS,
        "sets": TEXT_SETS,
        "seed": wanted.seed,
        "judged": standing(study).judged,
    }
    return event_record(
        actor=actor,
        study=study,
        verb="precision_chosen",
        target=study,
        per_item=per_pair,
        design=design,
    )


def _learned(known: Learned | None, dimension: str) -> dict[str, Any] | None:
    """Counts only: which study it was may be nobody's business but its leads'."""
    if known is None:
        return None
    counts = {"ratings": known.ratings, "items": known.items, "annotators": known.annotators}
    return {"dimension": dimension} | counts


def _rounded(width: float | None) -> float | None:
    return None if width is None else round(width, _DIGITS)
