"""How many judgments a study has and awaits: what home, overview, people, watching and closing say.

One definition for all of them. *Done* is what was submitted and not sent back; *total* is that and
what somebody still has to judge. Control pairs and silent repeats are pairs of the main round like
any others, as their annotators know them. What was released is awaited from nobody; practice is not
from who has judged none of it by its end, and nothing from somebody who withdrew: their total is
what they did, and of who withdrew neither counts for the study.
An answer beyond what the plan counts is work like any other, and counted here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from django.db.models import Count, Q

from annotation.models import LONG_AGO, Annotator, Assignment, Tally
from annotation.selectors.base.standings import DONE

Counts = dict[tuple[int, bool], tuple[int, int]]
"""(done, total), by annotator and whether it is of practice."""
BOTH = (True, False)


def round_counts(annotators: Collection[Annotator], rounds: Sequence[bool] = BOTH) -> Counts:
    """Of practice, of the main round, or of both; three queries, which read what is kept of each
    person (``Tally``) and what they do not see of what they judged, or was released; not their
    pairs."""
    counts, practised = _kept([annotator.pk for annotator in annotators], rounds)
    return {
        (annotator.pk, practice): _of(
            counts[annotator.pk, practice],
            is_over=annotator.withdrawn_at is not None
            or (practice and _is_over_for(annotator, practised)),
        )
        for annotator in annotators
        for practice in rounds
    }


def _is_over_for(annotator: Annotator, practised: Collection[int]) -> bool:
    return annotator.study.practice_is_over and annotator.pk not in practised


def _of(counts: tuple[int, int], *, is_over: bool) -> tuple[int, int]:
    done, total = counts
    return (done, done) if is_over else (done, total)


def _kept(annotators: Collection[int], rounds: Sequence[bool]) -> tuple[Counts, set[int]]:
    """What they see, as it is kept; with what was offered again, which they do not see and have
    judged; without what was released and is not judged. And who has judged some of practice."""
    done: Counter[tuple[int, bool]] = Counter()
    total: Counter[tuple[int, bool]] = Counter()
    # Django words "= false" as NOT, by which SQLite finds nothing in an index.
    theirs = Q(in_practice__in=rounds, annotator__in=annotators)
    kept = Tally.objects.filter(theirs)
    unjudged = Q(judgment__submitted_at__isnull=True)
    released = Q(released_at__isnull=False) & unjudged
    hidden = (
        Assignment.objects.filter(theirs, standing=Assignment.Standing.HIDDEN)
        .order_by()
        .values_list("annotator", "in_practice")
        .annotate(done=Count("pk", filter=DONE), total=Count("pk", filter=~released))
    )
    of_kept = list(kept.values_list("annotator", "in_practice", "done", "total", "judged"))
    practised = {annotator for annotator, practice, *_, judged in of_kept if practice and judged}
    for annotator, practice, its_done, its_total, *_ in [*of_kept, *hidden]:
        done[annotator, practice] += its_done
        total[annotator, practice] += its_total
    # By an index that holds nothing else: by a moment, and by person alone, or SQLite prefers the
    # one of standings, in which all of their pairs are.
    begun = Assignment.objects.filter(
        unjudged, released_at__gte=LONG_AGO, annotator__in=annotators
    ).order_by()
    seen = Q(standing__gt=Assignment.Standing.HIDDEN)
    of_begun = begun.values_list("annotator").annotate(
        in_all=Count("pk", filter=seen), in_practice=Count("pk", filter=seen & Q(in_practice=True))
    )
    for annotator, in_all, in_practice in of_begun:
        total[annotator, True] -= in_practice
        total[annotator, False] -= in_all - in_practice
    keys = [(annotator, practice) for annotator in annotators for practice in rounds]
    return {key: (done[key], total[key]) for key in keys}, practised
