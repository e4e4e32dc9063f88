"""Everybody with an account; for admins."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import require_admin
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import User
from annotation.selectors.people.people import accounts, waiting_invitations
from annotation.services.accounts.institution import institution_unlink
from annotation.services.accounts.password_links import password_token_create
from annotation.services.accounts.second_factor import second_factor_remove
from annotation.services.people.people import admin_set, user_set_active
from annotation.services.platform.letters import link_to_hand_on
from annotation.web.accounts.forms.account import InviteForm
from annotation.web.people.inviting import (
    ROLES_ANYWHERE,
    invite,
    invite_again,
    is_unproven_refused,
    revoke,
    shown_problems,
)
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 50
INVITING = {"invite": invite, "invite_again": invite_again, "revoke_invitation": revoke}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def people(request: PersonRequest) -> HttpResponse:
    """Find somebody, make or unmake an admin, close an account, hand over a password link, invite
    an admin."""
    actor = require_admin(request.user)
    context: dict[str, Any] = {}
    if request.method == "POST":
        context = _acted(request, actor)
        if not context:
            return redirect(request.get_full_path())
    wanted = request.GET.get("q", "").strip()
    refused = "problems" in context
    context |= {
        "page": Paginator(accounts(wanted), PAGE_SIZE).get_page(request.GET.get("page")),
        "q": wanted,
        "form": InviteForm(
            request.POST if refused and request.POST.get("action") == "invite" else None,
            roles=ROLES_ANYWHERE,
        ),
        "invitations": waiting_invitations(None),
    }
    return render(request, "people/people.html", context, status=422 if refused else 200)


def _acted(request: PersonRequest, actor: User) -> dict[str, Any]:
    """Do what the form asks; what must be shown at once (a link, a refusal) is returned."""
    action = request.POST.get("action", "")
    if action in INVITING:
        try:
            return INVITING[action](request, None)
        except RuleError as error:
            return {"problems": shown_problems(error)}
    user = get_object_or_404(User, pk=whole(request.POST.get("user")))
    try:
        return _changed(request, actor, user, action)
    except RuleError as error:
        return {
            "problems": shown_problems(error, about=user),
            "refused_user": user,
            "typed_reason": request.POST.get("reason", ""),
            "unproven": is_unproven_refused(error),
        }


def _changed(request: PersonRequest, actor: User, user: User, action: str) -> dict[str, Any]:
    reason = request.POST.get("reason", "")
    if action == "reset_link":
        return {
            "reset_link": link_to_hand_on(_reset_path(actor, user), request.build_absolute_uri),
            "reset_user": user,
        }
    if action in ("make_admin", "unmake_admin"):
        admin_set(
            actor=actor,
            user=user,
            is_admin=action == "make_admin",
            reason=reason,
            vouched="vouched" in request.POST,
        )
    elif action in ("close", "reopen"):
        user_set_active(actor=actor, user=user, is_active=action == "reopen", reason=reason)
    elif action == "remove_second_factor" and user != actor:
        second_factor_remove(actor=actor, user=user, reason=reason)
    elif action == "unlink_institution" and user != actor:
        institution_unlink(actor=actor, user=user, reason=reason)
    else:
        raise Http404("no such action")
    messages.success(request, _("Done."))
    return {}


def _reset_path(actor: User, user: User) -> str:
    token = password_token_create(actor=actor, user=user)
    return reverse(
        "password_reset_confirm", args=[urlsafe_base64_encode(force_bytes(user.pk)), token]
    )
