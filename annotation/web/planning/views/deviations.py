"""Where the study departed from its plan, and why."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.selectors.planning.deviations import deviations
from annotation.services.planning.deviations import deviation_explain
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_deviations(request: PersonRequest, study: str) -> HttpResponse:
    """Every departure with its reason, and a line to give one where it is missing."""
    led_study = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        event = request.POST.get("event", "")
        try:
            deviation_explain(
                actor=request.user,
                study=led_study,
                event=whole(event, digits=18) or 0,
                reason=request.POST.get("reason", ""),
            )
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            messages.success(request, _("Saved."))
            return redirect("study_deviations", study=led_study.key)
    context = {"study": led_study, "problems": problems, "deviations": deviations(led_study)}
    return render(request, "planning/deviations.html", context, status=422 if problems else 200)
