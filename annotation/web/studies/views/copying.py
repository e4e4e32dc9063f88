"""A study made after the pattern of another."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import study_for_lead
from annotation.errors import RuleError
from annotation.services.studies.copying import CopyParts, study_copy
from annotation.web.platform.problems import add_problems
from annotation.web.platform.requests import PersonRequest
from annotation.web.studies.forms import CopyForm


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_copying(request: PersonRequest, study: str) -> HttpResponse:
    """Choose what the copy takes along, then make it."""
    led_study = study_for_lead(request.user, study)
    form = CopyForm(request.POST or None, initial={"title": led_study.title})
    if request.method == "POST" and form.is_valid():
        chosen = dict(form.cleaned_data)
        key, title = chosen.pop("key"), chosen.pop("title")
        try:
            copy = study_copy(
                actor=request.user,
                source=led_study,
                key=key,
                title=title,
                wanted=CopyParts(**chosen),
            )
        except RuleError as error:
            add_problems(form, error)
        else:
            messages.success(request, _("The copy is made. This is it."))
            return redirect("study", study=copy.key)
    context = {"study": led_study, "form": form}
    return render(request, "studies/copy.html", context, status=422 if form.errors else 200)
