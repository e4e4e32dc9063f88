"""What two studies side by side amount to, in sentences that promise no more than it gives."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.studies.change import Change
from annotation.agreement.studies.matching import KEY
from annotation.agreement.studies.report import DimensionStudies
from annotation.agreement.systems.figure import Figure
from annotation.agreement.systems.ranks import ALPHA
from annotation.selectors.agreement.sent_back import SentBack
from annotation.selectors.agreement.studies import Part, SideFacts, StudiesFigures
from annotation.web.agreement.sheets import p_words
from annotation.web.base.numbers import decimal, percent, whole
from annotation.web.base.presenters import text


def side_names(figures: StudiesFigures) -> tuple[str, str]:
    """How each side is called: by its key, and by its part where that is not the whole main
    round."""
    return _side_name(figures.first), _side_name(figures.second)


def _side_name(side: SideFacts) -> str:
    said = part_words(side.part)
    return f"{side.key} ({said})" if said else side.key


def part_words(part: Part) -> str:
    """What was chosen of a study, "" where it is all of its main round."""
    said = [_("practice")] if part.round == "practice" else []
    if part.context:
        shown = part.context == "shown"
        said.append(_("neighbouring text shown") if shown else _("neighbouring text not shown"))
    if part.stood:
        said.append(_stood_words(part))
    elif part.guide is not None:
        said.append(_("guide %(number)s") % {"number": part.guide})
    return ", ".join(said)


def _stood_words(part: Part) -> str:
    is_before = part.stood == "before"
    if part.guide is None:
        return _("before being sent back") if is_before else _("made again")
    words = (
        _("before guide %(number)s sent it back")
        if is_before
        else _("made again under guide %(number)s")
    )
    return words % {"number": part.guide}


def basis_words(figures: StudiesFigures) -> list[str]:
    """What is compared: outputs that were matched, or judgments that were made again."""
    if figures.sent_back is not None:
        return _sent_back_words(figures.sent_back)
    return _matching_words(figures)


def _sent_back_words(found: SentBack) -> list[str]:
    if not found.again:
        return []
    made = ngettext(
        "%(again)s of %(sent)s judgment sent back was made again",
        "%(again)s of %(sent)s judgments sent back were made again",
        found.sent,
    ) % {"again": whole(found.again), "sent": whole(found.sent)}
    on = ngettext("on %(outputs)s output", "on %(outputs)s outputs", found.outputs) % {
        "outputs": whole(found.outputs)
    }
    by = ngettext("by %(people)s person", "by %(people)s people", found.people) % {
        "people": whole(found.people)
    }
    return [
        _("%(made)s, %(on)s, %(by)s.") % {"made": made, "on": on, "by": by},
        _("In %(changed)s of them (%(share)s) at least one answer that is rated is another one.")
        % {"changed": whole(found.changed), "share": percent(found.changed / found.again)},
        _(
            "Before is what was in force when the guide sent the judgment back; after is what is "
            "in force now, or was when a later version sent it back once more. Both are of the "
            "same people on the same outputs; what was taken back is no part of either."
        ),
    ]


def _matching_words(figures: StudiesFigures) -> list[str]:
    """How outputs were matched, and how many were not."""
    found = figures.matching
    first, second = side_names(figures)
    by_key = found.rule == KEY
    number = len(found.matches)
    said = [
        (
            ngettext(
                "%(number)s output was matched by key and system.",
                "%(number)s outputs were matched by key and system.",
                number,
            )
            if by_key
            else ngettext(
                "%(number)s output was matched: its original and its own text are the same in "
                "both.",
                "%(number)s outputs were matched: their originals and their own texts are the "
                "same in both.",
                number,
            )
        )
        % {"number": whole(number)},
        _(
            "Without counterpart: %(first_only)s of %(first_all)s judged in %(first)s, "
            "%(second_only)s of %(second_all)s in %(second)s."
        )
        % {
            "first_only": whole(found.first_only),
            "second_only": whole(found.second_only),
            "first_all": whole(figures.first.outputs),
            "second_all": whole(figures.second.outputs),
            "first": first,
            "second": second,
        },
    ]
    if found.altered:
        words = (
            _(
                "Matched, although the texts are not the same in both: %(number)s. What changed "
                "there may be the text."
            )
            if by_key
            else _(
                "Without counterpart, although the other has their key and system, with other "
                "words: %(number)s. They are not compared."
            )
        )
        said.append(words % {"number": whole(found.altered)})
    if found.renamed:
        said.append(
            _(
                "Matched, although their systems' names differ: %(number)s. They count in no "
                "system's change."
            )
            % {"number": whole(found.renamed)}
        )
    return said


def change_words(found: DimensionStudies, figures: StudiesFigures) -> str:
    """What changed on a dimension, and how sure that is."""
    one = found.change
    if one is None:
        return ""
    said = [_moved(one, found, figures) if one.difference.value is not None else _classes(one)]
    if turn := _might_turn(one):
        said.append(turn)
    if figures.sent_back is not None:
        said.append(_unchanged(one))
    elif one.own.moved.value is not None:
        said.append(_own(one))
    elif one.own.same.value is not None:
        said.append(_same(one))
    return " ".join(said)


def _moved(one: Change, found: DimensionStudies, figures: StudiesFigures) -> str:
    first, second = side_names(figures)
    value = one.difference.value or 0.0
    high, low = (second, first) if value >= 0 else (first, second)
    words = {
        "higher": high,
        "lower": low,
        "points": decimal(abs(value)),
        "low": f"{found.scale[0]:g}",
        "high": f"{found.scale[-1]:g}",
        "interval": _bounds(one, turned=value < 0),
        "outputs": _outputs(one.counts.outputs),
        "test": _p(one),
    }
    if one.adjusted is None:
        return (
            _(
                "In “%(higher)s” answers stand %(points)s above those in “%(lower)s” on "
                "average%(interval)s, on the scale from %(low)s to %(high)s, over %(outputs)s; "
                "nothing says whether that is more than chance."
            )
            % words
        )
    if one.adjusted <= ALPHA:
        return (
            _(
                "In “%(higher)s” answers are higher than in “%(lower)s” by %(points)s on "
                "average%(interval)s, on the scale from %(low)s to %(high)s, over %(outputs)s; "
                "%(test)s."
            )
            % words
        )
    return (
        _(
            "Between “%(higher)s” and “%(lower)s” no change is established: %(points)s on "
            "average%(interval)s, on the scale from %(low)s to %(high)s, over %(outputs)s; "
            "%(test)s. This does not show that they are alike."
        )
        % words
    )


def _classes(one: Change) -> str:
    words = {"outputs": _outputs(one.counts.outputs), "test": _p(one)}
    if one.adjusted is None:
        return _("Answers over %(outputs)s.") % words
    if one.adjusted <= ALPHA:
        return (
            _(
                "The two give different answers, over %(outputs)s; %(test)s. The table of shares "
                "says which."
            )
            % words
        )
    return (
        _(
            "Between the answers of the two no difference is established, over %(outputs)s; "
            "%(test)s. This does not show that they are alike."
        )
        % words
    )


def _outputs(number: int) -> str:
    return ngettext("%(number)s common output", "%(number)s common outputs", number) % {
        "number": whole(number)
    }


def _ends(found: Figure, turned: bool) -> tuple[float, float] | None:
    interval = found.interval
    if interval is None or interval.low is None or interval.high is None:
        return None
    return (-interval.high, -interval.low) if turned else (interval.low, interval.high)


def _bounds(one: Change, *, turned: bool) -> str:
    """Both intervals, named: they answer two questions."""
    here, elsewhere = (_ends(found, turned) for found in (one.difference, one.elsewhere))
    if here is None:
        # Every text moved by as much: nothing varies but people.
        return (
            ""
            if elsewhere is None
            else " "
            + _("(95%% interval with other annotators: %(low)s to %(high)s)")
            % {"low": decimal(elsewhere[0]), "high": decimal(elsewhere[1])}
        )
    if elsewhere is None:
        return " " + _("(95%% interval with these annotators: %(low)s to %(high)s)") % {
            "low": decimal(here[0]),
            "high": decimal(here[1]),
        }
    return " " + _(
        "(95%% interval: %(low)s to %(high)s with these annotators, %(lower)s to %(higher)s with "
        "others like them)"
    ) % {
        "low": decimal(here[0]),
        "high": decimal(here[1]),
        "lower": decimal(elsewhere[0]),
        "higher": decimal(elsewhere[1]),
    }


def _might_turn(one: Change) -> str:
    """Where these people settle a change and others might not see it."""
    if one.adjusted is None or one.adjusted > ALPHA or one.difference.value is None:
        return ""
    ends = _ends(one.elsewhere, turned=False)
    if ends is None:
        interval = one.elsewhere.interval
        return text(interval.undefined) if interval is not None and interval.undefined else ""
    if ends[0] <= 0 <= ends[1]:
        return _("Other annotators of the same kind might see no change, or the opposite one.")
    return ""


def _p(one: Change) -> str:
    if one.test is None or one.adjusted is None:
        return ""
    kind = _("exact test of exchanged signs") if one.test.exact else _("test of exchanged signs")
    return ngettext(
        "%(kind)s, p %(p)s with these annotators, after Holm's correction for %(family)s test",
        "%(kind)s, p %(p)s with these annotators, after Holm's correction for %(family)s tests",
        one.family,
    ) % {
        "kind": kind,
        "p": p_words(one.adjusted) if one.adjusted < 0.001 else f"= {p_words(one.adjusted)}",
        "family": whole(one.family),
    }


def _own(one: Change) -> str:
    return _(
        "Whoever judged an output in both moved by %(points)s on average%(interval)s and gave the "
        "same answer in %(same)s of %(times)s cases."
    ) % {
        "points": decimal(one.own.moved.value or 0.0),
        "interval": _in_brackets(one.own.moved, decimal),
        "same": percent(one.own.same.value or 0.0),
        "times": whole(one.own.judgments),
    }


def _same(one: Change) -> str:
    return _(
        "Whoever judged an output in both gave the same answer in %(same)s of %(times)s cases."
    ) % {
        "same": percent(one.own.same.value or 0.0),
        "times": whole(one.own.judgments),
    }


def _unchanged(one: Change) -> str:
    """Of judgments that were made again: how many stayed, and how far both answers agree."""
    if one.own.same.value is None:
        return text(one.own.same.undefined) if one.own.same.undefined else ""
    said = _("Unchanged: %(same)s of %(times)s judgments%(interval)s.") % {
        "same": percent(one.own.same.value),
        "times": whole(one.own.judgments),
        "interval": _in_brackets(one.own.same, percent),
    }
    if one.own.alpha.value is None:
        return said
    alpha = _("Agreement of before and after: alpha %(alpha)s%(interval)s.") % {
        "alpha": decimal(one.own.alpha.value),
        "interval": _in_brackets(one.own.alpha, decimal),
    }
    return f"{said} {alpha}"


def _in_brackets(found: Figure, worded: Callable[[float], str]) -> str:
    ends = _ends(found, turned=False)
    if ends is None:
        return ""
    return " " + _("(95%% interval with these annotators: %(low)s to %(high)s)") % {
        "low": worded(ends[0]),
        "high": worded(ends[1]),
    }
