"""When scorers are trained by themselves. Admins only."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import require_admin
from annotation.errors import RuleError
from annotation.services.scoring.schedule import (
    snapshots_waiting,
    training_schedule,
    training_schedule_set,
)
from annotation.web.base.presenters import text
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.scoring.forms.schedule import TrainingScheduleForm


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def schedule(request: PersonRequest) -> HttpResponse:
    """What is set, how far each study is from it, and a form to set it."""
    actor = require_admin(request.user)
    current = training_schedule()
    posted = request.method == "POST"
    form = TrainingScheduleForm(request.POST) if posted else TrainingScheduleForm.of(current)
    problems: list[dict[str, str]] = []
    if posted and form.is_valid():
        try:
            training_schedule_set(actor=actor, **form.values)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            messages.success(request, _("Saved."))
            return redirect("training_schedule")
    context = {
        "form": form,
        "problems": problems,
        "current": current,
        "waiting": [
            {
                "waiting": waiting_snapshot,
                "refusal": text(waiting_snapshot.refusal) if waiting_snapshot.refusal else "",
            }
            for waiting_snapshot in snapshots_waiting()
        ],
    }
    return render(
        request, "scoring/schedule.html", context, status=422 if form.errors or problems else 200
    )
