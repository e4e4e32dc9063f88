"""What a browser keeps for its annotator: which pairs come next, that one of them was looked at,
and the worker that shows them where there is no network."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import condition, require_http_methods, require_safe

from annotation.access import assignment_for
from annotation.bodies import UnreadableBody
from annotation.models import Assignment
from annotation.selectors.judging.queue import ahead as pairs_ahead
from annotation.selectors.judging.queue import place
from annotation.services.judging.drafts import assignment_open
from annotation.web.judging.keeping import KEPT, pair_mark
from annotation.web.judging.views.judging import (
    Malformed,
    OtherUser,
    no_such_pair,
    whole_number,
)
from annotation.web.platform.door import json_of
from annotation.web.platform.keeping import KEEP_HEADER
from annotation.web.platform.problems import login_required_response, problem_response
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.sessions import session_seconds_at_least
from annotation.web.platform.user_ref import is_page_of_other, is_ref_of


@never_cache
@require_http_methods(["GET", "POST"])
def ahead(request: PersonRequest, study: str, position: int) -> HttpResponse:
    """The pairs after this one that its annotator's browser may keep, each as position, mark and
    revision.

    A GET says whose page asks, by the header that fetches pages for keeping.

    A POST says that this very pair was shown from what was kept: ``mark`` of that page, ``opened``
    seconds ago. The answer tells whether it is still so, and only then is it noted that the pair
    was looked at.
    """
    if not request.user.is_authenticated:
        return login_required_response()
    # Before it is known whether the pair is theirs: the page that asks is to stop asking.
    if is_page_of_other(request, KEEP_HEADER):
        return _other_user()
    try:
        assignment = assignment_for(request.user, study, position)
        shown = _shown(request)
    except Http404 as error:
        return no_such_pair(error)
    except OtherUser:
        return _other_user()
    except Malformed as error:
        return problem_response(400, "malformed", str(error))
    round_ = assignment.simplification.item.round
    if not assignment.annotator.study.takes_judgments(round_):
        return problem_response(409, "study_closed", _("This round takes no answers now."))
    where = place(assignment)
    members: dict[str, Any] = {}
    if shown is not None:
        members = _standing(request, assignment, where.total, *shown)
        members |= {"done": where.done, "total": where.total}
    pairs = [
        [
            pair.position,
            pair_mark(request.user, assignment.annotator.study, pair, where.total),
            pair.revision,
        ]
        for pair in pairs_ahead(assignment, KEPT)
    ]
    return JsonResponse(members | {"pairs": pairs})


def _shown(request: PersonRequest) -> tuple[object, int] | None:
    """The mark of the kept page that was shown, and how many seconds ago; None for a GET. Raises
    ``Malformed`` and ``OtherUser``: what is answered is kept under the name of the page that asks.
    """
    if request.method == "GET":
        if not request.headers.get(KEEP_HEADER):
            raise OtherUser
        return None
    try:
        body = json_of(request)
    except UnreadableBody as error:
        raise Malformed(_("The body is not JSON that can be stored.")) from error
    if not isinstance(body, dict):
        raise Malformed(_("The body is not a JSON object."))
    opened = whole_number(body, "opened")
    if not is_ref_of(request.user, body.get("user")):
        raise OtherUser
    return body.get("mark"), opened


def _other_user() -> HttpResponse:
    return problem_response(403, "other_user", _("You are logged in as somebody else."))


def _standing(
    request: PersonRequest, assignment: Assignment, total: int, mark: object, opened: int
) -> dict[str, Any]:
    is_same = mark == pair_mark(request.user, assignment.annotator.study, assignment, total)
    if is_same:
        assignment_open(assignment=assignment, seconds_ago=opened)
    draft = getattr(assignment, "draft", None)
    return {
        "is_same": is_same,
        "revision": draft.revision if draft else 0,
        "seconds_left": session_seconds_at_least(request),
    }


def _worker_tag(request: HttpRequest) -> str:
    return f'"{hashlib.blake2b(_worker_script(), digest_size=9).hexdigest()}"'


@cache_control(no_cache=True)
@require_safe
@condition(etag_func=_worker_tag)
def worker(request: HttpRequest) -> HttpResponse:
    """The script that answers for pages of pairs; from here because a browser lets it see no more
    than what lies below its own address. Browsers ask for it again and again, and are told in a
    line that it is the same."""
    return HttpResponse(_worker_script(), content_type="text/javascript; charset=utf-8")


@cache
def _worker_script() -> bytes:
    return Path(str(finders.find("js/judging/worker.js"))).read_bytes()
