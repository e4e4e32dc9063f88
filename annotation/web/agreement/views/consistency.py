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
    led_study = study_with_answers(request.user, study)
    context = {
        "study": led_study,
        "controls": controls_context(study_controls(led_study)),
        "expected": expectations(led_study.protocol),
        "has_strict": any(
            expectation.strictly is not None
            for expected in led_study.protocol.controls.values()
            for expectation in expected
        ),
        "repeats": repeats_context(led_study, study_repeats(led_study)),
        "left": repeats_left(led_study),
        "plan": plan_of(led_study),
    }
    return render(request, "agreement/consistency.html", context)
