"""The guide, read and confirmed before one judges by it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import annotator_for
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Assignment, GuideVersion, guide_standing
from annotation.selectors.guides.acknowledgement import guide_due, guide_in_force, last_acknowledged
from annotation.services.guides.guides import guide_acknowledge
from annotation.web.platform.markdown import guide_context
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.text_changes import Line, text_changes


def reading_url(assignment: Assignment) -> str:
    """Where the annotator has to read the guide before this pair; "" where nothing is due or
    nothing can be judged."""
    study, round_ = assignment.annotator.study, assignment.simplification.item.round
    is_due = study.takes_judgments(round_) and guide_standing(assignment).is_due
    return guide_read_url(assignment) if is_due else ""


def guide_read_url(assignment: Assignment) -> str:
    """The page that shows the guide and leads on to this pair."""
    url = reverse("annotate_guide_read", args=[assignment.annotator.study.key])
    return f"{url}?position={assignment.position}"


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def guide_read(request: PersonRequest, study: str) -> HttpResponse:
    """The version in force, what it changed, and the button that says one has read it."""
    annotator = annotator_for(request.user, study)
    problems: list[dict[str, str]] = []
    position = request.GET.get("position", "")
    if request.method == "POST":
        number = request.POST.get("number", "")
        try:
            guide_acknowledge(annotator=annotator, number=whole(number) or 0)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect(_onward(study, position))
    current = guide_in_force(annotator.study)
    former = last_acknowledged(annotator)
    context = {
        "study": annotator.study,
        "problems": problems,
        **guide_context(current),
        "due": guide_due(annotator, current),
        "former": former,
        "changes": guide_changes(former, current)
        if former and current and former != current
        else [],
    }
    return render(request, "guides/guide_read.html", context, status=422 if problems else 200)


def guide_changes(former: GuideVersion, current: GuideVersion) -> list[Line]:
    """What changed between two versions, in the reader's language where both have it."""
    english = (get_language() or "fr").startswith("en") and former.body_en and current.body_en
    name = "body_en" if english else "body_fr"
    return text_changes(getattr(former, name), getattr(current, name))


def _onward(study: str, position: str) -> str:
    if (place := whole(position)) is not None:
        return reverse("annotate", args=[study, place])
    return reverse("annotate_resume", args=[study])
