"""A study's annotators, leads and invitations, for its leads; accounts, for admins."""

from __future__ import annotations

from typing import ClassVar

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_admin, study_for_lead
from annotation.models import Annotator, Invitation, User
from annotation.selectors.people.people import accounts, waiting_invitations
from annotation.services.people.invitations import invitation_create, invitation_revoke
from annotation.services.people.people import (
    admin_set,
    annotator_add,
    annotator_withdraw,
    lead_remove,
    person_add,
    user_set_active,
)
from annotation.services.people.removal import annotator_remove
from annotation.services.planning.absences import absence_release
from annotation.services.platform.letters import (
    invitation_letter,
    letter_send,
    link_to_hand_on,
    mail_configured,
)
from api.etags import check_if_match
from api.idempotency import Unfinished, idempotent
from api.people.serializers import (
    Account,
    AccountChange,
    AccountFilter,
    Address,
    AnnotatorFacts,
    InvitationFacts,
    InvitationMade,
    InvitationNew,
    LeadFacts,
    LeadRemoval,
    PairsReleased,
    Reason,
)
from api.resource import Resource, body_of, page, query_of
from api.schema import IF_MATCH, listing


@extend_schema(tags=["people"])
class Annotators(Resource):
    @listing(AnnotatorFacts)
    def get(self, request: Request, study: str) -> Response:
        """Everybody who judges or has judged, in the order in which they came."""
        annotators = study_for_lead(self.person, study).annotators.select_related("user")
        return page(self, annotators, AnnotatorFacts, "pk")

    @extend_schema(request=Address, responses={201: AnnotatorFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Make somebody with an account an annotator at once."""
        led_study, body = study_for_lead(self.person, study), body_of(Address, request)
        user = person_add(
            actor=self.person, study=led_study, role=Invitation.Role.ANNOTATOR, **body
        )
        return Response(AnnotatorFacts(led_study.annotators.get(user=user)).data, status=201)


def annotator_of(person: User, study: str, pseudonym: str) -> Annotator:
    """Somebody who judges in the study as a person, withdrawn or not. Raises ``Http404``."""
    persons = study_for_lead(person, study).annotators.filter(
        kind=Annotator.Kind.PERSON, user__isnull=False
    )
    return get_object_or_404(persons.select_related("user", "study"), pseudonym=pseudonym)


@extend_schema(tags=["people"])
class AnnotatorDetail(Resource):
    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, study: str, pseudonym: str) -> Response:
        """Remove an annotator who has saved nothing, with the pairs that they were given."""
        annotator_remove(actor=self.person, annotator=annotator_of(self.person, study, pseudonym))
        return Response(status=204)


@extend_schema(tags=["people"])
class Withdrawal(Resource):
    @extend_schema(request=Reason, responses=AnnotatorFacts)
    @idempotent()
    def put(self, request: Request, study: str, pseudonym: str) -> Response:
        """Withdraw an annotator: they see the study no more; what they judged stays."""
        annotator = annotator_of(self.person, study, pseudonym)
        gone = annotator_withdraw(
            actor=self.person, annotator=annotator, **body_of(Reason, request)
        )
        return Response(AnnotatorFacts(gone).data)

    @extend_schema(request=None, responses={200: AnnotatorFacts})
    @idempotent()
    def delete(self, request: Request, study: str, pseudonym: str) -> Response:
        """Bring a withdrawn annotator back, under the same pseudonym."""
        annotator = annotator_of(self.person, study, pseudonym)
        user = annotator.user
        assert user is not None  # noqa: S101  (annotator_of has seen to it)
        return Response(
            AnnotatorFacts(annotator_add(actor=self.person, study=annotator.study, user=user)).data
        )


@extend_schema(tags=["people"])
class Leads(Resource):
    @listing(LeadFacts)
    def get(self, request: Request, study: str) -> Response:
        """Who runs the study."""
        return page(
            self, study_for_lead(self.person, study).leads.select_related("user"), LeadFacts, "pk"
        )

    @extend_schema(request=Address, responses={201: LeadFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Let somebody with an account run the study. Whoever judges or has judged in it cannot."""
        led_study, body = study_for_lead(self.person, study), body_of(Address, request)
        user = person_add(actor=self.person, study=led_study, role=Invitation.Role.LEAD, **body)
        return Response(LeadFacts(led_study.leads.get(user=user)).data, status=201)


@extend_schema(tags=["people"])
class LeadDetail(Resource):
    @extend_schema(request=LeadRemoval, responses={204: None})
    @idempotent()
    def delete(self, request: Request, study: str, lead: int) -> Response:
        """Take the study from one of its leads; never from the last. A reason is kept."""
        study_lead = get_object_or_404(
            study_for_lead(self.person, study).leads.select_related("study", "user"), pk=lead
        )
        lead_remove(actor=self.person, lead=study_lead, **body_of(LeadRemoval, request))
        return Response(status=204)


@extend_schema(tags=["people"])
class Invitations(Resource):
    @listing(InvitationFacts)
    def get(self, request: Request, study: str) -> Response:
        """Invitations that wait, expired ones among them."""
        return page(
            self, waiting_invitations(study_for_lead(self.person, study)), InvitationFacts, "-pk"
        )

    @extend_schema(request=InvitationNew, responses={201: InvitationMade})
    @idempotent(shown_once=("link",))
    def post(self, request: Request, study: str) -> Response:
        """Invite somebody. A former open invitation of theirs to the same part is replaced."""
        led_study = study_for_lead(self.person, study)
        invitation, token = invitation_create(
            actor=self.person, study=led_study, **body_of(InvitationNew, request)
        )
        link = link_to_hand_on(
            reverse("invitation_accept", args=[token]), request.build_absolute_uri
        )
        facts = InvitationFacts(invitation).data | {"link": link}

        def mail() -> Response:
            mailed = mail_configured() and letter_send(
                invitation_letter(invitation=invitation, link=link)
            )
            return Response(facts | {"mailed": mailed}, status=201)

        return Unfinished(facts | {"mailed": False}, finish=mail, status=201)


@extend_schema(tags=["people"])
class InvitationDetail(Resource):
    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, study: str, invitation: int) -> Response:
        """Make an invitation's link useless."""
        waiting = waiting_invitations(study_for_lead(self.person, study))
        invitation_revoke(actor=self.person, invitation=get_object_or_404(waiting, pk=invitation))
        return Response(status=204)


@extend_schema(tags=["people"])
class Accounts(Resource):
    read_scope: ClassVar[str] = "admin"

    @listing(Account, parameters=[AccountFilter])
    def get(self, request: Request) -> Response:
        """Everybody with an account. Admins only."""
        require_admin(self.person)
        return page(self, accounts(query_of(AccountFilter, request).get("q", "")), Account, "email")


@extend_schema(tags=["people"])
class AccountDetail(Resource):
    read_scope: ClassVar[str] = "admin"
    write_scope: ClassVar[str] = "admin"

    @extend_schema(responses=Account)
    def get(self, request: Request, person: int) -> Response:
        """One account. Admins only."""
        require_admin(self.person)
        return Response(Account(get_object_or_404(accounts(), pk=person)).data)

    @extend_schema(request=AccountChange, responses=Account, parameters=[IF_MATCH])
    @idempotent()
    def patch(self, request: Request, person: int) -> Response:
        """Make or unmake an admin, close or reopen an account, with a reason. Nobody changes their
        own."""
        actor, user = require_admin(self.person), get_object_or_404(User, pk=person)
        wanted = body_of(AccountChange, request, stands=Account(user).data)
        with transaction.atomic():
            user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
            check_if_match(request, Account(get_object_or_404(accounts(), pk=person)).data)
            if "is_active" in wanted:
                user = user_set_active(
                    actor=actor, user=user, is_active=wanted["is_active"], reason=wanted["reason"]
                )
            if "is_admin" in wanted:
                user = admin_set(
                    actor=actor,
                    user=user,
                    is_admin=wanted["is_admin"],
                    reason=wanted["reason"],
                    vouched=wanted["vouched"],
                )
        return Response(Account(user).data)


@extend_schema(tags=["plan"])
class Release(Resource):
    @extend_schema(request=Reason, responses=PairsReleased)
    @idempotent()
    def post(self, request: Request, study: str, pseudonym: str) -> Response:
        """Offer to others what an absent annotator has not submitted in the main round. Begun work
        stays and may be submitted late."""
        annotator = annotator_of(self.person, study, pseudonym)
        released = absence_release(
            actor=self.person, annotator=annotator, **body_of(Reason, request)
        )
        return Response(PairsReleased(released).data)
