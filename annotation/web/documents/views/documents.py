"""From a source document to the blocks that may become items. Leads only."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import document_for_lead, study_for_lead
from annotation.corpus.drawing import MAIN, PRACTICE
from annotation.errors import RuleError
from annotation.models import Job, Study
from annotation.models.document import SourceDocument
from annotation.protocols.base import Wording
from annotation.selectors.documents.documents import (
    criteria_change,
    criteria_of,
    document_funnel,
    drawable,
    study_documents,
)
from annotation.services.documents.documents import (
    criteria_set,
    document_discard,
)
from annotation.services.documents.draws import draw_undo
from annotation.services.intake.readings import document_bring
from annotation.web.base.presenters import text
from annotation.web.documents.forms import CriteriaForm, DocumentForm
from annotation.web.documents.presenters import (
    change_words,
    facts,
    funnel_chart,
    mostly_foreign,
    readability_chart,
    stages,
)
from annotation.web.documents.waiting import waits_for_blocks
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def upload(request: PersonRequest, study: str) -> HttpResponse:
    """The study's documents, and a form for another."""
    led_study = study_for_lead(request.user, study)
    form = DocumentForm(request.POST, request.FILES) if request.method == "POST" else DocumentForm()
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            brought = document_bring(
                actor=request.user,
                study=led_study,
                name=file.name,
                content=file.read(),
                encoding=form.cleaned_data["encoding"],
            )
        except RuleError as error:
            for problem in problems_in_words(error.problems):
                form.add_error("file" if problem["field"] == "file" else None, problem["message"])
        else:
            if isinstance(brought, Job):
                return redirect("reading", study=led_study.key, reading=brought.public_id)
            return redirect("document", study=led_study.key, document=brought.pk)
    context = {"study": led_study, "form": form, "documents": study_documents(led_study)}
    return render(request, "documents/upload.html", context, status=422 if form.is_bound else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@waits_for_blocks
def funnel(request: PersonRequest, study: str, document: uuid.UUID) -> HttpResponse:
    """What each criterion keeps and drops, and the criteria themselves."""
    source_document = document_for_lead(request.user, study, document)
    action = request.POST.get("action")
    if action in ("discard", "undo"):
        return _leave(request, source_document, action)
    if request.method == "POST":
        return _criteria(request, source_document)
    return _funnel_page(
        request, source_document, CriteriaForm(initial=vars(criteria_of(source_document.criteria)))
    )


def _criteria(request: PersonRequest, document: SourceDocument) -> HttpResponse:
    """Show what other criteria would do, or store them."""
    form = CriteriaForm(request.POST)
    if not form.is_valid():
        return _funnel_page(request, document, form, status=422)
    if request.POST.get("action") == "preview":
        return _funnel_page(
            request, document, form, change=change_words(criteria_change(document, form.criteria))
        )
    try:
        criteria_set(actor=request.user, document=document, criteria=form.criteria)
    except RuleError as error:
        return _funnel_page(
            request, document, form, problems=problems_in_words(error.problems), status=422
        )
    messages.success(request, _("The criteria are stored."))
    return redirect("document", study=document.study.key, document=document.pk)


def _leave(request: PersonRequest, document: SourceDocument, action: str) -> HttpResponse:
    """Throw the document away, or take its draw back."""
    study = document.study.key
    try:
        if action == "discard":
            document_discard(actor=request.user, document=document)
            messages.success(request, _("The document was thrown away, its file with it."))
            return redirect("document_upload", study=study)
        gone = draw_undo(actor=request.user, document=document)
    except RuleError as error:
        form = CriteriaForm(initial=vars(criteria_of(document.criteria)))
        return _funnel_page(
            request, document, form, problems=problems_in_words(error.problems), status=422
        )
    messages.success(
        request,
        ngettext(
            "The draw was taken back: %(number)s item is gone.",
            "The draw was taken back: %(number)s items are gone.",
            gone,
        )
        % {"number": gone},
    )
    return redirect("document", study=study, document=document.pk)


def _funnel_page(
    request: PersonRequest,
    document: SourceDocument,
    form: CriteriaForm,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    block_funnel = document_funnel(document)
    context = {
        "study": document.study,
        "document": document,
        "facts": facts(document),
        "note": text(Wording(document.note_fr, document.note_en)),
        "funnel": block_funnel,
        "stages": stages(block_funnel),
        "charts": [
            chart
            for chart in (funnel_chart(block_funnel), readability_chart(block_funnel))
            if chart
        ],
        "foreign": mostly_foreign(block_funnel),
        "form": form,
        "drawable": len(drawable(document, block_funnel.kept)) if document.drawn_at is None else 0,
        "paper": PRACTICE + MAIN,
        "in_preparation": document.study.state == Study.State.DRAFT,
        **more,
    }
    return render(request, "documents/funnel.html", context, status=status)
