"""People and their parts."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import Annotator, Invitation
from api.fields import ChoiceField

_ROLES = [Invitation.Role.ANNOTATOR.value, Invitation.Role.LEAD.value]


class AnnotatorFacts(serializers.Serializer[Any]):
    """One rater. Those of a published file and models have no account."""

    pseudonym = serializers.CharField()
    kind = ChoiceField(choices=Annotator.Kind.values)
    email = serializers.EmailField(source="user.email", default=None, allow_null=True)
    name = serializers.CharField(source="user.name", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)


class LeadFacts(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    email = serializers.EmailField(source="user.email")
    name = serializers.CharField(source="user.name")
    created_at = serializers.DateTimeField()


class Vouched(serializers.Serializer[Any]):
    """What is asked of accounts that were made with a link that somebody else saw."""

    vouched = serializers.BooleanField(
        default=False,
        help_text="That you know that the account is its owner's: asked where it was made with an "
        "invitation link that somebody else saw and nothing has proven its address since.",
    )


class Address(Vouched):
    """Somebody who has an account."""

    email = serializers.EmailField(max_length=254)


class Reason(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=2000)


class LeadRemoval(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=2000, required=False)


class InvitationNew(serializers.Serializer[Any]):
    email = serializers.EmailField(max_length=254)
    role = ChoiceField(choices=_ROLES)


class InvitationFacts(serializers.Serializer[Any]):
    """An invitation that nobody has accepted yet."""

    id = serializers.IntegerField(source="pk")
    email = serializers.EmailField()
    role = ChoiceField(choices=Invitation.Role.values)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class InvitationMade(InvitationFacts):
    link = serializers.CharField(help_text="Shown this once: only its digest is stored.")
    mailed = serializers.BooleanField()


class Account(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    email = serializers.EmailField()
    name = serializers.CharField()
    is_admin = serializers.BooleanField()
    is_active = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class AccountChange(Reason, Vouched):
    """Either or both; each is recorded with the reason."""

    is_admin = serializers.BooleanField(required=False)
    is_active = serializers.BooleanField(required=False)


class AccountFilter(serializers.Serializer[Any]):
    q = serializers.CharField(max_length=200, required=False, help_text="Found in name or address.")


class PairsReleased(serializers.Serializer[Any]):
    offered = serializers.IntegerField(help_text="Pairs that others have now.")
    kept = serializers.IntegerField(help_text="Pairs that nobody else could take.")
