"""Log in and out, passwords, preferences, how long the session still lasts."""

from __future__ import annotations

from typing import Any

from axes.decorators import axes_dispatch
from axes.utils import reset as lockout_reset
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.services.accounts.accounts import table_choose, user_update_preferences
from annotation.services.accounts.password_links import PasswordLinks
from annotation.services.accounts.second_factor import second_factor_forgive, second_factor_of
from annotation.services.accounts.tokens import tokens_revoke
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import mail_configured, security_letter_later
from annotation.web.accounts.forms.account import (
    PASSWORD_HELP,
    KeysForm,
    LoginForm,
    PasswordChangeForm,
    PasswordResetForm,
    PreferencesForm,
    SetPasswordForm,
)
from annotation.web.accounts.institution import institution_linked, institution_name
from annotation.web.accounts.key_sheet import keys_context
from annotation.web.accounts.known_browsers import browser_remember
from annotation.web.platform.behind_login import post_behind_login
from annotation.web.platform.columns import TABLES
from annotation.web.platform.middleware import language_remember
from annotation.web.platform.problems import login_required_response, problem_response
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.sessions import session_begin, session_renew, session_seconds
from annotation.web.platform.user_ref import copy_key, user_ref
from annotation.web.platform.views.errors import wants_json


def safe_next(request: HttpRequest, otherwise: str) -> str:
    """Where ``next`` leads if it stays on this site, else ``otherwise``."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    # What begins otherwise, «redirect» would take for the name of a page.
    if wanted.startswith("/") and url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return wanted
    return otherwise


@method_decorator(axes_dispatch, name="dispatch")
class LoginView(auth_views.LoginView):
    """As a page, or as JSON for the judging page, whose reader logs in again in place."""

    template_name = "accounts/login.html"
    authentication_form = LoginForm
    redirect_authenticated_user = False

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        # Django's «site» would hide what the frame of every page reads under this name.
        del context["site"]
        context["institution"] = institution_name()
        fields = context["form"].fields
        if not context["form"].asks_for_code():
            # Few have set it up; everybody else is not asked for something that they do not have.
            del fields["code"]
        else:
            fields["code"].required = True
            # A page gives no password back.
            context["form"].focused = "password"
        return context

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        user = form.get_user()
        has = second_factor_of(user) is not None
        if has and not form.code_was_right:
            # Turned on between the look and the log-in, so after other log-ins were ended.
            logout(self.request)
            form.add_error(
                "code", ValidationError(_("Enter the code as well."), code="second_step")
            )
            return self.form_invalid(form)
        session_begin(self.request)
        if wants_json(self.request):
            response = JsonResponse({"user": user_ref(user), "csrf_token": get_token(self.request)})
        browser_remember(response, user)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        if wants_json(self.request):
            return _refused(form, _("You are not logged in."))
        return super().form_invalid(form)


class LogoutView(auth_views.LogoutView):
    """Says to whom their institution lets in that it may still do so, whoever sits there next."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user = request.user
        is_linked = user.is_authenticated and institution_linked(user) is not None
        response = super().post(request, *args, **kwargs)
        if is_linked:
            words = _(
                "You are logged out here, and may still be logged in with %(institution)s: on a "
                "computer that others use too, log out there as well, or whoever comes next is let "
                "in as you."
            )
            messages.warning(request, words % {"institution": institution_name()})
        return response


def _refused(form: Any, title: str) -> JsonResponse:
    """What a form refused, as problem details."""
    problems = [
        {"field": field, "code": error.code or "", "message": " ".join(error.messages)}
        for field, errors in form.errors.as_data().items()
        for error in errors
    ]
    return problem_response(400, "refused", title, problems=problems)


class _NewPassword:
    """A form that asks for a new password, and says how to choose one."""

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)  # type: ignore[misc]  # of the view that this is mixed into
        form.fields["new_password1"].help_text = PASSWORD_HELP
        return form


class PasswordChangeView(_NewPassword, auth_views.PasswordChangeView):
    template_name = "accounts/password_change.html"
    form_class = PasswordChangeForm
    success_url = reverse_lazy("preferences")

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"request": self.request}

    @transaction.atomic
    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        event_record(actor=form.user, verb="password_changed", target=form.user)
        second_factor_forgive(form.user)
        security_letter_later(user=form.user, change="password_changed")
        messages.success(self.request, _("Your password is changed."))
        _tokens_end(self.request, form)
        # With the old password went every browser that knew the person.
        browser_remember(response, form.user)
        return response


def _tokens_end(request: HttpRequest, form: Any) -> None:
    """Revoke the person's API tokens, unless they asked to keep them."""
    if form.cleaned_data.get("keep_tokens"):
        return
    if number := tokens_revoke(actor=form.user, user=form.user):
        message = ngettext(
            "%(number)s API token is revoked.", "%(number)s API tokens are revoked.", number
        )
        messages.info(request, message % {"number": number})


class PasswordResetView(auth_views.PasswordResetView):
    """Answers the same whether or not there is such an account; where no mail is sent, says whom to
    ask."""

    template_name = "accounts/password_reset.html"
    form_class = PasswordResetForm
    success_url = reverse_lazy("password_reset_done")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not mail_configured():
            return render(request, self.template_name, {"form": None})
        return super().dispatch(request, *args, **kwargs)


class PasswordResetConfirmView(_NewPassword, auth_views.PasswordResetConfirmView):
    template_name = "accounts/password_reset_confirm.html"
    token_generator = PasswordLinks()
    form_class = SetPasswordForm
    success_url = reverse_lazy("login")

    @transaction.atomic
    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        event_record(actor=form.user, verb="password_reset", target=form.user)
        second_factor_forgive(form.user)
        security_letter_later(user=form.user, change="password_reset")
        # Who forgot the password has often been locked out by trying.
        lockout_reset(username=form.user.email)
        messages.success(self.request, _("Your password is set: log in with it."))
        _tokens_end(self.request, form)
        return response


@never_cache
@require_http_methods(["GET", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """How pages look, breaks, language. Anybody may choose the language; a cookie remembers it for
    the log-in page."""
    user = request.user if request.user.is_authenticated else None
    if request.method == "GET":
        if user is None:
            return redirect(f"{reverse('login')}?next={request.path}")
        return render(
            request, "accounts/preferences.html", {"form": PreferencesForm(instance=user)}
        )
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        if wants_json(request):
            return _refused(form, _("There is no such choice."))
        messages.error(request, _("There is no such choice."))
        return redirect(safe_next(request, reverse("preferences")))
    chosen = form.chosen()
    if user is not None and chosen:
        user_update_preferences(user=user, **chosen)
    return _with_language(_preferences_stored(request, chosen), chosen)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def keys(request: PersonRequest) -> HttpResponse:
    """The sheet of the judging page's keys, fetched when it is first asked for; and keys of one's
    own."""
    if request.method == "GET":
        return render(request, "judging/_help.html", keys_context(request.GET.get("protocol", "")))
    form = KeysForm(request.POST)
    # An empty map is a choice too, though to the field it looks like nothing.
    if request.POST.get("keys") == "{}":
        chosen: dict[str, str] = {}
    elif form.is_valid():
        chosen = form.cleaned_data["keys"]
    else:
        return _refused(form, _("These keys cannot be set."))
    user_update_preferences(user=request.user, keys=chosen)
    return JsonResponse({"keys": chosen})


@post_behind_login(lambda request: safe_next(request, reverse("home")))
def table_columns(request: PersonRequest, columns: str) -> HttpResponse:
    """Keep which columns of that table are shown; back to the page with it."""
    if columns not in TABLES:
        raise Http404("no such table")
    chosen = set(request.POST.getlist("column"))
    kept = {column.key: column.key in chosen for column in TABLES[columns]}
    table_choose(user=request.user, table=columns, columns=kept)
    response = redirect(safe_next(request, reverse("home")))
    response.status_code = 303
    return response


def _preferences_stored(request: HttpRequest, chosen: dict[str, Any]) -> HttpResponse:
    if wants_json(request):
        return JsonResponse(chosen)
    if request.user.is_authenticated and "next" not in request.POST:
        # In the language that the next page will have.
        with override(request.user.language):
            messages.success(request, _("Saved."))
    response = redirect(safe_next(request, reverse("preferences")))
    response.status_code = 303
    return response


def _with_language(response: HttpResponse, chosen: dict[str, Any]) -> HttpResponse:
    if "language" in chosen:
        language_remember(response, str(chosen["language"]))
    return response


@never_cache
@require_http_methods(["GET", "POST"])
def session(request: HttpRequest) -> HttpResponse:
    """How long the session still lasts; a POST makes it last its full length again."""
    if not request.user.is_authenticated:
        return login_required_response(csrf_token=get_token(request))
    if request.method == "POST":
        session_renew(request)
    return JsonResponse(
        {
            "seconds_left": session_seconds(request),
            "csrf_token": get_token(request),
            "user": user_ref(request.user),
            "copy_key": copy_key(request.user),
        }
    )
