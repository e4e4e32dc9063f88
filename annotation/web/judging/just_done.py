"""What somebody did last with a pair on a page without scripts: the next page of the study says it,
and offers to take it back. Pages with scripts keep the same in their tab
(``static/js/judging/taking-back.js``)."""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Assignment
from annotation.selectors.judging.queue import Place
from annotation.services.judging.drafts import Saved
from annotation.services.judging.taking_back import TAKEN_BACK_WITHIN
from annotation.web.judging.own_presenters import pair_name

_NAME = "just_done"


def just_submitted(
    request: HttpRequest, assignment: Assignment, where: Place, saved: Saved
) -> None:
    """Have the next page say it. A save that had been acknowledged before was said then."""
    if saved.number:
        _note(request, assignment, where, number=saved.number, submission=saved.submission)


def just_set_aside(request: HttpRequest, assignment: Assignment, where: Place) -> None:
    """Have the next page say it."""
    _note(request, assignment, where)


def _note(
    request: HttpRequest, assignment: Assignment, where: Place, **submission: int | str
) -> None:
    request.session[_NAME] = {
        "study": assignment.annotator.study.key,
        "position": assignment.position,
        "pair": [assignment.simplification.item.round, where.ordinal],
        "at": int(time.time()),
        "submission": submission,
    }


def just_done(request: HttpRequest, study: str) -> dict[str, Any] | None:
    """What is to be said, once, on a page of this study: ``said``, and the form that takes it back,
    ``url`` and ``fields``. None where there is nothing."""
    noted = request.session.get(_NAME)
    if noted is None or noted["study"] != study:
        return None
    del request.session[_NAME]
    if time.time() - noted["at"] > TAKEN_BACK_WITHIN.total_seconds():
        return None
    address, pair = [study, noted["position"]], pair_name(*noted["pair"])
    if noted["submission"]:
        return {
            "said": _("{pair} submitted.").format(pair=pair),
            "url": reverse("annotate_take_back", args=address),
            "fields": noted["submission"],
        }
    return {
        "said": _("{pair} kept for later.").format(pair=pair),
        "url": reverse("annotate_later", args=address),
        "fields": {"take_up": 1},
    }
