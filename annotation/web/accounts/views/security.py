"""One's own way in: the second step of the log-in, and the log-ins that are open."""

from __future__ import annotations

from typing import Any

import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.errors import RuleError
from annotation.services.accounts.institution import institution_unlink
from annotation.services.accounts.open_sessions import open_sessions, sessions_end
from annotation.services.accounts.second_factor import (
    recovery_codes_renew,
    second_factor_begin,
    second_factor_begun,
    second_factor_confirm,
    second_factor_due,
    second_factor_of,
    second_factor_remove,
    second_factor_required,
)
from annotation.web.accounts.forms.confirming import CodeForm, PasswordAgain
from annotation.web.accounts.institution import institution_linked, institution_name
from annotation.web.accounts.views.institution import may_link, may_link_now
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.sessions import session_row_key

_BEGUN = "second_step_begun"
"""The new secret's number, in the session that gave the password: it may see it again until a first
code was right."""
_WITH_PASSWORD = ("begin", "renew", "remove", "link")


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def security(request: PersonRequest) -> HttpResponse:
    """Turn the second step on and off, make recovery codes (shown once), see and end open
    log-ins."""
    action = request.POST.get("action", "")
    passwords = {
        name: PasswordAgain(request, request.POST if action == name else None, prefix=name)
        for name in _WITH_PASSWORD
    }
    code = CodeForm(request.POST if action == "confirm" else None)
    context: dict[str, Any] = {"problems": []}
    if request.method == "POST":
        try:
            done = _acted(request, action, passwords, code)
        except RuleError as error:
            context["problems"] = [
                problem | {"field": ""} for problem in problems_in_words(error.problems)
            ]
        else:
            if isinstance(done, HttpResponse):
                return done
            context |= done
    refused = bool(
        context["problems"] or code.errors or any(form.errors for form in passwords.values())
    )
    context |= {
        "passwords": passwords,
        "code": code,
        "second_step": second_factor_of(request.user),
        "required": second_factor_required(request.user),
        "institution": institution_name(),
        "linked": institution_linked(request.user),
        "may_link": may_link(request),
        "due": second_factor_due(request.user),
        "sessions": open_sessions(request.user, this=session_row_key(request)),
    }
    device = second_factor_begun(request.user)
    if device is not None and request.session.get(_BEGUN) == device.pk:
        context |= {"secret": _in_fours(device), "qr": _qr(device)}
    return render(request, "accounts/security.html", context, status=422 if refused else 200)


def _acted(
    request: PersonRequest, action: str, passwords: dict[str, PasswordAgain], code: CodeForm
) -> HttpResponse | dict[str, Any]:
    """The answer, or what the page has to show: recovery codes, or nothing but a form that was
    refused."""
    if action in ("end", "end_others"):
        return _ended(request, request.POST.get("session", "") if action == "end" else None)
    if action == "confirm":
        return _confirmed(request, code)
    if action == "unlink":
        return _unlinked(request)
    if action not in _WITH_PASSWORD:
        raise Http404("no such action")
    if not passwords[action].is_valid():
        return {}
    if action == "renew":
        return {"recovery_codes": recovery_codes_renew(actor=request.user)}
    if action == "remove":
        second_factor_remove(actor=request.user, user=request.user)
        messages.success(request, _("The second step is turned off."))
        return redirect("security")
    if action == "link":
        may_link_now(request)
        return redirect("security")
    request.session[_BEGUN] = second_factor_begin(actor=request.user).pk
    return redirect("security")


def _unlinked(request: PersonRequest) -> HttpResponse:
    if institution_unlink(actor=request.user, user=request.user):
        messages.success(
            request, _("Your institution's account lets you in no more: your password does.")
        )
    return redirect("security")


def _confirmed(request: PersonRequest, code: CodeForm) -> dict[str, Any]:
    if not code.is_valid():
        return {}
    try:
        recovery = second_factor_confirm(actor=request.user, code=code.cleaned_data["code"])
    except RuleError as error:
        if second_factor_of(request.user) is not None:
            raise
        for problem in problems_in_words(error.problems):
            code.add_error("code", problem["message"])
        return {}
    request.session.pop(_BEGUN, None)
    # Whoever came in by the password alone does so no more.
    sessions_end(actor=request.user, user=request.user, this=session_row_key(request))
    return {"recovery_codes": recovery}


def _ended(request: PersonRequest, ref: str | None) -> HttpResponse:
    ended = sessions_end(
        actor=request.user, user=request.user, this=session_row_key(request), ref=ref
    )
    messages.success(
        request,
        ngettext("%(count)s log-in ended.", "%(count)s log-ins ended.", ended) % {"count": ended},
    )
    return redirect("security")


def _in_fours(device: TOTPDevice) -> str:
    """The secret as one types it, where there is no camera."""
    secret = device.config_url.partition("secret=")[2].partition("&")[0]
    return " ".join(secret[start : start + 4] for start in range(0, len(secret), 4))


def _qr(device: TOTPDevice) -> SafeString:
    """The secret as an SVG element for the page itself: nothing is fetched, and no style is written
    into it."""
    code = segno.make(device.config_url, error="m")
    # Safe: the drawing holds numbers and these names, no text.
    return mark_safe(  # noqa: S308
        code.svg_inline(scale=5, border=3, dark="#000", light="#fff", svgclass="qr", lineclass=None)
    )
