"""The page that stands where something would have been written to an archived study."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.access import studies_led
from annotation.errors import StudyArchived
from annotation.web.platform.problems import problem_response
from annotation.web.platform.views.errors import wants_json


class ArchiveMiddleware:
    """Answers for every view that met ``StudyArchived``: one page says so, and leads how it comes
    back; the scripts of a page are told in their own form."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for ``StudyArchived``; None for everything else."""
        if not isinstance(exception, StudyArchived):
            return None
        if wants_json(request):
            title = _("This study is archived: nothing is written to it, and this was not saved.")
            return problem_response(409, "study_archived", title)
        study = exception.study
        leads = (
            request.user.is_authenticated and studies_led(request.user).filter(pk=study.pk).exists()
        )
        return render(
            request, "studies/archived.html", {"study": study, "leads_it": leads}, status=409
        )
