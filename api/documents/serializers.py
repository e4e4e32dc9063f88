"""Source documents: their criteria, blocks and draws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.corpus.choosing import Reach
from annotation.corpus.drawing import MAIN, PRACTICE
from annotation.corpus.encodings import ENCODINGS
from annotation.corpus.funnel import Criteria, Criterion
from annotation.corpus.readability import Syllables
from api.fields import ChoiceField, SeedField

MOST_SENTENCES, MOST_COPIES, MOST_KEYS = 50, 1000, 5000
_SHOWN = ["kept", "dropped", "manual", "all"]


class DocumentFile(serializers.Serializer[Any]):
    file = serializers.FileField(help_text=".txt, .docx or .pdf with its text.")
    encoding = ChoiceField(
        choices=ENCODINGS, default="", allow_blank=True, help_text="Of a .txt, if guessed wrong."
    )


class CriteriaFacts(serializers.Serializer[Any]):
    """What a block must be to become an item."""

    fewest_sentences = serializers.IntegerField(min_value=1, max_value=MOST_SENTENCES)
    most_sentences = serializers.IntegerField(min_value=1, max_value=MOST_SENTENCES)
    hardest_only = serializers.FloatField(
        allow_null=True,
        min_value=-1000,
        max_value=1000,
        help_text="Reading ease at most; null takes any.",
    )
    drop_boilerplate = serializers.BooleanField()
    drop_duplicates = serializers.BooleanField()
    french_only = serializers.BooleanField()
    syllables = ChoiceField(choices=[choice.value for choice in Syllables])
    # Clients that know none of these leave them as the document has them.
    as_form = serializers.BooleanField(
        required=False, help_text="Tables, blanks and standing sentences are told from clauses."
    )
    drop_tables = serializers.BooleanField(required=False)
    drop_fields = serializers.BooleanField(required=False)
    drop_verbless = serializers.BooleanField(required=False)
    standing_from = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=2,
        max_value=MOST_COPIES,
        help_text="From how many times on a sentence is a mention; null: never.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["fewest_sentences"] > attrs["most_sentences"]:
            raise serializers.ValidationError(
                {"most_sentences": _("The most must not be less than the least.")}
            )
        return attrs

    @staticmethod
    def criteria(wanted: dict[str, Any], former: Criteria) -> Criteria:
        """What was sent, as the service takes it; what was not is as it was."""
        return replace(former, **wanted | {"syllables": Syllables(wanted["syllables"])})


class DocumentFacts(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="pk")
    name = serializers.CharField()
    kind = serializers.CharField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField()
    pages = serializers.IntegerField(allow_null=True)
    uploaded_at = serializers.DateTimeField()
    drawn_at = serializers.DateTimeField(allow_null=True)


class FunnelFacts(DocumentFacts):
    criteria = CriteriaFacts()
    blocks = serializers.IntegerField()
    kept = serializers.IntegerField()
    dropped = serializers.DictField(
        child=serializers.IntegerField(),
        help_text=f"First failed criterion: {', '.join(Criterion)}.",
    )
    rescued = serializers.IntegerField()


class FoundLater(serializers.Serializer[Any]):
    """A long document, whose blocks a worker finds."""

    location = serializers.CharField(help_text="Where to look again.")


class BlockFilter(serializers.Serializer[Any]):
    show = ChoiceField(choices=_SHOWN, default="kept")
    after = serializers.IntegerField(
        default=-1, help_text="Number of the last block that you have."
    )
    limit = serializers.IntegerField(default=100, min_value=1, max_value=500)


class BlockFacts(serializers.Serializer[Any]):
    number = serializers.IntegerField(source="block.number")
    key = serializers.CharField()
    text = serializers.CharField(source="block.text")
    reading_ease = serializers.FloatField(source="readability.score", allow_null=True)
    kept = serializers.BooleanField()
    reasons = serializers.SerializerMethodField()
    headings = serializers.ListField(
        child=serializers.CharField(), source="block.headings", help_text="The widest first."
    )

    def get_reasons(self, verdict: Any) -> list[str]:
        return [reason.code for reason in verdict.reasons]


class BlockPage(serializers.Serializer[Any]):
    results = BlockFacts(many=True)
    after = serializers.IntegerField(
        allow_null=True, help_text="Ask for more with this; null at the end."
    )


class BlockDecision(serializers.Serializer[Any]):
    keep = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)


class ManyDecisions(serializers.Serializer[Any]):
    """One decision on many blocks."""

    keys = serializers.ListField(
        child=serializers.CharField(max_length=40), min_length=1, max_length=MOST_KEYS
    )
    reach = ChoiceField(
        choices=[reach.value for reach in Reach],
        default=Reach.CHOSEN.value,
        help_text="These blocks, all with their text, or all around them under a heading.",
    )
    depth = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=100,
        help_text="Which of a block's headings, the widest being 0.",
    )
    keep = serializers.BooleanField(
        allow_null=True, help_text="Null leaves the blocks of `keys` to the criteria again."
    )
    reason = serializers.CharField(allow_blank=True, default="")


class DecidedFacts(serializers.Serializer[Any]):
    decided = serializers.IntegerField()
    skipped = serializers.IntegerField(
        help_text="Blocks that were like that already, or were decided by hand."
    )
    together = serializers.CharField(help_text="Takes the decision back whole; empty without one.")


class DrawNew(serializers.Serializer[Any]):
    practice = serializers.IntegerField(default=PRACTICE, min_value=0, max_value=100_000)
    main = serializers.IntegerField(
        default=MAIN,
        min_value=1,
        max_value=100_000,
        allow_null=True,
        help_text="Null: all that there is.",
    )
    seed = SeedField()


class DrawFacts(serializers.Serializer[Any]):
    practice = BlockFacts(many=True)
    main = BlockFacts(many=True)


class Drawn(serializers.Serializer[Any]):
    items = serializers.ListField(child=serializers.CharField(), help_text="Keys.")
