"""Runs as a lead sets them up and steers them: made, started, paused, resumed, cancelled,
retried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.access import leads_still
from annotation.errors import RuleError
from annotation.generation.prices import amount_written, is_ceiling
from annotation.jobs import request_generation
from annotation.models import Generation, GenerationRun, Study, User
from annotation.questions.calls import (
    FOLLOWS,
    TASKS,
    Questioning,
    questioning_problems,
    unfit_settings,
)
from annotation.questions.values import SUMMARY_TYPES
from annotation.selectors.generation.questions import NEVER_ASKED
from annotation.selectors.generation.runs import (
    next_run_number,
    run_estimate,
    unpriced,
)
from annotation.services.generation.rows import adoption_check, generations_make, run_locked
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import row_lock, study_row_lock

State = GenerationRun.State


@transaction.atomic
def run_create(
    *,
    actor: User | None,
    study: Study,
    endpoint: str = "openai",
    ceiling: Decimal = Decimal(5),
    **fields: Any,
) -> GenerationRun:
    """A run in preparation. ``fields``: purpose, mode, round, seed; where it is about questions
    also ``after`` (the run whose questions are answered, or whose answers are graded) and
    ``questioning`` (see ``Questioning``; what it leaves out is as in ``after``, or as it is
    offered). Raises ``RuleError`` naming the field."""
    study_row_lock(study.pk)
    _check_settings(endpoint, ceiling)
    fields |= _questioning(study, fields)
    run = GenerationRun.objects.create(
        study=study,
        number=next_run_number(study.pk),
        endpoint=endpoint,
        ceiling=ceiling,
        created_by=actor,
        **fields,
    )
    event_record(
        actor=actor,
        study=study,
        verb="generation_run_created",
        target=run,
        number=run.number,
        seed=run.seed,
    )
    return run


@transaction.atomic
def run_update(*, actor: User | None, run: GenerationRun, **changes: Any) -> GenerationRun:
    """Change a run in preparation; of one that was started, only its ceiling. Of ``questioning``
    what is not named stays as it is."""
    run = run_locked(run)
    allowed = {"ceiling"}
    if run.state == State.DRAFT:
        allowed |= {"endpoint", "mode", "round", "questioning"}
    refused = {
        name
        for name, value in changes.items()
        if name not in allowed and getattr(run, name) != value
    }
    if refused:
        raise RuleError.single(
            min(refused),
            "started",
            "La passe a commencé : ce réglage ne change plus.",
            "The run has begun: this setting does not change any more.",
        )
    before = {name: getattr(run, name) for name in changes if name in allowed}
    if "questioning" in before:
        changes["questioning"] = _set_to(run.purpose, run.questioning, changes["questioning"])
    for name in before:
        setattr(run, name, changes[name])
    _check_settings(run.endpoint, run.ceiling)
    changed = {
        name: getattr(run, name) for name, old in before.items() if getattr(run, name) != old
    }
    if changed:
        if run.stopped == GenerationRun.Stopped.BUDGET and run.ceiling > before["ceiling"]:
            # It stands still because nobody has let it go on, no longer because of its ceiling.
            run.stopped = GenerationRun.Stopped.NOT
        run.save(update_fields=[*changed, "stopped"])
        old = {name: before[name] for name in changed}
        event_record(
            actor=actor,
            study=run.study,
            verb="generation_run_updated",
            target=run,
            before=old,
            after=changed,
        )
    return run


@transaction.atomic
def run_start(*, actor: User | None, run: GenerationRun) -> GenerationRun:
    """Make one generation for each item and system, and ask the workers to begin.

    Starting a run that is running is no error and changes nothing (a double click). Raises
    ``RuleError`` for one that stands still or has ended, where there is nothing to do, where
    nothing of it could be adopted, where a service that bills has no price, or where the expected
    cost is above the ceiling.
    """
    run = run_locked(run)
    if run.state == State.RUNNING:
        return run
    if run.state != State.DRAFT:
        raise _no_such_step(run)
    adoption_check(run)
    _check_priced(run)
    _check_followed(run)
    by_system, whole = run_estimate(run)
    if not whole.calls:
        raise RuleError.single(
            "systems",
            "nothing",
            (
                "Rien à faire : ajoutez un système, ou importez des clauses qu'il n'a pas encore "
                "traitées."
            ),
            (
                "There is nothing to do: add a system, or import passages that it has not dealt "
                "with yet."
            ),
        )
    if whole.expected > run.ceiling:
        expected, ceiling = amount_written(whole.expected), amount_written(run.ceiling)
        raise RuleError.single(
            "ceiling",
            "too_low",
            f"Le coût prévu ({expected.replace('.', ',')} USD) dépasse le plafond "
            f"({ceiling.replace('.', ',')} USD) : relevez-le.",
            f"The expected cost ({expected} USD) is above the ceiling ({ceiling} USD): raise it.",
        )
    made = sum(generations_make(run, system) for system in run.systems.all())
    run.estimate = {
        "systems": {name: estimate.as_dict() for name, estimate in by_system.items()},
        "total": whole.as_dict(),
    }
    run.state, run.started_at, run.let_on_by = State.RUNNING, timezone.now(), actor
    run.save(update_fields=["estimate", "state", "started_at", "let_on_by"])
    event_record(
        actor=actor,
        study=run.study,
        verb="generation_run_started",
        target=run,
        generations=made,
        ceiling=run.ceiling,
        expected=whole.expected,
    )
    request_generation(run.pk)
    return run


@transaction.atomic
def run_pause(*, actor: User | None, run: GenerationRun) -> GenerationRun:
    """No further call begins; those under way end and are stored."""
    return _move(actor, run, {State.RUNNING: State.PAUSED}, "generation_run_paused")


@transaction.atomic
def run_resume(*, actor: User | None, run: GenerationRun) -> GenerationRun:
    """Go on. Whatever had stopped the run must have been seen to: it is not asked again. Raises
    ``RuleError`` where the service has begun to bill, and where the study was closed since."""
    run = _move(actor, run, {State.PAUSED: State.RUNNING}, "generation_run_resumed")
    adoption_check(run)
    _check_still_free(run)
    run.stopped, run.refusals_in_a_row, run.let_on_by = "", 0, actor
    run.save(update_fields=["stopped", "refusals_in_a_row", "let_on_by"])
    run.generations.filter(state=Generation.State.WAITING).update(sent_at=None)
    request_generation(run.pk)
    return run


@transaction.atomic
def run_cancel(*, actor: User | None, run: GenerationRun) -> GenerationRun:
    """Give up what has not been answered. Calls under way end and are stored: they are paid for."""
    steps = dict.fromkeys((State.DRAFT, State.RUNNING, State.PAUSED), State.CANCELLED)
    run = _move(actor, run, steps, "generation_run_cancelled")
    run.generations.filter(state=Generation.State.WAITING).update(state=Generation.State.CANCELLED)
    run.finished_at = timezone.now()
    run.save(update_fields=["finished_at"])
    return run


RUN_STEPS: dict[str, Callable[..., GenerationRun]] = {
    "start": run_start,
    "pause": run_pause,
    "resume": run_resume,
    "cancel": run_cancel,
}
"""What a lead may have a run do, by the name under which pages and programs ask for it."""


@transaction.atomic
def run_retry_failed(*, actor: User | None, run: GenerationRun) -> int:
    """Ask again for every generation that failed; how many. None is no error while the run goes on
    (a double click); raises ``RuleError`` where it does not, and nothing would begin."""
    run = run_locked(run)
    if run.state not in (State.RUNNING, State.PAUSED, State.FINISHED):
        raise _no_such_step(run)
    failed = run.generations.filter(state=Generation.State.FAILED).exclude(problem__in=NEVER_ASKED)
    number = failed.update(
        state=Generation.State.WAITING,
        tries=0,
        losses=0,
        problem="",
        problem_detail="",
        not_before=None,
        sent_at=None,
    )
    if number:
        run_reopen(run, actor)
        event_record(
            actor=actor, study=run.study, verb="generation_retried", target=run, number=number
        )
    elif run.state != State.RUNNING:
        raise RuleError.single(
            "state",
            "nothing",
            "Rien à redemander : aucune sortie n'a échoué, ou seulement celles que l'on ne demande "
            "à aucun modèle.",
            "There is nothing to ask again: no output has failed, or only those that no model is "
            "asked for.",
        )
    return number


def run_reopen(run: GenerationRun, actor: User | None) -> None:
    """Let a run whose generations were sent back go on. Its row is locked by the caller. Raises
    ``RuleError`` where the service has begun to bill, and where the study was closed since."""
    adoption_check(run)
    _check_still_free(run)
    if run.state == State.FINISHED:
        run.state = State.RUNNING
    GenerationRun.objects.filter(pk=run.pk).update(
        state=run.state, refusals_in_a_row=0, finished_at=None, let_on_by=actor
    )
    if run.state == State.RUNNING:
        request_generation(run.pk)


def run_stop(*, run: int, because: str) -> bool:
    """Pause a run that cannot go on, saying why; False where it was not running any more."""
    stopped = GenerationRun.objects.filter(pk=run, state=State.RUNNING).update(
        state=State.PAUSED, stopped=because
    )
    if stopped:
        row = GenerationRun.objects.select_related("study").get(pk=run)
        event_record(
            actor=None,
            study=row.study,
            verb="generation_run_stopped",
            target=row,
            because=because,
        )
    return bool(stopped)


def run_stop_if_left(run: int) -> bool:
    """Pause a run whose calls nobody answers for: whoever let it go on last may not run its study
    any more. False where nothing is wrong."""
    row = GenerationRun.objects.select_related("let_on_by").get(pk=run)
    if row.let_on_by is None or leads_still(row.let_on_by, row.study_id):
        return False
    run_stop(run=run, because=GenerationRun.Stopped.LEFT)
    return True


def run_finish_if_done(run: int) -> bool:
    """Close a running run of which nothing waits or is under way any more."""
    open_states = [Generation.State.WAITING, Generation.State.RUNNING]
    if Generation.objects.filter(run=run, state__in=open_states).exists():
        return False
    finished = GenerationRun.objects.filter(pk=run, state=State.RUNNING).update(
        state=State.FINISHED, finished_at=timezone.now()
    )
    if finished:
        row = GenerationRun.objects.select_related("study").get(pk=run)
        failed = row.generations.filter(state=Generation.State.FAILED).count()
        event_record(
            actor=None,
            study=row.study,
            verb="generation_run_finished",
            target=row,
            spent=row.spent,
            failed=failed,
        )
    return bool(finished)


def run_spend(run: int, amount: Decimal) -> None:
    """Correct what a run has spent by an amount, which may be negative."""
    if amount:
        GenerationRun.objects.filter(pk=run).update(spent=F("spent") + amount)


def _move(
    actor: User | None, run: GenerationRun, steps: dict[Any, Any], verb: str
) -> GenerationRun:
    run = run_locked(run)
    if run.state not in steps:
        raise _no_such_step(run)
    before, run.state = run.state, steps[run.state]
    run.save(update_fields=["state"])
    event_record(
        actor=actor, study=run.study, verb=verb, target=run, before=before, spent=run.spent
    )
    return run


def _check_settings(endpoint: str, ceiling: Decimal) -> None:
    if endpoint not in settings.LLM_ENDPOINTS:
        known = ", ".join(settings.LLM_ENDPOINTS)
        raise RuleError.single(
            "endpoint",
            "unknown",
            f"Service inconnu. Configurés : {known}.",
            f"Unknown service. Configured: {known}.",
        )
    if not is_ceiling(ceiling):
        raise RuleError.single(
            "ceiling",
            "invalid",
            "Le plafond est un montant en USD de plus de 0, avec six décimales au plus : "
            "donnez-le ainsi, par exemple 5,00 ou 0,004.",
            "The ceiling is an amount in USD above 0, with six decimals at most: give it so, such "
            "as 5.00 or 0.004.",
        )


def _questioning(study: Study, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a run of questions, answers or grades is set to; nothing for any other."""
    purpose = fields.get("purpose", GenerationRun.Purpose.SIMPLIFY)
    after, wanted = fields.get("after"), fields.get("questioning") or {}
    if not _follows(study, after, purpose):
        raise RuleError.single(
            "after",
            "unfit",
            "Choisissez la passe de cette étude dont les questions sont posées, ou dont les "
            "réponses sont notées.",
            "Choose the run of this study whose questions are answered, or whose answers are "
            "graded.",
        )
    base: dict[str, Any] = {"language": study.language}
    if purpose == GenerationRun.Purpose.QUESTION and _asks_about_summaries(study, fields):
        base["types"] = SUMMARY_TYPES
    return {"questioning": _set_to(purpose, base | (after.questioning if after else {}), wanted)}


def _asks_about_summaries(study: Study, fields: Mapping[str, Any]) -> bool:
    """Whose parts people have marked is a summary, not a clause."""
    marked = study.items.exclude(structure="")
    if (round_ := fields.get("round", "all")) != "all":
        marked = marked.filter(round=round_)
    return marked.exists()


def _set_to(purpose: str, base: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with what is ``wanted`` in its place, as a run of this purpose stores it."""
    if problems := unfit_settings(purpose, wanted):
        raise RuleError(problems)
    if purpose not in TASKS:
        return {}
    questioning = Questioning.of({**base, **wanted})
    if problems := questioning_problems(questioning):
        raise RuleError(problems)
    return questioning.as_dict(purpose)


def _follows(study: Study, after: GenerationRun | None, purpose: str) -> bool:
    if after is None or purpose not in FOLLOWS:
        return after is None and purpose not in FOLLOWS
    return after.study_id == study.pk and after.purpose == FOLLOWS[purpose]


def _check_followed(run: GenerationRun) -> None:
    """What is still being written cannot be taken up: it would be left out for good."""
    if run.after is None:
        return
    # Locked until this run has begun: what failed there could be sent back in between.
    before = row_lock(GenerationRun.objects.select_for_update(of=("self",)), run.after.pk)
    if before.state in (State.FINISHED, State.CANCELLED):
        return
    raise RuleError.single(
        "after",
        "under_way",
        f"La passe {run.after.number} n'est pas finie : laissez-la finir, ou annulez ce qui reste.",
        f"Run {run.after.number} has not ended: let it end, or cancel what is left of it.",
    )


def _check_priced(run: GenerationRun) -> None:
    """In preparation: the price can still be given."""
    if names := unpriced(run):
        raise _unpriced(
            names,
            "retirez-le, puis ajoutez-le de nouveau avec son prix (0 s'il est vraiment gratuit).",
            "remove it and add it again with its price (0 where it is really free).",
        )


def _check_still_free(run: GenerationRun) -> None:
    """Prices are fixed once a run was started: calls that are billed since would never fill its
    ceiling."""
    if names := unpriced(run):
        raise _unpriced(
            names,
            "annulez cette passe et préparez-en une autre avec son prix (0 s'il est "
            "vraiment gratuit).",
            "cancel this run and prepare another with its price (0 where it is really free).",
        )


def _unpriced(names: list[str], fr: str, en: str) -> RuleError:
    shown = ", ".join(names)
    return RuleError.single(
        "systems",
        "unpriced",
        f"Personne n'a donné le prix de « {shown} » : c'était 0 parce que le service se passait de "
        f"clé, et il en prend une maintenant. Le plafond n'arrêterait rien : {fr}",
        f"Nobody gave the price of “{shown}”: it was 0 because the service took no key, and now it "
        f"takes one. The ceiling would stop nothing: {en}",
    )


def _no_such_step(run: GenerationRun) -> RuleError:
    return RuleError.single(
        "state",
        "no_such_step",
        f"Une passe « {run.get_state_display()} » ne permet pas cela. Rechargez la page.",
        f"A run that is “{run.state}” does not allow that. Reload the page.",
    )
