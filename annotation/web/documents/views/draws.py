"""The draw of a study's items from a source document: a preview by its seed, then the draw. Leads
only."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import document_for_lead
from annotation.corpus.drawing import MAIN, PRACTICE, Draw
from annotation.errors import RuleError
from annotation.models import Study
from annotation.models.document import SourceDocument
from annotation.selectors.documents.documents import document_funnel, drawable
from annotation.services.documents.draws import draw_of, items_draw
from annotation.web.documents.forms import DrawForm
from annotation.web.documents.presenters import block_row
from annotation.web.documents.waiting import waits_for_blocks
from annotation.web.platform.problems import add_problems
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 50


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@waits_for_blocks
def draw(request: PersonRequest, study: str, document: uuid.UUID) -> HttpResponse:
    """What a draw would give; nothing is stored before the button."""
    source_document = document_for_lead(request.user, study, document)
    if request.method == "POST":
        return _posted(request, source_document)
    if source_document.drawn_at is not None:
        return redirect("document", study=study, document=document)
    draw_settings = request.GET if "seed" in request.GET else _usual(source_document)
    form = DrawForm(draw_settings)
    shown = None
    if form.is_valid():
        try:
            shown = draw_of(source_document, **form.wanted)
        except RuleError as error:
            add_problems(form, error)
    return _page(
        request,
        source_document,
        form,
        shown,
        status=422 if form.errors and draw_settings is request.GET else 200,
    )


def _usual(document: SourceDocument) -> dict[str, Any]:
    """The paper's numbers, or all that there is where that is less: a fifth of it for practice at
    most."""
    number = len(drawable(document))
    return {
        "practice": min(PRACTICE, number // 5),
        "main": MAIN,
        "everything": "on" if number < PRACTICE + MAIN else "",
        "seed": document.study.seed,
    }


def _posted(request: PersonRequest, document: SourceDocument) -> HttpResponse:
    form = DrawForm(request.POST)
    if form.is_valid() and request.POST.get("action") == "preview":
        query = {name: request.POST[name] for name in form.fields if request.POST.get(name)}
        address = reverse("document_draw", args=[document.study.key, document.pk])
        return redirect(f"{address}?{urlencode(query)}")
    if form.is_valid():
        try:
            items = items_draw(actor=request.user, document=document, **form.wanted)
        except RuleError as error:
            add_problems(form, error)
        else:
            messages.success(
                request,
                ngettext(
                    "%(number)s item was drawn and added to the study.",
                    "%(number)s items were drawn and added to the study.",
                    len(items),
                )
                % {"number": len(items)},
            )
            return redirect("study_items", study=document.study.key)
    return _page(request, document, form, None, status=422)


def _page(
    request: PersonRequest,
    document: SourceDocument,
    form: DrawForm,
    shown: Draw | None,
    *,
    status: int,
) -> HttpResponse:
    kept = document_funnel(document).kept
    free = drawable(document, kept)
    practice = {verdict.key for verdict in shown.practice} if shown else set()
    blocks = (
        sorted((*shown.practice, *shown.main), key=lambda verdict: verdict.block.number)
        if shown
        else []
    )
    page = Paginator(blocks, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "study": document.study,
        "document": document,
        "form": form,
        "shown": shown,
        "page": page,
        "rows": [
            {**block_row(document, verdict), "practice": verdict.key in practice}
            for verdict in page
        ],
        "kept": len(kept),
        "drawable": len(free),
        "in_study": len(kept) - len(free),
        "in_preparation": document.study.state == Study.State.DRAFT,
    }
    return render(request, "documents/draw.html", context, status=status)
