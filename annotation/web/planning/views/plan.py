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
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Study, StudyPlan, plan_of
from annotation.selectors.planning.context_arm import context_arms
from annotation.selectors.planning.parts import part_problem, people_part
from annotation.selectors.planning.preview import plan_preview
from annotation.selectors.planning.repeats import repeats_expected
from annotation.services.planning.controls import controls_wanted
from annotation.services.planning.plans import plan_change, plan_set
from annotation.web.base.presenters import text
from annotation.web.planning.forms import PartForm, PlanForm
from annotation.web.planning.presenters import ADDED, preview_context
from annotation.web.platform.problems import add_problems
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_plan(request: PersonRequest, study: str) -> HttpResponse:
    """Set the plan, look at what it would give, apply it."""
    led_study = study_for_lead(request.user, study)
    plan, redistribute = plan_of(led_study), False
    chosen = whole(request.GET.get("per_item"))
    form = PlanForm(request.POST or None, study=led_study, plan=plan, per_item=chosen)
    if request.method == "POST" and form.is_valid():
        redistribute = form.redistributes
        try:
            if request.POST.get("action") == "apply":
                _apply(request, led_study, form)
                return redirect("study_plan", study=led_study.key)
            plan_change(led_study, plan, form.changes)
        except RuleError as error:
            add_problems(form, error)
            plan = plan_of(led_study)
    status = 422 if form.errors else 200
    previewing = request.method == "POST" and not form.errors
    shown = _preview(led_study, plan, redistribute=redistribute)
    return _page(request, led_study, form, shown | {"previewing": previewing}, status=status)


def plan_page(
    request: PersonRequest, study: Study, *, part_form: PartForm, status: int
) -> HttpResponse:
    """The page as it stands, with another of its forms as it was sent."""
    plan = plan_of(study)
    shown = _preview(study, plan, redistribute=False) | {"part_form": part_form}
    return _page(request, study, PlanForm(None, study=study, plan=plan), shown, status=status)


def _page(
    request: PersonRequest, study: Study, form: PlanForm, shown: dict[str, Any], *, status: int
) -> HttpResponse:
    part = people_part(study)
    context = {
        "study": study,
        "form": form,
        "part": part,
        "arms": context_arms(study),
        "part_form": PartForm(initial={"part_seed": study.seed}),
        "part_problem": text(problem) if part and (problem := part_problem(study, part)) else "",
    }
    return render(request, "planning/plan.html", context | shown, status=status)


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
    wanted = controls_wanted(plan, len(preview.allocation.pairs))
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
                "away": name in preview.allocation.away,
            }
            for name, load in preview.loads
        ],
    }
