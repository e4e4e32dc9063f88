"""The blocks of a source document, and what a lead decides on them: one, or many for one reason."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import document_for_lead
from annotation.corpus.choosing import Reach
from annotation.corpus.funnel import Funnel, Verdict
from annotation.errors import RuleError
from annotation.models.document import SourceDocument
from annotation.selectors.documents.documents import document_funnel, document_people
from annotation.services.documents.decisions import (
    Decided,
    block_override,
    block_override_undo,
    blocks_decide,
    blocks_leave,
    blocks_take_back,
)
from annotation.web.documents.presenters import (
    CRITERIA,
    SHOWN,
    VIEWS,
    Company,
    block_row,
    selected,
    stages,
)
from annotation.web.documents.waiting import waits_for_blocks
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 25


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@waits_for_blocks
def blocks(request: PersonRequest, study: str, document: uuid.UUID) -> HttpResponse:
    """The kept or dropped blocks by page; each can be rescued or excluded with a reason, and many
    at once."""
    source_document = document_for_lead(request.user, study, document)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        before = [verdict.key for verdict in _shown(request, document_funnel(source_document))]
        try:
            _decide(request, source_document, before)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            source_document.refresh_from_db(fields=["overrides"])
            return _back(request, before, source_document)
    return _blocks_page(request, source_document, problems)


def _blocks_page(
    request: PersonRequest, document: SourceDocument, problems: list[dict[str, str]]
) -> HttpResponse:
    whole = document_funnel(document)
    page = Paginator(_shown(request, whole), PAGE_SIZE).get_page(request.GET.get("page"))
    people, company = document_people(document), Company.of(document, whole)
    rows = [block_row(document, verdict, people, company) for verdict in page]
    context = {
        "study": document.study,
        "document": document,
        "views": [(name, label, len(selected(whole, name))) for name, label in VIEWS.items()],
        "stages": [stage for stage in stages(whole) if stage.dropped],
        "show": _view(request),
        "q": _words(request),
        "page": page,
        "rows": rows,
        "problems": problems,
        "posted": request.POST,
        "chosen": frozenset(request.POST.getlist("keys")),
        "settled": document.drawn_at is not None,
    }
    return render(request, "documents/blocks.html", context, status=422 if problems else 200)


def _view(request: PersonRequest) -> str:
    show = request.GET.get("show", "kept")
    return show if show in (*SHOWN, *CRITERIA) else "kept"


def _words(request: PersonRequest) -> str:
    return " ".join(request.GET.get("q", "").split())


def _shown(request: PersonRequest, whole: Funnel) -> list[Verdict]:
    words = _words(request).casefold()
    return [
        verdict
        for verdict in selected(whole, _view(request))
        if words in verdict.block.text.casefold()
    ]


def _back(request: PersonRequest, before: list[str], document: SourceDocument) -> HttpResponse:
    """The page where one was: at the block decided on, or the one that took its place."""
    left = [verdict.key for verdict in _shown(request, document_funnel(document))]
    places = {key: place for place, key in enumerate(left)}
    first = next(filter(frozenset(_named(request)).__contains__, before), None)
    start = before.index(first) if first is not None else 0
    # Where nothing is left after it, what stands before it.
    near = next((key for key in [*before[start:], *before[:start][::-1]] if key in places), None)
    query = request.GET.copy()
    if near is None:
        query.pop("page", None)
    else:
        query["page"] = str(places[near] // PAGE_SIZE + 1)
    return HttpResponseRedirect(
        request.path
        + (f"?{query.urlencode()}" if query else "")
        + (f"#block-{near}" if near is not None else "")
    )


def _named(request: PersonRequest) -> list[str]:
    return [key for key in (request.POST.get("key", ""), *request.POST.getlist("keys")) if key]


def _decide(request: PersonRequest, document: SourceDocument, shown: list[str]) -> None:
    action = request.POST.get("action", "")
    if action in _SINGLE:
        _SINGLE[action](request, document)
    elif action in _MANY:
        _said(request, _MANY[action](request, document, shown))
    else:
        raise RuleError.single(
            "block", "invalid", "Choisissez ce qu'il faut faire.", "Choose what to do."
        )


def _undo(request: PersonRequest, document: SourceDocument) -> None:
    block_override_undo(actor=request.user, document=document, key=request.POST.get("key", ""))
    messages.success(request, _("The block is left to the criteria again."))


def _override(request: PersonRequest, document: SourceDocument) -> None:
    keep = request.POST["action"] == "rescue"
    block_override(
        actor=request.user,
        document=document,
        key=request.POST.get("key", ""),
        keep=keep,
        reason=request.POST.get("reason", ""),
    )
    messages.success(request, _("The block was rescued.") if keep else _("The block was excluded."))


_SINGLE: dict[str, Callable[[PersonRequest, SourceDocument], None]] = {
    "undo": _undo,
    "rescue": _override,
    "exclude": _override,
}


def _decided(
    request: PersonRequest,
    document: SourceDocument,
    keys: list[str],
    *,
    reach: Reach = Reach.CHOSEN,
    depth: str = "",
) -> Decided:
    return blocks_decide(
        actor=request.user,
        document=document,
        keys=keys,
        keep=request.POST["action"].startswith("rescue"),
        reason=request.POST.get("reason", ""),
        reach=reach,
        depth=int(depth) if depth.isascii() and depth.isdecimal() and len(depth) < 4 else 0,
    )


def _chosen(request: PersonRequest, document: SourceDocument, shown: list[str]) -> Decided:
    return _decided(request, document, request.POST.getlist("keys"))


def _all_shown(request: PersonRequest, document: SourceDocument, shown: list[str]) -> Decided:
    return _decided(request, document, shown)


def _identical(request: PersonRequest, document: SourceDocument, shown: list[str]) -> Decided:
    return _decided(request, document, _named(request)[:1], reach=Reach.IDENTICAL)


def _under_heading(request: PersonRequest, document: SourceDocument, shown: list[str]) -> Decided:
    depth = request.POST.get("depth", "")
    return _decided(request, document, _named(request)[:1], reach=Reach.HEADING, depth=depth)


def _undo_chosen(request: PersonRequest, document: SourceDocument, shown: list[str]) -> Decided:
    return blocks_leave(actor=request.user, document=document, keys=request.POST.getlist("keys"))


def _undo_together(request: PersonRequest, document: SourceDocument, shown: list[str]) -> Decided:
    return blocks_take_back(
        actor=request.user, document=document, together=request.POST.get("together", "")
    )


_MANY: dict[str, Callable[[PersonRequest, SourceDocument, list[str]], Decided]] = {
    "exclude_chosen": _chosen,
    "rescue_chosen": _chosen,
    "exclude_shown": _all_shown,
    "rescue_shown": _all_shown,
    "exclude_identical": _identical,
    "exclude_heading": _under_heading,
    "rescue_heading": _under_heading,
    "undo_chosen": _undo_chosen,
    "undo_together": _undo_together,
}


def _said(request: PersonRequest, decided: Decided) -> None:
    action = request.POST["action"]
    count = decided.decided
    if action.startswith("exclude"):
        words = ngettext("%(n)s block was excluded.", "%(n)s blocks were excluded.", count)
    elif action.startswith("rescue"):
        words = ngettext("%(n)s block was rescued.", "%(n)s blocks were rescued.", count)
    else:
        words = ngettext(
            "%(n)s block is left to the criteria again.",
            "%(n)s blocks are left to the criteria again.",
            count,
        )
    parts = [words % {"n": count}]
    if decided.skipped:
        parts.append(
            ngettext(
                "%(n)s other was like that already, or decided by hand.",
                "%(n)s others were like that already, or decided by hand.",
                decided.skipped,
            )
            % {"n": decided.skipped}
        )
    messages.success(request, " ".join(parts))
