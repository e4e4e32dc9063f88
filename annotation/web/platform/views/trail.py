"""What was done to this installation, for admins."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access import require_admin
from annotation.selectors.platform.trail import (
    accounts_meant,
    trail_about,
    trail_of_installation,
)
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 50


@never_cache
@login_required
@require_safe
def trail(request: PersonRequest) -> HttpResponse:
    """Everything that was done in no study, the newest first: ``verb`` of one kind, ``q`` by or to
    certain people."""
    require_admin(request.user)
    events = trail_of_installation()
    verbs = list(events.order_by("verb").values_list("verb", flat=True).distinct())
    verb, wanted = request.GET.get("verb", ""), request.GET.get("q", "").strip()
    if verb in verbs:
        events = events.filter(verb=verb)
    if wanted:
        events = trail_about(events, wanted)
    page = Paginator(events, PAGE_SIZE).get_page(request.GET.get("page"))
    meant = accounts_meant(list(page))
    context = {
        "page": page,
        "rows": [(event, meant.get(event.pk)) for event in page],
        "verbs": verbs,
        "verb": verb,
        "wanted": wanted,
    }
    return render(request, "platform/trail.html", context)
