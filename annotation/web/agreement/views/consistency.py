"""How consistently people judge."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access import study_with_answers
from annotation.models import plan_of
from annotation.selectors.agreement.consistency import study_controls, study_repeats
from annotation.selectors.planning.repeats import repeats_left
from annotation.web.agreement.consistency_presenters import (
    controls_context,
    expectations,
    repeats_context,
)
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_safe
def study_consistency(request: PersonRequest, study: str) -> HttpResponse:
    """Silent repeats against first answers, control pairs against what they must be."""
    found = study_with_answers(request.user, study)
    context = {
        "study": found,
        "controls": controls_context(study_controls(found)),
        "expected": expectations(found.protocol),
        "has_strict": any(
            one.strictly is not None for asked in found.protocol.controls.values() for one in asked
        ),
        "repeats": repeats_context(found, study_repeats(found)),
        "left": repeats_left(found),
        "plan": plan_of(found),
    }
    return render(request, "agreement/consistency.html", context)
