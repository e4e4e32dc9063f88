"""Pages on which protocols are looked at and composed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import protocol_draft_for, protocol_drafts_of
from annotation.errors import RuleError, StaleProtocolDraft
from annotation.models import ProtocolDraft
from annotation.protocols.base import Wording
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import is_of_file, latest_versions, published
from annotation.selectors.composing.drafts import examined
from annotation.selectors.composing.installed import composed_by, followed, with_installed
from annotation.services.composing.drafts import (
    Composed,
    protocol_draft_begin,
    protocol_draft_delete,
    protocol_draft_save,
)
from annotation.web.base.presenters import text
from annotation.web.composing.forms import BeginForm, DraftForm
from annotation.web.composing.hints import Unstructured
from annotation.web.composing.parts import Removed
from annotation.web.composing.presenters import outline, titles
from annotation.web.composing.rows import skeleton
from annotation.web.composing.structure import Said, Structure, structured
from annotation.web.composing.taking import Restructured, restructured
from annotation.web.platform.problems import add_problems
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def protocols(request: PersonRequest) -> HttpResponse:
    """What is installed, and one's own drafts. POST begins a draft."""
    own = protocol_drafts_of(request.user)
    form = BeginForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_bound and form.is_valid():
        try:
            draft = protocol_draft_begin(actor=request.user, composed=form.composed)
        except RuleError as error:
            add_problems(form, error)
        else:
            return redirect("protocol_draft", draft=draft.public_id)
    there, chosen = published(), latest_versions().values()
    composed, kept_by, called = composed_by(request.user), followed(), titles(there)
    theirs = {name for name, kept in composed.items() if kept.is_own}
    context = {
        "form": form,
        "drafts": with_installed(own).only("public_id", "name", "title", "changed_at"),
        "installed": [
            {
                "title": text(protocol.title),
                "called": called[protocol.name],
                "name": protocol.name,
                "tried": f"{protocol.key}-{protocol.version}",
                "summary": text(protocol.about.summary),
                "asks": [text(step.question) for step in protocol.steps],
                "is_file": is_of_file(protocol.key, protocol.version),
                "composed": composed.get(protocol.name),
                "is_chosen": protocol in chosen,
                "key": protocol.key,
                "is_followed": (protocol.key, protocol.version) in kept_by,
            }
            # One's own first: else what was just installed stood below a hundred others.
            for protocol in sorted(there, key=lambda each: each.name not in theirs)
        ],
    }
    return render(request, "composing/protocols.html", context, status=422 if form.errors else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def protocol_draft(request: PersonRequest, draft: uuid.UUID) -> HttpResponse:
    """A draft as a form, or with ``as=file`` as text: what is wrong with it, what it asks. POST
    keeps it, tries it or deletes it."""
    own = protocol_draft_for(request.user, draft)
    if request.method == "GET":
        return _draft_page(request, own, _initial(own))
    if request.POST.get("action") == "delete":
        protocol_draft_delete(draft=own)
        messages.success(request, _("The draft is deleted."))
        return redirect("protocols")
    try:
        typed, after = _typed(request)
    except Unstructured:
        return render(request, "400.html", status=400)
    form = DraftForm(typed)
    if not form.is_valid():
        return _draft_page(request, own, typed, form, status=422)
    try:
        own = protocol_draft_save(
            draft=own, composed=form.composed, builds_on=form.cleaned_data["builds_on"]
        )
    except ProtocolDraft.DoesNotExist as error:
        raise Http404("no such draft") from error
    except RuleError as error:
        add_problems(form, error)
        return _draft_page(request, own, typed, form, status=422)
    except StaleProtocolDraft as error:
        return _stale_page(request, form, error.current)
    if after.removed is not None:
        # In this very answer: what was taken out is kept nowhere, and can be put back from here.
        return _draft_page(request, own, _initial(own), removed=after.removed)
    return _kept(request, own, after.shown)


def _typed(request: PersonRequest) -> tuple[dict[str, Any], Restructured]:
    """What was typed, as ``DraftForm`` takes it, and what became of it. Raises ``Unstructured`` for
    a form of something that has none."""
    typed = {name: request.POST.get(name, "") for name in (*Composed._fields, "builds_on")}
    if "text" in request.POST:
        return typed, Restructured(typed["text"])
    if "base" not in request.POST:
        raise Unstructured("nothing sent")
    after = restructured(request.POST["base"], request.POST)
    return typed | {"text": after.text}, after


def _kept(request: PersonRequest, own: ProtocolDraft, shown: str) -> HttpResponse:
    action = request.POST.get("action", "")
    if action == "try" and examined(own.text, request.user).is_sound:
        return redirect("protocol_trial", tried=own.public_id)
    url = reverse("protocol_draft", args=[own.public_id])
    if shown:
        return redirect(f"{url}?{urlencode({'open': shown})}#id_{shown}")
    messages.success(request, _("Saved."))
    # With an address of its own: a browser would keep that of the row that was added last.
    return redirect(f"{url}?as=file#state" if "text" in request.POST else f"{url}#state")


def _stale_page(request: PersonRequest, form: DraftForm, current: ProtocolDraft) -> HttpResponse:
    """What was typed stands in the form, what another window has saved beside it; the next save
    takes its place."""
    messages.error(
        request,
        _(
            "Another window has saved a newer version. Nothing was overwritten: it stands below "
            "what you have typed. Saving now puts yours in its place."
        ),
    )
    typed = form.composed._asdict() | {"builds_on": current.revision}
    return _draft_page(request, current, typed, status=409, other=current)


def _initial(draft: ProtocolDraft) -> dict[str, Any]:
    return {
        "text": draft.text,
        "original": draft.original,
        "simplification": draft.simplification,
        "builds_on": draft.revision,
    }


def _draft_page(
    request: PersonRequest,
    draft: ProtocolDraft,
    typed: dict[str, Any],
    form: DraftForm | None = None,
    *,
    status: int = 200,
    other: ProtocolDraft | None = None,
    removed: Removed | None = None,
) -> HttpResponse:
    """``typed``: what stands in its fields; ``form`` has what was wrong with that; ``other``: what
    another window has saved meanwhile; ``removed``: what a button has just taken out."""
    seen = examined(typed["text"], request.user)
    is_changed = typed["text"] != draft.text
    is_file = request.GET.get("as") == "file" or "text" in request.POST
    is_new = draft.revision == 1 and typed["text"] == skeleton()
    form_of = None
    if not is_file:
        reasons = () if is_new else seen.faults
        shown = removed.way.rpartition(".")[0] if removed else request.GET.get("open", "")
        form_of = _structure(typed["text"], reasons, shown, removed)
    context = {
        "draft": draft,
        "heading": _heading(draft, seen.protocol),
        "form": form or DraftForm(initial=typed),
        "base": typed["text"],
        "is_new": is_new,
        "parts": form_of and form_of.parts,
        "is_half_said": bool(form_of and form_of.is_half_said),
        "shown": removed.way.rpartition(".")[0] if removed else "",
        "is_file": is_file,
        "other": other,
        "is_empty": not typed["text"].strip(),
        "faults": form_of.faults if form_of else [Said(text(fault)) for fault in seen.faults],
        "refused": text(seen.refused) if seen.refused else "",
        "is_installed": seen.is_installed,
        "may_be_installed": seen.may_be_installed and not is_changed,
        "outline": outline(seen.protocol) if seen.protocol and seen.is_sound else None,
        "file_name": _file_name(draft),
    }
    return render(request, "composing/draft.html", context, status=status)


def _heading(draft: ProtocolDraft, protocol: Protocol | None) -> str:
    return (text(protocol.title) if protocol else draft.title) or _("Draft of a protocol")


def _structure(
    file: str, faults: Sequence[Wording], shown: str, removed: Removed | None
) -> Structure | None:
    """The form; None for a file that has none."""
    try:
        return structured(file, faults, shown, removed)
    except Unstructured:
        return None


@never_cache
@login_required
@require_safe
def protocol_file(request: PersonRequest, draft: uuid.UUID) -> HttpResponse:
    """The file, as it was last saved."""
    own = protocol_draft_for(request.user, draft)
    headers = {"Content-Disposition": f'attachment; filename="{_file_name(own)}"'}
    return HttpResponse(own.text, content_type="application/json", headers=headers)


def _file_name(draft: ProtocolDraft) -> str:
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in draft.name).strip("-")
    return f"{name or 'protocol'}.json"
