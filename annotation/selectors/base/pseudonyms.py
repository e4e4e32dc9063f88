"""How people and moments appear in anything that leaves the system. Every export passes here, and
reads neither the table of annotators nor the table of users by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.models import Annotator, Study


@dataclass(frozen=True)
class Rater:
    """An annotator without an identity. ``rank`` is the place in the order A, B, … Z, AA or J1, J2,
    … J10."""

    pseudonym: str
    kind: str
    withdrawn: bool
    rank: int


@dataclass(frozen=True)
class Disclosure:
    """What may be said about who and when. There is no way to ask it for a name or an address."""

    raters: Mapping[int, Rater]
    """By annotator id, in their order; who is not in here stays out of the export."""
    left_out: frozenset[int]
    """Ids of the study's other annotators."""
    coarse_times: bool

    def moment(self, utc: str | None) -> str | None:
        """A moment ("2025-03-31 14:05:09…") as it may be told: "2025-03-31T14:05:09Z", or the
        day."""
        if not utc:
            return None
        return utc[:10] if self.coarse_times else f"{utc[:10]}T{utc[11:19]}Z"


def disclosure(
    study: Study, *, withdrawn: bool = True, machines: bool = True, coarse_times: bool = False
) -> Disclosure:
    """Everybody who judges in the study, as exports may name them; one query.

    ``withdrawn``: keep annotators who have left. What they submitted was decided all the same.
    ``machines``: keep models.
    """
    rows = Annotator.objects.filter(study=study).values_list(
        "pk", "pseudonym", "kind", "withdrawn_at"
    )
    # Shorter first, so that AA follows Z and J10 follows J9.
    ordered = sorted(rows, key=lambda row: (len(row[1]), row[1]))
    raters = {
        pk: Rater(pseudonym, kind, withdrawn_at is not None, rank)
        for rank, (pk, pseudonym, kind, withdrawn_at) in enumerate(ordered)
        if (withdrawn or withdrawn_at is None) and (machines or kind != Annotator.Kind.MACHINE)
    }
    return Disclosure(raters, frozenset(pk for pk, *_ in ordered if pk not in raters), coarse_times)
