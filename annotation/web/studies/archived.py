"""The page that stands where something would have been written to an archived study."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.access import studies_led
from annotation.errors import StudyArchived
from annotation.models import Study
from annotation.web.platform.problems import problem_response
from annotation.web.platform.views.errors import wants_json
from annotation.web.studies.forms import GuideForm, StudySettingsForm

_LABELS = {
    name: field.label
    for form in (StudySettingsForm, GuideForm)
    for name, field in form.base_fields.items()
}
# What steers a form, and what is nobody's to read.
_NOT_TYPED = re.compile(
    r"action|builds_on|base_revision|user|seen|shown|opened|mark|next|initial-.*|.*_FORMS"
    r"|.*(password|token|secret|api_?key|digest|otp|session).*",
    re.IGNORECASE,
)
_NO_WORDS = re.compile(r"([0-9a-f]{16,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?|on")
"""A digest or a key, which nobody types; or nothing."""


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
        # As it is stored: whoever refused may have written the change into theirs before.
        study = Study.objects.filter(pk=exception.study.pk).first() or exception.study
        leads = (
            request.user.is_authenticated and studies_led(request.user).filter(pk=study.pk).exists()
        )
        context = {"study": study, "leads_it": leads, "typed": typed_texts(request)}
        return render(request, "studies/archived.html", context, status=409)


def typed_texts(request: HttpRequest) -> list[dict[str, Any]]:
    """What the form held and its page did not, to be copied: each ``name`` with its ``label`` and
    ``text``. Never a file or a password."""
    posted = request.POST
    texts = {
        name: "\n".join(values)
        for name, values in posted.lists()
        if not _NOT_TYPED.fullmatch(name) and values != posted.getlist(f"initial-{name}")
    }
    return [
        {"name": name, "label": _LABELS.get(name) or name, "text": text}
        for name, text in texts.items()
        if not _NO_WORDS.fullmatch(text.strip())
    ]
