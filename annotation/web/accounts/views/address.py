"""Another address for one's account: a code is sent there, and typed here."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.errors import RuleError
from annotation.selectors.accounts.new_address import address_change_waiting
from annotation.services.accounts.new_address import (
    CODE_HOLDS,
    address_change_begin,
    address_change_cancel,
    address_change_finish,
    address_code_holds,
)
from annotation.services.platform.letters import mail_configured
from annotation.web.accounts.forms.address import AddressCodeForm, NewAddressForm
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.sessions import session_row_key


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def address(request: PersonRequest) -> HttpResponse:
    """Ask for a code to another address, type it, or await it no more."""
    action = request.POST.get("action", "")
    asking = NewAddressForm(request, request.POST if action == "send" else None)
    code = AddressCodeForm(request.POST if action == "take" else None)
    if request.method == "POST" and (done := _acted(request, action, asking, code)) is not None:
        return done
    waiting = address_change_waiting(request.user).first()
    context = {
        "asking": asking,
        "code": code,
        "waiting": waiting,
        "until": waiting and waiting.requested_at + CODE_HOLDS,
        "holds": waiting is not None and address_code_holds(waiting),
        "mail": mail_configured() and not request.user.is_demo,
    }
    return render(
        request, "accounts/address.html", context, status=422 if request.method == "POST" else 200
    )


def _acted(
    request: PersonRequest, action: str, asking: NewAddressForm, code: AddressCodeForm
) -> HttpResponse | None:
    """The answer; None where a form has to be shown again, with what was refused beside it."""
    session = session_row_key(request)
    if action == "cancel":
        address_change_cancel(actor=request.user)
        messages.success(request, _("Your address stays as it is."))
        return redirect("address")
    if action not in ("send", "take"):
        raise Http404("no such action")
    form = asking if action == "send" else code
    if not form.is_valid():
        return None
    typed = form.cleaned_data
    try:
        if action == "send":
            address_change_begin(actor=request.user, email=typed["email"], session=session)
            return redirect("address")
        address_change_finish(actor=request.user, code=typed["code"], session=session)
    except RuleError as error:
        for problem in problems_in_words(error.problems):
            field = problem["field"] if problem["field"] in form.fields else None
            form.add_error(field, problem["message"])
        return None
    messages.success(
        request, _("Your address is changed: log in with it from now on. The former one is told.")
    )
    return redirect("own_data")
