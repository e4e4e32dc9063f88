"""Pages that need the blocks of a long document: they wait for the worker that finds them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRefresh

from annotation.selectors.documents.blocks import BlocksLater, BlocksRefused
from annotation.services.documents.blocks import blocks_request
from annotation.web.base.presenters import text
from annotation.web.platform.requests import PersonRequest

_OURS = ("csrfmiddlewaretoken",)


def waits_for_blocks(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Show that a document's blocks are being found until they are. What was sent in a form is not
    lost: the page that waits sends it again."""

    @functools.wraps(view)
    def wrapped(request: PersonRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        asks = request.method == "GET" and request.headers.get("HX-Request") == "true"
        try:
            answer = view(request, *args, **kwargs)
        except BlocksLater as later:
            blocks_request(actor=request.user, document=later.document, criteria=later.criteria)
            return _page(
                request, later, "documents/_waiting.html" if asks else "documents/waiting.html"
            )
        except BlocksRefused as refused:
            return (
                HttpResponseClientRefresh()
                if asks
                else _page(request, refused, "documents/waiting.html")
            )
        return HttpResponseClientRefresh() if asks else answer

    return wrapped


def _page(
    request: PersonRequest, error: BlocksLater | BlocksRefused, template: str
) -> HttpResponse:
    posted_fields = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in _OURS
        for value in values
    ]
    problem = error.problem if isinstance(error, BlocksRefused) else None
    context = {
        "study": error.document.study,
        "document": error.document,
        "unfinished": problem is None,
        "address": request.get_full_path(),
        "posted": request.method == "POST",
        "sent": posted_fields,
        "problem": "" if problem is None else f"{text(problem.message)} {text(problem.remedy)}",
    }
    return render(request, template, context, status=200 if problem is None else 422)
