"""The models of one dimension as a JSON-safe dictionary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotation.agreement.mixed import wording
from annotation.agreement.mixed.library import PACKAGE, statsmodels_version
from annotation.agreement.mixed.linear import linear_model
from annotation.agreement.mixed.methods import mixed_methods
from annotation.agreement.mixed.ordinal import ordinal_model
from annotation.agreement.mixed.thresholds import own_thresholds
from annotation.agreement.systems.figure import Drawn, wording_facts
from annotation.agreement.systems.table import SystemRatings
from annotation.agreement.systems.wording import NO_SYSTEM, NOT_ANSWERED
from annotation.protocols.base import Wording

FITS = 3
"""Steps of progress that ``mixed_report`` tells of, for a dimension that can be modelled."""


def not_mixed(table: SystemRatings) -> Wording | None:
    """Why no mixed model of these ratings is begun; None where one is."""
    if not table.is_scale:
        return wording.NO_ORDER
    if not len(table.place):
        return NOT_ANSWERED if table.outputs else NO_SYSTEM
    judged = {table.systems[code] for code in set(table.system.tolist())}
    if len(judged) == 1:
        return wording.ONE_SYSTEM.format(system=next(iter(judged)))
    return None


def mixed_absent(table: SystemRatings) -> dict[str, Any]:
    """What is said where statsmodels is not installed."""
    return {"undefined": wording_facts(not_mixed(table) or wording.ABSENT)}


def mixed_report(
    table: SystemRatings, drawn: Drawn, progress: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """The three models, or in ``undefined`` why there are none. ``progress`` is called after each
    of ``FITS``. Raises ``StatsmodelsMissing`` where a model is begun without statsmodels."""
    reason = not_mixed(table)
    if reason is not None:
        return {"undefined": wording_facts(reason)}
    linear = linear_model(table, drawn)
    progress()
    ordinal = ordinal_model(table, drawn)
    progress()
    own = own_thresholds(table, drawn)
    progress()
    return {
        "undefined": None,
        "package": f"{PACKAGE} {statsmodels_version()}",
        "confidence": drawn.confidence,
        "linear": linear.as_dict(),
        "ordinal": ordinal.as_dict(),
        "own": own.as_dict(),
        "methods": wording_facts(mixed_methods(linear, ordinal, own, drawn.confidence)),
    }
