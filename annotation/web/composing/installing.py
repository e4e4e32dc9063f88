"""Pages on which somebody has studies choose the protocol that they composed, or takes it away."""

from __future__ import annotations

import uuid

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import composed_protocol_for, protocol_draft_for
from annotation.errors import RuleError, StaleProtocolDraft
from annotation.models import ProtocolDraft, PublishedProtocol
from annotation.protocols.registry import latest_versions
from annotation.selectors.composing.drafts import examined
from annotation.services.composing.installing import (
    draft_install,
    is_followed,
    protocol_remove,
)
from annotation.web.base.presenters import text
from annotation.web.composing.presenters import outline
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest


class SeenForm(forms.Form):
    """The revision that was looked through."""

    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**31 - 1)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def protocol_install_page(request: PersonRequest, draft: uuid.UUID) -> HttpResponse:
    """What becomes of a draft that is installed, and what it asks, once more. POST installs it."""
    own = protocol_draft_for(request.user, draft)
    if request.method == "GET":
        return _install_page(request, own)
    form = SeenForm(request.POST)
    if not form.is_valid():
        return render(request, "400.html", status=400)
    try:
        kept = draft_install(actor=request.user, draft=own, seen=form.cleaned_data["seen"])
    except ProtocolDraft.DoesNotExist as error:
        raise Http404("no such draft") from error
    except StaleProtocolDraft as error:
        messages.error(
            request,
            _(
                "Another window has saved this draft meanwhile. Nothing was installed: look it "
                "through as it stands now."
            ),
        )
        return _install_page(request, error.current, status=409)
    except RuleError as error:
        for problem in problems_in_words(error.problems):
            messages.error(request, problem["message"])
        return _install_page(request, own, status=422)
    latest = latest_versions().get(kept.key)
    said = (
        _("“%(name)s” is installed: new studies can choose it.")
        if latest is None or latest.name == str(kept)
        else _("“%(name)s” is installed. New studies get “%(latest)s”, which is higher.")
    )
    messages.success(request, said % {"name": kept, "latest": latest and latest.name})
    return redirect("protocols")


def _install_page(request: PersonRequest, draft: ProtocolDraft, status: int = 200) -> HttpResponse:
    seen = examined(draft.text, request.user)
    if status == 200 and not seen.may_be_installed:
        return redirect("protocol_draft", draft=draft.public_id)
    context = {
        "draft": draft,
        "may_be_installed": seen.may_be_installed,
        "title": text(seen.protocol.title) if seen.protocol else draft.title,
        "name": seen.protocol.name if seen.protocol else draft.name,
        "higher": seen.higher,
        "outline": outline(seen.protocol) if seen.protocol and seen.is_sound else None,
        "form": SeenForm(initial={"seen": draft.revision}),
    }
    return render(request, "composing/install.html", context, status=status)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def protocol_remove_page(request: PersonRequest, installed: str) -> HttpResponse:
    """POST takes a protocol that somebody has installed away from what new studies can choose."""
    composed = composed_protocol_for(request.user, installed)
    if composed.removed_at is not None:
        messages.info(request, _("“%(name)s” is removed already.") % {"name": composed})
        return redirect("protocols")
    if request.method == "GET":
        return _remove_page(request, composed)
    try:
        protocol_remove(actor=request.user, installed=composed)
    except RuleError as error:
        for problem in problems_in_words(error.problems):
            messages.error(request, problem["message"])
        return _remove_page(request, composed, status=422)
    messages.success(
        request, _("“%(name)s” is removed: new studies cannot choose it.") % {"name": composed}
    )
    return redirect("protocols")


def _remove_page(
    request: PersonRequest, installed: PublishedProtocol, status: int = 200
) -> HttpResponse:
    context = {"installed": installed, "is_followed": is_followed(installed)}
    return render(request, "composing/remove.html", context, status=status)
