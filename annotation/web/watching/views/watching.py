"""How far each person and each item is, and reminders. Leads only; nothing here says what anybody
answered."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import study_for_lead
from annotation.bodies import whole
from annotation.models import Item, Study
from annotation.selectors.watching.remarks import open_remarks
from annotation.selectors.watching.reminders import remindables
from annotation.selectors.watching.watching import (
    ORDERS,
    items_number,
    items_sent_back,
    items_watch,
)
from annotation.selectors.watching.watching import study_watch as watch_of
from annotation.services.platform.letters import link_to_hand_on, mail_configured
from annotation.services.watching.reminders import Reminded, reminders_send
from annotation.web.platform.paging import Counted, Uncounted
from annotation.web.platform.requests import PersonRequest
from annotation.web.watching.presenters import (
    item_row,
    person_row,
    seconds_words,
    share,
    study_outlook,
)

PAGE_SIZE = 50


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_watch(request: PersonRequest, study: str) -> HttpResponse:
    """The page; a POST reminds the chosen people and shows at once what came of it."""
    led_study = study_for_lead(request.user, study)
    reminded: Reminded | None = None
    chosen = {pk for typed in request.POST.getlist("annotator") if (pk := whole(typed))}
    if request.method == "POST" and chosen:
        address = link_to_hand_on(
            reverse("annotate_resume", args=[led_study.key]), request.build_absolute_uri
        )
        reminded = reminders_send(
            actor=request.user, study=led_study, annotators=chosen, address=address
        )
    nobody = request.method == "POST" and not chosen
    context = _context(request, led_study) | {"reminded": reminded, "nobody": nobody}
    return render(request, "watching/watch.html", context, status=422 if nobody else 200)


def _context(request: PersonRequest, study: Study) -> dict[str, Any]:
    now = timezone.now()
    watch = watch_of(study, now)
    can_be_reminded = {
        remindable.annotator.pk: remindable for remindable in remindables(study, now)
    }
    here = [person for person in watch.people if person.annotator.withdrawn_at is None]
    # Theirs alone, as the hours that are planned: who has withdrawn has none planned any more.
    hours = sum(person.active_hours for person in here)
    return {
        "study": study,
        "watch": watch,
        "people": [
            person_row(study, person, can_be_reminded.get(person.annotator.pk))
            for person in watch.people
        ],
        "any_remindable": bool(can_be_reminded),
        "seconds": seconds_words(watch.seconds, watch.timed, of_all=True),
        "hours": hours,
        "hours_budget": study.hours_budget * len(here),
        "hours_share": share(hours, study.hours_budget * len(here)),
        "outlook": study_outlook(watch),
        "mail": mail_configured(),
        "open_remarks": open_remarks(study),
        "now": now,
        **_items(request, study),
    }


def _items(request: PersonRequest, study: Study) -> dict[str, Any]:
    """The items of the address's filters."""
    wanted = {
        name: request.GET.get(name, "").strip() for name in ("round", "short_of", "q", "order")
    }
    rounds = dict(Item._meta.get_field("round").flatchoices)
    short_of = wanted["short_of"]
    items = items_watch(
        study,
        round_=wanted["round"] if wanted["round"] in rounds else "",
        short_of=whole(short_of, digits=5),
        search=wanted["q"],
    )
    order = ORDERS.get(wanted["order"], ORDERS["fewest"])
    ordered = items.order_by(*order)
    # Of a search nobody has counted what it finds.
    narrowed = wanted["q"] or wanted["short_of"] or wanted["round"] in rounds
    pages = (
        Uncounted(ordered, PAGE_SIZE)
        if narrowed
        else Counted(ordered, PAGE_SIZE, items_number(study))
    )
    page = pages.get_page(request.GET.get("page"))
    sent_back = items_sent_back([item.pk for item in page])
    return {
        "page": page,
        "rows": [item_row(item, sent_back.get(item.pk, 0)) for item in page],
        "any_sent_back": bool(sent_back),
        "rounds": rounds.items(),
        "wanted": wanted,
        "filtered": any(wanted.values()),
    }
