"""The systems of a run in preparation: a model, its instruction, its parameters and its price."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.generation.presets import SystemSpec, system_problems
from annotation.generation.prices import Price
from annotation.models import GenerationRun, GenerationSystem, User
from annotation.protocols.base import Problem
from annotation.selectors.generation.runs import costs_nothing, known_price, started_before
from annotation.services.generation.rows import run_locked
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import row_lock

MOST_SYSTEMS = 20


@transaction.atomic
def system_add(
    *,
    actor: User | None,
    run: GenerationRun,
    spec: SystemSpec,
    price: Price | None = None,
    is_copy: bool = False,
) -> GenerationSystem:
    """Add a system to a run in preparation.

    Without a ``price`` it is 0 where the service takes no key, else the model's in the table of the
    settings. ``is_copy``: it was asked so in the study that is copied. Raises ``RuleError``: a
    price that nobody knows, a name that stands for another system in this study, a parameter
    outside its bounds, a place for the passage where none is or none may be.
    """
    run = run_locked(run)
    _only_in_preparation(run)
    spec = replace(spec, name=spec.name.strip(), model=spec.model.strip())
    if problems := _problems(run, spec, is_copy=is_copy):
        raise RuleError(problems)
    _check_name(run, spec)
    known = known_price(spec.model)
    assumed = price is None and costs_nothing(run)
    if price is None and known is None and not assumed:
        raise RuleError.single(
            "price_prompt",
            "unknown",
            (
                f"Le prix de « {spec.model} » n'est pas dans la table : indiquez-le (0 s'il est "
                "gratuit)."
            ),
            f"The price of “{spec.model}” is not in the table: give it (0 where it is free).",
        )
    if assumed:
        # Of no day: whether it still holds is asked again at the start.
        paid, as_of = Price(Decimal(0), Decimal(0)), ""
    else:
        paid, as_of = _stated(price, known)
    system = GenerationSystem.objects.create(
        run=run,
        name=spec.name,
        model=spec.model,
        prompt=spec.prompt,
        parameters=dict(spec.parameters),
        price_prompt=paid.prompt,
        price_completion=paid.completion,
        price_as_of=as_of,
    )
    event_record(
        actor=actor,
        study=run.study,
        verb="generation_system_added",
        target=system,
        model=system.model,
    )
    return system


@transaction.atomic
def system_remove(*, actor: User | None, system: GenerationSystem) -> None:
    """Take a system out of a run in preparation. Raises ``Http404`` where it was taken out in the
    meantime."""
    run = run_locked(system.run)
    _only_in_preparation(run)
    system = row_lock(run.systems.all(), system.pk)
    event_record(
        actor=actor,
        study=run.study,
        verb="generation_system_removed",
        target=system,
        model=system.model,
    )
    system.delete()


def _problems(run: GenerationRun, spec: SystemSpec, *, is_copy: bool) -> list[Problem]:
    """What keeps the system from being asked. The placeholder that a judge was let start with once
    is let stand: under its name no other prompt can go on, and a copy is of what was asked."""
    simplifies = run.purpose == GenerationRun.Purpose.SIMPLIFY
    problems = system_problems(spec, needs_placeholder=simplifies)
    before = started_before(run, spec.name).filter(prompt=spec.prompt)
    if not simplifies and (is_copy or before.exists()):
        return [problem for problem in problems if problem.code != "placeholder"]
    return problems


def _stated(price: Price | None, known: tuple[Price, str] | None) -> tuple[Price, str]:
    """The price that was given, else the table's, and of which day it is."""
    if known is not None and price in (None, known[0]):
        return known
    return price or Price(Decimal(0), Decimal(0)), timezone.localdate().isoformat()


def _check_name(run: GenerationRun, spec: SystemSpec) -> None:
    name = spec.name
    if run.systems.count() >= MOST_SYSTEMS:
        raise RuleError.single(
            "name",
            "too_many",
            f"Au plus {MOST_SYSTEMS} systèmes par passe.",
            f"At most {MOST_SYSTEMS} systems a run.",
        )
    if run.systems.filter(name=name).exists():
        raise RuleError.single(
            "name", "taken", "Ce nom est déjà dans la passe.", "This name is in the run already."
        )
    other = started_before(run, name).select_related("run").first()
    if other and (other.model, other.prompt, other.parameters, other.run.questioning) != (
        spec.model,
        spec.prompt,
        dict(spec.parameters),
        run.questioning,
    ):
        raise RuleError.single(
            "name",
            "taken",
            "Dans cette étude, ce nom désigne un système réglé autrement : choisissez-en un autre.",
            "In this study this name stands for a system that was set otherwise: choose another.",
        )


def _only_in_preparation(run: GenerationRun) -> None:
    if run.state != GenerationRun.State.DRAFT:
        raise RuleError.single(
            "systems",
            "started",
            "La passe a commencé : ses systèmes ne changent plus. Préparez-en une autre.",
            "The run has begun: its systems do not change any more. Prepare another.",
        )
