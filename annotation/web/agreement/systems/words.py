"""What the comparison of systems amounts to, in sentences that promise no more than it gives."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.systems.comparison import Comparison
from annotation.agreement.systems.flags import FlagFigures
from annotation.agreement.systems.ranks import ALPHA
from annotation.agreement.systems.report import DimensionSystems
from annotation.protocols.base import Better, Level
from annotation.protocols.kinds.field import Field
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.systems import ANY_ERROR
from annotation.web.agreement.intervals import ends, in_brackets
from annotation.web.agreement.sheets import p_words
from annotation.web.base.numbers import decimal, percent, whole
from annotation.web.base.presenters import option_labels, text

_EVEN = 1e-9
"""Below it a difference is what summing leaves."""


def flag_label(flag: str) -> str:
    return {
        "truncated": _("cut off: by the token cap, or without a sentence's end"),
        "identical": _("identical to the original"),
        "language": _("in another language than most"),
    }[flag]


def mark_label(fields: Iterable[Field], key: str) -> str:
    """A type of these fields' marks."""
    if key == ANY_ERROR:
        return _("All types together")
    labels = option_labels(option for field in fields for option in field.marks)
    return labels.get(key, key or _("without type"))


def bracket_label(protocol: Protocol, value: str) -> str:
    """The bracket's own short name."""
    for field in protocol.fields:
        for bracket in getattr(field, "brackets", ()):
            if str(bracket.value) == value:
                return text(bracket.short)
    return value


def comparison_words(comparison: Comparison, dimension: DimensionSystems) -> str:
    """Which of two systems is judged better, by how much, and how sure that is; where neither side
    of the scale is better, which is higher."""
    if comparison.undefined is not None:
        return _pair(comparison) + " " + text(comparison.undefined)
    is_classes = dimension.level == Level.NOMINAL
    sentences = [_tested_classes(comparison) if is_classes else _tested(comparison, dimension)]
    if against := _against_means(comparison, dimension):
        sentences.append(against)
    if comparison.no_test is not None:
        sentences.append(text(comparison.no_test))
    if turn := _might_turn(comparison):
        sentences.append(turn)
    if comparison.people:
        sentences.append(_people(comparison, dimension.better))
    sentences += [text(note) for note in comparison.notes]
    return " ".join(sentences)


def _against_means(comparison: Comparison, dimension: DimensionSystems) -> str:
    """Why the means of the two, in the table above, say the opposite of their difference; "" where
    they do not."""
    of = {profile.system: profile.mean.value for profile in dimension.profiles}
    first, second = of.get(comparison.first), of.get(comparison.second)
    difference = comparison.difference.value
    if first is None or second is None or difference is None:
        return ""
    if (first - second) * difference >= 0 or min(abs(first - second), abs(difference)) < _EVEN:
        return ""
    return _(
        "The means of the two say the opposite (“%(first)s” %(one)s, “%(second)s” %(other)s): each "
        "is over all texts of its system, and mixes in how severe the people are who judged them; "
        "the difference is over the texts that both have, and goes by what each person who judged "
        "both says."
    ) % {
        "first": comparison.first,
        "second": comparison.second,
        "one": decimal(first),
        "other": decimal(second),
    }


def _pair(comparison: Comparison) -> str:
    return _("“%(first)s” and “%(second)s”:") % {
        "first": comparison.first,
        "second": comparison.second,
    }


def scale_words(scale: tuple[float, ...], *, open_ended: bool) -> str:
    """Where a scale begins and ends; nothing of a count, which has no end."""
    if open_ended:
        return ""
    return _(", on the scale from %(low)s to %(high)s") % {
        "low": f"{scale[0]:g}",
        "high": f"{scale[-1]:g}",
    }


def _tested(comparison: Comparison, dimension: DimensionSystems) -> str:
    value = comparison.difference.value or 0.0
    is_lower = dimension.better == Better.LOWER
    names = [comparison.first, comparison.second]
    if (value > 0) if is_lower else (value < 0):
        names.reverse()
    words = {
        "better": names[0],
        "worse": names[1],
        "points": decimal(abs(value)),
        "scale": scale_words(dimension.scale, open_ended=dimension.open_ended),
        "interval": _bounds(comparison, turned=value < 0),
        "texts": _texts(comparison.counts.sources),
        "test": _p(comparison),
    }
    if comparison.adjusted is not None and comparison.adjusted <= ALPHA:
        return _established(dimension.better) % words
    if comparison.adjusted is None:
        return _untested(dimension.better, is_even=abs(value) < _EVEN) % words
    return (
        _(
            "Between “%(better)s” and “%(worse)s” no difference is established: %(points)s on "
            "average%(interval)s%(scale)s, over %(texts)s; %(test)s. "
            "This does not show that they are alike."
        )
        % words
    )


def _established(better: Better) -> str:
    if better == Better.LOWER:
        return _(
            "“%(better)s” is judged better than “%(worse)s”, since lower is better: lower by "
            "%(points)s on average%(interval)s%(scale)s, over %(texts)s; %(test)s."
        )
    if better == Better.NEITHER:
        return _(
            "“%(better)s” gets higher numbers than “%(worse)s”, which is neither better nor worse: "
            "higher by %(points)s on average%(interval)s%(scale)s, over %(texts)s; %(test)s."
        )
    return _(
        "“%(better)s” is judged higher than “%(worse)s” by %(points)s on average"
        "%(interval)s%(scale)s, over %(texts)s; %(test)s."
    )


def _untested(better: Better, *, is_even: bool) -> str:
    if is_even:
        return _(
            "“%(better)s” and “%(worse)s” have the same mean%(interval)s%(scale)s, over %(texts)s. "
            "This does not show that they are alike."
        )
    if better == Better.LOWER:
        return _(
            "“%(better)s” stands %(points)s below “%(worse)s” on average%(interval)s%(scale)s, "
            "where lower is better, over %(texts)s; nothing says whether that is more than chance."
        )
    return _(
        "“%(better)s” stands %(points)s above “%(worse)s” on average%(interval)s%(scale)s, "
        "over %(texts)s; nothing says whether that is more than chance."
    )


def _tested_classes(comparison: Comparison) -> str:
    words = {
        "first": comparison.first,
        "second": comparison.second,
        "texts": _texts(comparison.counts.sources),
        "test": _p(comparison),
    }
    if comparison.adjusted is None:
        return _("“%(first)s” and “%(second)s”, over %(texts)s.") % words
    if comparison.adjusted <= ALPHA:
        return (
            _(
                "“%(first)s” and “%(second)s” get different answers, over %(texts)s; %(test)s. The "
                "table of shares says which."
            )
            % words
        )
    return (
        _(
            "Between the answers to “%(first)s” and “%(second)s” no difference is established, "
            "over %(texts)s; %(test)s. This does not show that they are alike."
        )
        % words
    )


def _bounds(comparison: Comparison, *, turned: bool) -> str:
    here, elsewhere = (
        ends(figure, turned=turned) for figure in (comparison.difference, comparison.elsewhere)
    )
    return "" if here is None else in_brackets(here, elsewhere)


def _might_turn(comparison: Comparison) -> str:
    """Where the people who judged settle a difference and others might not see it."""
    others = ends(comparison.elsewhere)
    if comparison.adjusted is None or comparison.adjusted > ALPHA:
        return ""
    if others is None:
        interval = comparison.elsewhere.interval
        return text(interval.undefined) if interval is not None and interval.undefined else ""
    if others[0] <= 0 <= others[1]:
        return _("Other annotators of the same kind might see no difference, or the opposite one.")
    return ""


def _texts(number: int) -> str:
    return ngettext("%(number)s original text", "%(number)s original texts", number) % {
        "number": whole(number)
    }


def _p(comparison: Comparison) -> str:
    if comparison.test is None or comparison.adjusted is None:
        return ""
    kind = (
        _("exact test of exchanged signs")
        if comparison.test.exact
        else _("test of exchanged signs")
    )
    return ngettext(
        "%(kind)s, p %(p)s after Holm's correction for %(family)s test",
        "%(kind)s, p %(p)s after Holm's correction for %(family)s tests",
        comparison.family,
    ) % {
        "kind": kind,
        "p": p_words(comparison.adjusted)
        if comparison.adjusted < 0.001
        else f"= {p_words(comparison.adjusted)}",
        "family": whole(comparison.family),
    }


def _people(comparison: Comparison, better: Better) -> str:
    higher = sum(person.difference > 0 for person in comparison.people)
    lower = sum(person.difference < 0 for person in comparison.people)
    words = {
        "higher": higher,
        "lower": lower,
        "people": len(comparison.people),
        "first": comparison.first,
        "second": comparison.second,
    }
    if better == Better.LOWER:
        said = _(
            "Annotators whose own answers place “%(first)s” lower, which is better: %(lower)s of "
            "%(people)s; “%(second)s”: %(higher)s."
        )
    else:
        said = _(
            "Annotators whose own answers place “%(first)s” higher: %(higher)s of %(people)s; "
            "“%(second)s”: %(lower)s."
        )
    return said % words


def flag_words(flag: FlagFigures) -> str:
    """What a flag explains, where it explains much."""
    interval = flag.explained.interval
    bounds = ""
    if interval is not None and interval.low is not None and interval.high is not None:
        bounds = " " + _("(95%% interval: %(low)s to %(high)s)") % {
            "low": percent(interval.low),
            "high": percent(interval.high),
        }
    return _(
        "A flag that a machine raises, “%(flag)s”, explains %(share)s of the variance of the "
        "outputs' means%(bounds)s: %(flagged)s on average with it, %(others)s without. Part of "
        "what sets systems apart here is how many of their outputs bear it; they are compared "
        "again without those below."
    ) % {
        "flag": flag_label(flag.flag),
        "share": percent(flag.explained.value or 0.0),
        "bounds": bounds,
        "flagged": decimal(flag.flagged or 0.0),
        "others": decimal(flag.others or 0.0),
    }


def remarks(dimension: DimensionSystems) -> list[str]:
    """What is said beside the figures of a dimension."""
    return [text(note) for note in dimension.notes]
