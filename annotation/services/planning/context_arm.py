"""Who sees a clause with its neighbours. Drawn when the pair is given out, recorded there, and
never drawn again for an annotator and an item: of several simplifications, or of a repeat, all are
shown the same way. So is a control pair beside the pair of its passage that they have.

Half: within each item the annotators are split evenly, and over the items each annotator is, as far
as that leaves a choice. What remains open is decided by digests of the study's seed, so that
anybody can draw it again.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence

from django.db.models.functions import Coalesce

from annotation.models import Annotator, Assignment, Item, Simplification, Study
from annotation.services.base.standings import NewAssignment

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
        held = {} if fresh else _held(study, items)
        shown = _half(study, wanted, held)
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
    given = list(
        Assignment.objects.filter(annotator__study=study).order_by("annotator", "position")
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


def _half(
    study: Study, wanted: dict[_Item, set[int]], held: dict[tuple[_Item, int], bool]
) -> _Shown:
    """Which (item, annotator) of ``wanted`` see the neighbours; ``held``: how those given out
    before are shown."""
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
        for place, person in enumerate(drawn):
            lead[person] += 1 if place < number else -1
        shown |= {(item, person) for person in drawn[:number]}
    return shown


def _held(study: Study, items: dict[int, _Item]) -> dict[tuple[_Item, int], bool]:
    """How each (item, annotator) is shown that was given out before."""
    rows = Assignment.objects.filter(annotator__study=study, simplification__in=list(items))
    return {
        (items[simplification], annotator): is_shown
        for simplification, annotator, is_shown in rows.values_list(
            "simplification", "annotator", "context_shown"
        )
    }


def _digest(study: Study, *names: str) -> bytes:
    return hashlib.sha256(":".join([str(study.seed), "context", *names]).encode()).digest()
