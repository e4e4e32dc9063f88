"""Who sees a clause with its neighbours. Drawn when the pair is given out, recorded there, and
never drawn again for an annotator and an item: of several simplifications, or of a repeat, all are
shown the same way. So is a control pair beside the pair of its passage that they have.

Half: of the people who judge a pair, as many see the neighbours as do not, or one more; so it is of
an item's people together, and over the items of each annotator, as far as that leaves a choice.
What remains open is decided by digests of the study's seed, so that anybody can draw it again.

Not every item can have that for each of its pairs: where three people judge three simplifications
two by two, two of the three are in the same arm. Then as few pairs as possible have one arm only.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence

from django.db.models.functions import Coalesce

from annotation.models import Annotator, Assignment, Item, Simplification, Study
from annotation.selectors.planning.context_arm import Given, people_given
from annotation.services.base.standings import NewAssignment
from annotation.services.planning.arms import Pair, evened

# An annotator who is that far ahead in one arm goes to the other before chance is asked. Wider than
# 1, because with strict turns the same people would always share an arm.
_SLACK = 4


def context_draw(study: Study, new: Sequence[Assignment | NewAssignment]) -> None:
    """Set ``context_shown`` of assignments that are about to be stored. Five queries, none where
    nobody sees context.

    Items without neighbours show none and count nowhere.
    """
    _draw(study, new, fresh=False)


def _draw(study: Study, new: Sequence[Assignment | NewAssignment], *, fresh: bool) -> None:
    """``fresh``: what was drawn before does not count."""
    if study.context_arm == Study.ContextArm.NONE or not new:
        return
    items = _items_with_neighbours(study)
    wanted: dict[tuple[int, str, int], set[int]] = defaultdict(set)
    for assignment in new:
        if item := items.get(assignment.simplification_id):
            wanted[item].add(assignment.annotator_id)
    held: dict[tuple[_Item, int], bool] = {}
    if study.context_arm == Study.ContextArm.ALL:
        shown = _everybody(wanted)
    else:
        there = people_given(study, items)
        if not fresh:
            held = {(items[given.pair], given.annotator): given.is_shown for given in there}
        shown = _half(study, wanted, held, _teams(items, there, () if fresh else new))
    passages = _passages_of_controls(study)
    for assignment in new:
        item, annotator = items.get(assignment.simplification_id), assignment.annotator_id
        passage = passages.get(assignment.simplification_id)
        if passage and (annotator in wanted.get(passage, ()) or (passage, annotator) in held):
            item = passage
        assignment.context_shown = (item, annotator) in shown


def context_redraw(study: Study) -> None:
    """Draw again for what was given out and never opened, after the setting changed. The caller has
    made sure that nothing was opened."""
    # What was brought in, or is a machine's, was shown nothing here.
    given = list(
        Assignment.objects.filter(
            annotator__study=study, annotator__kind=Annotator.Kind.PERSON
        ).order_by("annotator", "position")
    )
    for assignment in given:
        assignment.context_shown = False
    _draw(study, given, fresh=True)
    Assignment.objects.bulk_update(given, ["context_shown"], batch_size=500)


_Item = tuple[int, str, int]
"""Position, key, id."""
_Shown = set[tuple[_Item | None, int]]
"""Items and annotators who see the neighbours."""


def _items_with_neighbours(study: Study) -> dict[int, _Item]:
    """By simplification; a silent repeat stands under the item that it repeats."""
    rows = (
        Simplification.objects.filter(item__study=study)
        .exclude(item__context_before="", item__context_after="")
        .annotate(of=Coalesce("repeat_of__item", "item"))
        .order_by()
    )
    named = Item.objects.filter(study=study).values_list("position", "key", "pk")
    places = {item[2]: item for item in named}
    return {simplification: places[item] for simplification, item in rows.values_list("pk", "of")}


def _passages_of_controls(study: Study) -> dict[int, _Item | None]:
    """By simplification of a control pair, the item of the main round whose passage it shows."""
    items = Item.objects.filter(study=study, round__in=[Item.Round.MAIN, Item.Aside.CONTROL])
    main: dict[tuple[str, str, str], _Item] = {}
    passages: dict[int, _Item | None] = {}
    columns = (
        "round",
        "position",
        "key",
        "pk",
        "simplifications",
        "original_digest",
        "context_before",
        "context_after",
    )
    for round_, position, key, pk, pair, *passage in items.order_by(
        "-round", "-position"
    ).values_list(*columns):
        same = (passage[0], passage[1], passage[2])
        if round_ == Item.Round.MAIN:
            main[same] = (position, key, pk)
        else:
            passages[pair] = main.get(same)
    return passages


def _everybody(wanted: dict[_Item, set[int]]) -> _Shown:
    return {(item, annotator) for item, people in wanted.items() for annotator in people}


def _teams(
    items: dict[int, _Item], there: Sequence[Given], new: Sequence[Assignment | NewAssignment]
) -> dict[_Item, set[frozenset[int]]]:
    """By item, who judges its pairs together. A silent repeat is no pair of its own: who judges it
    is shown it as the first time."""
    members: dict[int, set[int]] = defaultdict(set)
    for given in there:
        if given.counts:
            members[given.pair].add(given.annotator)
    for assignment in new:
        members[assignment.simplification_id].add(assignment.annotator_id)
    repeats = set(
        Simplification.objects.filter(pk__in=list(members), repeat_of__isnull=False)
        .order_by()
        .values_list("pk", flat=True)
    )
    teams: dict[_Item, set[frozenset[int]]] = defaultdict(set)
    for pair, people in members.items():
        if pair in items and pair not in repeats:
            teams[items[pair]].add(frozenset(people))
    return teams


def _half(
    study: Study,
    wanted: dict[_Item, set[int]],
    held: dict[tuple[_Item, int], bool],
    teams: dict[_Item, set[frozenset[int]]],
) -> _Shown:
    """Which (item, annotator) of ``wanted`` see the neighbours; ``held``: how those given out
    before are shown; ``teams``: who judges each item's pairs."""
    names = dict(Annotator.objects.filter(study=study).values_list("pk", "pseudonym"))
    lead: Counter[int] = Counter()
    tally: Counter[_Item] = Counter()
    for (item, annotator), is_shown in held.items():
        lead[annotator] += 1 if is_shown else -1
        tally[item] += 1 if is_shown else -1
    shown: _Shown = {key for key, is_shown in held.items() if is_shown}
    for item in sorted(wanted):
        key = item[1]
        drawn = sorted(
            (person for person in wanted[item] if (item, person) not in held),
            key=lambda person: (int(lead[person] / _SLACK), _digest(study, key, names[person])),
        )
        # As many as bring the item's two arms level; an odd one out goes where the seed says.
        odd = _digest(study, key)[0] & 1
        number = max(0, min(len(drawn), (len(drawn) - tally[item] + odd) // 2))
        place_of = {person: place for place, person in enumerate(drawn)}
        pairs = [_pair(team, place_of, item, held) for team in sorted(map(sorted, teams[item]))]
        ahead = [int(lead[person] / _SLACK) for person in drawn]
        arm = evened(number, ahead, pairs, tally[item])
        for place, person in enumerate(drawn):
            is_shown = bool(arm >> place & 1)
            lead[person] += 1 if is_shown else -1
            if is_shown:
                shown.add((item, person))
    return shown


def _pair(
    team: Sequence[int],
    place_of: dict[int, int],
    item: _Item,
    held: dict[tuple[_Item, int], bool],
) -> Pair:
    """A pair as ``evened`` takes it: whom it waits for, and how those are shown who are settled."""
    free = sum(1 << place_of[person] for person in team if person in place_of)
    settled = [held[item, person] for person in team if (item, person) in held]
    return Pair(free, len(team), sum(1 if is_shown else -1 for is_shown in settled))


def _digest(study: Study, *names: str) -> bytes:
    return hashlib.sha256(":".join([str(study.seed), "context", *names]).encode()).digest()
