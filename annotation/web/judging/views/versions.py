"""Versions of one's own answers: two side by side, former ones, and bringing one back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access import assignment_for, assignment_meant
from annotation.bodies import UnreadableBody, whole
from annotation.errors import RuleError, StudyClosed
from annotation.protocols.base import Answers
from annotation.protocols.kinds import ShapeError
from annotation.protocols.protocol import Protocol
from annotation.selectors.base.dates import date_in_words
from annotation.selectors.judging.blinded import BlindedPair, blinded_pair
from annotation.selectors.judging.own import own_former_answers, own_revisions, own_versions
from annotation.services.judging.drafts import draft_restore
from annotation.web.judging.comparing import compared
from annotation.web.judging.own_presenters import own_revision, own_version, pair_name
from annotation.web.judging.views.judging import clock_text, moment_typed, no_such_pair
from annotation.web.platform.behind_login import post_behind_login
from annotation.web.platform.door import json_of
from annotation.web.platform.problems import login_required_response, problem_response, refusal
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.user_ref import is_ref_of

MAX_BODY_BYTES = 512 * 1024


def side_by_side(
    protocol: Protocol, pair: BlindedPair, left: Answers, right: Answers
) -> dict[str, Any]:
    """What ``judging/_comparison.html`` draws, less its titles."""
    rows = compared(protocol, pair, left, right)
    return {
        "pair": pair,
        "differing": [row for row in rows if not row.same],
        "same": [row for row in rows if row.same],
    }


@never_cache
@require_POST
def compare(request: HttpRequest, study: str, position: int) -> HttpResponse:
    """What a window holds beside what is stored, or beside a copy that was found on its computer;
    nothing is written.

    The body: ``mine`` and, of a copy, ``theirs``: answers; ``mine_ago`` and ``theirs_ago``: how
    many seconds ago they were typed (``moment_typed``); ``assignment``: which one the window shows
    (``access.assignment_ref``).
    """
    user = request.user
    if not user.is_authenticated:
        return login_required_response()
    if int(request.headers.get("content-length") or 0) > MAX_BODY_BYTES:
        return problem_response(413, "too_large", _("These answers are too long to be compared."))
    try:
        assignment = assignment_for(user, study, position)
        body = json_of(request)
        if ref := body.get("assignment"):
            assignment = assignment_meant(assignment, user, study, position, ref=ref)
        protocol, pair = assignment.annotator.study.protocol, blinded_pair(assignment)
        mine = protocol.clean(body["mine"])
        copy_answers = protocol.clean(body["theirs"]) if body.get("theirs") is not None else None
    except Http404 as error:
        return no_such_pair(error)
    except ShapeError as error:
        return refusal(RuleError([error.problem]), status=400)
    except (UnreadableBody, KeyError, TypeError, AttributeError):
        return problem_response(400, "malformed", _("The body is not JSON that can be stored."))
    # A page that somebody else opened in this browser must not show them what this person has
    # stored.
    if "user" in body and not is_ref_of(user, body["user"]):
        return problem_response(403, "other_user", _("You are logged in as somebody else."))
    theirs = pair.answers if copy_answers is None else copy_answers
    theirs_at = pair.saved_at if copy_answers is None else moment_typed(body, "theirs")
    # What was submitted, where no draft stands beside it.
    in_force = pair.answers if pair.submitted_at and not pair.has_unsent_changes else None
    shown = side_by_side(protocol, pair, mine, theirs) | {
        "found": copy_answers is not None,
        "left_title": _titled(
            _("Here, in this window"), moment_typed(body, "mine"), mine == in_force
        ),
        "right_title": _titled(
            _("In the other window") if copy_answers is None else _("The copy"),
            theirs_at,
            theirs == in_force,
        ),
        "study": assignment.annotator.study,
    }
    return JsonResponse(
        {
            "html": render_to_string("judging/_conflict.html", shown, request=request),
            "differ": bool(shown["differing"]),
            "theirs": theirs,
            "current": {"revision": pair.revision, "answers": pair.answers},
            "is_submitted": pair.submitted_at is not None,
            "in_force": in_force,
        }
    )


def _titled(title: str, moment: datetime | None, is_in_force: bool) -> str:
    """With its moment, and whether it is what its annotator has submitted."""
    submitted = pgettext("a version", "submitted") if is_in_force else ""
    parts = [title, _moment_text(moment) if moment else "", submitted]
    return " · ".join(filter(None, parts))


def _moment_text(moment: datetime) -> str:
    """The time of day, and the day where that is another than today."""
    if timezone.localdate(moment) == timezone.localdate():
        return clock_text(moment)
    return date_in_words(timezone.localtime(moment), "DATETIME_FORMAT")


@never_cache
@login_required
@require_safe
def history(request: PersonRequest, study: str, position: int) -> HttpResponse:
    """The annotator's own former submissions for one pair, and versions of the draft that were put
    aside, each beside what stands there now."""
    assignment = assignment_for(request.user, study, position)
    study_, pair = assignment.annotator.study, blinded_pair(assignment)
    versions = [
        own_version(version) | side_by_side(study_.protocol, pair, version.answers, pair.answers)
        for version in own_versions(assignment)
    ]
    return render(
        request,
        "judging/history.html",
        {
            "study": study_,
            "name": pair_name(pair.round, assignment.ordinal),
            "pair": pair,
            "revisions": [
                own_revision(study_, pair, revision) | {"is_now": revision.answers == pair.answers}
                for revision in own_revisions(assignment)
            ],
            "versions": versions,
            "url": reverse("annotate", args=[study, position]),
            "restore_url": reverse("annotate_restore", args=[study, position]),
        },
    )


@post_behind_login("annotate_history")
def restore(request: PersonRequest, study: str, position: int) -> HttpResponse:
    """Make a former version the draft again."""
    assignment = assignment_for(request.user, study, position)
    number = whole(request.POST.get("number"))
    answers = number and own_former_answers(assignment, request.POST.get("source", ""), number)
    if not answers:
        messages.error(request, _("That version is not kept any more."))
        return redirect("annotate_history", study, position)
    try:
        draft_restore(actor=request.user, assignment=assignment, answers=answers)
    except StudyClosed:
        messages.error(request, _("This round takes no answers now. Nothing was changed."))
        return redirect("annotate_history", study, position)
    messages.success(
        request,
        _("The version is back as your draft; what it replaced is kept among the former versions."),
    )
    return redirect("annotate", study, position)
