"""A plan before it is applied: who gets how much, who meets whom how often, and what cannot be
evened out and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

from annotation.models import Item, Judgment, Study, StudyPlan, plan_of
from annotation.selectors.base.rounds import COUNTED
from annotation.selectors.planning.plan import Allocation, allocation


@dataclass(frozen=True)
class Obstacle:
    """Something that the plan cannot do. ``code`` names it, ``numbers`` are its particulars.

    ``serious``: the plan does not give what it promises; else it is as even as it can be, and this
    says how far.
    """

    code: str
    numbers: dict[str, int]
    serious: bool = True


@dataclass(frozen=True)
class Preview:
    """What applying the plan now would come to. ``couples``: (person, person, pairs that both
    judge).

    ``loads``: (person, pairs of the main round). ``controls`` and ``repeats`` come on top, per
    person.
    """

    allocation: Allocation
    loads: tuple[tuple[str, int], ...]
    couples: tuple[tuple[str, str, int], ...]
    added: int
    released: int
    obstacles: tuple[Obstacle, ...]


def plan_preview(study: Study, plan: StudyPlan, *, redistribute: bool = False) -> Preview:
    """The plan as it would be applied at this moment; nothing is written. Before the main round is
    open nothing has been seen, and all of it is drawn."""
    opened = study.state in (Study.State.MAIN, Study.State.CLOSED)
    allocated = allocation(study, plan, redistribute=redistribute or not opened)
    return Preview(
        allocation=allocated,
        loads=tuple(allocated.loads.items()),
        couples=tuple(
            (first, second, number) for (first, second), number in allocated.shared.items()
        ),
        added=sum(map(len, allocated.added.values())),
        released=len(allocated.dropped),
        obstacles=tuple(_obstacles(allocated, is_open=opened)),
    )


def plan_obstacles(study: Study) -> list[Obstacle]:
    """What keeps the study's plan from giving what it promises."""
    return [
        obstacle for obstacle in plan_preview(study, plan_of(study)).obstacles if obstacle.serious
    ]


def pairs_short(study: Study) -> int:
    """Pairs of the main round with fewer counted answers than the plan asks for; 0 where it asks
    for everybody's."""
    wanted = plan_of(study).per_item
    if wanted is None:
        return 0
    answers: dict[int, int] = {}
    for pair in Judgment.objects.filter(
        COUNTED,
        assignment__simplification__item__study=study,
        assignment__simplification__item__round=Item.Round.MAIN,
    ).values_list("assignment__simplification", flat=True):
        answers[pair] = answers.get(pair, 0) + 1
    from_plan = allocation(study, plan_of(study)).pairs.values()
    return sum(answers.get(pair, 0) < wanted for pair in from_plan)


def _obstacles(allocated: Allocation, *, is_open: bool) -> Iterator[Obstacle]:
    people, pairs, wanted = len(allocated.people), len(allocated.pairs), allocated.per_item
    if not pairs:
        yield Obstacle("no_pairs", {})
        return
    if not people:
        yield Obstacle("nobody", {})
        return
    if wanted is None:
        return
    yield from _too_few(people, pairs, wanted)
    if over := sum(len(team) > wanted for team in allocated.teams.values()):
        yield Obstacle("over", {"pairs": over, "wanted": wanted})
    if (
        is_open
        and (idle := sum(allocated.loads[name] == 0 for name in allocated.people))
        and pairs * wanted >= people
    ):
        yield Obstacle("idle", {"people": idle})
    yield from _uneven(allocated, pairs, wanted, even=not is_open)


def _too_few(people: int, pairs: int, wanted: int) -> Iterator[Obstacle]:
    if wanted > people:
        yield Obstacle(
            "too_few_people", {"wanted": wanted, "people": people, "missing": wanted - people}
        )
    elif wanted == people:
        yield Obstacle("everybody", {"people": people}, serious=False)
    if pairs * wanted < people:
        yield Obstacle(
            "too_few_pairs", {"pairs": pairs, "wanted": wanted, "idle": people - pairs * wanted}
        )


def _uneven(allocated: Allocation, pairs: int, wanted: int, *, even: bool) -> Iterator[Obstacle]:
    """How far from even, and whether numbers alone make it so."""
    loads = [allocated.loads[name] for name in allocated.people]
    if max(loads) > min(loads):
        by_numbers = max(loads) - min(loads) == 1 and (pairs * wanted) % len(loads) > 0
        code = "loads_by_one" if by_numbers and even else "loads"
        yield Obstacle(code, {"least": min(loads), "most": max(loads)}, serious=False)
    met = [
        number
        for couple, number in allocated.shared.items()
        if set(couple) <= set(allocated.people)
    ]
    if wanted > 1 and met and max(met) > min(met):
        by_numbers = max(met) - min(met) == 1 and (pairs * comb(wanted, 2)) % len(met) > 0
        code = "couples_by_one" if by_numbers else "couples"
        yield Obstacle(code, {"least": min(met), "most": max(met)}, serious=False)
