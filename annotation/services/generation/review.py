"""Between a model and the judges: flagged outputs are decided on, and the rest becomes what is
judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.allocation import seeded_order
from annotation.corpus.problems import names_in_words
from annotation.errors import RuleError
from annotation.generation.review import CLEANABLE, EMPTY, FLAGS, cleaned, tidy
from annotation.models import Generation, GenerationRun, Item, Output, Simplification, User
from annotation.selectors.base.outputs import newest_outputs, undecided_outputs
from annotation.services.base.item_rows import unsaved_simplification
from annotation.services.base.outputs import undecided_recount
from annotation.services.base.sizes import new_pairs, size_add
from annotation.services.generation.rows import BATCH, adoption_check, run_locked
from annotation.services.generation.runs import run_reopen
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.controls import controls_keep_up
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock

Decision = Output.Decision


@transaction.atomic
def outputs_decide(
    *,
    actor: User | None,
    run: GenerationRun,
    decision: str,
    flag: str = "",
    outputs: Iterable[int] | None = None,
) -> int:
    """Decide on the outputs in force that carry ``flag``, or on those named; how many.

    An output that is judged already is left alone, and so is one for which the decision makes no
    sense: an empty one cannot be kept. Raises ``RuleError`` for an unknown decision, for one on
    nothing or on what the run does not have, and for one that applies to none.
    """
    run = _simplifying(run)
    named = None if outputs is None else list(outputs)
    _check_decision(run, decision)
    _check_chosen(run, flag, named)
    chosen = [output for output in _open(run, named) if not flag or flag in output.flags]
    if not chosen:
        raise _none_open()
    fitting = [output for output in chosen if _fits(output, decision)]
    if not fitting:
        raise RuleError.single(
            "decision",
            "none",
            "Aucune sortie ne permet cette décision (une sortie vide ne se garde pas, et seuls un "
            "préambule, un écho ou du Markdown se retirent).",
            "No output allows this decision (an empty one cannot be kept, and only a preamble, an "
            "echo or Markdown can be taken off).",
        )
    _apply(fitting, decision, actor)
    undecided_recount(run)
    if decision == Decision.REGENERATE:
        _send_back(run, fitting, actor)
    event_record(
        actor=actor,
        study=run.study,
        verb="outputs_decided",
        target=run,
        decision=decision,
        flag=flag,
        outputs=[output.pk for output in fitting],
    )
    return len(fitting)


def _check_decision(run: GenerationRun, decision: str) -> None:
    if decision not in (
        Decision.KEEP,
        Decision.CLEAN,
        Decision.EXCLUDE,
        Decision.REGENERATE,
        Decision.NONE,
    ):
        raise RuleError.single("decision", "unknown", "Décision inconnue.", "Unknown decision.")
    if decision == Decision.REGENERATE and run.state == GenerationRun.State.CANCELLED:
        raise RuleError.single(
            "decision",
            "cancelled",
            "Cette passe est annulée : préparez-en une autre pour générer de nouveau.",
            "This run is cancelled: prepare another to generate again.",
        )


def _check_chosen(run: GenerationRun, flag: str, named: Collection[int] | None) -> None:
    """Raise ``RuleError`` where no output is named in either way (all of them would be meant, and
    asked for again at a price), and for names that nothing has: whoever misspelt one would believe
    it decided."""
    if not (flag if named is None else named):
        raise RuleError.single(
            "outputs",
            "required",
            "Dites sur quelles sorties décider : choisissez-les, ou nommez un signalement.",
            "Say which outputs to decide on: choose them, or name a flag.",
        )
    if flag and flag not in FLAGS:
        known = ", ".join(FLAGS)
        raise RuleError.single(
            "flag",
            "unknown",
            f"Signalement inconnu. Il y a : {known}.",
            f"Unknown flag. There are: {known}.",
        )
    if named is not None:
        _check_there(run, named)


def _check_there(run: GenerationRun, named: Collection[int]) -> None:
    there = set(newest_outputs(run).values_list("pk", flat=True))
    gone = [str(output) for output in dict.fromkeys(named) if output not in there]
    if gone:
        names = names_in_words(gone)
        raise RuleError.single(
            "outputs",
            "missing",
            f"La passe n'a pas, ou plus, ces sorties : {names.fr}. Rien n'a été décidé : rechargez "
            "la page.",
            f"The run has no such outputs, or not any more: {names.en}. Nothing was decided: load "
            "the page again.",
        )


def _none_open() -> RuleError:
    return RuleError.single(
        "decision",
        "none",
        "Rien à décider : aucune de ces sorties n'attend encore (elles sont dans l'étude, ou "
        "redemandées au modèle), ou aucune ne porte ce signalement.",
        "Nothing to decide: none of these outputs is still open (they are in the study, or asked "
        "for again), or none carries this flag.",
    )


@transaction.atomic
def outputs_adopt(*, actor: User | None, run: GenerationRun) -> int:
    """Make every output that may be judged a simplification of its item; how many.

    Systems stand in an order that the run's seed draws for each item. In an open round the
    annotators get the new pairs after theirs. Raises ``RuleError`` while work is under way or a
    flagged output is undecided.
    """
    # Before the run, which shares it: two who share it could not both come to hold it.
    study = study_row_lock(run.study_id)
    run = _simplifying(run)
    _ready_for_adoption(run)
    adopted = [
        output
        for output in _open(run).select_related("generation__item", "generation__system")
        if _adoptable(output)
    ]
    _once_per_system(adopted)
    for output, place in _places(run, adopted):
        item = output.generation.item
        output.simplification = unsaved_simplification(
            original=item.original,
            text=output.text,
            item_id=item.pk,
            system=output.generation.system.name,
            position=place,
            finish_reason=output.finish_reason,
        )
    made = Simplification.objects.bulk_create(
        [output.simplification for output in adopted if output.simplification], batch_size=BATCH
    )
    # What a draw has left to models is in no size of the study.
    items = [output.generation.item for output in adopted]
    aside = {item.pk for item in items if item.round == Item.Aside.MACHINE}
    size_add(
        study,
        pairs=new_pairs(output for output in made if output.item_id not in aside),
    )
    Output.objects.bulk_update(adopted, ["simplification"], batch_size=BATCH)
    if adopted:
        event_record(
            actor=actor, study=study, verb="outputs_adopted", target=run, number=len(adopted)
        )
        if study.open_rounds:
            controls_keep_up(actor=actor, study=study)
            assignments_fill(actor=actor, study=study)
    return len(adopted)


def _ready_for_adoption(run: GenerationRun) -> None:
    adoption_check(run)
    under_way = run.generations.filter(state__in=["waiting", "running"]).count()
    if under_way and run.state != GenerationRun.State.CANCELLED:
        raise RuleError.single(
            "state",
            "under_way",
            (
                f"{under_way} sorties sont attendues : laissez finir la passe, ou annulez ce qui "
                "reste."
            ),
            f"{under_way} outputs are still to come: let the run end, or cancel what is left.",
        )
    undecided = undecided_outputs(run).filter(simplification=None).count()
    if undecided:
        raise RuleError.single(
            "decision",
            "undecided",
            f"{undecided} sorties signalées attendent une décision.",
            f"{undecided} flagged outputs wait for a decision.",
        )


def _once_per_system(adopted: list[Output]) -> None:
    """Raises ``RuleError`` where an item has a simplification of that name by now, from a file or
    another run."""
    items = {output.generation.item_id for output in adopted}
    stored = set(Simplification.objects.filter(item__in=items).values_list("item", "system"))
    twice = [output.generation.item.key for output in adopted if _of(output) in stored]
    if twice:
        named = ", ".join(twice[:10]) + (", …" if len(twice) > 10 else "")
        raise RuleError.single(
            "system",
            "taken",
            (
                f"Des clauses ont déjà une simplification de ce système ({named}) : excluez ces "
                "sorties."
            ),
            f"Items have a simplification of this system already ({named}): exclude these outputs.",
        )


def _of(output: Output) -> tuple[int, str]:
    return output.generation.item_id, output.generation.system.name


def _places(run: GenerationRun, adopted: list[Output]) -> Iterator[tuple[Output, int]]:
    """Each with its place within its item: after those that are there, in an order drawn for the
    item.

    No place is given twice: assignments are drawn by it.
    """
    of_item: dict[int, list[Output]] = {}
    for output in adopted:
        of_item.setdefault(output.generation.item_id, []).append(output)
    last = (
        Simplification.objects.filter(item__in=of_item)
        .values_list("item")
        .annotate(Max("position"))
    )
    after = {item: position + 1 for item, position in last}
    for item, outputs in of_item.items():
        by_name = {output.generation.system.name: output for output in outputs}
        ordered = seeded_order(by_name, f"{run.seed}:{outputs[0].generation.item.key}")
        for place, name in enumerate(ordered, start=after.get(item, 0)):
            yield by_name[name], place


def _open(run: GenerationRun, named: Collection[int] | None = None) -> QuerySet[Output]:
    """Outputs in force that are not judged yet, of generations that are not under way again; where
    some are named, those of them."""
    unjudged = newest_outputs(run).filter(
        simplification=None, generation__state=Generation.State.DONE
    )
    if named is not None:
        unjudged = unjudged.filter(pk__in=named)
    return unjudged.select_related("generation__item", "generation__system")


def _adoptable(output: Output) -> bool:
    wanted = not output.flags or output.decision in (Decision.KEEP, Decision.CLEAN)
    return wanted and output.decision != Decision.EXCLUDE and bool(output.text)


def _fits(output: Output, decision: str) -> bool:
    if decision == Decision.KEEP:
        return EMPTY not in output.flags
    if decision == Decision.CLEAN:
        return bool(CLEANABLE.intersection(output.flags)) and bool(_cleaned(output))
    return True


def _cleaned(output: Output) -> str:
    generation = output.generation
    return cleaned(output.raw, original=generation.item.original, prompt=generation.system.prompt)


def _apply(outputs: list[Output], decision: str, actor: User | None) -> None:
    now = timezone.now()
    for output in outputs:
        output.text = _cleaned(output) if decision == Decision.CLEAN else tidy(output.raw)
        output.decision, output.decided_by, output.decided_at = decision, actor, now
    Output.objects.bulk_update(
        outputs, ["text", "decision", "decided_by", "decided_at"], batch_size=BATCH
    )


def _send_back(run: GenerationRun, outputs: list[Output], actor: User | None) -> None:
    for output in outputs:
        output.generation.state = Generation.State.WAITING
        output.generation.outputs_wanted = output.number + 1
        output.generation.sent_at = output.generation.not_before = None
        output.generation.tries = output.generation.losses = 0
    fields = ["state", "outputs_wanted", "sent_at", "not_before", "tries", "losses"]
    Generation.objects.bulk_update(
        [output.generation for output in outputs], fields, batch_size=BATCH
    )
    run_reopen(run, actor)


def _simplifying(run: GenerationRun) -> GenerationRun:
    run = run_locked(run)
    if run.purpose != GenerationRun.Purpose.SIMPLIFY:
        raise RuleError.single(
            "purpose",
            "judging",
            "Cette passe juge : ses réponses ne deviennent pas des simplifications.",
            "This run judges: its answers do not become simplifications.",
        )
    return run
