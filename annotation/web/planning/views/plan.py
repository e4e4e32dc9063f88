"""A study's plan, previewed before it is applied."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import study_for_lead
from annotation.errors import RuleError
from annotation.models import Study, StudyPlan, plan_of
from annotation.selectors.planning.preview import plan_preview
from annotation.selectors.planning.repeats import repeats_expected
from annotation.services.planning.controls import controls_wanted
from annotation.services.planning.plans import plan_change, plan_set
from annotation.web.planning.forms import PlanForm
from annotation.web.planning.presenters import ADDED, preview_context
from annotation.web.platform.problems import add_problems
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_plan(request: PersonRequest, study: str) -> HttpResponse:
    """Set the plan, look at what it would give, apply it."""
    found = study_for_lead(request.user, study)
    plan, redistribute = plan_of(found), False
    form = PlanForm(request.POST or None, study=found, plan=plan)
    if request.method == "POST" and form.is_valid():
        redistribute = form.redistributes
        try:
            if request.POST.get("action") == "apply":
                _apply(request, found, form)
                return redirect("study_plan", study=found.key)
            plan_change(found, plan, form.changes)
        except RuleError as error:
            add_problems(form, error)
            plan = plan_of(found)
    context = {
        "study": found,
        "form": form,
        "previewing": request.method == "POST" and not form.errors,
    }
    context |= _preview(found, plan, redistribute=redistribute)
    return render(request, "planning/plan.html", context, status=422 if form.errors else 200)


def _apply(request: PersonRequest, study: Study, form: PlanForm) -> None:
    done = plan_set(
        actor=request.user,
        study=study,
        redistribute=form.redistributes,
        reason=form.cleaned_data.get("reason", ""),
        **form.changes,
    )
    messages.success(request, _("The plan is saved.") + " " + ADDED % {"number": done.added})
    if done.recounted:
        messages.success(
            request,
            ngettext(
                "%(number)s surplus answer counts now.",
                "%(number)s surplus answers count now.",
                done.recounted,
            )
            % {"number": done.recounted},
        )


def _preview(study: Study, plan: StudyPlan, *, redistribute: bool) -> dict[str, Any]:
    preview = plan_preview(study, plan, redistribute=redistribute)
    wanted = controls_wanted(plan, len(preview.found.pairs))
    return {
        **preview_context(preview),
        "plan": plan,
        "identical": wanted.identical,
        "unrelated": wanted.unrelated,
        "loads": [
            {
                "name": name,
                "pairs": load,
                "repeats": repeats_expected(plan, load),
                "away": name in preview.found.away,
            }
            for name, load in preview.loads
        ],
    }
