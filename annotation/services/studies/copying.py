"""A study made after the pattern of another: what was decided for it, and what is wanted of what it
holds. Never a judgment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import QuerySet

from annotation.corpus.glossary import Term
from annotation.errors import RuleError
from annotation.models import (
    AdjudicationRules,
    GenerationRun,
    GenerationSystem,
    Item,
    PairsImport,
    Simplification,
    SourceDocument,
    Study,
    StudyPlan,
    User,
    new_seed,
)
from annotation.rows import columns_insert
from annotation.selectors.generation.runs import is_assumed_free, price_of, spec_of
from annotation.selectors.guides.acknowledgement import guide_in_force
from annotation.selectors.guides.glossary import glossary_entries
from annotation.selectors.planning.absence import judging
from annotation.services.base.sizes import NewPair, size_add
from annotation.services.generation.runs import run_create
from annotation.services.generation.systems import system_add
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.items.brought import import_count, import_open
from annotation.services.people.people import annotator_add, lead_add
from annotation.services.planning.plans import SETTINGS as PLAN_SETTINGS
from annotation.services.platform.events import event_record
from annotation.services.platform.row_counts import row_counts_refresh_on_commit
from annotation.services.platform.study_rows import study_row_lock
from annotation.services.studies.studies import SETTINGS, guide_publish, study_create

_ITEM = (
    "key",
    "position",
    "round",
    "source",
    "context_before",
    "original",
    "original_digest",
    "context_after",
    "structure",
)
_SIMPLIFICATION = ("system", "text", "position", "language", "is_identical", "finish_reason")
_DOCUMENT = (
    "name",
    "kind",
    "sha256",
    "size",
    "encoding",
    "pages",
    "note_fr",
    "note_en",
    "text",
    "hints",
    "page_starts",
    "criteria",
    "overrides",
)


@dataclass(frozen=True)
class CopyParts:
    """What a copy takes along beside what was decided for the study. ``documents``: with their
    criteria and the decisions by hand; without ``items`` nothing is drawn from them yet."""

    people: bool = False
    items: bool = False
    documents: bool = False


@transaction.atomic
def study_copy(
    *, actor: User, source: Study, key: str, title: str, wanted: CopyParts | None = None
) -> Study:
    """A new study in preparation with the settings, guide, glossary, plan, systems and thresholds
    of ``source``; the actor leads it. Its seeds are its own, and recorded.

    People whose account is closed, or who could not have their part any more, are left out; a
    system whose service is not there any more is too. Raises ``RuleError`` as ``study_create``.
    """
    wanted = wanted or CopyParts()
    # All of the copy is of one moment: nobody brings anything in or takes it away meanwhile.
    source = study_row_lock(source.pk, no_key=True)
    settings = {
        name: getattr(source, name) for name in SETTINGS if name not in ("title", "rulings")
    }
    study = study_create(
        actor=actor,
        key=key,
        title=title,
        protocol_key=source.protocol_key,
        protocol_version=source.protocol_version,
        rulings=source.rulings,
        **settings,
    )
    taken: dict[str, Any] = {"of": source.key, "source": source.pk}
    _words(actor, source, study)
    taken |= _plan(source, study)
    _thresholds(source, study)
    taken["systems"] = _systems(actor, source, study)
    if wanted.people:
        taken["people"] = _people(actor, source, study)
    if wanted.items:
        taken |= _items(actor, source, study)
    if wanted.documents:
        taken["documents"] = _documents(actor, source, study, drawn=wanted.items)
    facts = {name: value for name, value in taken.items() if value}
    event_record(actor=actor, study=study, verb="study_copied", target=study, **facts)
    # Its glossary has counted its versions in the row.
    return Study.objects.get(pk=study.pk)


def _words(actor: User, source: Study, study: Study) -> None:
    """The guide in force and the glossary, each as the first version."""
    guide = guide_in_force(source)
    if guide is not None:
        guide_publish(actor=actor, study=study, body_fr=guide.body_fr, body_en=guide.body_en)
    terms = [Term(entry.term, entry.definition, entry.source) for entry in glossary_entries(source)]
    if terms:
        glossary_replace(actor=actor, study=study, terms=terms)


def _plan(source: Study, study: Study) -> dict[str, int]:
    """The plan under a seed of its own. Not checked against who is there: they are still to come,
    and the list of what to do before a round says so."""
    plan = StudyPlan.objects.filter(study=source).first()
    if plan is None:
        return {}
    kept = {name: getattr(plan, name) for name in PLAN_SETTINGS if name != "seed"}
    made = StudyPlan.objects.create(study=study, **kept | {"seed": new_seed()})
    return {"seed": made.seed}


def _thresholds(source: Study, study: Study) -> None:
    rules = AdjudicationRules.objects.filter(study=source).first()
    if rules is not None:
        AdjudicationRules.objects.create(study=study, rules=rules.rules)


def _systems(actor: User, source: Study, study: Study) -> int:
    """Every system as it was asked last, in runs that are still to be started: one for each purpose
    and service."""
    newest: dict[tuple[str, str], GenerationSystem] = {}
    systems = GenerationSystem.objects.filter(run__study=source).select_related("run")
    for system in systems.order_by("run__number", "pk"):
        newest[system.run.purpose, system.name] = system
    by_run: dict[tuple[str, str], list[GenerationSystem]] = defaultdict(list)
    for system in newest.values():
        by_run[system.run.purpose, system.run.endpoint].append(system)
    made = 0
    for (purpose, endpoint), group in by_run.items():
        last = group[-1].run
        # 0 was taken once, and stops every run at once.
        ceiling = max(system.run.ceiling for system in group) or Decimal(5)
        try:
            with transaction.atomic():
                run = run_create(
                    actor=actor,
                    study=study,
                    endpoint=endpoint,
                    ceiling=ceiling,
                    purpose=purpose,
                    mode=last.mode,
                    round=last.round,
                    **_asked_alike(last),
                )
                for system in group:
                    price = None if is_assumed_free(system) else price_of(system)
                    spec = spec_of(system)
                    system_add(actor=actor, run=run, spec=spec, price=price, is_copy=True)
        except RuleError:
            continue
        made += len(group)
    return made


def _asked_alike(run: GenerationRun) -> dict[str, Any]:
    """How a run of questions is set; one of answers or grades follows a run that is not copied."""
    is_asked = run.purpose == GenerationRun.Purpose.QUESTION
    return {"questioning": run.questioning} if is_asked else {}


def _people(actor: User, source: Study, study: Study) -> int:
    """The other leads, then the annotators who are there; how many could be taken along."""
    leads = [lead.user for lead in source.leads.select_related("user") if lead.user != actor]
    annotators = [annotator.user for annotator in judging(source).select_related("user")]
    return sum(
        _joined(add, actor, study, user)
        for add, users in ((lead_add, leads), (annotator_add, annotators))
        for user in users
        if user is not None and user.is_active
    )


def _joined(add: Any, actor: User, study: Study, user: User) -> bool:
    try:
        add(actor=actor, study=study, user=user)
    except RuleError:
        return False
    return True


def _items(actor: User, source: Study, study: Study) -> dict[str, int]:
    """The items of both rounds with their simplifications; what was left to models is of the main
    round again. Control pairs and repeats follow from the copy's own plan, and so does a draw."""
    rounds = (*Item.Round.values, Item.Aside.MACHINE.value)
    of_rounds = source.items.filter(round__in=rounds).order_by("position")
    originals, items = _columns(of_rounds, "pk", _ITEM)
    items["round"] = [_copied_round(round_) for round_ in items["round"]]
    record = import_open(
        actor=actor,
        study=study,
        rows=len(originals),
        name=source.key,
        kind=PairsImport.Kind.COPY,
        round="all",
    )
    created = columns_insert(Item, items, study_id=study.pk, brought_by_id=record.pk)
    copy_of = dict(zip(originals, created, strict=True))
    outputs = Simplification.objects.filter(item__study=source, item__round__in=rounds)
    in_order = outputs.order_by("item__position", "position", "pk")
    places, simplifications = _columns(in_order, "item_id", _SIMPLIFICATION)
    simplifications["item_id"] = [copy_of[item] for item in places]
    columns_insert(Simplification, simplifications, brought_by_id=record.pk)
    of_pairs = (simplifications[name] for name in NewPair._fields)
    size_add(study, rounds=items["round"], pairs=map(NewPair, *of_pairs))
    row_counts_refresh_on_commit(len(created), Item, Simplification)
    import_count(record, items=len(created), simplifications=len(places))
    return {"items": len(created), "simplifications": len(places)}


def _columns(
    rows: QuerySet[Any], key: str, names: Sequence[str]
) -> tuple[list[int], dict[str, list[Any]]]:
    """``key`` of each row, and these fields column by column."""
    table = list(rows.values_list(key, *names))
    columns = {name: [row[place] for row in table] for place, name in enumerate(names, start=1)}
    return [row[0] for row in table], columns


def _copied_round(round_: str) -> str:
    return Item.Round.MAIN.value if round_ == Item.Aside.MACHINE else round_


def _documents(actor: User, source: Study, study: Study, *, drawn: bool) -> int:
    """The source documents; what was drawn from them stands where the items came along, under the
    same keys."""
    number = 0
    for original in source.documents.order_by("uploaded_at"):
        document = SourceDocument(
            study=study, uploaded_by=actor, **{name: getattr(original, name) for name in _DOCUMENT}
        )
        if drawn:
            document.draw, document.drawn_at = original.draw, original.drawn_at
        document.file.save("", ContentFile(_content(original)), save=False)
        document.save(force_insert=True)
        number += 1
    return number


def _content(document: SourceDocument) -> bytes:
    """Raises ``RuleError`` where the file is not there any more."""
    try:
        with document.file.open("rb") as stored:
            return bytes(stored.read())
    except FileNotFoundError as error:
        raise RuleError.single(
            "documents",
            "file_gone",
            f"Le fichier « {document.name} » n'est plus là : copiez l'étude sans ses documents.",
            f"The file “{document.name}” is not there any more: copy the study without its "
            "documents.",
        ) from error
