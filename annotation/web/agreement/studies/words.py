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
from annotation.web.agreement.intervals import ends, in_brackets
from annotation.web.agreement.sheets import p_words
from annotation.web.agreement.systems.words import scale_words
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


def _sent_back_words(sent_back: SentBack) -> list[str]:
    if not sent_back.again:
        return []
    made = ngettext(
        "%(again)s of %(sent)s judgment sent back was made again",
        "%(again)s of %(sent)s judgments sent back were made again",
        sent_back.sent,
    ) % {"again": whole(sent_back.again), "sent": whole(sent_back.sent)}
    on = ngettext("on %(outputs)s output", "on %(outputs)s outputs", sent_back.outputs) % {
        "outputs": whole(sent_back.outputs)
    }
    by = ngettext("by %(people)s person", "by %(people)s people", sent_back.people) % {
        "people": whole(sent_back.people)
    }
    return [
        _("%(made)s, %(on)s, %(by)s.") % {"made": made, "on": on, "by": by},
        _("In %(changed)s of them (%(share)s) at least one answer that is rated is another one.")
        % {
            "changed": whole(sent_back.changed),
            "share": percent(sent_back.changed / sent_back.again),
        },
        _(
            "Before is what was in force when the guide sent the judgment back; after is what is "
            "in force now, or was when a later version sent it back once more. Both are of the "
            "same people on the same outputs; what was taken back is no part of either."
        ),
    ]


def _matching_words(figures: StudiesFigures) -> list[str]:
    """How outputs were matched, and how many were not."""
    matching = figures.matching
    first, second = side_names(figures)
    by_key = matching.rule == KEY
    number = len(matching.matches)
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
            "first_only": whole(matching.first_only),
            "second_only": whole(matching.second_only),
            "first_all": whole(figures.first.outputs),
            "second_all": whole(figures.second.outputs),
            "first": first,
            "second": second,
        },
    ]
    if matching.altered:
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
        said.append(words % {"number": whole(matching.altered)})
    if matching.renamed:
        said.append(
            _(
                "Matched, although their systems' names differ: %(number)s. They count in no "
                "system's change."
            )
            % {"number": whole(matching.renamed)}
        )
    return said


def change_words(dimension: DimensionStudies, figures: StudiesFigures) -> str:
    """What changed on a dimension, and how sure that is."""
    change = dimension.change
    if change is None:
        return ""
    said = [
        _moved(change, dimension, figures)
        if change.difference.value is not None
        else _classes(change)
    ]
    if turn := _might_turn(change):
        said.append(turn)
    if figures.sent_back is not None:
        said.append(_unchanged(change))
    elif change.own.moved.value is not None:
        said.append(_own(change))
    elif change.own.same.value is not None:
        said.append(_same(change))
    return " ".join(said)


def _moved(change: Change, dimension: DimensionStudies, figures: StudiesFigures) -> str:
    """The second's mean less the first's, with its sign, as in the table, the chart and the API."""
    first, second = side_names(figures)
    value = change.difference.value or 0.0
    words = {
        "first": first,
        "second": second,
        "points": decimal(value),
        "scale": scale_words(dimension.scale, open_ended=dimension.open_ended),
        "interval": _bounds(change),
        "outputs": _outputs(change.counts.outputs),
        "test": _p(change),
    }
    if change.adjusted is None:
        said = _(
            "From “%(first)s” to “%(second)s” answers change by %(points)s on "
            "average%(interval)s%(scale)s, over %(outputs)s; nothing says whether that is more "
            "than chance."
        )
    elif change.adjusted > ALPHA:
        said = _(
            "From “%(first)s” to “%(second)s” no change is established: %(points)s on "
            "average%(interval)s%(scale)s, over %(outputs)s; "
            "%(test)s. This does not show that they are alike."
        )
    elif value < 0:
        said = _(
            "In “%(second)s” answers are lower than in “%(first)s”: %(points)s on "
            "average%(interval)s%(scale)s, over %(outputs)s; "
            "%(test)s."
        )
    else:
        said = _(
            "In “%(second)s” answers are higher than in “%(first)s”: %(points)s on "
            "average%(interval)s%(scale)s, over %(outputs)s; "
            "%(test)s."
        )
    return said % words


def _classes(change: Change) -> str:
    words = {"outputs": _outputs(change.counts.outputs), "test": _p(change)}
    if change.adjusted is None:
        return _("Answers over %(outputs)s.") % words
    if change.adjusted <= ALPHA:
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


def _bounds(change: Change) -> str:
    here, elsewhere = (ends(figure) for figure in (change.difference, change.elsewhere))
    if here is not None:
        return in_brackets(here, elsewhere)
    # Every text moved by as much: nothing varies but people.
    return (
        ""
        if elsewhere is None
        else " "
        + _("(95%% interval with other annotators: %(low)s to %(high)s)")
        % {"low": decimal(elsewhere[0]), "high": decimal(elsewhere[1])}
    )


def _might_turn(change: Change) -> str:
    """Where these people settle a change and others might not see it."""
    if change.adjusted is None or change.adjusted > ALPHA or change.difference.value is None:
        return ""
    others = ends(change.elsewhere)
    if others is None:
        interval = change.elsewhere.interval
        return text(interval.undefined) if interval is not None and interval.undefined else ""
    if others[0] <= 0 <= others[1]:
        return _("Other annotators of the same kind might see no change, or the opposite one.")
    return ""


def _p(change: Change) -> str:
    if change.test is None or change.adjusted is None:
        return ""
    kind = _("exact test of exchanged signs") if change.test.exact else _("test of exchanged signs")
    return ngettext(
        "%(kind)s, p %(p)s with these annotators, after Holm's correction for %(family)s test",
        "%(kind)s, p %(p)s with these annotators, after Holm's correction for %(family)s tests",
        change.family,
    ) % {
        "kind": kind,
        "p": p_words(change.adjusted)
        if change.adjusted < 0.001
        else f"= {p_words(change.adjusted)}",
        "family": whole(change.family),
    }


def _own(change: Change) -> str:
    return _(
        "Whoever judged an output in both moved by %(points)s on average%(interval)s and gave the "
        "same answer in %(same)s of %(times)s cases."
    ) % {
        "points": decimal(change.own.moved.value or 0.0),
        "interval": _in_brackets(change.own.moved, decimal),
        "same": percent(change.own.same.value or 0.0),
        "times": whole(change.own.judgments),
    }


def _same(change: Change) -> str:
    return _(
        "Whoever judged an output in both gave the same answer in %(same)s of %(times)s cases."
    ) % {
        "same": percent(change.own.same.value or 0.0),
        "times": whole(change.own.judgments),
    }


def _unchanged(change: Change) -> str:
    """Of judgments that were made again: how many stayed, and how far both answers agree."""
    if change.own.same.value is None:
        return text(change.own.same.undefined) if change.own.same.undefined else ""
    said = _("Unchanged: %(same)s of %(times)s judgments%(interval)s.") % {
        "same": percent(change.own.same.value),
        "times": whole(change.own.judgments),
        "interval": _in_brackets(change.own.same, percent),
    }
    if change.own.alpha.value is None:
        return said
    alpha = _("Agreement of before and after: alpha %(alpha)s%(interval)s.") % {
        "alpha": decimal(change.own.alpha.value),
        "interval": _in_brackets(change.own.alpha, decimal),
    }
    return f"{said} {alpha}"


def _in_brackets(figure: Figure, in_words: Callable[[float], str]) -> str:
    bounds = ends(figure)
    return "" if bounds is None else in_brackets(bounds, in_words=in_words)
