"""The page behind an invitation's link."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login as auth_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.errors import RuleError
from annotation.models import Invitation, Study, User
from annotation.services.people.invitations import invitation_accept, invitation_find
from annotation.web.accounts.forms.account import InvitationForm
from annotation.web.accounts.institution import institution_name
from annotation.web.accounts.known_browsers import browser_remember
from annotation.web.accounts.views.institution import may_link_now
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.sessions import session_begin

BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Accept an invitation: with a new account, or as who is logged in."""
    try:
        open_invitation = invitation_find(token=token)
    except RuleError as error:
        return render(
            request,
            "people/invitation_closed.html",
            {"problems": problems_in_words(error.problems)},
            status=410,
        )
    user = request.user if request.user.is_authenticated else None
    form = InvitationForm(request.POST if request.method == "POST" and user is None else None)
    problems: list[dict[str, str]] = []
    if request.method == "POST" and (user is not None or form.is_valid()):
        try:
            return _accepted(request, token, open_invitation, user, form)
        except RuleError as error:
            problems = problems_in_words(error.problems)
    context = {
        "invitation": open_invitation,
        "form": form,
        "problems": problems,
        "for_another": user is not None and user.email != open_invitation.email,
        "has_account": user is None and User.objects.filter(email=open_invitation.email).exists(),
        "institution": institution_name(),
    }
    return render(
        request, "people/invitation.html", context, status=422 if request.method == "POST" else 200
    )


def _welcome(invitation: Invitation) -> str:
    study = invitation.study
    if invitation.role != Invitation.Role.ANNOTATOR or study is None:
        return _("Welcome.")
    if study.state == Study.State.DRAFT:
        return _("Welcome. The study is still in preparation: it stands here as soon as it opens.")
    return _("Welcome. Below is what awaits you; begin with the guide.")


def _accepted(
    request: HttpRequest,
    token: str,
    open_invitation: Invitation,
    user: User | None,
    form: InvitationForm,
) -> HttpResponse:
    if user is not None:
        invitation_accept(token=token, user=user)
    else:
        accepted = invitation_accept(
            token=token,
            name=form.cleaned_data["name"],
            password=form.cleaned_data["password"],
            language=get_language() or "fr",
        )
        auth_login(request, accepted, backend=BACKEND)
        session_begin(request)
        # The password was chosen a moment ago: it is not asked for again.
        may_link_now(request)
    messages.success(request, _welcome(open_invitation))
    response = redirect("home")
    if user is None:
        browser_remember(response, accepted)
    return response
