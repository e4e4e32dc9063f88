"""A random part of the passages for people, the others for models alone: drawn and taken back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from annotation.access import study_for_lead
from annotation.errors import RuleError
from annotation.models import Study
from annotation.services.planning.parts import part_draw, part_undo
from annotation.web.planning.forms import PartForm
from annotation.web.planning.views.plan import plan_page
from annotation.web.platform.behind_login import post_behind_login
from annotation.web.platform.problems import add_problems
from annotation.web.platform.requests import PersonRequest


@never_cache
@post_behind_login("study_plan")
def study_part(request: PersonRequest, study: str) -> HttpResponse:
    """Draw the part, or take the draw back; what cannot be is said on the plan's page, with what
    was typed."""
    led_study = study_for_lead(request.user, study)
    undoing = request.POST.get("action") == "undo"
    form = PartForm(None if undoing else request.POST)
    try:
        if undoing:
            _undo(request, led_study)
            return redirect("study_plan", study=led_study.key)
        if form.is_valid():
            _draw(request, led_study, form)
            return redirect("study_plan", study=led_study.key)
    except RuleError as error:
        form = PartForm(request.POST)
        form.is_valid()
        add_problems(form, error)
    return plan_page(request, led_study, part_form=form, status=422)


def _draw(request: PersonRequest, study: Study, form: PartForm) -> None:
    part = part_draw(
        actor=request.user,
        study=study,
        passages=form.cleaned_data["passages"],
        seed=form.cleaned_data["part_seed"],
    )
    messages.success(
        request,
        ngettext(
            "%(number)s passage of %(of)s drawn for people.",
            "%(number)s passages of %(of)s drawn for people.",
            part.passages,
        )
        % {"number": part.passages, "of": part.of},
    )


def _undo(request: PersonRequest, study: Study) -> None:
    number = part_undo(actor=request.user, study=study)
    messages.success(
        request,
        ngettext(
            "The draw is taken back: %(number)s item is people's again.",
            "The draw is taken back: %(number)s items are people's again.",
            number,
        )
        % {"number": number},
    )
