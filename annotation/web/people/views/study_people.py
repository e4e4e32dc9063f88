"""A study's annotators, leads and invitations; for its leads."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import studies_led, study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Annotator, Study, plan_of
from annotation.selectors.base.saved import begun_by
from annotation.selectors.people.people import waiting_invitations
from annotation.selectors.watching.progress import annotators_progress
from annotation.services.people.people import (
    annotator_add,
    annotator_withdraw,
    lead_remove,
    person_add,
)
from annotation.services.people.removal import annotator_remove
from annotation.services.planning.absences import absence_release
from annotation.services.platform.events import event_record
from annotation.web.accounts.forms.account import InviteForm
from annotation.web.people.inviting import (
    ROLES_IN_STUDY,
    invite,
    invite_again,
    invite_many,
    is_unproven_refused,
    posted_role,
    revoke,
    shown_problems,
)
from annotation.web.people.listing import people_listed, person_row
from annotation.web.platform.csv_files import table_response
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_people(request: PersonRequest, study: str) -> HttpResponse:
    """Invite, add, withdraw, bring back; who is how far."""
    led_study = study_for_lead(request.user, study)
    context: dict[str, Any] = {}
    if request.method == "POST":
        context = _acted(request, led_study)
        if not context:
            # Who has just removed themselves has no business here any more.
            still = studies_led(request.user).filter(pk=led_study.pk).exists()
            return redirect("study_people", study=led_study.key) if still else redirect("home")
    refused = "problems" in context
    context |= {
        "study": led_study,
        "typed_emails": request.POST.get("emails", "") if refused else "",
        **people_listed(annotators_progress(led_study), request.GET),
        "begun": begun_by(led_study.annotators.all()),
        "teams": led_study.state == Study.State.MAIN and plan_of(led_study).per_item is not None,
        "leads": led_study.leads.select_related("user"),
        "invitations": waiting_invitations(led_study),
        "form": InviteForm(
            request.POST if refused and "email" in request.POST else None,
            roles=ROLES_IN_STUDY,
            unproven=context.get("unproven", ""),
        ),
    }
    return render(request, "people/study_people.html", context, status=422 if refused else 200)


@never_cache
@login_required
@require_safe
def study_people_file(request: PersonRequest, study: str) -> HttpResponseBase:
    """The annotators that the table shows, as a file. It names them: the audit trail says who took
    it."""
    led_study = study_for_lead(request.user, study)
    header = [
        *(_("pseudonym"), _("person"), _("e-mail"), _("practice: done"), _("practice: of")),
        *(_("main round: done"), _("main round: of"), _("drafts"), _("hours"), _("last judgment")),
        *(_("state"),),
    ]
    rows = [
        person_row(progress)
        for progress in people_listed(annotators_progress(led_study), request.GET)["progress"]
    ]
    event_record(
        actor=request.user,
        study=led_study,
        verb="people_downloaded",
        target=led_study,
        people=len(rows),
    )
    back = reverse("study_people", args=[led_study.key])
    return table_response(request, f"{led_study.key}-people", header, rows, back=back)


def _acted(request: PersonRequest, study: Study) -> dict[str, Any]:
    """Do what the form asks; what must be shown at once (a link, a refusal) is returned."""
    act = ACTIONS.get(request.POST.get("action", ""))
    if act is None:
        raise Http404("no such action")
    try:
        return act(request, study)
    except RuleError as error:
        unproven = request.POST.get("email", "").strip() if is_unproven_refused(error) else ""
        return {"problems": shown_problems(error), "unproven": unproven}


def _add(request: PersonRequest, study: Study) -> dict[str, Any]:
    role = posted_role(request, study)
    email = request.POST.get("email", "").strip()
    user = person_add(
        actor=request.user,
        study=study,
        email=email,
        role=role,
        # What was ticked names whom it was ticked for.
        vouched=request.POST.get("vouched") == email,
    )
    messages.success(request, _("%(person)s has a part in this study now.") % {"person": user})
    return {}


def _annotator(request: PersonRequest, study: Study) -> Annotator:
    persons = study.annotators.filter(
        kind=Annotator.Kind.PERSON, user__isnull=False
    ).select_related("user", "study")
    return get_object_or_404(persons, pk=whole(request.POST.get("annotator")))


def _withdraw(request: PersonRequest, study: Study) -> dict[str, Any]:
    annotator = _annotator(request, study)
    annotator_withdraw(
        actor=request.user, annotator=annotator, reason=request.POST.get("reason", "")
    )
    messages.success(
        request,
        _("Annotator %(letter)s is withdrawn; their judgments stay.") % {"letter": annotator},
    )
    return {}


def _remove(request: PersonRequest, study: Study) -> dict[str, Any]:
    annotator = _annotator(request, study)
    given = annotator_remove(actor=request.user, annotator=annotator)
    messages.success(
        request,
        ngettext(
            "Annotator %(letter)s is removed, with the %(number)s pair that they had.",
            "Annotator %(letter)s is removed, with the %(number)s pairs that they had.",
            given,
        )
        % {"letter": annotator, "number": given},
    )
    return {}


def _release(request: PersonRequest, study: Study) -> dict[str, Any]:
    annotator = _annotator(request, study)
    done = absence_release(
        actor=request.user, annotator=annotator, reason=request.POST.get("reason", "")
    )
    messages.success(
        request,
        ngettext(
            "%(offered)s pair of annotator %(letter)s was offered to others; %(kept)s nobody "
            "else could take.",
            "%(offered)s pairs of annotator %(letter)s were offered to others; %(kept)s nobody "
            "else could take.",
            done.offered,
        )
        % {"offered": done.offered, "letter": annotator, "kept": done.kept},
    )
    return {}


def _bring_back(request: PersonRequest, study: Study) -> dict[str, Any]:
    annotator = _annotator(request, study)
    annotator_add(actor=request.user, study=study, user=annotator.user)  # type: ignore[arg-type]  # has one: _annotator
    messages.success(request, _("Annotator %(letter)s is back.") % {"letter": annotator})
    return {}


def _remove_lead(request: PersonRequest, study: Study) -> dict[str, Any]:
    lead = get_object_or_404(
        study.leads.select_related("study", "user"), pk=whole(request.POST.get("lead"))
    )
    lead_remove(actor=request.user, lead=lead, reason=request.POST.get("reason", ""))
    messages.success(
        request, _("%(person)s does not lead this study any more.") % {"person": lead.user}
    )
    return {}


ACTIONS = {
    "invite": invite,
    "invite_many": invite_many,
    "invite_again": invite_again,
    "revoke_invitation": revoke,
    "add": _add,
    "withdraw": _withdraw,
    "remove": _remove,
    "bring_back": _bring_back,
    "release": _release,
    "remove_lead": _remove_lead,
}
