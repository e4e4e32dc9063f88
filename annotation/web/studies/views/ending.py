"""Studies put away, brought back, deleted; the list of those that were."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import require_admin, studies_led, studies_listed, study_for_lead
from annotation.errors import RuleError
from annotation.models import Study
from annotation.selectors.studies.ending import (
    deletions,
    study_contents,
    trail_of_deleted,
    under_way,
)
from annotation.services.studies.ending import study_archive, study_delete, study_restore
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.studies.presenters import stage_labels

EVENTS_PAGE_SIZE = 50


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_ending(request: PersonRequest, study: str) -> HttpResponse:
    """Archive a study, bring it back or delete it; what each takes along."""
    led_study = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            return _end(request, led_study)
        except RuleError as error:
            problems = problems_in_words(error.problems)
    context: dict[str, Any] = {
        "study": led_study,
        "contents": study_contents(led_study),
        "busy": under_way(led_study),
        "problems": problems,
    }
    return render(request, "studies/ending.html", context, status=422 if problems else 200)


def _end(request: PersonRequest, study: Study) -> HttpResponse:
    match request.POST.get("action"):
        case "delete":
            key = request.POST.get("key", "")
            study_delete(actor=request.user, study=study, key=key)
            messages.success(request, _("The study “%(key)s” is deleted.") % {"key": study.key})
            return redirect("home")
        case "restore":
            study_restore(actor=request.user, study=study)
            messages.success(request, _("The study is back in everybody's list."))
            return redirect("study", study=study.key)
        case "archive":
            reason = request.POST.get("reason", "")
            study_archive(actor=request.user, study=study, reason=reason)
            messages.success(request, _("The study is archived."))
            return redirect("studies_archived")
    raise RuleError.single("action", "unknown", "Choisissez que faire.", "Choose what to do.")


@never_cache
@login_required
@require_safe
def studies_archived(request: PersonRequest) -> HttpResponse:
    """The reader's archived studies; for admins those that were deleted as well."""
    if not studies_led(request.user).exists() and not request.user.is_admin:
        raise Http404("no such page")
    studies = list(studies_listed(request.user, archived=True).order_by("-archived_at"))
    stages = stage_labels(studies)
    context = {
        "studies": [(study, stages[study.pk]) for study in studies],
        "deletions": deletions() if request.user.is_admin else (),
    }
    return render(request, "studies/archive.html", context)


@never_cache
@login_required
@require_safe
def deleted_trail(request: PersonRequest, deleted: int) -> HttpResponse:
    """The audit trail of a study that is gone. Admins only: nobody leads it any more."""
    require_admin(request.user)
    deletion = deletions().filter(study_id=deleted).first()
    if deletion is None:
        raise Http404("no such study")
    page = Paginator(trail_of_deleted(deleted), EVENTS_PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "studies/deleted_trail.html", {"deletion": deletion, "page": page})
