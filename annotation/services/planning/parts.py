"""A random part of the passages for people, the others for models alone: drawn before a round
opens, recorded with its seed, and taken back."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from annotation.allocation import seeded_order
from annotation.errors import RuleError
from annotation.models import Annotator, Assignment, Item, PeoplePart, Study, User
from annotation.selectors.base.sources import sources_by_item
from annotation.selectors.planning.parts import division_digest
from annotation.services.base.sizes import size_recount
from annotation.services.base.standings import standings_recount
from annotation.services.planning.assignments import main_pairs_undo
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock_open


@transaction.atomic
def part_draw(
    *, actor: User | None, study: Study, passages: int, seed: int | None = None
) -> PeoplePart:
    """Draw so many distinct original texts for people by ``seed`` (by default the study's own);
    items of all other texts go to the round "machine". A former draw is taken back first.

    The same items and seed give the same draw. Raises ``RuleError``: a round was opened, somebody
    has looked at a pair of it already, or there are not more texts than are asked for.
    """
    study = _in_preparation(study)
    seed = study.seed if seed is None else seed
    _take_back(study)
    main = study.items.filter(round=Item.Round.MAIN)
    source_of = sources_by_item(main)
    texts = set(source_of.values())
    if not 1 <= passages < len(texts):
        raise RuleError.single(
            "passages",
            "out_of_range",
            f"La ronde principale a {len(texts)} passages différents : tirez-en au moins 1, et "
            f"moins de {len(texts)}.",
            f"The main round has {len(texts)} different passages: draw at least 1, and fewer than "
            f"{len(texts)}.",
        )
    drawn = set(seeded_order(texts, f"{seed}:people")[:passages])
    main_pairs_undo(study)
    left = main.exclude(key__in=[key for key, source in source_of.items() if source in drawn])
    _nobody_has(left)
    number = left.update(round=Item.Aside.MACHINE)
    part = PeoplePart.objects.create(
        study=study,
        seed=seed,
        passages=passages,
        of=len(texts),
        digest=division_digest(study),
        drawn_by=actor,
    )
    _follow(study)
    event_record(
        actor=actor,
        study=study,
        verb="part_drawn",
        target=part,
        passages=passages,
        of=len(texts),
        left_to_models=number,
        seed=seed,
    )
    return part


@transaction.atomic
def part_undo(*, actor: User | None, study: Study) -> int:
    """People judge every passage again; how many items come back to the main round. Raises
    ``RuleError``: a round was opened, or nothing is drawn."""
    study = _in_preparation(study)
    if not PeoplePart.objects.filter(study=study).exists():
        raise RuleError.single(
            "passages",
            "not_drawn",
            "Aucune part n'a été tirée : les personnes jugent tous les passages.",
            "No part was drawn: people judge every passage.",
        )
    back = _take_back(study)
    _follow(study)
    event_record(actor=actor, study=study, verb="part_undone", number=back)
    return back


def _take_back(study: Study) -> int:
    PeoplePart.objects.filter(study=study).delete()
    left = study.items.filter(round=Item.Aside.MACHINE)
    return left.update(round=Item.Round.MAIN)


def _follow(study: Study) -> None:
    """What is kept of the study and of whoever has judged already, models among them."""
    size_recount(study)
    standings_recount(list(study.annotators.values_list("pk", flat=True)))


def _nobody_has(items: QuerySet[Item]) -> None:
    given = Assignment.objects.exclude(annotator__kind=Annotator.Kind.MACHINE)
    if given.filter(simplification__item__in=items.values("pk")).exists():
        raise RuleError.single(
            "passages",
            "seen",
            "Quelqu'un a déjà vu ou jugé des paires de la ronde principale : une part tirée "
            "maintenant ne serait plus au hasard.",
            "Somebody has seen or judged pairs of the main round already: a part drawn now would "
            "no longer be random.",
        )


def _in_preparation(study: Study) -> Study:
    study = study_row_lock_open(study.pk)
    if study.state != Study.State.DRAFT:
        raise RuleError.single(
            "passages",
            "opened",
            "Une ronde a été ouverte : la part des personnes ne change plus. Ramenez d'abord "
            "l'étude en préparation.",
            "A round was opened: the people's part does not change any more. Take the study back "
            "to preparation first.",
        )
    return study
