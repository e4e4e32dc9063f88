"""What removing items or simplifications, or undoing an import, takes along, and what stands in its
way: nothing that anybody has judged or saved is ever taken."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import (
    Adjudication,
    Annotator,
    Assignment,
    Generation,
    GenerationRun,
    Item,
    PairsImport,
    PracticeNote,
    Simplification,
    Study,
)
from annotation.protocols.base import Wording
from annotation.selectors.base.saved import is_begun, saved_of
from annotation.selectors.base.sizes import sizes_kept

OBSTACLES = {
    "undone": Wording(
        "Cette importation est déjà annulée.", "This import has been undone already."
    ),
    "closed": Wording(
        "L'étude est fermée : rouvrez-la d'abord.", "The study is closed: reopen it first."
    ),
    "aside": Wording(
        "C'est une paire de contrôle ou une répétition : le plan les fait et les retire.",
        "This is a control pair or a repeat: the plan makes them and takes them away.",
    ),
    "begun": Wording(
        "Quelqu'un, ou un modèle, a déjà jugé ou enregistré quelque chose là-dessus.",
        "Somebody, or a model, has judged or saved something of it already.",
    ),
    "ruled": Wording(
        "Quelqu'un a tranché un désaccord là-dessus.", "Somebody has ruled on a disagreement on it."
    ),
    "frozen": Wording(
        "L'étude a été figée avec les jugements de cette importation.",
        "The study was frozen with the judgments of this import.",
    ),
    "later": Wording(
        "Une importation plus récente a ajouté des simplifications ou des jugements à ses "
        "clauses : annulez-la d'abord.",
        "A later import has added simplifications or judgments to its items: undo that one first.",
    ),
    "under_way": Wording(
        "Un modèle est en train d'écrire pour ces clauses : annulez sa demande d'abord.",
        "A model is at work on these items: cancel its run first.",
    ),
}


@dataclass(frozen=True)
class Doomed:
    """What is to go: items with everything that hangs on them, and simplifications of items that
    stay. ``record``: the import that brought them, with its own judgments."""

    study: Study
    items: QuerySet[Item]
    simplifications: QuerySet[Simplification]
    record: PairsImport | None = None

    @property
    def controls(self) -> QuerySet[Item]:
        """Control pairs made of passages that go."""
        # As it is kept: no index tells a study's controls from its other items.
        if not sizes_kept(self.study.pk).beside or not self.items.exists():
            return Item.objects.none()
        of_them = Q(original_digest__in=self.items.values("original_digest"))
        beside = Simplification.objects.filter(
            item=OuterRef("pk"), text__in=self.items.values("original")
        )
        made = Item.objects.filter(study=self.study, round=Item.Aside.CONTROL)
        return made.filter(of_them | Exists(beside)).exclude(pk__in=self.items.values("pk"))

    @property
    def pairs(self) -> QuerySet[Simplification]:
        """Every simplification that goes."""
        # As a union: either of three lists, PostgreSQL reads the pairs of every study.
        of_items, of_controls = (
            Simplification.objects.filter(item__in=items.values("pk")).order_by().values("pk")
            for items in (self.items, self.controls)
        )
        alone = self.simplifications.order_by().values("pk")
        return Simplification.objects.filter(pk__in=of_items.union(of_controls, alone))

    @property
    def assignments(self) -> QuerySet[Assignment]:
        """Whoever has any of them, and what came with the import onto pairs that stay."""
        of_pairs = Q(simplification__in=self.pairs.values("pk"))
        return Assignment.objects.filter(of_pairs | Q(pk__in=self.own.values("pk")))

    @property
    def own(self) -> QuerySet[Assignment]:
        """Those that the import itself brought, with their judgments: at its moment, whichever
        pairs they are of. Older versions kept no moment in common, and brought none but onto their
        own pairs."""
        if self.record is None:
            return Assignment.objects.none()
        others = PairsImport.objects.filter(study=self.study).exclude(pk=self.record.pk)
        of_another = Q(judgment__submitted_at__in=others.values("created_at"))
        came_with_it = Q(judgment__submitted_at=self.record.created_at) | (
            Q(simplification__brought_by=self.record) & ~of_another
        )
        return Assignment.objects.filter(
            came_with_it, annotator__study=self.study, annotator__kind=Annotator.Kind.IMPORTED
        )

    @property
    def others(self) -> QuerySet[Assignment]:
        """Of people, of models, and of other files."""
        return self.assignments.exclude(pk__in=self.own.values("pk"))


@dataclass(frozen=True)
class Removal:
    """What goes along, in numbers, and the keys of what stands in the way (``OBSTACLES``)."""

    items: int
    simplifications: int
    given: int
    people: int
    opened: int
    controls: int
    outputs: int
    notes: int
    judgments: int
    obstacles: tuple[str, ...]

    @property
    def possible(self) -> bool:
        return not self.obstacles


def item_doomed(item: Item) -> Doomed:
    """An item with its simplifications."""
    items = Item.objects.filter(pk=item.pk)
    return Doomed(item.study, items, Simplification.objects.filter(item=item))


def items_doomed(study: Study, keys: Collection[str]) -> Doomed:
    """Several items with their simplifications; keys that no item has count for nothing."""
    items = Item.objects.filter(study=study, key__in=keys)
    return Doomed(study, items, Simplification.objects.filter(item__in=items.values("pk")))


def items_begun(doomed: Doomed) -> list[str]:
    """The keys of those of which somebody, or a model, has judged or saved something."""
    assignments = Assignment.objects.filter(pk__in=saved_of(doomed.others))
    keys = assignments.order_by().values_list("simplification__item__key", flat=True)
    return sorted(set(keys))


def simplification_doomed(simplification: Simplification) -> Doomed:
    """One simplification; its item stays."""
    pairs = Simplification.objects.filter(pk=simplification.pk)
    return Doomed(simplification.item.study, Item.objects.none(), pairs)


def import_doomed(record: PairsImport) -> Doomed:
    """Everything that an import made."""
    items = Item.objects.filter(brought_by=record)
    pairs = Simplification.objects.filter(brought_by=record)
    return Doomed(record.study, items, pairs, record)


def removal(doomed: Doomed) -> Removal:
    """What removing this takes along now."""
    given = doomed.others.filter(annotator__kind=Annotator.Kind.PERSON).aggregate(
        given=Count("pk"),
        people=Count("annotator", distinct=True),
        opened=Count("pk", filter=Q(opened_at__isnull=False)),
    )
    return Removal(
        **given,
        items=doomed.items.count(),
        simplifications=doomed.pairs.exclude(item__in=doomed.controls.values("pk")).count(),
        controls=doomed.controls.count(),
        outputs=_generations(doomed).count(),
        notes=PracticeNote.objects.filter(simplification__in=doomed.pairs.values("pk")).count(),
        judgments=doomed.own.filter(judgment__isnull=False).count(),
        obstacles=tuple(_obstacles(doomed)),
    )


def _generations(doomed: Doomed) -> QuerySet[Generation]:
    """What models were asked about it."""
    about = Q(item__in=doomed.items.values("pk"))
    about |= Q(simplification__in=doomed.pairs.values("pk"))
    return Generation.objects.filter(about)


def _obstacles(doomed: Doomed) -> list[str]:
    study, record = doomed.study, doomed.record
    running = _generations(doomed).filter(
        Q(run__state=GenerationRun.State.RUNNING) | Q(state=Generation.State.RUNNING)
    )
    ruled = Adjudication.objects.filter(simplification__in=doomed.pairs.values("pk"))
    beside = Q(round__in=Item.Aside.values)
    pairs_beside = Q(item__round__in=Item.Aside.values)
    later = Simplification.objects.filter(
        item__in=doomed.items.values("pk"), brought_by__isnull=False
    ).exclude(brought_by=record)
    # Judgments of later files, on pairs that this one brought.
    attached = doomed.others.filter(annotator__kind=Annotator.Kind.IMPORTED)
    if record is None:
        attached = attached.none()
    obstacles = {
        "undone": record is not None and record.undone_at is not None,
        "closed": study.state == Study.State.CLOSED,
        "aside": doomed.items.filter(beside).exists()
        or doomed.simplifications.filter(pairs_beside).exists(),
        "begun": is_begun(doomed.others.exclude(pk__in=attached.values("pk"))),
        "ruled": ruled.exists(),
        "frozen": record is not None
        and doomed.own.exists()
        and study.snapshots.filter(created_at__gte=record.created_at).exists(),
        "later": record is not None and (later.exists() or attached.exists()),
        "under_way": running.exists(),
    }
    return [key for key in OBSTACLES if obstacles[key]]
