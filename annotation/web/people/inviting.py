"""What the two people pages share: inviting, revoking, and wording what was refused."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Invitation, Study
from annotation.selectors.people.people import waiting_invitations
from annotation.services.people.invitations import invitation_create, invitation_revoke
from annotation.services.platform.letters import invitation_letter, letter_send, mail_configured
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

ROLES_IN_STUDY = (Invitation.Role.ANNOTATOR, Invitation.Role.LEAD)
ROLES_ANYWHERE = (Invitation.Role.ADMIN,)


def posted_role(request: PersonRequest, study: Study | None) -> str:
    """The part that the form asks for. Raises ``RuleError`` for one that is not given here."""
    role = request.POST.get("role", "")
    if role not in (ROLES_IN_STUDY if study else ROLES_ANYWHERE):
        raise RuleError.single("role", "invalid", "Choisissez un rôle.", "Choose a role.")
    return role


def invite(request: PersonRequest, study: Study | None) -> dict[str, Any]:
    """Make an invitation and return what must be shown at once: its link is never seen again."""
    return _invited(request, study, request.POST.get("email", ""), posted_role(request, study))


def invite_again(request: PersonRequest, study: Study | None) -> dict[str, Any]:
    """A new link in the place of one that was lost or has expired."""
    former = _waiting(request, study)
    return _invited(request, study, former.email, former.role)


def revoke(request: PersonRequest, study: Study | None) -> dict[str, Any]:
    """Make a link useless."""
    invitation_revoke(actor=request.user, invitation=_waiting(request, study))
    messages.success(request, _("The invitation's link does not work any more."))
    return {}


def _waiting(request: PersonRequest, study: Study | None) -> Invitation:
    return get_object_or_404(waiting_invitations(study), pk=whole(request.POST.get("invitation")))


def _invited(request: PersonRequest, study: Study | None, email: str, role: str) -> dict[str, Any]:
    former = waiting_invitations(study).filter(email=email.strip().lower(), role=role).first()
    invitation, token = invitation_create(actor=request.user, study=study, email=email, role=role)
    link = request.build_absolute_uri(reverse("invitation_accept", args=[token]))
    mailed = mail_configured() and letter_send(invitation_letter(invitation=invitation, link=link))
    return {
        "invitation": invitation,
        "invitation_link": link,
        "invitation_replaces": former,
        "invitation_mailed": mailed,
        "invitation_mail_failed": mail_configured() and not mailed,
    }


def shown_problems(error: RuleError, about: object = None) -> list[dict[str, str]]:
    """The problems, linked to the invitation form's fields; or those of a row of a table, which has
    no field of its own to link to, with whom they are about."""
    problems = problems_in_words(error.problems)
    if about is None:
        return [p if p["field"] in ("email", "role") else p | {"field": ""} for p in problems]
    worded_about = _("%(person)s: %(problem)s")
    return [
        p | {"field": "", "message": worded_about % {"person": about, "problem": p["message"]}}
        for p in problems
    ]
