"""Training scorers, reading their reports, putting one into service. Admins only."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import require_admin
from annotation.errors import RuleError
from annotation.models import Scorer, ScorerPromotion, TrainingRun
from annotation.scoring.errors import ScoringError
from annotation.services.platform.stored_files import file_read
from annotation.services.scoring.scorers import (
    scorer_decision,
    scorer_promote,
    scorer_revert,
    scorer_rule,
)
from annotation.services.scoring.sources import set_of_snapshot
from annotation.services.scoring.training import training_request, training_resume, training_stop
from annotation.web.base.presenters import text
from annotation.web.platform.chart_files import CHART_FORMATS, chart_response
from annotation.web.platform.requests import PersonRequest
from annotation.web.scoring.forms.scorers import ReasonForm, TrainingForm
from annotation.web.scoring.presenters import calibration_chart, report_context, run_row

SHOWN = 50


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def scorers(request: PersonRequest) -> HttpResponse:
    """The versions, the runs, and a new training."""
    actor = require_admin(request.user)
    form = TrainingForm()
    problems: list[str] = []
    if request.method == "POST":
        form = TrainingForm(request.POST, request.FILES)
        if form.is_valid():
            snapshot = form.cleaned_data["snapshot"]
            try:
                data = set_of_snapshot(snapshot)
                run = training_request(actor=actor, data=data, spec=form.spec, snapshot=snapshot)
            except (RuleError, ScoringError) as error:
                problems = _messages(error)
            else:
                return redirect("training_run", training=run.public_id)
    context = {
        "form": form,
        "problems": problems,
        "scorers": Scorer.objects.select_related("training_run")[:SHOWN],
        "runs": [
            run_row(run) for run in TrainingRun.objects.select_related("requested_by")[:SHOWN]
        ],
        "history": ScorerPromotion.objects.select_related("scorer", "replaced", "actor")[:SHOWN],
    }
    return render(
        request, "scoring/scorers.html", context, status=422 if form.errors or problems else 200
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def run(request: PersonRequest, training: uuid.UUID) -> HttpResponse:
    """How far a training is, as a page or as its moving part. POST stops it, or lets it go on."""
    actor = require_admin(request.user)
    training_run = get_object_or_404(
        TrainingRun.objects.select_related("snapshot__study"), public_id=training
    )
    if request.method == "POST":
        if request.POST.get("action") == "stop":
            training_stop(actor=actor, run=training_run)
        elif request.POST.get("action") == "resume":
            training_resume(actor=actor, run=training_run)
        return redirect("training_run", training=training)
    row = run_row(training_run)
    scorer = Scorer.objects.filter(training_run=training_run).first()
    context = {"row": row, "run": training_run, "waiting": row["unfinished"], "scorer": scorer}
    moving = request.headers.get("HX-Request") == "true"
    return render(request, "scoring/_run.html" if moving else "scoring/run.html", context)


@never_cache
@login_required
@require_safe
def report(request: PersonRequest, training: uuid.UUID) -> HttpResponse:
    """The evaluation report: a page; as JSON with ?format=json; as a model card with ?format=card.
    Its chart as a file with ?chart=calibration&format=svg or csv."""
    require_admin(request.user)
    training_run = get_object_or_404(TrainingRun, public_id=training)
    scorer = Scorer.objects.filter(training_run=training_run).first()
    form = request.GET.get("format")
    if not training_run.report or scorer is None:
        return render(request, "scoring/report_missing.html", {"run": training_run})
    if request.GET.get("chart") == "calibration" and form in CHART_FORMATS:
        source = f"{training_run.source['name']}|sha256:{training_run.data_sha256}"
        signature = f"v{scorer.version}|{source}|code:{training_run.code_version}"
        name = f"v{scorer.version}-calibration"
        return chart_response(
            calibration_chart(training_run.report), form, name=name, signature=signature
        )
    if form == "json":
        return JsonResponse(
            {"scorer": scorer.version, **training_run.report},
            json_dumps_params={"ensure_ascii": False},
        )
    context = {
        "run": training_run,
        "scorer": scorer,
        "report": report_context(training_run.report),
        "files": training_run.files,
    }
    if form == "card":
        return render(
            request, "scoring/card.md", context, content_type="text/markdown; charset=utf-8"
        )
    return render(request, "scoring/report.html", context)


@never_cache
@login_required
@require_safe
def stored_file(request: PersonRequest, training: uuid.UUID, filename: str) -> HttpResponse:
    """Predictions or splits, to be checked with other code."""
    require_admin(request.user)
    training_run = get_object_or_404(TrainingRun, public_id=training)
    facts = training_run.files.get(filename)
    if facts is None:
        raise Http404("no such file")
    try:
        content = file_read(facts["path"], facts["sha256"])
    except ScoringError as error:
        return HttpResponse(
            text(error.message), status=410, content_type="text/plain; charset=utf-8"
        )
    headers = {
        "Content-Disposition": f'attachment; filename="{filename}"',
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def promotion(request: PersonRequest, version: int) -> HttpResponse:
    """What the stated rule says; put the scorer into service with a reason, or go back to the
    former one."""
    actor = require_admin(request.user)
    scorer = get_object_or_404(Scorer.objects.select_related("training_run"), version=version)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    problems: list[str] = []
    if form.is_bound and form.is_valid():
        try:
            _act(request, actor, scorer, form.cleaned_data["reason"])
        except (RuleError, ScoringError) as error:
            problems = _messages(error)
        else:
            return redirect("scorers")
    decision = scorer_decision(scorer)
    context: dict[str, Any] = {
        "scorer": scorer,
        "form": form,
        "problems": problems,
        "allowed": decision.is_promoted,
        "reasons": [text(words) for words in decision.reasons],
        "rule": text(scorer_rule(scorer.target)),
    }
    return render(
        request, "scoring/promotion.html", context, status=422 if form.errors or problems else 200
    )


def _act(request: HttpRequest, actor: Any, scorer: Scorer, reason: str) -> None:
    if request.POST.get("action") == "revert":
        scorer_revert(actor=actor, target=scorer.target, reason=reason)
        messages.success(request, _("The former scorer is back in service."))
        return
    scorer_promote(actor=actor, scorer=scorer, reason=reason)
    messages.success(request, _("The scorer is in service."))


def _messages(error: RuleError | ScoringError) -> list[str]:
    if isinstance(error, ScoringError):
        return [text(error.message)]
    return [text(problem.message) for problem in error.problems]
