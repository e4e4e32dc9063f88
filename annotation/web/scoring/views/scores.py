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
from annotation.models import Scorer, ScoringJob, WorkState
from annotation.services.scoring.jobs import PairTexts, results_csv, scoring_request
from annotation.web.base.presenters import text
from annotation.web.platform.requests import PersonRequest
from annotation.web.scoring.forms.scorers import PairForm, PairsFileForm
from annotation.web.scoring.presenters import explanation_rows, score_shown, stored_wording


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
    sent = (request.POST, request.FILES) if has_file else ()
    file = PairsFileForm(*sent, person=request.user.pk)
    problems: list[str] = []
    pairs: PairTexts | None = None
    if file.is_bound and file.is_valid():
        pairs = file.pairs
    elif pair.is_bound and pair.is_valid():
        pairs = [{name: pair.cleaned_data[name] for name in ("original", "simplification")}]
    if pairs is not None:
        name = file.cleaned_data["file"].name if file.is_bound else ""
        try:
            job = scoring_request(actor=actor, scorer=scorer, pairs=pairs, name=name)
        except RuleError as error:
            problems = [text(problem.message) for problem in error.problems]
        else:
            return redirect("scoring_job", scoring=job.public_id)
    context = {"scorer": scorer, "pair_form": pair, "file_form": file, "problems": problems}
    return render(request, "scoring/score.html", context, status=422 if posted else 200)


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
    found: list[dict[str, object]] = []
    for pair, result in zip(job.pairs[:20], job.results[:20], strict=False):
        why = result.get("why")
        found.append(
            {
                **pair,
                "score": score_shown(result["score"]),
                "learned": score_shown(result["learned"]),
                "rule": stored_wording(why["rule_wording"]) if why else result["rule"],
                "reference": score_shown(why["reference"]) if why else "",
                "why": explanation_rows(why) if why else [],
            }
        )
    return found
