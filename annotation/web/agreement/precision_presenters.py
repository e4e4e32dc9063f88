"""What a plan is worth, in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.precision import (
    DIFFERENCE,
    MEAN,
    PAIR,
    TEAMS,
    TEXT_SETS,
    Assumptions,
)
from annotation.agreement.systems.crossed import FEWEST_PEOPLE
from annotation.models import Study
from annotation.selectors.agreement.precision import METHOD, Choice, Learned, PrecisionAim, Standing
from annotation.web.agreement.sheets import Column, FigureSheet, SheetCell
from annotation.web.base.numbers import decimal, percent, whole


def choices_sheet(study: Study, choices: Sequence[Choice], wanted: PrecisionAim) -> FigureSheet:
    """One row for each number of annotators per pair, with the texts that are planned."""
    rate = study.hourly_rate
    columns = [
        Column(_("Annotators per pair"), "count"),
        Column(_("Difference"), "points"),
        Column(_("Difference, others"), "points"),
        Column(_("Mean"), "points"),
        Column(_("Mean, others"), "points"),
        Column(_("One pair"), "points"),
        Column(_("Judgments"), "count"),
        Column(_("Hours"), "points"),
    ]
    rows: list[tuple[SheetCell, ...]] = []
    for choice in choices:
        pay = (round(choice.cost.hours * float(rate), 2),) if rate is not None else ()
        rows.append(
            (
                choice.per_pair,
                *(
                    choice.widths[target, others]
                    for target in (DIFFERENCE, MEAN)
                    for others in (False, True)
                ),
                choice.widths[PAIR, True],
                choice.cost.judgments,
                choice.cost.hours,
                *pay,
            )
        )
    if rate is not None:
        columns.append(Column(_("Pay, %(currency)s") % {"currency": study.pay_currency}, "points"))
    title = ngettext(
        "What %(texts)s text gives, ± points",
        "What %(texts)s texts give, ± points",
        wanted.texts,
    ) % {"texts": whole(wanted.texts)}
    return FigureSheet("widths", title, tuple(columns), tuple(rows), note=_signature(wanted))


def needed_sheet(study: Study, choices: Sequence[Choice], wanted: PrecisionAim) -> FigureSheet:
    """How many texts it takes for the half-width that is wanted."""
    columns = (
        Column(_("Annotators per pair"), "count"),
        Column(_("Texts, with these annotators"), "count"),
        Column(_("Texts, with other annotators"), "count"),
        Column(_("Judgments"), "count"),
        Column(_("Hours"), "points"),
        Column(_("Remark")),
    )
    rows = tuple(
        (
            choice.per_pair,
            choice.texts[False],
            choice.texts[True],
            choice.texts_cost.judgments if choice.texts_cost else None,
            choice.texts_cost.hours if choice.texts_cost else None,
            _remark(choice, wanted),
        )
        for choice in choices
    )
    title = _("What it takes for ± %(width)s points: %(target)s") % {
        "width": decimal(wanted.half_width),
        "target": target_label(wanted.target),
    }
    return FigureSheet("needed", title, columns, rows, note=_signature(wanted))


def target_label(target: str) -> str:
    """What the half-width is of."""
    return {
        DIFFERENCE: _("the difference between two systems"),
        MEAN: _("the mean of a system"),
        PAIR: _("the value of a single pair"),
    }[target]


def assumed_context(assumed: Assumptions, learned: Learned | None) -> dict[str, Any]:
    """What is taken for known, and where it comes from."""
    parts = [
        (_("Between texts"), assumed.sources),
        (_("Between outputs of one text"), assumed.outputs),
        (_("Between annotators: one is stricter than another"), assumed.annotators),
        (_("The rest: who judged which pair, and chance"), assumed.rest),
    ]
    if learned is not None and not learned.told_apart:
        parts[0:2] = [(_("Between pairs"), assumed.outputs)]
    return {
        "mean": decimal(assumed.mean),
        "scale": f"{decimal(assumed.scale[0], 0)}–{decimal(assumed.scale[-1], 0)}",
        "parts": [
            {
                "label": label,
                "deviation": decimal(part**0.5),
                "share": percent(part / assumed.total, 0),
            }
            for label, part in parts
        ],
        "learned": _learned(learned) if learned is not None else "",
        "together": learned is not None and not learned.told_apart,
    }


def reached_words(choices: Sequence[Choice], wanted: PrecisionAim, now: Standing) -> str:
    """How far the study is on its way, as precise as that: from counts of judgments alone."""
    per_pair = min(now.per_pair or now.annotators, now.annotators)
    choice = next((choice for choice in choices if choice.per_pair == per_pair), None)
    if choice is None or not now.judged or not now.texts or wanted.annotators != now.annotators:
        return ""
    texts = min(now.judged // (now.systems * per_pair), now.texts)
    ends = [choice.precision.half_width(wanted.target, number) for number in (texts, now.texts)]
    if wanted.target == PAIR or None in ends:
        return ""
    return _(
        "%(judged)s judgments are submitted, as many as %(texts)s texts take: ± %(now)s points "
        "with other annotators by what is assumed here. All %(all)s texts will give ± %(end)s. "
        "What the judgments say was not looked at."
    ) % {
        "judged": whole(now.judged),
        "texts": whole(texts),
        "now": decimal(ends[0] or 0.0),
        "all": whole(now.texts),
        "end": decimal(ends[1] or 0.0),
    }


def _remark(choice: Choice, wanted: PrecisionAim) -> str:
    if wanted.target == PAIR:
        return (
            _("More texts say nothing more of a single pair.")
            if choice.texts[True]
            else _("It takes more annotators per pair.")
        )
    if choice.texts[True] is not None:
        return ""
    if wanted.annotators < FEWEST_PEOPLE:
        return _("With other annotators there is no interval: it takes %(number)s annotators.") % {
            "number": FEWEST_PEOPLE
        }
    return _("No number of texts gives this with other annotators: it takes more annotators.")


def _learned(learned: Learned) -> str:
    return _("From %(ratings)s answers of %(people)s annotators to %(items)s pairs.") % {
        "ratings": whole(learned.ratings),
        "people": whole(learned.annotators),
        "items": whole(learned.items),
    }


def _signature(wanted: PrecisionAim) -> str:
    """How the table was made, in every file of it too."""
    return (
        f"{METHOD}|texts:{wanted.texts}|systems:{wanted.systems}|annotators:{wanted.annotators}"
        f"|seconds:{wanted.seconds:g}|confidence:{wanted.confidence:g}"
        f"|teams:{TEAMS}|sets:{TEXT_SETS}|seed:{wanted.seed}"
    )
