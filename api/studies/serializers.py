"""Studies: their settings, state, guide, items, progress and audit trail."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from annotation.models import Study
from annotation.services.studies.studies import MOST
from api.fields import ChoiceField, SeedField


class StudySettings(serializers.Serializer[Any]):
    """What may be set."""

    title = serializers.CharField(max_length=200)
    language = ChoiceField(
        choices=Study.Language.values, required=False, help_text="Of its title, notes and comments."
    )
    rulings = serializers.DictField(
        required=False,
        help_text="What the protocol leaves to the study, by name; see the protocol's description.",
    )
    licence = serializers.CharField(max_length=100, allow_blank=True, required=False)
    guidance_seconds = serializers.IntegerField(
        min_value=0,
        max_value=MOST["guidance_seconds"],
        required=False,
        help_text="Per pair, shown and never a limit. 0: none.",
    )
    hours_budget = serializers.IntegerField(
        min_value=0,
        max_value=MOST["hours_budget"],
        required=False,
        help_text="Of one annotator. 0: none is planned.",
    )
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
    context_arm = ChoiceField(choices=Study.ContextArm.values, required=False)
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
    """What is sent as it stands is not refused, whatever bound came since: the service refuses a
    new value above it."""

    title = serializers.CharField(max_length=200, required=False)
    guidance_seconds = serializers.IntegerField(
        min_value=0,
        required=False,
        help_text="Per pair, shown and never a limit. 0: none. At most "
        f"{MOST['guidance_seconds']}.",
    )
    hours_budget = serializers.IntegerField(
        min_value=0,
        required=False,
        help_text=f"Of one annotator. 0: none is planned. At most {MOST['hours_budget']}.",
    )


class StudyNew(StudySettings):
    key = serializers.SlugField(
        max_length=50, help_text="Names the study in addresses and exports; never changes."
    )
    protocol_key = serializers.CharField(
        max_length=40, required=False, help_text="By default that of FrJUDGE, `legal_meaning`."
    )
    protocol_version = serializers.CharField(
        max_length=10, required=False, help_text="By default the latest of that protocol."
    )


class StudyCopy(serializers.Serializer[Any]):
    """What a copy is called, and what it takes along beside settings, guide, glossary, plan,
    systems and thresholds."""

    key = serializers.SlugField(max_length=50)
    title = serializers.CharField(max_length=200)
    people = serializers.BooleanField(default=False, help_text="Other leads and annotators.")
    items = serializers.BooleanField(
        default=False, help_text="With their simplifications, without judgments."
    )
    documents = serializers.BooleanField(
        default=False, help_text="With their criteria and the decisions by hand."
    )


class StudyFacts(serializers.Serializer[Any]):
    """A study, for those who run it."""

    key = serializers.CharField()
    title = serializers.CharField()
    language = ChoiceField(choices=Study.Language.values)
    state = ChoiceField(choices=Study.State.values)
    protocol_key = serializers.CharField()
    protocol_version = serializers.CharField()
    rulings = serializers.DictField(help_text="What the study decided within its protocol.")
    licence = serializers.CharField()
    guidance_seconds = serializers.IntegerField()
    hours_budget = serializers.IntegerField()
    hourly_rate = serializers.DecimalField(max_digits=7, decimal_places=2, allow_null=True)
    pay_currency = serializers.CharField()
    contact = serializers.CharField()
    is_blind = serializers.BooleanField()
    context_arm = ChoiceField(choices=Study.ContextArm.values)
    reminder_after_days = serializers.IntegerField()
    reminder_gap_days = serializers.IntegerField()
    aid_renderings = serializers.BooleanField()
    aid_glossary = serializers.BooleanField()
    glossary_number = serializers.IntegerField(
        help_text="Of the glossary's version in force; 0: there was none yet."
    )
    seed = SeedField()
    is_demo = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(
        allow_null=True, help_text="Since then nothing is written to it, until it is brought back."
    )


class StudiesFilter(serializers.Serializer[Any]):
    archived = serializers.BooleanField(
        default=False, help_text="Those that were put away, instead of the others."
    )


class StudyArchiving(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=2000)


class StudyDeletion(serializers.Serializer[Any]):
    key = serializers.CharField(max_length=50, help_text="The study's, to confirm.")


class StudyContents(serializers.Serializer[Any]):
    """What deleting a study would take along, or has."""

    items = serializers.IntegerField()
    simplifications = serializers.IntegerField()
    documents = serializers.IntegerField()
    annotators = serializers.IntegerField(help_text="People; not the models that judged.")
    leads = serializers.IntegerField()
    invitations = serializers.IntegerField(help_text="That wait.")
    guides = serializers.IntegerField(help_text="Published versions of the guide.")
    terms = serializers.IntegerField(help_text="Of the glossary.")
    runs = serializers.IntegerField(help_text="Of models.")
    spent = serializers.DecimalField(max_digits=14, decimal_places=6, help_text="USD, by them.")
    files = serializers.IntegerField(help_text="Uploads and exports; documents are counted apart.")
    judgments = serializers.IntegerField(help_text="With any, the study cannot be deleted.")
    saved = serializers.BooleanField(help_text="Somebody has saved something: nor can it then.")
    snapshots = serializers.IntegerField(help_text="With any, the study cannot be deleted.")
    deletable = serializers.BooleanField()


class DeletedStudy(serializers.Serializer[Any]):
    """A study that is gone; its audit trail is not."""

    number = serializers.IntegerField(source="study_id")
    key = serializers.CharField(source="details.key")
    deleted_at = serializers.DateTimeField(source="created_at")
    deleted_by = serializers.EmailField(source="actor.email", default=None, allow_null=True)


class StateChange(serializers.Serializer[Any]):
    to = ChoiceField(choices=Study.State.values)
    reason = serializers.CharField(
        max_length=2000,
        allow_blank=True,
        default="",
        help_text="Needed to go back, and to go on with something of the readiness list undone.",
    )


class RoundTaken(serializers.Serializer[Any]):
    """What going back from the main round would take along."""

    pairs = serializers.IntegerField(help_text="Given out: they leave their annotators' lists.")
    people = serializers.IntegerField(help_text="Who have them.")
    opened = serializers.IntegerField(help_text="Of them, how many somebody has looked at.")
    controls = serializers.IntegerField(help_text="Control pairs, which the plan makes again.")
    begun = serializers.BooleanField(
        help_text="Somebody has saved something of them: the step is refused."
    )


class StateFacts(serializers.Serializer[Any]):
    state = ChoiceField(choices=Study.State.values)
    next = serializers.ListField(child=ChoiceField(choices=Study.State.values))
    taken = RoundTaken(allow_null=True, help_text="Null outside the main round.")


class ReadinessQuery(serializers.Serializer[Any]):
    to = ChoiceField(choices=Study.State.values)


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
    builds_on = serializers.IntegerField(
        min_value=0,
        required=False,
        write_only=True,
        help_text="Number of the version that it was made from, 0 where there was none: refused "
        "where another is in force.",
    )


class EventFacts(serializers.Serializer[Any]):
    """One entry of the audit trail."""

    id = serializers.IntegerField(source="pk")
    verb = serializers.CharField()
    actor = serializers.EmailField(source="actor.email", default=None, allow_null=True)
    target_type = serializers.CharField()
    target_id = serializers.CharField()
    details = serializers.DictField()
    created_at = serializers.DateTimeField()


class InstallationEventFacts(EventFacts):
    """One entry of what was done in no study."""


class DeletedEventFacts(EventFacts):
    """One entry of the audit trail of a study that was deleted."""
