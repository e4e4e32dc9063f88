"""Numbers as pages say them, in the reader's language."""

from __future__ import annotations

from decimal import Decimal

from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

from annotation.generation.prices import amount_written

MINUS = "\u2212"


def decimal(value: float, places: int = 2) -> str:
    """0.1827 as «0,18» or “0.18”, with a real minus sign."""
    # Rounded before: number_format cuts off.
    shown = number_format(Decimal(f"{abs(value):.{places}f}"), places)
    return (
        f"{MINUS}{shown}" if value < 0 and any(digit in shown for digit in "123456789") else shown
    )


def short(value: float) -> str:
    """With as many digits as it takes, six at most: 0.5 as «0,5» or “0.5”, 3 as “3”, 1e-07 as it
    is."""
    shown = f"{abs(value):g}".replace(".", get_format("DECIMAL_SEPARATOR"))
    return f"{MINUS}{shown}" if value < 0 else shown


def amount(value: Decimal) -> str:
    """USD with every digit that it has, two at least: 5 as «5,00», 0.004 as «0,004»."""
    written = amount_written(value)
    return number_format(Decimal(written), len(written.partition(".")[2]))


def whole(value: int) -> str:
    """1485 as «1 485» or “1,485”."""
    return number_format(value, force_grouping=True)


def percent(value: float, places: int = 1) -> str:
    """0.5717 as «57,2 %» or “57.2%”."""
    return _("%(number)s%%") % {"number": decimal(100 * value, places)}
