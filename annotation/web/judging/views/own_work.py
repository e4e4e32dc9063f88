"""One's own part in a study: hours, pace and pay; and leaving it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import annotator_for
from annotation.selectors.watching.own_work import own_work, submitted
from annotation.services.people.leaving import annotator_leave
from annotation.web.judging.forms.leaving import LeavingForm
from annotation.web.judging.own_presenters import work_context
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_safe
def work(request: PersonRequest, study: str) -> HttpResponse:
    """Hours by period with what they come to, pace, what is left. Nothing of anybody else."""
    annotator = annotator_for(request.user, study)
    own_hours = own_work(annotator, timezone.now())
    return render(
        request, "judging/work.html", {"study": annotator.study, "work": work_context(own_hours)}
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def leave(request: PersonRequest, study: str) -> HttpResponse:
    """What it means to leave the study, and the button that does."""
    annotator = annotator_for(request.user, study)
    form = LeavingForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        annotator_leave(actor=request.user, annotator=annotator, reason=form.cleaned_data["reason"])
        messages.success(request, _("You have left the study. Those who run it are told."))
        return redirect("home")
    own_hours = own_work(annotator, timezone.now())
    context = {
        "study": annotator.study,
        "form": form,
        "work": work_context(own_hours),
        "done": submitted(annotator),
    }
    return render(
        request, "judging/leave.html", context, status=422 if request.method == "POST" else 200
    )
