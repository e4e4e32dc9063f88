"""After an amendment of the guide: which judgments go back to whoever made them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import study_for_lead
from annotation.errors import RuleError
from annotation.models import Study
from annotation.selectors.guides.rejudging import (
    candidate_items,
    candidates,
    waiting_to_be_made,
)
from annotation.services.guides.rejudging import rejudge_cancel, rejudge_request
from annotation.web.base.presenters import class_choices, class_chosen, given_in_words
from annotation.web.guides.views.acknowledgement import guide_changes
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 300


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_rejudge(request: PersonRequest, study: str) -> HttpResponse:
    """Choose items, say why, send them back; or take back what is still waiting."""
    led_study = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            messages.success(request, _carried_out(request, led_study))
        except RuleError as error:
            # The choice of items is a column of the table, which no link leads to.
            problems = [
                problem | {"field": ""} if problem["field"] == "items" else problem
                for problem in problems_in_words(error.problems)
            ]
        else:
            return redirect("study_rejudge", study=led_study.key)
    context = {
        "study": led_study,
        "problems": problems,
        "typed": {"reason": request.POST.get("reason", ""), "items": request.POST.getlist("item")},
        **_offered(request, led_study),
    }
    return render(request, "guides/rejudge.html", context, status=422 if problems else 200)


def _carried_out(request: PersonRequest, led_study: Study) -> str:
    """Do what the form asks for; what was done, in words. Raises ``RuleError``."""
    if request.POST.get("action") == "cancel":
        number = rejudge_cancel(actor=request.user, study=led_study)
        return ngettext(
            "%(number)s judgment stays as it is.",
            "%(number)s judgments stay as they are.",
            number,
        ) % {"number": number}
    keys, reason = request.POST.getlist("item"), request.POST.get("reason", "")
    number = rejudge_request(actor=request.user, study=led_study, keys=keys, reason=reason)
    return ngettext(
        "%(number)s judgment was sent back.",
        "%(number)s judgments were sent back.",
        number,
    ) % {"number": number}


def _offered(request: PersonRequest, led_study: Study) -> dict[str, Any]:
    """The judgments that can be sent back, of the class and the doubt that the address names, and
    what the guide's last amendment changed."""
    # Which classes were given is an answer: a blind phase tells only whose judgments can be sent
    # back.
    hidden = led_study.hides_answers("all")
    classes = [] if hidden else class_choices(led_study.protocol)
    wanted = request.GET.get("class", "")
    chosen = class_chosen(led_study.protocol, wanted) if wanted in dict(classes) else None
    doubt = request.GET.get("doubt") == "1"
    items = candidate_items(led_study, given=chosen, doubt=doubt)
    page = Paginator(items, PAGE_SIZE).get_page(request.GET.get("page"))
    versions = list(led_study.guides.all()[:2])
    return {
        "page": page,
        "rows": [
            (candidate, given_in_words(led_study.protocol, candidate.given))
            for candidate in candidates(led_study, list(page))
        ],
        "classes": [(value, label, chosen and value == wanted) for value, label in classes],
        "doubt": doubt,
        "has_doubt": bool(led_study.protocol.doubts),
        "has_classes": bool(led_study.protocol.classes),
        "hidden": hidden,
        "waiting": waiting_to_be_made(led_study),
        "guide": versions[0] if versions else None,
        "changes": guide_changes(versions[1], versions[0]) if len(versions) == 2 else [],
    }
