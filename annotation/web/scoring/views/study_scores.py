"""A scorer beside the people of one closed study. Leads only: nobody who judges may see what it
says."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import study_for_lead
from annotation.errors import RuleError
from annotation.models import ScoringJob, Study, WorkState
from annotation.services.scoring.study_scores import (
    not_closed,
    scorer_for,
    study_scores,
    study_scores_csv,
    study_scores_job,
    study_scores_request,
)
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.scoring.presenters import stored_wording
from annotation.web.scoring.study_score_presenters import item_row, scores_context

PAGE_SIZE = 100


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def scores(request: PersonRequest, study: str) -> HttpResponse:
    """How far the scores are, then the scores themselves; POST asks for them; as CSV with
    ?format=csv."""
    led_study = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            study_scores_request(actor=request.user, study=led_study)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect("study_scores", study=led_study.key)
    job = study_scores_job(led_study)
    if request.GET.get("format") == "csv" and job is not None and job.state == WorkState.DONE:
        content = study_scores_csv(study_scores(led_study, job), job)
        headers = {
            "Content-Disposition": "attachment; "
            f'filename="{led_study.key}-scores-v{job.scorer.version}.csv"'
        }
        return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)
    context = {
        "study": led_study,
        "problems": problems,
        **_state(led_study),
        **_result(request, led_study, job),
    }
    moving = request.headers.get("HX-Request") == "true"
    template = "scoring/_study_scores.html" if moving else "scoring/study_scores.html"
    return render(request, template, context, status=422 if problems else 200)


def _state(study: Study) -> dict[str, Any]:
    closed = study.state == Study.State.CLOSED
    return {
        "closed": closed,
        "why_not": "" if closed else problems_in_words(not_closed().problems)[0]["message"],
        "scorer": scorer_for(study) if closed else None,
    }


def _result(request: PersonRequest, study: Study, job: ScoringJob | None) -> dict[str, Any]:
    if job is None:
        return {"job": None, "waiting": False}
    context: dict[str, Any] = {
        "job": job,
        "waiting": job.is_unfinished,
        "problem": stored_wording(job.problem),
    }
    if job.state == WorkState.DONE:
        scored = study_scores(study, job)
        page = Paginator(scored.items, PAGE_SIZE).get_page(request.GET.get("page"))
        context |= {
            "page": page,
            "rows": [item_row(item) for item in page],
            **scores_context(scored),
        }
    return context
