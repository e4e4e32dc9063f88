"""One's own data: take it along, ask to be forgotten. And the requests that somebody has to
decide."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import (
    erasure_to_decide,
    erasures_to_decide,
    may_create_studies,
    require_admin,
)
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import ErasureRequest
from annotation.services.accounts.accounts import user_rename
from annotation.services.privacy.archive import personal_archive
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import (
    erasure_cancel,
    erasure_place_decide,
    erasure_refuse,
    erasure_request,
)
from annotation.services.privacy.invited import address_erase
from annotation.web.accounts.forms.confirming import PasswordAgain
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.privacy.forms import AddressForm, DecisionForm, ErasureForm, NameForm
from annotation.web.privacy.presenters import address_shown, mentions_shown, statement_shown

ARCHIVE_NAME = "bareme-donnees.zip"


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def own_data(request: PersonRequest) -> HttpResponse:
    """Download everything held about oneself; correct one's name; ask for erasure, or take that
    back."""
    action = request.POST.get("action", "")
    download = PasswordAgain(
        request, request.POST if action == "download" else None, prefix="download"
    )
    erasure = ErasureForm(request, request.POST if action == "erase" else None, prefix="erase")
    naming = NameForm(
        request.POST if action == "rename" else None, initial={"name": request.user.name}
    )
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            if (done := _own_action(request, action, download, erasure, naming)) is not None:
                return done
        except RuleError as error:
            problems = [problem | {"field": ""} for problem in problems_in_words(error.problems)]
    own = ErasureRequest.objects.filter(user=request.user)
    context = {
        "download": download,
        "erasure": erasure,
        "naming": naming,
        "problems": problems,
        "waiting": own.filter(state=ErasureRequest.State.OPEN).first(),
        "refused": own.filter(state=ErasureRequest.State.REFUSED),
    }
    return render(
        request, "privacy/own_data.html", context, status=422 if request.method == "POST" else 200
    )


def _own_action(
    request: PersonRequest,
    action: str,
    download: PasswordAgain,
    erasure: ErasureForm,
    naming: NameForm,
) -> HttpResponse | None:
    """The answer to what the form asks; None where the form has to be shown again."""
    if action == "download" and download.is_valid():
        content = personal_archive(actor=request.user, user=request.user)
        headers = {"Content-Disposition": f'attachment; filename="{ARCHIVE_NAME}"'}
        return HttpResponse(content, content_type="application/zip", headers=headers)
    if action == "rename" and naming.is_valid():
        user_rename(user=request.user, name=naming.cleaned_data["name"])
        messages.success(request, _("Your name is corrected."))
        return redirect("own_data")
    if action == "erase" and erasure.is_valid():
        erasure_request(actor=request.user, user=request.user, wish=erasure.cleaned_data["wish"])
        messages.success(
            request,
            _("Your request is on its way: it will be decided by whoever answers for the data."),
        )
        return redirect("own_data")
    if action == "cancel":
        own = ErasureRequest.objects.filter(user=request.user)
        erasure_cancel(
            actor=request.user,
            request=get_object_or_404(own, pk=whole(request.POST.get("request"))),
        )
        messages.success(request, _("Your request is taken back."))
        return redirect("own_data")
    return None


@never_cache
@login_required
@require_safe
def erasures(request: PersonRequest) -> HttpResponse:
    """Requests that are the reader's to decide, those that wait first."""
    if not may_create_studies(request.user):
        raise Http404("no such page")
    erasure_requests = erasures_to_decide(request.user)
    waiting = erasure_requests.filter(state=ErasureRequest.State.OPEN).order_by("requested_at")
    decided = erasure_requests.filter(
        state__in=[ErasureRequest.State.GRANTED, ErasureRequest.State.REFUSED]
    )[:100]
    return render(request, "privacy/erasures.html", {"waiting": waiting, "decided": decided})


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def erasure(request: PersonRequest, asked: int) -> HttpResponse:
    """One request: decide it, or read what was done."""
    erasure_record = erasure_to_decide(request.user, asked)
    # Not `request.POST or None`: a body without fields is a form as well, one that nobody filled
    # in.
    form = DecisionForm(
        request.POST if request.method == "POST" else None,
        initial={"judgments": erasure_record.wish},
    )
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        form.is_valid()
        try:
            return _decided(request, erasure_record, form.cleaned_data)
        except RuleError as error:
            problems = problems_in_words(error.problems)
    context = {"request_": erasure_record, "form": form, "problems": problems}
    if erasure_record.state == ErasureRequest.State.OPEN:
        context |= mentions_shown(request.user, erasure_record, _mentions_shown(request))
    else:
        context |= statement_shown(erasure_record.statement)
    return render(request, "privacy/erasure.html", context, status=422 if problems else 200)


def _mentions_shown(request: PersonRequest) -> frozenset[str] | None:
    """The mentions that were on the page from which this comes; None where it comes from none."""
    return frozenset(request.POST["seen"].split()) if "seen" in request.POST else None


def _decided(
    request: PersonRequest, erasure_record: ErasureRequest, wanted: dict[str, Any]
) -> HttpResponse:
    judgments, reason = wanted.get("judgments", ""), wanted.get("reason", "")
    if request.POST.get("action") in ("place-out", "place-stays"):
        return _place_decided(request, erasure_record)
    if request.POST.get("action") == "refuse":
        erasure_refuse(actor=request.user, request=erasure_record, reason=reason)
        messages.success(request, _("The request is refused; the person reads why on their page."))
        return redirect("erasures")
    seen = _mentions_shown(request) or frozenset()
    granted = erasure_grant(
        actor=request.user, request=erasure_record, judgments=judgments, reason=reason, seen=seen
    )
    messages.success(
        request, _("The account is erased. The statement says what went and what stayed.")
    )
    if granted.unlisted:
        messages.warning(
            request,
            _(
                "But the server could not write the list of erasures (erasures.jsonl): an earlier "
                "backup, restored elsewhere, would bring the person back. Tell whoever runs the "
                "server: its log has the line that the list lacks (request %(request)s)."
            )
            % {"request": granted.pk},
        )
    # Whoever decided as a lead has no way to the request any more: the parts that gave it are cut
    # off.
    still = erasures_to_decide(request.user).filter(pk=erasure_record.pk).exists()
    return (
        redirect("erasure", asked=erasure_record.pk)
        if still
        else _statement(request, erasure_record.pk)
    )


def _place_decided(request: PersonRequest, erasure_record: ErasureRequest) -> HttpResponse:
    erasure_place_decide(
        actor=request.user,
        request=erasure_record,
        key=request.POST.get("place", ""),
        shown=request.POST.get("shown", "-"),
        take=request.POST["action"] == "place-out",
        reason=request.POST.get("why", "")[:500],
    )
    return redirect(
        f"{reverse('erasure', args=[erasure_record.pk])}#place-{request.POST.get('shown', '')}"
    )


def _statement(request: PersonRequest, number: int) -> HttpResponse:
    done = ErasureRequest.objects.get(pk=number)
    return render(
        request, "privacy/erasure.html", {"request_": done} | statement_shown(done.statement)
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def address_erasure(request: PersonRequest) -> HttpResponse:
    """The address of somebody who was invited and never came: look where it stands, erase it."""
    actor = require_admin(request.user)
    form = AddressForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"form": form, "problems": []}
    if form.is_bound and form.is_valid():
        email = form.cleaned_data["email"]
        try:
            if request.POST.get("action") == "erase":
                reason = form.cleaned_data["reason"]
                context["done"] = address_erase(actor=actor, email=email, reason=reason)
            context |= address_shown(actor, email)
        except RuleError as error:
            context["problems"] = problems_in_words(error.problems)
    is_refused = context["problems"] or (form.is_bound and not form.is_valid())
    return render(
        request, "privacy/address_erasure.html", context, status=422 if is_refused else 200
    )
