"""What the two people pages share: inviting, revoking, and wording what was refused."""

from __future__ import annotations

import re
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
from annotation.services.platform.letters import (
    Post,
    Sending,
    invitation_letter,
    link_to_hand_on,
    mail_configured,
)
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

ROLES_IN_STUDY = (Invitation.Role.ANNOTATOR, Invitation.Role.LEAD)
MOST_AT_ONCE = 100
_NAMED = re.compile(r"<([^<>]*)>")
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


def invite_many(request: PersonRequest, study: Study | None) -> dict[str, Any]:
    """An invitation for each of the pasted addresses, and what became of each line. One that is
    refused holds no other up, nor does a mail server that does not answer: the links are shown in
    any case. Raises ``RuleError`` where nothing was pasted, or too much."""
    role = posted_role(request, study)
    addresses = _pasted(request.POST.get("emails", ""))
    post = Post()
    fates = [_fate(request, study, address, role, post) for address in addresses]
    untried = any(fate.get("invitation_mail_untried") for fate in fates)
    return {"fates": fates, "untried": untried}


def _apart(part: str) -> list[str]:
    """The address of a name; several that spaces or tabs part; one, with whatever stands around
    it, as it was pasted."""
    if named := _NAMED.search(part):
        return [named[1]]
    words = part.split()
    is_several = len(words) > 1 and all("@" in word for word in words)
    return words if is_several else [part] if part else []


def _pasted(text: str) -> list[str]:
    """The addresses, each once, however they are parted: lines, commas, semicolons, or as letters
    have them («Nom <adresse>»)."""
    parts = [part.strip() for part in re.split(r"[\n\r,;]+", text)]
    pasted = [address for part in parts for address in _apart(part)]
    addresses = list(dict.fromkeys(address.strip().lower() for address in pasted))
    if not 0 < len(addresses) <= MOST_AT_ONCE:
        raise RuleError.single(
            "emails",
            "number",
            f"Collez de 1 à {MOST_AT_ONCE} adresses, une par ligne.",
            f"Paste 1 to {MOST_AT_ONCE} addresses, one a line.",
        )
    return addresses


def _fate(
    request: PersonRequest, study: Study | None, address: str, role: str, post: Post
) -> dict[str, Any]:
    try:
        return {"email": address, **_invited(request, study, address, role, post)}
    except RuleError as error:
        problems = problems_in_words(error.problems)
        return {"email": address, "refused": " ".join(problem["message"] for problem in problems)}


def revoke(request: PersonRequest, study: Study | None) -> dict[str, Any]:
    """Make a link useless."""
    invitation_revoke(actor=request.user, invitation=_waiting(request, study))
    messages.success(request, _("The invitation's link does not work any more."))
    return {}


def _waiting(request: PersonRequest, study: Study | None) -> Invitation:
    return get_object_or_404(waiting_invitations(study), pk=whole(request.POST.get("invitation")))


def _invited(
    request: PersonRequest, study: Study | None, email: str, role: str, post: Post | None = None
) -> dict[str, Any]:
    former = waiting_invitations(study).filter(email=email.strip().lower(), role=role).first()
    invitation, token = invitation_create(actor=request.user, study=study, email=email, role=role)
    link = link_to_hand_on(reverse("invitation_accept", args=[token]), request.build_absolute_uri)
    sending = None
    if mail_configured():
        sending = (post or Post()).send(invitation_letter(invitation=invitation, link=link))
    return {
        "invitation": invitation,
        "invitation_link": link,
        "invitation_replaces": former,
        "invitation_mailed": sending is Sending.SENT,
        "invitation_mail_failed": sending in (Sending.REFUSED, Sending.FAILED),
        "invitation_mail_untried": sending is Sending.UNTRIED,
    }


def is_unproven_refused(error: RuleError) -> bool:
    """Whether the form has to be shown again with what one ticks to vouch for the person."""
    return any(problem.code == "unproven" for problem in error.problems)


def shown_problems(error: RuleError, about: object = None) -> list[dict[str, str]]:
    """The problems, linked to the invitation form's fields; or those of a row of a table, which has
    no field of its own to link to, with whom they are about."""
    problems = problems_in_words(error.problems)
    if about is None:
        own = ("email", "role", "vouched")
        return [p if p["field"] in own else p | {"field": ""} for p in problems]
    worded_about = _("%(person)s: %(problem)s")
    return [
        p | {"field": "", "message": worded_about % {"person": about, "problem": p["message"]}}
        for p in problems
    ]
