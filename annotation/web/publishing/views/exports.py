"""Getting data out: ask for a file, watch it being written, fetch it. Leads only."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.access import job_for_lead, study_for_lead
from annotation.errors import RuleError
from annotation.models import Job, Study
from annotation.selectors.publishing.exports import FORMATS
from annotation.services.publishing.exports import (
    export_delete,
    export_request,
    export_take,
    spec_of,
)
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.publishing.forms import ExportForm, layout_choices
from annotation.web.publishing.presenters import export_row

SHOWN = 50


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_exports(request: PersonRequest, study: str) -> HttpResponse:
    """Ask for an export; the former ones with their files."""
    led_study = study_for_lead(request.user, study)
    form = ExportForm(led_study.protocol, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            job = export_request(actor=request.user, study=led_study, spec=form.spec)
        except RuleError as error:
            for problem in problems_in_words(error.problems):
                form.add_error(problem["field"], problem["message"])
        else:
            return redirect(
                reverse("study_exports", args=[led_study.key]) + f"#export-{job.public_id}"
            )
    jobs = Job.objects.filter(study=led_study, kind=Job.Kind.EXPORT).select_related("requested_by")[
        :SHOWN
    ]
    exports = [export_row(led_study, job) for job in jobs]
    context = {
        "study": led_study,
        "form": form,
        "layouts": layout_choices(led_study.protocol, str(form["layout"].value())),
        "exports": exports,
        "waiting": any(export["unfinished"] for export in exports),
    }
    return render(request, "publishing/exports.html", context, status=422 if form.errors else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def status(request: PersonRequest, study: str, job: uuid.UUID) -> HttpResponse:
    """How far an export is, as a page or as the piece of the list that stands for it. POST deletes
    it."""
    export_job = job_for_lead(request.user, study, job, kind=Job.Kind.EXPORT)
    if request.method == "POST":
        if request.POST.get("action") == "delete":
            export_delete(actor=request.user, job=export_job)
            messages.success(request, _("The export was deleted, its file with it."))
        return redirect("study_exports", study=study)
    if request.headers.get("HX-Request") == "true":
        export = export_row(export_job.study, export_job)
        return render(
            request,
            "publishing/_export.html",
            {"export": export, "study": export_job.study, "swapped": True},
        )
    return _status_page(request, export_job.study, export_job)


@never_cache
@login_required
@require_GET  # no HEAD: what nobody got is not noted as taken out
def download(request: PersonRequest, study: str, job: uuid.UUID) -> HttpResponseBase:
    """The file. What is not there yet, or no longer, is said so."""
    export_job = job_for_lead(request.user, study, job, kind=Job.Kind.EXPORT)
    content = export_take(actor=request.user, job=export_job)
    if content is None:
        return _status_page(
            request,
            export_job.study,
            export_job,
            status=410 if export_job.state == Job.State.DONE else 409,
        )
    # Closed by the response.
    response = FileResponse(
        content,
        as_attachment=True,
        filename=export_job.result_name,
        content_type=FORMATS[spec_of(export_job).format].content_type,
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def _status_page(
    request: HttpRequest, study: Study, job: Job, *, status: int = 200
) -> HttpResponse:
    export = export_row(study, job)
    context: dict[str, Any] = {
        "study": study,
        "exports": [export],
        "export": export,
        "waiting": export["unfinished"],
    }
    return render(request, "publishing/export.html", context, status=status)
