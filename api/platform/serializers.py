"""Who one is, and what many answers say."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import ApiToken
from api.fields import ChoiceField


class TokenFacts(serializers.Serializer[Any]):
    prefix = serializers.CharField()
    scopes = serializers.ListField(child=ChoiceField(choices=ApiToken.Scope.values))
    expires_at = serializers.DateTimeField()


class Person(serializers.Serializer[Any]):
    """Who asks, and with which key."""

    email = serializers.EmailField()
    name = serializers.CharField()
    language = serializers.CharField()
    is_admin = serializers.BooleanField()
    leads = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of the studies that you run."
    )
    annotates = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of the studies that you judge in."
    )
    token = TokenFacts(allow_null=True, help_text="Null in a browser's session.")


class Changed(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="How many.")
