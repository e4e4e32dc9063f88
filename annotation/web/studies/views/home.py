"""The page that one lands on: what waits for one's judgment, and the studies that one runs."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.accents import folded
from annotation.access import (
    annotations_awaited,
    annotations_of,
    may_create_studies,
    studies_led,
    studies_listed,
)
from annotation.models import Annotator, Study
from annotation.selectors.judging.queue import counts_of, waiting_of
from annotation.selectors.practice.practice import feedback_announced, practice_parts
from annotation.selectors.watching.own_work import own_work_of
from annotation.selectors.watching.progress import with_sizes
from annotation.web.judging.own_presenters import work_context
from annotation.web.platform.requests import PersonRequest
from annotation.web.studies.presenters import stage_labels

PAGE_SIZE = 50
"""Studies that one runs; with more of them they are searched."""


@never_cache
@login_required
@require_safe
def home(request: PersonRequest) -> HttpResponse:
    """The reader's studies."""
    listed = studies_listed(request.user)
    wanted = request.GET.get("q", "").strip()
    studies = with_sizes(_called(listed, wanted) if wanted else listed).order_by("title", "key")
    page = Paginator(studies, PAGE_SIZE).get_page(request.GET.get("page"))
    led = list(page)
    stages = stage_labels(led)
    annotators = list(annotations_of(request.user))
    done, waiting, work = (
        counts_of(annotators),
        waiting_of(annotators),
        own_work_of(annotators, timezone.now()),
    )
    practice = practice_parts(annotators)
    announced = feedback_announced(annotators, {pk: judged for pk, (judged, _) in done.items()})
    parts = [
        _judging(annotator, *done[annotator.pk], practice=practice[annotator.pk])
        | {
            "waiting": waiting[annotator.pk],
            "work": work_context(work[annotator.pk]),
            "has_feedback": annotator.pk in announced,
        }
        for annotator in annotators
    ]
    context = {
        "judging": [part for part in parts if part["state"] != Study.State.CLOSED],
        # Read as before, and nothing there waits for anybody.
        "judged": [part for part in parts if part["state"] == Study.State.CLOSED],
        "leading": [
            {
                "key": study.key,
                "title": study.title,
                "language": study.language,
                "is_demo": study.is_demo,
                "state": study.state,
                "state_label": stages[study.pk],
                "url": reverse("study", args=[study.key]),
                "items": study.item_count,
                "annotators": study.annotator_count,
                "submitted": study.submitted,
            }
            for study in led
        ],
        "page": page,
        "q": wanted,
        "can_search": page.has_other_pages() or (bool(wanted) and listed.exists()),
        "archived": studies_led(request.user).filter(archived_at__isnull=False).count(),
        "awaited": [annotator.study for annotator in annotations_awaited(request.user)],
        "can_create": may_create_studies(request.user),
    }
    return render(request, "studies/home.html", context)


def _called(listed: QuerySet[Study], wanted: str) -> QuerySet[Study]:
    """Those whose title or key holds it, without case and accents. Looked at one by one: no
    database folds accents as the other does."""
    names = listed.order_by().values_list("pk", "title", "key")
    words = folded(wanted)
    return listed.filter(
        pk__in=[pk for pk, title, key in names if words in folded(title) or words in folded(key)]
    )


def _judging(annotator: Annotator, done: int, total: int, *, practice: str) -> dict[str, Any]:
    study = annotator.study
    return {
        "key": study.key,
        "title": study.title,
        "language": study.language,
        "is_demo": study.is_demo,
        "state": study.state,
        "state_label": study.get_state_display(),
        "done": done,
        "total": total,
        "percent": done * 100 // total if total else 0,
        "guidance_minutes": round(study.guidance_seconds / 60),
        "contact": study.contact,
        "resume_url": reverse("annotate_resume", args=[study.key]),
        "mine_url": reverse("annotate_mine", args=[study.key]),
        "work_url": reverse("annotate_work", args=[study.key]),
        "guide_url": reverse("annotate_guide", args=[study.key]),
        "feedback_url": reverse("annotate_feedback", args=[study.key]),
        "open": bool(study.open_rounds),
        # Told where they begin; asked of nobody who has begun.
        "came_late": bool(study.open_rounds) and not done and practice == "late",
        "missed_practice": bool(study.open_rounds) and not done and practice == "missed",
    }
