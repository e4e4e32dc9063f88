"""Freezing a study and publishing what was frozen. Leads only."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.access import answers_readable, snapshot_for_lead, study_for_lead
from annotation.agreement.consensus import LOT
from annotation.agreement.modelled.crowd import METHODS, package_version
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import DatasetSnapshot, Job, Study
from annotation.services.platform.events import event_record
from annotation.services.publishing.publications import KINDS, freeze_request, release_request
from annotation.services.publishing.releases import release_open, release_size
from annotation.services.publishing.snapshots import snapshot_withdrawals
from annotation.web.agreement.modelled.tables import NAMES
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.publishing.presenters import replaced_texts

SHOWN_JOBS = 5


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_releases(request: PersonRequest, study: str) -> HttpResponse:
    """The study's snapshots with their bundles; a new snapshot."""
    led_study = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            _ask(request, led_study)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect("study_releases", study=led_study.key)
    if request.headers.get("HX-Request") == "true":
        return render(
            request,
            "publishing/_jobs.html",
            {"study": led_study, "swapped": True, **_jobs(led_study)},
        )
    context = {
        "study": led_study,
        "problems": problems,
        "closed": led_study.state == Study.State.CLOSED,
        "typed": request.POST.get("reason", ""),
        "models": [] if package_version() is None else [(key, NAMES[key]) for key in METHODS],
        "snapshots": [
            _row(snapshot) for snapshot in led_study.snapshots.select_related("created_by", "study")
        ],
        **_jobs(led_study),
    }
    return render(request, "publishing/releases.html", context, status=422 if problems else 200)


@never_cache
@login_required
@require_GET  # no HEAD: what nobody got is not noted as taken out
def release_download(request: PersonRequest, study: str, number: int) -> HttpResponseBase:
    """The bundle as one zip. What was not written yet is said so."""
    snapshot = snapshot_for_lead(request.user, study, number)
    answers_readable(snapshot.study)
    try:
        content = release_open(snapshot)
    except FileNotFoundError:
        messages.info(request, _("This bundle was not written yet: ask for it first."))
        return redirect("study_releases", study=study)
    event_record(
        actor=request.user, study=snapshot.study, verb="release_downloaded", target=snapshot
    )
    # Closed by the response.
    response = FileResponse(
        content,
        as_attachment=True,
        filename=f"{snapshot.name}.zip",
        content_type="application/zip",
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def _ask(request: PersonRequest, study: Study) -> None:
    action = request.POST.get("action", "")
    if action == "freeze":
        freeze_request(
            actor=request.user,
            study=study,
            reason=request.POST.get("reason", ""),
            systems=request.POST.get("systems") == "on",
            coarse_times=request.POST.get("coarse_times") == "on",
            ties=request.POST.get("ties", LOT),
        )
    elif action == "release":
        number = request.POST.get("snapshot", "")
        release_request(
            actor=request.user,
            snapshot=snapshot_for_lead(request.user, study.key, whole(number) or 0),
        )
    else:
        raise RuleError.single(
            "action", "unknown", "Action inconnue. Rechargez la page.", "Unknown. Reload the page."
        )


def _row(snapshot: DatasetSnapshot) -> dict[str, Any]:
    return {
        "snapshot": snapshot,
        "size": release_size(snapshot),
        "withdrawn": snapshot_withdrawals(snapshot),
        # They are answers: a study that was opened again as a blind one shows none.
        "replaced": None if snapshot.study.hides_answers("all") else replaced_texts(snapshot),
        "files": [
            (name, facts) for name, facts in sorted(snapshot.manifest.get("files", {}).items())
        ],
    }


def _jobs(study: Study) -> dict[str, Any]:
    jobs = list(
        Job.objects.filter(study=study, kind__in=KINDS).select_related("requested_by")[:SHOWN_JOBS]
    )
    unfinished = [job for job in jobs if job.state in (Job.State.QUEUED, Job.State.RUNNING)]
    failed = [job for job in jobs[:1] if job.state == Job.State.FAILED]
    return {
        "jobs": unfinished,
        "failed": [(job, _problem(job)) for job in failed],
        "waiting": bool(unfinished),
    }


def _problem(job: Job) -> str:
    if job.problem == "refused":
        english = (get_language() or "fr").startswith("en")
        return " ".join(pair[english] for pair in job.result.get("refused", []))
    words = {
        "disk_full": _("The disk is full: an admin has to make room."),
        "disk": _("The files could not be written: an admin has to look at the disk."),
        "storage": _("The storage does not answer: an admin has to look at it."),
        "worker_lost": _("Its worker died three times: an admin has to look at the log."),
    }
    return words.get(
        job.problem, _("An error of ours: an admin finds it in the log. Nothing was published.")
    )
