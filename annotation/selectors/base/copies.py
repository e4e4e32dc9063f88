"""Studies that have the same texts, because one was made from the other: a copy with its items, or
people's study of a run's questions or answers."""

from __future__ import annotations

from collections import defaultdict

from annotation.models import Event, Study


def same_texts(study: Study) -> frozenset[int]:
    """Ids of the study, of those that its items were copied from, and of those that they were
    copied to; also of such as were deleted since, which the audit trail remembers."""
    made = Event.objects.filter(verb="study_copied", study__isnull=False).order_by()
    beside: dict[int, set[int]] = defaultdict(set)
    for copy, details in made.values_list("study_id", "details"):
        if copy is not None and details.get("items") and "source" in details:
            beside[copy].add(details["source"])
            beside[details["source"]].add(copy)
    related, left = {study.pk}, [study.pk]
    while left:
        new = beside[left.pop()] - related
        related |= new
        left += new
    return frozenset(related)
