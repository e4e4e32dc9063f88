"""Scoring a pair, with the reasons, or a file of pairs. A worker does it: pages load no scorer.
Admins only."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import require_admin
from annotation.errors import RuleError
from annotation.models import Scorer, ScoringJob, User, WorkState
from annotation.scoring.errors import ScoringError
from annotation.services.scoring.jobs import results_csv, scoring_file_request, scoring_request
from annotation.web.base.presenters import text
from annotation.web.platform.requests import PersonRequest
from annotation.web.scoring.forms.scorers import PairForm, PairsFileForm
from annotation.web.scoring.presenters import (
    explanation_rows,
    score_interval_shown,
    score_shown,
    stored_wording,
)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def score(request: PersonRequest, version: int) -> HttpResponse:
    """Give a pair or a file to a scorer."""
    actor = require_admin(request.user)
    scorer = get_object_or_404(Scorer, version=version)
    has_file = "file" in request.FILES
    posted = request.method == "POST"
    pair = PairForm(request.POST if posted and not has_file else None)
    file = PairsFileForm(*((request.POST, request.FILES) if has_file else ()))
    problems: list[str] = []
    try:
        if (job := _job_requested(actor, scorer, pair, file)) is not None:
            return redirect("scoring_job", scoring=job.public_id)
    except ScoringError as error:
        file.add_error("file", text(error.message))
    except RuleError as error:
        problems = [text(problem.message) for problem in error.problems]
    context = {"scorer": scorer, "pair_form": pair, "file_form": file, "problems": problems}
    return render(request, "scoring/score.html", context, status=422 if posted else 200)


def _job_requested(
    actor: User, scorer: Scorer, pair: PairForm, file: PairsFileForm
) -> ScoringJob | None:
    """The job for what was sent; None where nothing was, or a form says what is wrong with it.

    Raises ``ScoringError`` for a file that cannot be read, and ``RuleError``.
    """
    if file.is_bound:
        if not file.is_valid():
            return None
        uploaded = file.cleaned_data["file"]
        return scoring_file_request(
            actor=actor, scorer=scorer, name=uploaded.name, content=uploaded.read()
        )
    if not (pair.is_bound and pair.is_valid()):
        return None
    texts = {name: pair.cleaned_data[name] for name in ("original", "simplification")}
    return scoring_request(actor=actor, scorer=scorer, pairs=[texts])


@never_cache
@login_required
@require_safe
def scoring_job(request: PersonRequest, scoring: uuid.UUID) -> HttpResponse:
    """The scores, once they are there; as CSV with ?format=csv."""
    require_admin(request.user)
    job = get_object_or_404(
        ScoringJob.objects.select_related("scorer__training_run"), public_id=scoring
    )
    if request.GET.get("format") == "csv" and job.state == WorkState.DONE:
        headers = {
            "Content-Disposition": f'attachment; filename="scores-v{job.scorer.version}.csv"'
        }
        return HttpResponse(
            results_csv(job), content_type="text/csv; charset=utf-8", headers=headers
        )
    context = {
        "job": job,
        "waiting": job.is_unfinished,
        "problem": stored_wording(job.problem),
        "shown": _shown(job),
        "more": max(0, len(job.results) - 20),
    }
    moving = request.headers.get("HX-Request") == "true"
    return render(request, "scoring/_scores.html" if moving else "scoring/scores.html", context)


def _shown(job: ScoringJob) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for pair, result in zip(job.pairs[:20], job.results[:20], strict=False):
        why = result.get("why")
        rows.append(
            {
                **pair,
                "score": score_shown(result["score"]),
                "learned": score_shown(result["learned"]),
                "interval": score_interval_shown(result, job.scorer.interval),
                "rule": stored_wording(why["rule_wording"]) if why else result["rule"],
                "reference": score_shown(why["reference"]) if why else "",
                "why": explanation_rows(why) if why else [],
            }
        )
    return rows
