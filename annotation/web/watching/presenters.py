"""The watching page's figures in words: what each was computed from, and why one is missing."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Item, Study
from annotation.selectors.base.dates import date_in_words
from annotation.selectors.watching.reminders import Remindable
from annotation.selectors.watching.watching import PersonWatch, StudyWatch

_FAR = 3650


def person_row(study: Study, person: PersonWatch, remindable: Remindable | None) -> dict[str, Any]:
    """One line of the table of people."""
    return {
        "watch": person,
        "hours_share": share(person.active_hours, study.hours_budget),
        "over": 0 < study.hours_budget < person.active_hours,
        "seconds": seconds_words(person.seconds, person.timed),
        "pace": _("%(pace)s a day") % {"pace": number_format(round(person.pace, 1), 1)},
        "pace_from": ngettext(
            "%(number)s judgment in %(days)s days",
            "%(number)s judgments in %(days)s days",
            person.recent,
        )
        % {"number": person.recent, "days": number_format(round(person.days, 1), 1)},
        "outlook": person_outlook(person),
        "remindable": remindable,
    }


def item_row(item: Item, sent_back: int) -> dict[str, Any]:
    """One line of the table of items. ``sent_back``: of its answers those that are to be made
    again, which are no more done here than in the figures of people."""
    return {"item": item, "done": item.answers - sent_back, "sent_back": sent_back}


def share(hours: float, budget: int) -> int | None:
    """Percent of the budget that is used; None where none is planned."""
    return round(100 * hours / budget) if budget else None


def seconds_words(seconds: float | None, timed: int, *, of_all: bool = False) -> dict[str, str]:
    """The median and what it is the median of: one person's last pairs, or those of everybody
    (``of_all``)."""
    if seconds is None:
        return {"value": _("not known yet"), "source": _("no submitted pair")}
    if of_all:
        source = ngettext(
            "median of %(number)s pair", "median of %(number)s pairs, each person's last", timed
        )
    else:
        source = ngettext("median of the last pair", "median of the last %(number)s pairs", timed)
    return {
        "value": _("%(number)s s") % {"number": number_format(round(seconds), 0)},
        "source": source % {"number": timed},
    }


def person_outlook(person: PersonWatch) -> str:
    """When somebody is done at their pace, or why that cannot be said."""
    if person.outlook == "" and person.end_at is not None:
        if person.left / person.pace > _FAR:
            return _("in more than ten years at this pace")
        return _("around %(day)s") % {
            "day": date_in_words(timezone.localtime(person.end_at), "DATE_FORMAT")
        }
    return {
        "done": _("done"),
        "nothing": _("has no pair in this round"),
        "left": _("has left the study"),
        "closed": _("not done: no round is open"),
    }.get(person.outlook, _("cannot be said: nothing was submitted in the last 7 days"))


def study_outlook(watch: StudyWatch) -> str:
    """When everybody is done, or why that cannot be said."""
    if watch.outlook == "done":
        return _("Everybody is done.")
    if watch.outlook == "nothing":
        return _("Nobody has a pair in this round yet.")
    if watch.outlook == "closed":
        return _("No round is open: nothing more is judged.")
    if watch.end_at is None:
        return ngettext(
            (
                "Cannot be said: %(number)s person has pairs left and submitted nothing in the "
                "last 7 days."
            ),
            (
                "Cannot be said: %(number)s people have pairs left and submitted nothing in the "
                "last 7 days."
            ),
            watch.stuck,
        ) % {"number": watch.stuck}
    if (
        max(person.left / person.pace for person in watch.people if person.end_at is not None)
        > _FAR
    ):
        return _("In more than ten years at this pace.")
    day = date_in_words(timezone.localtime(watch.end_at), "DATE_FORMAT")
    return _("Around %(day)s, when the last person is done at their own pace.") % {"day": day}
