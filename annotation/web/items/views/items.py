"""A study's items as its leads see them, systems included."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Annotator, Item, Study
from annotation.selectors.base.rounds import items_in
from annotation.services.items.rounds import items_set_round, practice_draw
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 50
FLAGS = {
    "identical": Q(simplifications__is_identical=True),
    "other_language": ~Q(simplifications__language__in=["", "fr"])
    & Q(simplifications__isnull=False),
}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_items(request: PersonRequest, study: str) -> HttpResponse:
    """All items, by page; the division into rounds while the study is in preparation."""
    found = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            _divide(request, found)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect(request.get_full_path())
    judged = Q(
        simplifications__assignments__judgment__submitted_at__isnull=False,
        simplifications__assignments__annotator__kind__in=[
            Annotator.Kind.PERSON,
            Annotator.Kind.IMPORTED,
        ],
    )
    items = found.items.annotate(
        judgments=Count("simplifications__assignments__judgment", filter=judged, distinct=True)
    ).prefetch_related("simplifications")
    wanted = {name: request.GET.get(name, "").strip() for name in ("q", "round", "flag")}
    if wanted["q"]:
        items = items.filter(
            Q(key__icontains=wanted["q"])
            | Q(original__icontains=wanted["q"])
            | Q(simplifications__text__icontains=wanted["q"])
        )
    asked = (
        wanted["round"] if wanted["round"] in (*Item.Round.values, *Item.Aside.values) else "all"
    )
    items = items.filter(items_in(asked))
    if wanted["flag"] in FLAGS:
        items = items.filter(FLAGS[wanted["flag"]])
    context = {
        "study": found,
        "page": Paginator(items.order_by("position"), PAGE_SIZE).get_page(request.GET.get("page")),
        "problems": problems,
        "divisible": found.state == Study.State.DRAFT,
        **wanted,
    }
    return render(request, "items/items.html", context, status=422 if problems else 200)


def _divide(request: PersonRequest, study: Study) -> None:
    """Draw the practice items, or move the chosen ones."""
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
    moved = items_set_round(
        actor=request.user, study=study, keys=request.POST.getlist("item"), to=round_
    )
    messages.success(
        request,
        ngettext("%(number)s item moved.", "%(number)s items moved.", moved) % {"number": moved},
    )


@never_cache
@login_required
@require_safe
def study_item(request: PersonRequest, study: str, item: str) -> HttpResponse:
    """One item with its context, its simplifications and the systems that wrote them."""
    found = study_for_lead(request.user, study)
    shown = get_object_or_404(found.items.prefetch_related("simplifications"), key=item)
    return render(request, "items/item.html", {"study": found, "item": shown})
