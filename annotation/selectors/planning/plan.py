"""What a plan gives to whom: read once for the preview and once more when it is applied, by the
same function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from django.db.models import Q, QuerySet

from annotation.allocation import rotating_teams
from annotation.models import Annotator, Assignment, Item, Simplification, Study, StudyPlan
from annotation.selectors.planning.absence import judging, presences


class Standing(NamedTuple):
    """One assignment of a main pair as a plan sees it. ``live``: its annotator still judges and it
    was not released. ``active``: its annotator has not withdrawn; a withdrawn one's answer does not
    count."""

    pk: int
    pair: str
    pseudonym: str
    live: bool
    active: bool
    untouched: bool
    submitted: bool
    surplus: bool


@dataclass
class Allocation:
    """Who judges which pair of the main round once a plan is applied.

    ``pairs``: simplification ids by key. ``people``: pseudonyms of those who can be given
    something, ``away`` of those who could but are absent. ``teams``: by pair, everybody whose
    answer counts or is awaited. ``added``: what is given now, ``dropped``: ids of the assignments
    that are taken back, none of them judged.
    """

    per_item: int | None
    seed: int
    pairs: dict[str, int]
    people: list[str]
    away: list[str]
    teams: dict[str, set[str]] = field(default_factory=dict)
    added: dict[str, list[str]] = field(default_factory=dict)
    dropped: list[int] = field(default_factory=list)

    @property
    def loads(self) -> dict[str, int]:
        """How many pairs each person judges, or has judged; with everybody who has any."""
        counted = Counter(name for team in self.teams.values() for name in team)
        return {
            name: counted[name]
            for name in sorted({*self.people, *self.away, *counted}, key=by_pseudonym)
        }

    @property
    def shared(self) -> dict[tuple[str, str], int]:
        """How many pairs any two people both judge."""
        met: Counter[tuple[str, str]] = Counter()
        for team in self.teams.values():
            met.update(combinations(sorted(team, key=by_pseudonym), 2))
        return {couple: met[couple] for couple in combinations(self.loads, 2)}


def by_pseudonym(name: str) -> tuple[int, str]:
    """Shorter first, so that AA follows Z."""
    return len(name), name


def pairs_of(study: Study, rounds: Collection[str]) -> dict[str, int]:
    """Simplification ids of some rounds by a key that survives a re-import: the item's own with the
    rank of the simplification, so that the order of systems differs from item to item."""
    return {key: pk for pk, key in _keys(study, rounds).items()}


def _keys(study: Study, rounds: Collection[str]) -> dict[int, str]:
    rows = Simplification.objects.filter(item__study=study, item__round__in=rounds)
    return {
        pk: f"{key}/{place}" for pk, key, place in rows.values_list("pk", "item__key", "position")
    }


def allocation(
    study: Study, plan: StudyPlan, *, absent: Collection[int] = (), redistribute: bool = False
) -> Allocation:
    """What the plan gives to whom, on top of what is there; seven queries at most.

    Submitted and begun work stays with whoever did it. ``absent``: annotator ids whose unsubmitted
    pairs go to others, as far as others can take them. ``redistribute``: what nobody has opened is
    drawn again.
    """
    keys = _keys(study, [Item.Round.MAIN])
    pairs = {key: pk for pk, key in keys.items()}
    if plan.per_item is None:
        # Whoever is away has everything all the same.
        names = list(judging(study).values_list("pseudonym", flat=True))
        allocated = Allocation(None, plan.seed, pairs, people=names, away=[])
        _everybody(allocated, _there(study, keys))
        return allocated
    around = presences(study)
    gone = {presence.annotator.pseudonym for presence in around if presence.annotator.pk in absent}
    away = {presence.annotator.pseudonym for presence in around if presence.away} | gone
    everybody = [presence.annotator.pseudonym for presence in around]
    allocated = Allocation(
        per_item=plan.per_item,
        seed=plan.seed,
        pairs=pairs,
        people=[name for name in everybody if name not in away],
        away=[name for name in everybody if name in away],
    )
    _teams(allocated, standing(study), plan.per_item, gone, redistribute=redistribute)
    return allocated


def _given(study: Study) -> QuerySet[Assignment]:
    """What people have of the main round; a query of its own names them. By its pairs alone
    PostgreSQL would go through what people of all studies have where nobody has anything yet, and
    by a join it knows only how much people have on average."""
    people = study.annotators.filter(kind=Annotator.Kind.PERSON).order_by()
    return Assignment.objects.filter(
        annotator__in=list(people.values_list("pk", flat=True)),
        simplification__item__study=study,
        simplification__item__round=Item.Round.MAIN,
    )


def _there(study: Study, pairs: Mapping[int, str]) -> dict[str, set[str]]:
    """By the key of a pair (``pairs``: by simplification id), who has judged it or is still to; two
    queries. That is all that a plan of everybody needs to know of as many rows as pairs times
    people."""
    judged = Q(judgment__submitted_at__isnull=False)
    held = Q(released_at__isnull=True, annotator__withdrawn_at__isnull=True)
    rows = _given(study).filter(judged | held).order_by()
    names: dict[str, set[str]] = {pair: set() for pair in pairs.values()}
    for pk, name in rows.values_list("simplification_id", "annotator__pseudonym"):
        # Nothing of what came in since the pairs were read.
        names.get(pairs.get(pk, ""), set()).add(name)
    return names


def standing(study: Study) -> list[Standing]:
    """Every person's assignments in the main round; two queries."""
    columns = (
        *(
            "pk",
            "simplification__item__key",
            "simplification__position",
            "annotator__pseudonym",
            "released_at",
        ),
        *(
            "annotator__withdrawn_at",
            "opened_at",
            "draft__pk",
            "judgment__submitted_at",
            "judgment__surplus",
        ),
    )
    return [
        Standing(
            pk=pk,
            pair=f"{key}/{place}",
            pseudonym=name,
            live=submitted is None and released is None and left is None,
            active=left is None,
            untouched=submitted is None and opened is None and draft is None,
            submitted=submitted is not None,
            surplus=bool(surplus),
        )
        for (
            pk,
            key,
            place,
            name,
            released,
            left,
            opened,
            draft,
            submitted,
            surplus,
        ) in _given(study).order_by("pk").values_list(*columns)
    ]


def _everybody(allocated: Allocation, there: Mapping[str, set[str]]) -> None:
    for pair, had in there.items():
        allocated.added[pair] = [name for name in allocated.people if name not in had]
        allocated.teams[pair] = had | set(allocated.people)


def _teams(
    allocated: Allocation,
    rows: list[Standing],
    per_item: int,
    gone: Collection[str],
    *,
    redistribute: bool,
) -> None:
    """``gone`` keep what nobody else can take."""
    held = _names(
        rows,
        lambda row: (
            (row.submitted and row.active and not row.surplus)
            or (row.live and row.pseudonym not in gone and not (redistribute and row.untouched))
        ),
    )
    # Who has given an answer that was one too many has none to give again.
    barred = _names(rows, lambda row: row.surplus)
    allocated.added = rotating_teams(
        allocated.pairs, allocated.people, per_item, str(allocated.seed), held=held, barred=barred
    )
    allocated.teams = {
        pair: held.get(pair, set()) | set(allocated.added[pair]) for pair in allocated.pairs
    }
    for row in rows:
        if row.submitted or row.pseudonym in held.get(row.pair, ()):
            continue
        if row.pseudonym in allocated.added[row.pair]:
            continue  # drawn again for whoever had it
        if row.live and row.pseudonym in gone and len(allocated.teams[row.pair]) < per_item:
            allocated.teams[row.pair].add(row.pseudonym)
        elif row.live or not row.active:
            allocated.dropped.append(row.pk)


def _names(rows: Iterable[Standing], wanted: Callable[[Standing], bool]) -> dict[str, set[str]]:
    """By pair, whose rows are so."""
    names: dict[str, set[str]] = {}
    for row in rows:
        if wanted(row):
            names.setdefault(row.pair, set()).add(row.pseudonym)
    return names
