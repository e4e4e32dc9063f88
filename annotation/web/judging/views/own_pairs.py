"""What an annotator does with a pair beside judging it: keeps it for later, notes something for
themselves."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import assignment_for, assignment_meant
from annotation.bodies import UnreadableBody
from annotation.errors import RuleError, StaleNote, StudyClosed
from annotation.models import Assignment, PrivateNote
from annotation.selectors.judging.queue import place
from annotation.services.judging.own_pairs import note_save, pair_set_aside, pair_take_up
from annotation.web.judging.just_done import just_set_aside
from annotation.web.judging.views.judging import no_such_pair, onward_url
from annotation.web.platform.behind_login import post_behind_login
from annotation.web.platform.door import json_of
from annotation.web.platform.problems import login_required_response, problem_response, refusal
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.user_ref import USER_HEADER, is_page_of_other, user_ref
from annotation.web.platform.views.errors import wants_json

# Twice what a note may hold, written as escapes: what is longer is not read.
MAX_BODY_BYTES = 256 * 1024


class _PostedNote(NamedTuple):
    text: str
    base_revision: int
    user: str


@post_behind_login("annotate")
def later(request: PersonRequest, study: str, position: int) -> HttpResponse:
    """Keep the pair for later and go on to the next; or, with ``take_up``, back to it."""
    try:
        assignment = assignment_for(request.user, study, position)
    except Http404 as error:
        if wants_json(request):
            return no_such_pair(error)
        raise
    try:
        if "take_up" in request.POST:
            pair_take_up(assignment=assignment)
            url = reverse("annotate", args=[study, position])
            if not wants_json(request):
                messages.success(request, _("Undone."))
        else:
            pair_set_aside(assignment=assignment)
            where = place(assignment)
            url = onward_url(study, where.next_open)
            if not wants_json(request):
                just_set_aside(request, assignment, where)
    except StudyClosed:
        title = _("This round takes no answers now.")
        if wants_json(request):
            return problem_response(409, "study_closed", title)
        messages.error(request, title)
        url = reverse("annotate", args=[study, position])
    return JsonResponse({"next_url": url}) if wants_json(request) else redirect(url)


@never_cache
@require_http_methods(["GET", "POST"])
def note(request: HttpRequest, study: str, position: int) -> HttpResponse:
    """The annotator's private note on the pair, asked for and saved by the judging page."""
    if not request.user.is_authenticated:
        asked_as_page = request.method == "GET" and not wants_json(request)
        return redirect_to_login(request.path) if asked_as_page else login_required_response()
    if is_page_of_other(request, USER_HEADER):
        return _other_user()
    try:
        assignment = assignment_for(request.user, study, position)
        if ref := request.GET.get("of"):
            # What waited in a browser is of the pair that its page showed.
            assignment = assignment_meant(assignment, request.user, study, position, ref=ref)
    except Http404 as error:
        return no_such_pair(error)
    if request.method == "GET":
        if not request.headers.get(USER_HEADER):
            return _other_user()
        return JsonResponse(_members(PrivateNote.objects.filter(assignment=assignment).first()))
    return _saved(request, assignment)


def _other_user() -> HttpResponse:
    return problem_response(403, "other_user", _("You are logged in as somebody else."))


def _saved(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    body = _read(request)
    if body is None:
        return problem_response(400, "malformed", _("The body is no note."))
    if body.user != user_ref(request.user):  # type: ignore[arg-type]  # logged in
        title = _("You are logged in as somebody else: this note was not saved under that name.")
        return problem_response(403, "other_user", title)
    try:
        stored = note_save(assignment=assignment, text=body.text, base_revision=body.base_revision)
    except StaleNote as error:
        title = _("Another window has saved a newer version of this note.")
        return problem_response(409, "stale", title, current=_members(error.current))
    except RuleError as error:
        return refusal(error)
    return JsonResponse(_members(stored))


def _members(stored: PrivateNote | None) -> dict[str, object]:
    return {"text": stored.text if stored else "", "revision": stored.revision if stored else 0}


def _read(request: HttpRequest) -> _PostedNote | None:
    """Text, base revision and whose it is; None for anything else."""
    if int(request.headers.get("content-length") or 0) > MAX_BODY_BYTES:
        return None
    try:
        body = json_of(request)
    except UnreadableBody:
        return None
    if not isinstance(body, dict) or not isinstance(body.get("text"), str):
        return None
    revision = body.get("base_revision")
    if (
        not isinstance(revision, int)
        or isinstance(revision, bool)
        or not isinstance(body.get("user"), str)
    ):
        return None
    return _PostedNote(body["text"], revision, body["user"])
