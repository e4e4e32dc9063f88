"""The circumstances of judgments and pairs, beside their ratings: when, under which guide, by which
bracket and errors.

Only sealed judgments (``submitted_at``) are read, whatever state the study is in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, F, FilteredRelation, Max, Q, Sum
from django.db.models.functions import Mod

from annotation.models import (
    Annotator,
    Assignment,
    ErrorDeduction,
    GuideVersion,
    Item,
    Judgment,
    Study,
)
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.base.rounds import items_in, judgments_in
from annotation.selectors.base.standings import AGAIN
from annotation.uncut import is_uncut

# A prime: two sets of keys of one sum are told apart by what is left of each.
_APART = 9973


class JudgmentFacts(NamedTuple):
    """One sealed judgment without its ratings. ``bracket`` and ``deductions`` are those of the
    protocol's first bracketed scale; None where it has none, or only a score was published."""

    pk: int
    simplification: int
    annotator: int
    submitted_at: datetime
    is_imported: bool
    guide: int | None
    bracket: int | None
    deductions: int | None


class PairTexts(NamedTuple):
    """What filters look at in a pair; ``words`` are those of the original, None where they cannot
    be told by spaces."""

    simplification: int
    system: str
    original: str

    @property
    def words(self) -> int | None:
        return None if is_uncut(self.original) else len(self.original.split())


class Completeness(NamedTuple):
    """How many of the judgments that the round asks for are there; of those that are, how many an
    amended guide has sent back: they count as they stand until they are made again."""

    done: int
    expected: int
    again: int

    @property
    def is_open(self) -> bool:
        """Whether any judgment is still awaited, a first or another."""
        return self.done - self.again < self.expected


@one_moment()
def study_digest(study: Study) -> tuple[object, ...]:
    """Changes whenever something does that a figure of agreement depends on; four small queries.

    Digests of it are stored beside fitted models and reports.
    """
    withdrawn = dict(
        Annotator.objects.filter(study=study).order_by().values_list("pk", "withdrawn_at")
    )
    left = [moment for moment in withdrawn.values() if moment is not None]
    people = (len(withdrawn), len(left), max(left, default=None))
    # By their ids: PostgreSQL takes annotators of a small study to have judged as much as others.
    judgments = Judgment.objects.filter(assignment__annotator__in=[*withdrawn]).aggregate(
        number=Count("pk"),
        submitted=Count("submitted_at"),
        last=Max("submitted_at"),
        revisions=Sum("revision"),
        newest=Max("pk"),
        # Which ones: somebody leaves and comes back, and as many others are of no use any more.
        surplus_keys=Sum("pk", filter=Q(surplus=True)),
        surplus_apart=Sum(F("pk") * Mod("pk", _APART), filter=Q(surplus=True)),
    )
    # Which items stand in which round: their squares tell two that change places.
    items = (
        Item.objects.filter(study=study)
        .order_by("round")
        .values_list("round")
        .annotate(Count("pk"), Sum("pk"), squares=Sum(F("pk") * F("pk")))
    )
    guides = GuideVersion.objects.filter(study=study).aggregate(last=Max("pk"))
    numbers = (*judgments.values(), *people, *items, *guides.values())
    return (
        study.pk,
        study.created_at,
        study.protocol_key,
        study.protocol_version,
        study.seed,
        *numbers,
    )


@one_moment()
def completeness(study: Study, round: str) -> Completeness:  # noqa: A002
    """Sealed judgments of people among their assignments in a round; who has left owes nothing
    more; one query."""
    human = Assignment.objects.filter(
        items_in(round, "simplification__item__"), simplification__item__study=study
    ).exclude(annotator__kind=Annotator.Kind.MACHINE)
    sealed = Q(judgment__submitted_at__isnull=False, judgment__surplus=False)
    awaited = Q(
        judgment__submitted_at__isnull=True,
        annotator__withdrawn_at__isnull=True,
        released_at__isnull=True,
    )
    counts = human.filter(sealed | awaited).aggregate(
        done=Count("pk", filter=sealed),
        expected=Count("pk"),
        again=Count("pk", filter=sealed & AGAIN & Q(annotator__withdrawn_at__isnull=True)),
    )
    return Completeness(**counts)


@one_moment()
def judgment_facts(
    study: Study,
    *,
    round: str,  # noqa: A002
    kinds: Sequence[str],
    context: bool | None = None,
) -> list[JudgmentFacts]:
    """Every sealed judgment of a round, in the order in which they came; one query. ``context``:
    only those made with the neighbouring text shown, or without."""
    arm = Q() if context is None else Q(assignment__context_shown=context)
    derived = next((scale.dimension_name for scale in study.protocol.bracketed), "")
    rows = (
        Judgment.objects.filter(
            judgments_in(round) & arm,
            submitted_at__isnull=False,
            assignment__simplification__item__study=study,
            assignment__annotator__kind__in=kinds,
        )
        .annotate(scored=FilteredRelation("ratings", condition=Q(ratings__dimension=derived)))
        .order_by("submitted_at", "assignment__position", "pk")
        .values_list(
            "pk",
            "assignment__simplification_id",
            "assignment__annotator_id",
            "submitted_at",
            "origin",
            "guide__number",
            F("scored__bracket"),
            F("scored__deductions"),
        )
    )
    return [
        JudgmentFacts(
            pk,
            pair,
            annotator,
            moment,
            origin == Judgment.Origin.IMPORTED,
            guide,
            bracket,
            deductions,
        )
        for pk, pair, annotator, moment, origin, guide, bracket, deductions in rows
        if moment is not None
    ]


def error_types(
    study: Study,
    *,
    round: str,  # noqa: A002
    field: str,
) -> dict[int, Counter[str]]:
    """How many marks of each type of that field, by judgment; one query."""
    return mark_types(study, round=round, only=Q(field=field)).get(field, {})


@one_moment()
def mark_types(
    study: Study,
    *,
    round: str,  # noqa: A002
    only: Q | None = None,
) -> dict[str, dict[int, Counter[str]]]:
    """By field how many marks of each type, by judgment, errors and what is none; one query."""
    rows = (
        ErrorDeduction.objects.filter(
            judgments_in(round, "judgment__") & (only or Q()),
            judgment__assignment__simplification__item__study=study,
            judgment__submitted_at__isnull=False,
        )
        .order_by()
        .values_list("field", "judgment_id", "type")
        .annotate(number=Count("pk"))
    )
    types: dict[str, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for field, judgment, kind, number in rows:
        types[field][judgment][kind] = number
    return types


def pair_texts(study: Study, *, round: str) -> list[PairTexts]:  # noqa: A002
    """Every pair of a round with what filters look at; one query."""
    rows = Item.objects.filter(study=study, round=round, simplifications__isnull=False).values_list(
        "simplifications__pk", "simplifications__system", "original"
    )
    return [PairTexts(*row) for row in rows.order_by("position")]


def study_systems(study: Study) -> list[str]:
    """The systems whose output is judged, by name; one query."""
    rows = Item.objects.filter(study=study).exclude(simplifications__system="")
    return sorted(
        name
        for name in rows.order_by().values_list("simplifications__system", flat=True).distinct()
        if name
    )


def only(facts: Sequence[JudgmentFacts], simplifications: Collection[int]) -> list[JudgmentFacts]:
    """The judgments of these pairs."""
    return [judgment for judgment in facts if judgment.simplification in simplifications]
