"""Logging in with an account of one's institution."""

from __future__ import annotations

import time

from axes.handlers.proxy import AxesProxyHandler
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.signals import user_login_failed
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.errors import RuleError
from annotation.models import User
from annotation.services.accounts.institution import (
    Vouched,
    institution_account,
    institution_link,
    institution_user,
)
from annotation.services.accounts.second_factor import second_factor_check, second_factor_of
from annotation.web.accounts.forms.confirming import SecondStepForm
from annotation.web.accounts.institution import (
    InstitutionRefused,
    institution_ask,
    institution_heard,
    institution_name,
)
from annotation.web.accounts.issuer import InstitutionAway
from annotation.web.accounts.known_browsers import browser_remember
from annotation.web.accounts.views.account import safe_next
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.sessions import session_begin, session_row_key
from annotation.web.platform.views.errors import locked_out

_MAY_LINK = "institution_link"
_NEXT, _WAITS, _BEGUN_BY = "institution_next", "institution_waits", "institution_begun_by"
_WAIT_SECONDS = 600
_BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@require_http_methods(["GET"])
def institution(request: HttpRequest) -> HttpResponse:
    """Send the browser to the institution. A link and no form: the page's policy lets a form go
    nowhere else."""
    _check_asked_for()
    if request.user.is_authenticated and not may_link(request):
        return redirect(safe_next(request, reverse("home")))
    request.session[_NEXT] = safe_next(request, "")
    request.session[_BEGUN_BY] = request.user.pk
    try:
        return institution_ask(request, _back_address(request))
    except InstitutionAway:
        return _nobody_came(request, _away_words())


@never_cache
@require_http_methods(["GET"])
def institution_back(request: HttpRequest) -> HttpResponse:
    """Whoever comes back from it is logged in, asked for the code of their second step, or linked
    to the account that they are logged in with."""
    _check_asked_for()
    try:
        vouched = institution_heard(request)
        if request.user.is_authenticated:
            return _linked(request, request.user, vouched)
        user = institution_user(vouched)
    except InstitutionAway:
        return _nobody_came(request, _away_words())
    except InstitutionRefused:
        return _nobody_came(request, _("That log-in was broken off or is too old: begin again."))
    except RuleError as error:
        return _nobody_came(request, problems_in_words(error.problems)[0]["message"])
    if second_factor_of(user) is None:
        return _enter(request, user)
    request.session[_WAITS] = {
        "user": user.pk,
        "until": time.time() + _WAIT_SECONDS,
        "account": institution_account(user).pk,  # type: ignore[union-attr]  # it let them in
        "password": user.get_session_auth_hash(),
    }
    return redirect("institution_code")


@never_cache
@require_http_methods(["GET", "POST"])
def institution_code(request: HttpRequest) -> HttpResponse:
    """The second step of whoever the institution has vouched for: a code."""
    _check_asked_for()
    user = _waiting(request)
    if user is None:
        return _nobody_came(request, _("That log-in was broken off or is too old: begin again."))
    credentials = {"username": user.email}
    if not AxesProxyHandler.is_allowed(request, credentials):
        return locked_out(request, None, credentials)
    form = SecondStepForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            second_factor_check(user=user, code=form.cleaned_data["code"])
        except RuleError as error:
            (problem,) = problems_in_words(error.problems)
            if problem["code"] == "wrong":
                user_login_failed.send(__name__, credentials=credentials, request=request)
            form.add_error("code", forms.ValidationError(problem["message"]))
        else:
            return _enter(request, user, gave_code=True)
    status = 422 if form.errors else 200
    return render(request, "accounts/institution_code.html", {"form": form}, status=status)


def _back_address(request: HttpRequest) -> str:
    """The one that is registered there, whatever this request calls the server."""
    path = reverse("institution_back")
    return (
        f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)
    )


def _check_asked_for() -> None:
    """Raises ``Http404`` where nobody logs in by an institution."""
    if not settings.INSTITUTION:
        raise Http404("no institution")


def may_link(request: HttpRequest) -> bool:
    """Whether who is logged in has given the password a moment ago."""
    until: float = request.session.get(_MAY_LINK, 0)
    return until > time.time()


def may_link_now(request: HttpRequest) -> None:
    """Whoever is logged in has just given the password."""
    request.session[_MAY_LINK] = time.time() + _WAIT_SECONDS


def _linked(request: HttpRequest, user: User, vouched: Vouched) -> HttpResponse:
    if not may_link(request) or request.session.get(_BEGUN_BY) != user.pk:
        return redirect("security")
    del request.session[_MAY_LINK]
    institution_link(actor=user, vouched=vouched, session=session_row_key(request))
    messages.success(
        request,
        _("From now on you can log in with %(institution)s.") % {"institution": institution_name()},
    )
    return redirect("security")


def _waiting(request: HttpRequest) -> User | None:
    """Who has still to give the code; None for nobody, or nobody any more."""
    waits = request.session.get(_WAITS)
    if not waits or waits["until"] < time.time():
        return None
    user = User.objects.filter(pk=waits["user"], is_active=True).first()
    # Neither after a new password, nor once the two were unlinked.
    if user is None or waits["password"] != user.get_session_auth_hash():
        return None
    linked = institution_account(user)
    return user if linked is not None and linked.pk == waits["account"] else None


def _enter(request: HttpRequest, user: User, *, gave_code: bool = False) -> HttpResponse:
    request.session.pop(_WAITS, None)
    to = request.session.pop(_NEXT, "") or reverse("home")
    login(request, user, backend=_BACKEND)
    session_begin(request)
    request.session.save()
    is_turned_on = not gave_code and second_factor_of(user) is not None
    if is_turned_on or institution_account(user) is None:
        # Turned on, or unlinked, between the look and the log-in: who did so has ended what they
        # saw of log-ins, and this one is seen from here on.
        logout(request)
        return _nobody_came(request, _("That log-in was broken off or is too old: begin again."))
    response = redirect(to)
    browser_remember(response, user)
    return response


def _nobody_came(request: HttpRequest, words: str) -> HttpResponse:
    """Back to where it was begun, and nothing is changed."""
    messages.error(request, words)
    return redirect("security" if request.user.is_authenticated else "login")


def _away_words() -> str:
    return _(
        "%(institution)s does not answer. Log in with the password of your account here, or try "
        "again later."
    ) % {"institution": institution_name()}
