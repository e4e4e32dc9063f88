"""Studies side by side."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.agreement.studies.matching import CONTENT, RULES
from annotation.agreement.systems.resampling import DRAWS
from annotation.models import Item
from api.agreement.serializers.agreement import OfWithdrawn
from api.fields import ChoiceField, draws_field

CONTEXTS = ["shown", "not_shown"]


class StudiesQuery(serializers.Serializer[Any]):
    other = serializers.CharField(
        help_text="Key of the other study, which you lead too; or of the same."
    )
    sent_back = serializers.BooleanField(
        default=False,
        help_text="What the guide of version `guide` (without it: any) sent back, before against "
        "after: as it stood then, as the same people made it again. `other` is the study itself; "
        "`match` and what is said of the other do not matter.",
    )
    match = ChoiceField(
        choices=RULES,
        default=CONTENT,
        help_text="`content`: equal original and equal output; `key`: equal key and system.",
    )
    round = ChoiceField(choices=Item.Round.values, default=Item.Round.MAIN.value)
    other_round = ChoiceField(choices=Item.Round.values, default=Item.Round.MAIN.value)
    context = ChoiceField(  # type: ignore[assignment]
        choices=CONTEXTS, default="", help_text="Judgments with the neighbouring text, or without."
    )
    other_context = ChoiceField(choices=CONTEXTS, default="")
    guide = serializers.IntegerField(
        default=None, min_value=1, max_value=2**31 - 1, help_text="Number of a version."
    )
    other_guide = serializers.IntegerField(default=None, min_value=1, max_value=2**31 - 1)
    draws = draws_field("Of source texts", default=DRAWS, most=5000)
    seed = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, default=42, help_text="Of draws and of tests."
    )
    confidence = serializers.FloatField(min_value=0.5, max_value=0.999, default=0.95)
    withdrawn = serializers.BooleanField(
        default=True, help_text="With what annotators submitted who have left since."
    )


class StudiesSide(serializers.Serializer[Any]):
    study = serializers.CharField()
    title = serializers.CharField()
    protocol = serializers.CharField()
    round = serializers.CharField()
    context = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    guide = serializers.IntegerField(allow_null=True)
    stood = ChoiceField(
        choices=["before", "after"],
        allow_blank=True,
        help_text="Of what `guide` sent back: as it stood then, as it was made again.",
    )
    judgments = serializers.IntegerField()
    outputs = serializers.IntegerField(help_text="Judged ones.")
    of_withdrawn = OfWithdrawn()


class StudiesMatching(serializers.Serializer[Any]):
    rule = ChoiceField(choices=RULES)
    matched = serializers.IntegerField()
    first_only = serializers.IntegerField()
    second_only = serializers.IntegerField()
    texts_differ = serializers.IntegerField(
        help_text="By key: matches with other texts. By content: outputs without counterpart "
        "whose key and system the other study has, with other words."
    )
    systems_differ = serializers.IntegerField()
    surplus = serializers.IntegerField()


class StudiesSentBack(serializers.Serializer[Any]):
    sent = serializers.IntegerField(help_text="Judgments that were sent back.")
    again = serializers.IntegerField(help_text="Of these, made again: those that are compared.")
    annotators = serializers.IntegerField()
    outputs = serializers.IntegerField()
    already_under_that_guide = serializers.IntegerField(
        help_text="Of those made again: had been made under the version that sent them back."
    )
    changed = serializers.IntegerField(
        help_text="Of those made again: have another answer on a dimension."
    )


class StudiesBeside(serializers.Serializer[Any]):
    """`first` is the study of the address; changes are of `second` less `first`. Every figure has
    its value, its interval, its n and its signature, or says in both languages why it is
    undefined. Intervals with other annotators are never narrower than those with these: where the
    random effects' own would be, they are widened to them."""

    first = StudiesSide()
    second = StudiesSide()
    undefined = serializers.DictField(child=serializers.CharField(), allow_null=True)
    notes = serializers.ListField(child=serializers.DictField())
    sent_back = StudiesSentBack(allow_null=True, help_text="Null where two sets are compared.")
    matching = StudiesMatching()
    dimensions = serializers.DictField(child=serializers.DictField())
    orders = serializers.ListField(
        child=serializers.DictField(),
        help_text="Of dimensions that only one of both measures on that scale: the rank "
        "correlation of the outputs' means.",
    )
    settings = serializers.DictField(help_text="Method, draws, seed, confidence.")
