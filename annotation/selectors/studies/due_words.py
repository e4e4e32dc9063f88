"""What waits in a study, in words: for its pages and for letters."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from annotation.selectors.studies.due import Due

_WORDS: dict[str, Promise] = {
    "items": _("no item yet"),
    "outputs": ngettext_lazy(
        "%(number)s output to review", "%(number)s outputs to review", "number"
    ),
    "paused": ngettext_lazy("%(number)s run paused", "%(number)s runs paused", "number"),
    "runs": ngettext_lazy("%(number)s run under way", "%(number)s runs under way", "number"),
    "annotators": _("no annotator yet"),
    "invitations": ngettext_lazy(
        "%(number)s invitation not accepted", "%(number)s invitations not accepted", "number"
    ),
    "plan": _("no plan yet"),
    "guide": _("no guide yet"),
    "meeting": _("meeting to open"),
    "practice_left": ngettext_lazy(
        "%(number)s pair to judge", "%(number)s pairs to judge", "number"
    ),
    "main_left": ngettext_lazy("%(number)s pair to judge", "%(number)s pairs to judge", "number"),
    "again": ngettext_lazy("%(number)s to judge again", "%(number)s to judge again", "number"),
    "remarks": ngettext_lazy("%(number)s remark open", "%(number)s remarks open", "number"),
    "snapshot": _("not frozen yet"),
}


def words_of(due: Due) -> str:
    """What waits, with its number, in the language that is active."""
    return str(_WORDS[due.key] % {"number": due.number})
