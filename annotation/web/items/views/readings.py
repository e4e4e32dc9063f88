"""How far a file is that a worker reads, and where it leads. Leads only."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django_htmx.http import HttpResponseClientRedirect

from annotation.access import job_for_lead
from annotation.models import Job
from annotation.services.intake.readings import DOCUMENT, IMPORT, UNFINISHED, reading_problems
from annotation.services.items.items import ImportOutcome
from annotation.web.base.presenters import text
from annotation.web.items.presenters import SHOWN_PROBLEMS, outcome_text
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_GET
def status(request: PersonRequest, study: str, reading: uuid.UUID) -> HttpResponse:
    """Waiting, or being read; then the page of what was read. A file that could not be is
    explained."""
    reading_job = job_for_lead(request.user, study, reading, kind=Job.Kind.READING)
    asks = request.headers.get("HX-Request") == "true"
    address = _read_at(reading_job)
    if address is not None:
        if reading_job.parameters["what"] == IMPORT and reading_job.state == Job.State.DONE:
            messages.success(request, outcome_text(ImportOutcome(**reading_job.result)))
        return HttpResponseClientRedirect(address) if asks else redirect(address)
    problems = reading_problems(reading_job)
    context = {
        "study": reading_job.study,
        "job": reading_job,
        "is_document": reading_job.parameters["what"] == DOCUMENT,
        "is_import": reading_job.parameters["what"] == IMPORT,
        "upload": getattr(reading_job, "upload", None),
        "unfinished": reading_job.state in UNFINISHED,
        "problems": [
            {"row": problem.row, "message": text(problem.message), "remedy": text(problem.remedy)}
            for problem in problems[:SHOWN_PROBLEMS]
        ],
        "more": max(0, reading_job.result.get("problem_count", 0) - SHOWN_PROBLEMS),
    }
    return render(request, "items/_reading.html" if asks else "items/reading.html", context)


def _read_at(job: Job) -> str | None:
    """Where what was read is looked at; None where it is not read yet, or could not be."""
    study = job.study.key
    upload = getattr(job, "upload", None)
    shown = job.parameters["what"] != IMPORT
    if upload is not None and shown and job.state not in UNFINISHED:
        # There a file that could not be read is read differently, or thrown away.
        return resolve_url("pairs_mapping", study=study, upload=upload.pk)
    if job.state != Job.State.DONE:
        return None
    if (document := job.result.get("document")) is not None:
        known = job.study.documents.filter(pk=document).exists()
        return (
            resolve_url("document", study=study, document=document)
            if known
            else resolve_url("document_upload", study)
        )
    return resolve_url("study_items", study)
