"""A study's items as its leads see them, systems included."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Item, Study
from annotation.selectors.base.lists import KeysFirst
from annotation.selectors.base.sizes import sizes_kept
from annotation.selectors.items.listing import (
    ItemFilter,
    items_listed,
    sources_of,
    systems_of,
    with_details,
)
from annotation.selectors.items.removal import (
    item_doomed,
    items_begun,
    items_doomed,
    removal,
    simplification_doomed,
)
from annotation.services.items.removal import item_remove, items_remove, simplification_remove
from annotation.services.items.rounds import items_set_round, practice_draw
from annotation.web.items.views.removal import removal_context
from annotation.web.platform.csv_files import table_response
from annotation.web.platform.paging import Counted, Uncounted
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 50
_NAMES = ("round", "flag", "system", "lacks", "source", "order")
ORDER_LABELS = {
    "position": gettext_lazy("as in the study"),
    "key": gettext_lazy("by key"),
    "fewest": gettext_lazy("fewest judgments first"),
    "most": gettext_lazy("most judgments first"),
    "shortest": gettext_lazy("shortest first"),
    "longest": gettext_lazy("longest first"),
}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_items(request: PersonRequest, study: str) -> HttpResponse:
    """All items, by page; the division into rounds while the study is in preparation; several
    removed at once, after it was shown what goes along."""
    led_study = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    chosen = set(request.POST.getlist("item"))
    needs_confirmation = request.POST.get("action") == "remove" and "sure" not in request.POST
    if request.method == "POST" and not (needs_confirmation and chosen):
        try:
            _act(request, led_study)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect(request.get_full_path())
    wanted = _wanted(request)
    context = {
        "study": led_study,
        "page": item_pages(led_study, wanted).get_page(request.GET.get("page")),
        "problems": problems,
        "divisible": led_study.state == Study.State.DRAFT,
        "choosable": led_study.state != Study.State.CLOSED,
        "chosen": chosen,
        "doomed": _doomed(led_study, chosen) if needs_confirmation and chosen else None,
        "wanted": wanted,
        "orders": ORDER_LABELS,
        **_choices(led_study, request, wanted),
    }
    return render(request, "items/items.html", context, status=422 if problems else 200)


def _doomed(study: Study, keys: set[str]) -> dict[str, Any]:
    """What removing the chosen items takes along, and which of them stand in the way."""
    doomed = items_doomed(study, keys)
    planned_removal = removal(doomed)
    return {
        **removal_context(planned_removal),
        "keys": sorted(doomed.items.order_by().values_list("key", flat=True)),
        "begun": items_begun(doomed) if "begun" in planned_removal.obstacles else [],
    }


def _choices(study: Study, request: PersonRequest, wanted: ItemFilter) -> dict[str, Any]:
    """Systems and sources to choose among: they are looked for among all pairs, so only where
    somebody chooses."""
    if "more" not in request.GET and not wanted.is_by_pair:
        return {}
    return {"more": True, "systems": systems_of(study), "sources": sources_of(study)}


def item_pages(study: Study, wanted: ItemFilter) -> Paginator[Any]:
    """Pages of items; each counts the judgments of what it shows, and no others."""
    rows = KeysFirst(
        items_listed(study, wanted),
        lambda keys: with_details(Item.objects.filter(pk__in=keys)),
    )
    if wanted.is_narrowed:
        return Uncounted(rows, PAGE_SIZE)
    size = sizes_kept(study.pk)
    return Counted(rows, PAGE_SIZE, size.practice + size.main)


@never_cache
@login_required
@require_safe
def items_file(request: PersonRequest, study: str) -> HttpResponseBase:
    """The items that the list shows, as a file: all of its pages."""
    led_study = study_for_lead(request.user, study)
    header = [
        *(_("key"), _("round"), _("source"), _("original"), _("characters")),
        *(_("systems"), _("judgments")),
    ]
    items = with_details(items_listed(led_study, _wanted(request)))
    rows = (
        [
            *(item.key, item.get_round_display(), item.source, item.original, item.length),
            *(
                ", ".join(simplification.system for simplification in item.simplifications.all()),
                item.judgments,
            ),
        ]
        for item in items.iterator(chunk_size=1000)
    )
    back = reverse("study_items", args=[led_study.key])
    return table_response(request, f"{led_study.key}-items", header, rows, back=back)


def _wanted(request: PersonRequest) -> ItemFilter:
    given = {name: request.GET.get(name, "").strip() for name in _NAMES}
    return ItemFilter(
        search=request.GET.get("q", "").strip(),
        fewer=whole(request.GET.get("fewer"), digits=6),
        **given,
    )


def _act(request: PersonRequest, study: Study) -> None:
    """Draw the practice items, move the chosen ones, or remove them."""
    keys = request.POST.getlist("item")
    if request.POST.get("action") == "remove":
        gone = items_remove(actor=request.user, study=study, keys=keys).items
        words = ngettext("%(number)s item removed.", "%(number)s items removed.", gone)
        messages.success(request, words % {"number": gone})
        return
    if request.POST.get("action") == "draw":
        number = whole(request.POST.get("number"), digits=6)
        if number is None:
            raise RuleError.single(
                "number", "invalid", "Donnez un nombre entier.", "Give a whole number."
            )
        drawn = practice_draw(actor=request.user, study=study, number=number)
        messages.success(
            request,
            ngettext(
                "%(number)s practice item drawn.", "%(number)s practice items drawn.", len(drawn)
            )
            % {"number": len(drawn)},
        )
        return
    round_ = request.POST.get("round", "")
    if round_ not in Item.Round.values:
        raise RuleError.single("round", "invalid", "Choisissez une ronde.", "Choose a round.")
    moved = items_set_round(actor=request.user, study=study, keys=keys, to=round_)
    messages.success(
        request,
        ngettext("%(number)s item moved.", "%(number)s items moved.", moved) % {"number": moved},
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_item(request: PersonRequest, study: str, item: str) -> HttpResponse:
    """One item with its context, its simplifications and the systems that wrote them; each can be
    removed as long as nobody has judged it."""
    led_study = study_for_lead(request.user, study)
    shown = get_object_or_404(
        led_study.items.select_related("study").prefetch_related("simplifications"), key=item
    )
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            return _removed(request, shown)
        except RuleError as error:
            problems = problems_in_words(error.problems)
    context = {
        "study": led_study,
        "item": shown,
        "problems": problems,
        "whole": removal_context(removal(item_doomed(shown))),
        "simplifications": [
            (simplification, removal_context(removal(simplification_doomed(simplification))))
            for simplification in shown.simplifications.select_related("item__study")
        ],
    }
    return render(request, "items/item.html", context, status=422 if problems else 200)


def _removed(request: PersonRequest, item: Item) -> HttpResponse:
    match request.POST.get("action"):
        case "remove_item":
            item_remove(actor=request.user, item=item)
            messages.success(request, _("The item “%(key)s” is removed.") % {"key": item.key})
            return redirect("study_items", study=item.study.key)
        case "remove_simplification":
            pairs = item.simplifications.select_related("item__study")
            pair = get_object_or_404(pairs, pk=whole(request.POST.get("simplification")))
            simplification_remove(actor=request.user, simplification=pair)
            messages.success(request, _("The simplification is removed."))
            return redirect("study_item", study=item.study.key, item=item.key)
    raise RuleError.single("action", "unknown", "Choisissez que faire.", "Choose what to do.")
