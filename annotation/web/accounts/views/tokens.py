"""One's own keys for programs that use the API."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.selectors.accounts.tokens import own_tokens
from annotation.services.accounts.tokens import token_create, token_revoke
from annotation.web.accounts.forms.tokens import TokenForm
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.sessions import session_row_key


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def tokens(request: PersonRequest) -> HttpResponse:
    """Make, list and revoke. A new key is shown on the answer to its form and never again."""
    if request.POST.get("action") == "revoke":
        token = get_object_or_404(own_tokens(request.user), pk=whole(request.POST.get("token")))
        token_revoke(actor=request.user, token=token)
        messages.success(request, _("The key does not work any more."))
        return redirect("tokens")
    form = TokenForm(
        request.POST if request.method == "POST" else None, is_admin=request.user.is_admin
    )
    context: dict[str, Any] = {}
    if form.is_bound and form.is_valid():
        try:
            made, context["secret"] = token_create(
                actor=request.user, session=session_row_key(request), **form.cleaned_data
            )
        except RuleError as error:
            for problem in problems_in_words(error.problems):
                form.add_error(
                    problem["field"] if problem["field"] in form.fields else None,
                    problem["message"],
                )
        else:
            context["made"] = made
            form = TokenForm(is_admin=request.user.is_admin)
    context |= {"form": form, "tokens": own_tokens(request.user)}
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)
