"""What was brought in, as a list of imports; each looked at and undone."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import import_for_lead, study_for_lead
from annotation.errors import RuleError
from annotation.selectors.items.removal import OBSTACLES, Removal, import_doomed, removal
from annotation.services.items.removal import import_undo
from annotation.web.base.presenters import text
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 50


def removal_context(planned_removal: Removal) -> dict[str, Any]:
    """What goes along and what stands in the way, for ``items/_removal.html``."""
    return {
        "removal": planned_removal,
        "obstacles": [text(OBSTACLES[key]) for key in planned_removal.obstacles],
    }


@never_cache
@login_required
@require_safe
def imports(request: PersonRequest, study: str) -> HttpResponse:
    """Every import of the study, the newest first."""
    led_study = study_for_lead(request.user, study)
    records = led_study.pairs_imports.select_related("imported_by", "undone_by")
    page = Paginator(records, PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "items/imports.html", {"study": led_study, "page": page})


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def import_detail(request: PersonRequest, study: str, brought: int) -> HttpResponse:
    """One import: what it made, what undoing takes along; then undo it."""
    record = import_for_lead(request.user, study, brought)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            if request.POST.get("action") != "undo":
                raise RuleError.single("action", "unknown", "Choisissez que faire.", "Choose.")
            import_undo(actor=request.user, record=record)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            messages.success(request, _("The import is undone."))
            return redirect("pairs_imports", study=record.study.key)
    context = {
        "study": record.study,
        "record": record,
        "problems": problems,
        **removal_context(removal(import_doomed(record))),
    }
    return render(request, "items/import.html", context, status=422 if problems else 200)
