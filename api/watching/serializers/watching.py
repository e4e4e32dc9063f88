"""While people judge: how far they are, what they remark, what they are paid for, who is
reminded."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from annotation.models import Item
from annotation.selectors.base.remarked import KINDS
from annotation.selectors.watching.remarks import STATES
from annotation.selectors.watching.watching import ORDERS
from api.fields import ChoiceField

_ROUNDS = [*Item.Round.values, *Item.Aside.values]
_TIMED = "Pairs that the median is of: submitted, of each person's hundred that were saved last."
_OUTLOOK = "Empty where `end_at` is known; else why it cannot be: "


class PersonWatched(serializers.Serializer[Any]):
    """One person's work in the round that is open."""

    pseudonym = serializers.CharField(source="annotator.pseudonym")
    withdrawn_at = serializers.DateTimeField(source="annotator.withdrawn_at", allow_null=True)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    drafts = serializers.IntegerField(
        help_text="Begun and not submitted, of what was saved within seven days or among the last "
        "hundred."
    )
    active_hours = serializers.FloatField(help_text="In all rounds.")
    seconds = serializers.FloatField(allow_null=True, help_text="Active time per pair, the median.")
    timed = serializers.IntegerField(help_text=_TIMED)
    recent = serializers.IntegerField(help_text="Judgments within `days`.")
    days = serializers.FloatField()
    pace = serializers.FloatField(help_text="Judgments a day.")
    outlook = serializers.CharField(help_text=f"{_OUTLOOK}done, nothing, left, closed or still.")
    end_at = serializers.DateTimeField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)


class StudyWatched(serializers.Serializer[Any]):
    """Counts and times only: nothing here says what anybody answered."""

    rounds = serializers.ListField(
        child=serializers.CharField(), help_text="That the figures are about."
    )
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    active_hours = serializers.FloatField(
        help_text="In all rounds, of those who have left too (`hours_budget` is of the others)."
    )
    hours_budget = serializers.IntegerField(
        help_text="Planned for whoever judges now; 0 where nothing is planned."
    )
    seconds = serializers.FloatField(
        allow_null=True,
        help_text="Active time per pair, the median; without those who have left, as all counts.",
    )
    timed = serializers.IntegerField(help_text=_TIMED)
    recent = serializers.IntegerField(help_text="Judgments of the last seven days.")
    outlook = serializers.CharField(help_text=f"{_OUTLOOK}done, nothing, closed or still.")
    stuck = serializers.IntegerField(
        help_text="People with pairs left who submitted nothing in the last seven days."
    )
    end_at = serializers.DateTimeField(
        allow_null=True, help_text="When the last person is done at their own pace."
    )
    open_remarks = serializers.IntegerField(help_text="Comments and doubts that are not settled.")
    people = PersonWatched(many=True)


class ItemWatched(serializers.Serializer[Any]):
    key = serializers.CharField()
    position = serializers.IntegerField()
    round = ChoiceField(choices=_ROUNDS)
    original = serializers.CharField()
    answers = serializers.IntegerField(help_text="Submitted, by people who still judge.")
    expected = serializers.IntegerField(help_text="These, and what such people still hold.")
    last_at = serializers.DateTimeField(allow_null=True)


class ItemWatchFilter(serializers.Serializer[Any]):
    round = ChoiceField(
        choices=_ROUNDS, required=False, help_text="The open one where none is said."
    )
    short_of = serializers.IntegerField(
        min_value=0, max_value=99_999, required=False, help_text="Only items with fewer answers."
    )
    q = serializers.CharField(max_length=200, required=False, help_text="Found in key or original.")
    order = ChoiceField(choices=list(ORDERS), default="fewest")


class PayPeriod(serializers.Serializer[Any]):
    """Days of the installation's own time zone, both included; one that is not said is open."""

    first = serializers.DateField(required=False)
    last = serializers.DateField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        first, last = attrs.get("first"), attrs.get("last")
        if first and last and last < first:
            message = _("The last day comes before the first: turn them round.")
            raise serializers.ValidationError({"last": message})
        return attrs


class FullDayFacts(serializers.Serializer[Any]):
    """A day with more active time than passed between its first save and its last, by more than
    half an hour, or twice the study's guidance per pair where that is longer: pairs that were open
    beside each other, work without a network that was sent later, or times that nobody spent."""

    day = serializers.DateField()
    seconds = serializers.IntegerField(help_text="Active, of both rounds.")
    between_seconds = serializers.IntegerField(help_text="From the first save to the last.")


class PayLineFacts(serializers.Serializer[Any]):
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    name = serializers.CharField(source="annotator.user.name")
    email = serializers.EmailField(source="annotator.user.email")
    withdrawn_at = serializers.DateTimeField(source="annotator.withdrawn_at", allow_null=True)
    hours = serializers.FloatField()
    practice_hours = serializers.FloatField(help_text="Of these, in the practice round.")
    seconds = serializers.IntegerField()
    judgments = serializers.IntegerField(help_text="Pairs submitted for the first time.")
    corrections = serializers.IntegerField(help_text="Pairs submitted again.")
    first_at = serializers.DateTimeField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)
    full_days = FullDayFacts(many=True, help_text="Marked, and nothing is taken off.")


class PaySheet(serializers.Serializer[Any]):
    """The one place where names stand beside hours."""

    first = serializers.DateField(allow_null=True)
    last = serializers.DateField(allow_null=True)
    time_zone = serializers.CharField(help_text="Whose midnights begin and end the days.")
    hours = serializers.FloatField()
    judgments = serializers.IntegerField()
    people = PayLineFacts(many=True)


class RemarkAnswerFacts(serializers.Serializer[Any]):
    text = serializers.CharField()
    answered_at = serializers.DateTimeField()


class RemarkFacts(serializers.Serializer[Any]):
    """One judgment with a comment, a doubt or both."""

    assignment = serializers.IntegerField()
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    item = serializers.CharField(source="item_key")
    round = ChoiceField(choices=_ROUNDS)
    original = serializers.CharField()
    simplification = serializers.CharField()
    comment = serializers.CharField(help_text="Empty where there is none, or where it is hidden.")
    comment_hidden = serializers.BooleanField(
        help_text="There is one, and its words are not to be read yet."
    )
    doubt = serializers.BooleanField()
    submitted_at = serializers.DateTimeField()
    settled = serializers.BooleanField(help_text="Until the judgment is corrected.")
    answers = RemarkAnswerFacts(many=True)


class RemarkFilter(serializers.Serializer[Any]):
    state = ChoiceField(choices=STATES, required=False)
    kind = ChoiceField(choices=KINDS, required=False)
    annotator = serializers.CharField(max_length=20, required=False, help_text="A pseudonym.")
    q = serializers.CharField(
        max_length=200,
        required=False,
        help_text="Found in an item's key or in a comment that may be read.",
    )


class RemarkAnswerNew(serializers.Serializer[Any]):
    text = serializers.CharField(
        allow_blank=True, help_text="Read by the person who made the remark."
    )


class RemindableFacts(serializers.Serializer[Any]):
    """Somebody who has pairs left in the open round."""

    pseudonym = serializers.CharField(source="annotator.pseudonym")
    open = serializers.IntegerField(help_text="Pairs that wait.")
    quiet_since = serializers.DateTimeField()
    reminded_at = serializers.DateTimeField(allow_null=True)
    failed_at = serializers.DateTimeField(
        allow_null=True, help_text="The last try that the mail server refused."
    )
    again_at = serializers.DateTimeField(
        allow_null=True, help_text="From when they may be reminded; null: now."
    )


class Reminders(serializers.Serializer[Any]):
    """The rule is a setting of the study: `after_days` without activity (0: never), not again
    within `gap_days`."""

    after_days = serializers.IntegerField(source="study.reminder_after_days")
    gap_days = serializers.IntegerField(source="study.reminder_gap_days")
    mail = serializers.BooleanField(
        help_text="Whether mail is configured; without it nothing is sent by itself."
    )
    people = RemindableFacts(many=True)


class RemindersNew(serializers.Serializer[Any]):
    annotators = serializers.ListField(
        child=serializers.CharField(max_length=20),
        allow_empty=False,
        max_length=1000,
        help_text="Pseudonyms.",
    )


class TooSoon(serializers.Serializer[Any]):
    pseudonym = serializers.CharField()
    again_at = serializers.DateTimeField()


class LetterFacts(serializers.Serializer[Any]):
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    subject = serializers.CharField()
    body = serializers.CharField()


class RemindersSent(serializers.Serializer[Any]):
    """What came of it, by pseudonym. Whoever is named nowhere has nothing left to judge here."""

    sent = serializers.ListField(child=serializers.CharField())
    failed = serializers.ListField(
        child=serializers.CharField(), help_text="The mail server did not take the letter."
    )
    handed = LetterFacts(
        many=True, help_text="Without mail: texts to hand over, which count as reminders."
    )
    too_soon = TooSoon(many=True)
