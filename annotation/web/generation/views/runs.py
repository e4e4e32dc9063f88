"""Runs of models over a study's items: set up, watched, reviewed. Leads only; nothing of it reaches
annotators."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import run_for_lead, study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import GenerationRun, GenerationSystem
from annotation.selectors.base.sizes import items_held
from annotation.selectors.generation.questions import asks_questions
from annotation.selectors.generation.runs import items_left, run_estimate, run_preset
from annotation.services.generation.review import outputs_adopt, outputs_decide
from annotation.services.generation.runs import RUN_STEPS, run_create, run_retry_failed, run_update
from annotation.services.generation.systems import system_add, system_remove
from annotation.web.generation.forms import RunForm, SystemForm
from annotation.web.generation.presenters import (
    endpoint_note,
    flag_rows,
    run_row,
    run_state,
    services,
)
from annotation.web.generation.question_forms import QuestioningForm, questioning_typed
from annotation.web.generation.question_presenters import next_step, questioning_facts
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def generation_runs(request: PersonRequest, study: str) -> HttpResponse:
    """The study's runs; a new one."""
    led_study = study_for_lead(request.user, study)
    form = RunForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            run = run_create(actor=request.user, study=led_study, **form.cleaned_data)
        except RuleError as error:
            _into_form(form, error)
        else:
            return redirect("generation_run", study=led_study.key, number=run.number)
    rows = led_study.generation_runs.select_related("study").prefetch_related("systems")
    context = {
        "study": led_study,
        "form": form,
        "runs": [run_row(run) for run in rows],
        "items": items_held(led_study),
        "left": items_left(led_study),
        "services": services(),
    }
    return render(request, "generation/runs.html", context, status=422 if form.errors else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def generation_run(request: PersonRequest, study: str, number: int) -> HttpResponse:
    """One run: in preparation its systems and estimate, later how far it is and what came back."""
    run = run_for_lead(request.user, study, number)
    form = SystemForm(purpose=run.purpose, preset=run_preset(run))
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        goes_to = number
        try:
            if request.POST.get("action") == "add_system":
                form = SystemForm(request.POST, purpose=run.purpose, preset=run_preset(run))
                if form.is_valid():
                    system_add(actor=request.user, run=run, spec=form.spec, price=form.price)
            else:
                goes_to = _act(request, run)
        except RuleError as error:
            if form.is_bound:
                _into_form(form, error)
            else:
                problems = problems_in_words(error.problems)
        if not problems and not form.errors:
            return redirect("generation_run", study=study, number=goes_to)
    elif request.headers.get("HX-Request") == "true":
        return render(
            request,
            "generation/_state.html",
            {"study": run.study, **run_state(run), "swapped": True},
        )
    context: dict[str, Any] = {"study": run.study, "run": run, "problems": problems, "form": form}
    if asks_questions(run):
        typed = request.POST if request.POST.get("action") == "questioning" else None
        context |= {
            "setting": QuestioningForm(run, typed),
            "questioning": questioning_facts(run),
            "next_step": next_step(run),
        }
    if run.state == GenerationRun.State.DRAFT:
        context |= _preparation(run)
        template = "generation/prepare.html"
    else:
        context |= run_state(run) | {
            "flags": flag_rows(run),
            "waiting": run.state == GenerationRun.State.RUNNING,
        }
        template = "generation/run.html"
    return render(request, template, context, status=422 if problems or form.errors else 200)


def _follow(request: PersonRequest, run: GenerationRun) -> GenerationRun:
    """A run after this one, in preparation, set as this one. Raises ``RuleError``."""
    return run_create(
        actor=request.user,
        study=run.study,
        purpose=next_step(run),
        after=run,
        endpoint=run.endpoint,
        mode=run.mode,
        round=run.round,
        ceiling=run.ceiling,
    )


def _preparation(run: GenerationRun) -> dict[str, Any]:
    by_system, whole = run_estimate(run)
    return {
        "systems": [(system, by_system[system.name]) for system in run.systems.all()],
        "estimate": whole,
        "note": endpoint_note(run.endpoint),
        "services": services(),
    }


def _act(request: PersonRequest, run: GenerationRun) -> int:
    """One of the buttons; the number of the run whose page is next. Raises ``RuleError``."""
    action = request.POST.get("action", "")
    if action == "follow" and next_step(run):
        return _follow(request, run).number
    if action == "questioning":
        run_update(actor=request.user, run=run, questioning=questioning_typed(request.POST))
        return run.number
    _steer(request, run, action)
    return run.number


def _steer(request: PersonRequest, run: GenerationRun, action: str) -> None:
    if action in RUN_STEPS:
        RUN_STEPS[action](actor=request.user, run=run)
    elif action == "retry":
        number = run_retry_failed(actor=request.user, run=run)
        messages.success(
            request, _("%(number)s failed outputs are asked for again.") % {"number": number}
        )
    elif action == "ceiling":
        run_update(actor=request.user, run=run, ceiling=_amount(request.POST.get("ceiling", "")))
    elif action == "remove_system":
        system = get_object_or_404(
            GenerationSystem, run=run, pk=_whole(request.POST.get("system", ""))
        )
        system_remove(actor=request.user, system=system)
    elif action == "decide":
        decision, flag = request.POST.get("decision", ""), request.POST.get("flag", "")
        number = outputs_decide(actor=request.user, run=run, decision=decision, flag=flag)
        messages.success(request, decided(number))
    elif action == "adopt":
        number = outputs_adopt(actor=request.user, run=run)
        messages.success(
            request,
            ngettext(
                "%(number)s simplification was added.",
                "%(number)s simplifications were added.",
                number,
            )
            % {"number": number},
        )
    else:
        raise RuleError.single(
            "action", "unknown", "Action inconnue. Rechargez la page.", "Unknown. Reload the page."
        )


def decided(number: int) -> str:
    return ngettext("Decided for %(number)s output.", "Decided for %(number)s outputs.", number) % {
        "number": number
    }


def _amount(given: str) -> Decimal:
    """What was typed, to the last digit; what is no amount is none, which the service refuses."""
    try:
        return Decimal(given.strip().replace(",", "."))
    except InvalidOperation:
        return Decimal("NaN")


def _whole(given: str) -> int:
    return whole(given) or 0


def _into_form(form: Any, error: RuleError) -> None:
    """Each problem beside its field, or above the form where it has none."""
    for problem in problems_in_words(error.problems):
        field = problem["field"].removeprefix("parameters.")
        form.add_error(field if field in form.fields else None, problem["message"])
