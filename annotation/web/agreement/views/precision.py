"""How many annotators and texts a study takes. Leads only; learns from no study that hides its
answers."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import studies_led, study_for_lead
from annotation.agreement.precision import Assumptions, ImpossibleAssumptions
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Study
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.kept import figures_key, kept
from annotation.selectors.agreement.precision import (
    Choice,
    Learned,
    PrecisionAim,
    Standing,
    choices,
    learned,
    pilots,
    standing,
)
from annotation.selectors.base.one_moment import one_moment
from annotation.services.agreement.precision import precision_choose
from annotation.web.agreement.precision_form import KNOWN, PrecisionForm
from annotation.web.agreement.precision_presenters import (
    assumed_context,
    choices_sheet,
    needed_sheet,
    reached_words,
)
from annotation.web.agreement.sheets import FORMATS, sheet_response
from annotation.web.base.presenters import text
from annotation.web.platform.requests import PersonRequest

_SHEETS = {"widths": choices_sheet, "needed": needed_sheet}


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_precision(request: PersonRequest, study: str) -> HttpResponse:
    """What each number of annotators per pair would give, before anybody judges; by a POST one of
    them is taken, recorded, and leads to the plan."""
    led_study = study_for_lead(request.user, study)
    now = standing(led_study)
    form = _form(request, led_study, now)
    problem = ""
    if request.method == "POST":
        try:
            return _chosen(request, led_study, form)
        except RuleError as error:
            problem = " ".join(text(refusal.message) for refusal in error.problems)
    context: dict[str, Any] = {
        "problem": problem,
        "study": led_study,
        "form": form,
        "known": [form[name] for name in KNOWN],
        "asked": [field for field in form if field.name not in {*KNOWN, "pilot"}],
    }
    if form.is_valid():
        context |= _answer(request, led_study, form, now)
    refused = form.errors or request.method == "POST"
    return render(request, "agreement/precision.html", context, status=422 if refused else 200)


def _chosen(request: PersonRequest, study: Study, form: PrecisionForm) -> HttpResponse:
    """To the plan, with the design recorded. Raises ``RuleError`` where none can be."""
    per_pair = whole(request.POST.get("per_pair"))
    assumed, known, wanted = _assumed_and_wanted(form) if form.is_valid() else (None, None, None)
    if assumed is None or wanted is None or per_pair is None:
        raise RuleError.single(
            "per_pair",
            "nothing",
            "Dites d'abord ce qui est connu de telles réponses, puis choisissez une ligne.",
            "Say first what is known of such answers, then choose a row.",
        )
    pilot = form.learned_from
    precision_choose(
        actor=request.user,
        study=study,
        assumed=assumed,
        wanted=wanted,
        per_pair=per_pair,
        known=known,
        dimension=pilot.dimension if pilot else "",
    )
    messages.success(
        request, _("The design is recorded for the datasheet. Look at the plan, and apply it.")
    )
    teams = "" if per_pair == wanted.annotators else f"?per_item={per_pair}"
    return redirect(reverse("study_plan", args=[study.key]) + teams)


@never_cache
@login_required
@require_safe
def precision_table(request: PersonRequest, study: str, table: str) -> HttpResponse:
    """One of its tables as CSV, LaTeX or Markdown (``format=csv``, ``tex``, ``md``)."""
    led_study = study_for_lead(request.user, study)
    kind = request.GET.get("format", "csv")
    form = _form(request, led_study, standing(led_study))
    if table not in _SHEETS or kind not in FORMATS or not form.is_valid():
        raise Http404("no such table")
    assumed, _known, wanted = _assumed_and_wanted(form)
    if assumed is None:
        raise Http404("nothing to compute from")
    try:
        rows = choices(assumed, wanted)
    except ImpossibleAssumptions as error:
        raise Http404("nothing to compute from") from error
    return sheet_response(
        _SHEETS[table](led_study, rows, wanted), kind, name=f"{led_study.key}-{table}"
    )


def _form(request: PersonRequest, study: Study, now: Standing) -> PrecisionForm:
    return PrecisionForm(
        study, request.GET.dict(), pilots=pilots(study, studies_led(request.user)), standing=now
    )


def _assumed_and_wanted(
    form: PrecisionForm,
) -> tuple[Assumptions | None, Learned | None, PrecisionAim]:
    """What is assumed (None where nothing is known), what it was learned from, what is planned."""
    pilot = form.learned_from
    if pilot is None:
        return form.typed, None, form.wanted(None)
    with one_moment():
        key = f"{figures_key(pilot.study, Filters())}|learned|{pilot.dimension}"
        known = kept(key, Learned, lambda: learned(pilot))
    return known.assumed, known, form.wanted(known)


def _answer(
    request: PersonRequest, study: Study, form: PrecisionForm, now: Standing
) -> dict[str, Any]:
    assumed, known, wanted = _assumed_and_wanted(form)
    if assumed is None:
        return {"undefined": text(known.reason) if known and known.reason else ""}
    try:
        plans = choices(assumed, wanted)
    except ImpossibleAssumptions as error:
        return {"undefined": text(error.reason)}
    return {
        "assumed": assumed_context(assumed, known),
        "sheets": [_sheet(request, study, form, plans, wanted, key) for key in _SHEETS],
        "reached": reached_words(plans, wanted, now),
        "plans": plans,
        "query": _as_read(request, form).urlencode(),
    }


def _sheet(
    request: PersonRequest,
    study: Study,
    form: PrecisionForm,
    plans: list[Choice],
    wanted: PrecisionAim,
    key: str,
) -> dict[str, Any]:
    query = _as_read(request, form)
    query["format"] = ""
    address = reverse("study_precision_table", args=[study.key, key])
    return _SHEETS[key](study, plans, wanted).context() | {
        "id": key,
        "url": f"{address}?{query.urlencode()}",
    }


def _as_read(request: PersonRequest, form: PrecisionForm) -> QueryDict:
    """The address as the form reads it, so that a file or a choice is of what the page shows, also
    where nothing was asked."""
    query = request.GET.copy()
    query.pop("format", None)
    for name in form.fields:
        value = form[name].value()
        query[name] = "" if value is None else str(value)
    return query
