"""What an annotator reads and writes. Made from ``selectors.judging.blinded`` and
``selectors.judging.own`` only: there is no field here for a system, a peer or a scorer."""

from __future__ import annotations

import uuid
from typing import Any

from rest_framework import serializers

from annotation.models import DraftVersion, Item, Study
from annotation.selectors.judging.own import STATES
from api.answers import AnswersField
from api.fields import ChoiceField


class OwnStudy(serializers.Serializer[Any]):
    """A study as its annotators know it."""

    key = serializers.CharField(source="study.key")
    title = serializers.CharField(source="study.title")
    state = ChoiceField(source="study.state", choices=Study.State.values)
    protocol_key = serializers.CharField(source="study.protocol_key")
    protocol_version = serializers.CharField(source="study.protocol_version")
    rulings = serializers.DictField(
        source="study.rulings", help_text="What the study decided within its protocol."
    )
    guidance_seconds = serializers.IntegerField(source="study.guidance_seconds")


class OwnStudyWork(OwnStudy):
    done = serializers.IntegerField(help_text="Of the open round; of the main one where none is.")
    total = serializers.IntegerField()
    next_position = serializers.IntegerField(allow_null=True)


class Facts(serializers.Serializer[Any]):
    """What a machine sees of the pair. Lengths are code points. What it finds in the two texts is
    null until you have answered, in a draft too, what it could contradict; where the protocol asks
    nothing of the kind, until you have submitted."""

    original_length = serializers.IntegerField()
    simplification_length = serializers.IntegerField()
    is_identical = serializers.BooleanField(allow_null=True)
    is_other_language = serializers.BooleanField(allow_null=True)


class OwnRemarkAnswer(serializers.Serializer[Any]):
    text = serializers.CharField()
    answered_at = serializers.DateTimeField()


class Pair(serializers.Serializer[Any]):
    """One pair as its annotator sees it, with their own answers."""

    position = serializers.IntegerField(help_text="Names the pair in addresses.")
    number = serializers.SerializerMethodField(
        help_text="As the pages count: practice and main each on its own."
    )
    round = ChoiceField(choices=Item.Round.values)
    original = serializers.CharField()
    simplification = serializers.CharField()
    context_before = serializers.CharField(
        help_text="Not to be judged; empty where the study does not show it to you."
    )
    context_after = serializers.CharField()
    facts = Facts()
    answers = AnswersField()
    revision = serializers.IntegerField(help_text="Give it back as `base_revision`.")
    saved_at = serializers.DateTimeField(allow_null=True)
    active_seconds = serializers.IntegerField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    has_unsent_changes = serializers.BooleanField()
    editable = serializers.BooleanField()
    again = serializers.CharField(
        help_text="Why you are asked to judge it again, once the guide was amended; empty where "
        "you are not."
    )
    remark_answers = OwnRemarkAnswer(
        many=True, help_text="What leads answered to your comment or doubt, oldest first."
    )

    def get_number(self, pair: Any) -> int:
        """Where it stands in its round, from 1."""
        number: int = pair["number"]
        return number


class OwnRow(serializers.Serializer[Any]):
    """One of the annotator's pairs, in their own order."""

    position = serializers.IntegerField()
    number = serializers.IntegerField(source="ordinal", help_text="As the pages count.")
    round = ChoiceField(choices=Item.Round.values)
    opening = serializers.CharField(help_text="The start of the original.")
    submitted_at = serializers.DateTimeField(
        source="judgment.submitted_at", default=None, allow_null=True
    )
    saved_at = serializers.DateTimeField(source="draft.saved_at", default=None, allow_null=True)
    set_aside_at = serializers.DateTimeField(
        allow_null=True, help_text="You keep it for after everything else."
    )


class Waited(serializers.Serializer[Any]):
    """A pair kept for later, or taken up again."""

    next_position = serializers.IntegerField(allow_null=True)


class OwnHours(serializers.Serializer[Any]):
    """Active time by period, in seconds, and what it comes to where the study states a rate."""

    today_seconds = serializers.IntegerField()
    week_seconds = serializers.IntegerField()
    month_seconds = serializers.IntegerField()
    whole_seconds = serializers.IntegerField()
    budget_hours = serializers.IntegerField(help_text="0: none is planned.")
    pair_seconds = serializers.FloatField(
        allow_null=True, help_text="Your median of submitted pairs."
    )
    left = serializers.IntegerField(help_text="Pairs of the open round.")
    forecast_seconds = serializers.FloatField(allow_null=True)
    pay = serializers.DecimalField(max_digits=12, decimal_places=2, allow_null=True)
    pay_currency = serializers.CharField()


class OwnFilter(serializers.Serializer[Any]):
    state = ChoiceField(
        choices=STATES,
        required=False,
        help_text="`submitted`: judged; `begun`: saved and not judged; `open`: not judged; "
        "`aside`: kept for later; `again`: to judge again, as the guide was amended; `answered`: "
        "a lead has answered your remark; `doubt`: judged in doubt; `noted`: with a note of yours.",
    )
    search = serializers.CharField(
        max_length=200, required=False, help_text="Words of the texts, a comment or a note."
    )


class SetAside(serializers.Serializer[Any]):
    """A version that you decided against: kept for 30 days, for you alone."""

    answers = AnswersField()
    found = serializers.BooleanField(
        default=False, help_text="It was found as a copy, not typed where you chose."
    )
    typed_at = serializers.DateTimeField(
        required=False, help_text="When it was typed; now where it is not said."
    )


class SaveBody(serializers.Serializer[Any]):
    """Answers, whole: what is missing is empty."""

    answers = AnswersField()
    base_revision = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, help_text="The revision you build on."
    )
    key = serializers.UUIDField(
        default=uuid.uuid4,
        help_text="Of this save: sent again under it, nothing changes. Or use Idempotency-Key.",
    )
    active_seconds = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    # Not SetAside(many=True, …), which would allow and default to null for each version as well.
    aside: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=SetAside(),
        allow_null=True,
        default=None,
        help_text="Where this save settles a conflict: what you decided against, perhaps nothing. "
        "The draft that it replaces is kept as well then.",
    )


class Saved(serializers.Serializer[Any]):
    """An acknowledged save."""

    revision = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    replayed = serializers.BooleanField(
        help_text="It had been acknowledged before; nothing was written now."
    )
    score = serializers.IntegerField(allow_null=True, help_text="As it follows from the answers.")


class Submitted(Saved):
    number = serializers.IntegerField(
        help_text="Of this submission, for taking it back; 0: acknowledged before."
    )
    submission = serializers.CharField(
        help_text="Its name, for the same; empty: acknowledged before."
    )
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    next_position = serializers.IntegerField(allow_null=True)


class Revision(serializers.Serializer[Any]):
    """One of the annotator's former submissions."""

    number = serializers.IntegerField()
    answers = AnswersField()
    score = serializers.IntegerField(allow_null=True)
    submitted_at = serializers.DateTimeField()
    active_seconds = serializers.IntegerField()


class DraftVersionKept(serializers.Serializer[Any]):
    """A version of a draft that was decided against, replaced or taken back."""

    number = serializers.IntegerField()
    answers = AnswersField()
    origin = ChoiceField(choices=DraftVersion.Origin.values)
    saved_at = serializers.DateTimeField(help_text="When it was typed.")
    kept_at = serializers.DateTimeField(help_text="Kept for 30 days from then, and 20 to a pair.")


class TakingBack(serializers.Serializer[Any]):
    number = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, help_text="Of the submission."
    )
    submission = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=32,
        help_text="Its name: a number is given again after a taking-back, a name never.",
    )


class TakenBack(serializers.Serializer[Any]):
    taken_back = serializers.BooleanField(
        help_text="False: it was taken back before (an answer was lost)."
    )
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    next_position = serializers.IntegerField(allow_null=True)


class GuideRead(serializers.Serializer[Any]):
    number = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, help_text="Of the version that you have read."
    )


class OwnGuide(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    body_fr = serializers.CharField()
    body_en = serializers.CharField()
    published_at = serializers.DateTimeField()
    acknowledged = serializers.BooleanField(
        help_text="You have confirmed this version; without, nothing is submitted."
    )
