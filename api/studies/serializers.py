"""Studies: their settings, state, guide, items, progress and audit trail."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from annotation.models import Study


class StudySettings(serializers.Serializer[Any]):
    """What may be set."""

    title = serializers.CharField(max_length=200)
    language = serializers.ChoiceField(
        choices=Study.Language.values, required=False, help_text="Of its title, notes and comments."
    )
    crossing_policy = serializers.ChoiceField(choices=Study.CrossingPolicy.values, required=False)
    span_required = serializers.BooleanField(required=False)
    licence = serializers.CharField(max_length=100, allow_blank=True, required=False)
    guidance_seconds = serializers.IntegerField(min_value=0, max_value=86_400, required=False)
    hours_budget = serializers.IntegerField(min_value=0, max_value=100_000, required=False)
    hourly_rate = serializers.DecimalField(
        max_digits=7, decimal_places=2, min_value=Decimal(0), allow_null=True, required=False
    )
    pay_currency = serializers.RegexField(r"^[A-Z]{3}$", required=False)
    contact = serializers.CharField(
        max_length=200, allow_blank=True, required=False, help_text="Whom annotators ask."
    )
    is_blind = serializers.BooleanField(
        required=False, help_text="Leads read no answers before the main round is closed."
    )
    context_arm = serializers.ChoiceField(choices=Study.ContextArm.values, required=False)
    reminder_after_days = serializers.IntegerField(
        min_value=0, max_value=365, required=False, help_text="0: never."
    )
    reminder_gap_days = serializers.IntegerField(min_value=1, max_value=365, required=False)
    aid_renderings = serializers.BooleanField(
        required=False,
        help_text="Annotators may have terms pointed out that are rendered by other words.",
    )
    aid_glossary = serializers.BooleanField(
        required=False, help_text="Annotators may look terms up in the glossary."
    )


class StudyChange(StudySettings):
    title = serializers.CharField(max_length=200, required=False)


class StudyNew(StudySettings):
    key = serializers.SlugField(
        max_length=50, help_text="Names the study in addresses and exports; never changes."
    )


class StudyFacts(serializers.Serializer[Any]):
    """A study, for those who run it."""

    key = serializers.CharField()
    title = serializers.CharField()
    language = serializers.ChoiceField(choices=Study.Language.values)
    state = serializers.ChoiceField(choices=Study.State.values)
    protocol_key = serializers.CharField()
    protocol_version = serializers.CharField()
    crossing_policy = serializers.ChoiceField(choices=Study.CrossingPolicy.values)
    span_required = serializers.BooleanField()
    licence = serializers.CharField()
    guidance_seconds = serializers.IntegerField()
    hours_budget = serializers.IntegerField()
    hourly_rate = serializers.DecimalField(max_digits=7, decimal_places=2, allow_null=True)
    pay_currency = serializers.CharField()
    contact = serializers.CharField()
    is_blind = serializers.BooleanField()
    context_arm = serializers.ChoiceField(choices=Study.ContextArm.values)
    reminder_after_days = serializers.IntegerField()
    reminder_gap_days = serializers.IntegerField()
    aid_renderings = serializers.BooleanField()
    aid_glossary = serializers.BooleanField()
    glossary_number = serializers.IntegerField(
        help_text="Of the glossary's version in force; 0: there was none yet."
    )
    seed = serializers.IntegerField()
    is_demo = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class StateChange(serializers.Serializer[Any]):
    to = serializers.ChoiceField(choices=Study.State.values)
    reason = serializers.CharField(
        max_length=2000,
        allow_blank=True,
        default="",
        help_text="Needed to go back, and to go on with something of the readiness list undone.",
    )


class ReadinessQuery(serializers.Serializer[Any]):
    to = serializers.ChoiceField(choices=Study.State.values)


class Readiness(serializers.Serializer[Any]):
    """One thing to have done before a step."""

    key = serializers.CharField()
    missing = serializers.IntegerField(help_text="How many are left.")
    needed = serializers.BooleanField(
        help_text="The step cannot do without; the others may be passed over."
    )


class Filled(serializers.Serializer[Any]):
    added = serializers.IntegerField(help_text="Assignments that were made.")


class Guide(serializers.Serializer[Any]):
    number = serializers.IntegerField(read_only=True)
    body_fr = serializers.CharField(max_length=200_000, help_text="Markdown.")
    body_en = serializers.CharField(max_length=200_000, allow_blank=True, default="")
    published_at = serializers.DateTimeField(read_only=True)


class EventFacts(serializers.Serializer[Any]):
    """One entry of the audit trail."""

    id = serializers.IntegerField(source="pk")
    verb = serializers.CharField()
    actor = serializers.EmailField(source="actor.email", default=None, allow_null=True)
    target_type = serializers.CharField()
    target_id = serializers.CharField()
    details = serializers.DictField()
    created_at = serializers.DateTimeField()
