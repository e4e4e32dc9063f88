"""Both intervals of a difference in words: with these annotators, and with others like them. They
answer two questions, and are named."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _

from annotation.agreement.systems.figure import Figure
from annotation.web.base.numbers import decimal

Ends = tuple[float, float]


def ends(figure: Figure, *, turned: bool = False) -> Ends | None:
    """The ends of its interval, of the opposite difference where ``turned``; None where it has
    none."""
    interval = figure.interval
    if interval is None or interval.low is None or interval.high is None:
        return None
    return (-interval.high, -interval.low) if turned else (interval.low, interval.high)


def in_brackets(
    here: Ends, elsewhere: Ends | None = None, in_words: Callable[[float], str] = decimal
) -> str:
    """To stand behind the difference, with a blank before it. ``here``: with these annotators."""
    if elsewhere is None:
        return " " + _("(95%% interval with these annotators: %(low)s to %(high)s)") % {
            "low": in_words(here[0]),
            "high": in_words(here[1]),
        }
    return " " + _(
        "(95%% interval: %(low)s to %(high)s with these annotators, %(lower)s to %(higher)s with "
        "others like them)"
    ) % {
        "low": in_words(here[0]),
        "high": in_words(here[1]),
        "lower": in_words(elsewhere[0]),
        "higher": in_words(elsewhere[1]),
    }
