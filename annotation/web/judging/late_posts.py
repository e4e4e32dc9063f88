"""A plain form that was posted after its log-in had ended. What was typed waits in the session,
which a log-in takes along, until its own annotator is shown the pair again: it is stored as their
draft then. Pages with scripts keep the same on the computer (``static/js/platform/store.js``)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from annotation.access import assignment_meant, assignment_named, assignment_ref
from annotation.models import Assignment

_NAME = "late_posts"
# Several windows may have stood open; sessions are read at every request.
_MOST_PAIRS = 5
_MOST_BYTES = 256 * 1024

_View = Callable[..., HttpResponseBase]


def late_posts_kept(view: _View) -> _View:
    """Before the log-in that such a post leads to."""

    @wraps(view)
    def keeping(request: HttpRequest, study: str, position: int) -> HttpResponseBase:
        if request.method == "POST" and not request.user.is_authenticated:
            _keep(request, study, position)
        return view(request, study, position)

    return keeping


def _keep(request: HttpRequest, study: str, position: int) -> None:
    posted = request.POST.copy()
    posted.pop("csrfmiddlewaretoken", None)
    ref, typed = posted.get("assignment", ""), posted.urlencode()
    # Only who has had the pair's page knows its name: no stranger fills the table of sessions.
    if len(typed) > _MOST_BYTES or assignment_named(study, position, ref) is None:
        return
    others = {name: post for name, post in _posts(request).items() if name != ref}
    request.session[_NAME] = dict([*others.items(), (ref, typed)][-_MOST_PAIRS:])
    messages.warning(
        request,
        _("Your log-in had ended. What you typed is not lost: log in, and it is saved."),
    )


def late_post(request: HttpRequest, assignment: Assignment) -> QueryDict | None:
    """What was posted so of this pair, or of the first answer whose place it took. It stays until
    it is stored, or until its annotator saves something else (``late_post_forget``)."""
    study, position = assignment.annotator.study.key, assignment.position
    for ref, typed in _posts(request).items():
        with suppress(Http404):
            assignment_meant(assignment, request.user, study, position, ref=ref)  # type: ignore[arg-type]  # logged in
            return QueryDict(typed)
    return None


def late_post_forget(request: HttpRequest, assignment: Assignment) -> None:
    posts = _posts(request)
    if posts.pop(assignment_ref(assignment), None) is not None:
        request.session[_NAME] = posts


def _posts(request: HttpRequest) -> dict[str, str]:
    return dict(request.session.get(_NAME, {}))
