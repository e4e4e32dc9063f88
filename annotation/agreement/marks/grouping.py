"""Operations that are counted as one: by ASSETann's two merges, or by a grouping of one's own."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

Grouping = Mapping[str, str]
"""What an operation is counted as; one that is not in it stays itself."""

AS_MARKED: Grouping = {}

PAPER_MERGES: Mapping[str, tuple[str, ...]] = {
    "insertions": ("inprop", "inmod", "incst", "inoth"),
    "deletions": ("delprop", "delmod", "delcst", "deloth"),
}
"""ASSETann, section 3.2: all insertions as one category, all deletions as one."""


def grouping_of(groups: Mapping[str, tuple[str, ...]]) -> Grouping:
    """The grouping that these groups make, by name. Raises ``ValueError`` that names an operation
    in two of them."""
    grouping: dict[str, str] = {}
    for name, operations in groups.items():
        for operation in operations:
            if grouping.setdefault(operation, name) != name:
                raise ValueError(operation)
    return grouping


_BETWEEN = re.compile(r"[\n\r;]+")


def groups_written(text: str, known: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Groups as people write them: ``name = operation, operation``, one a line or with semicolons
    between them. Raises ``KeyError`` with what is no operation, ``ValueError`` with a name that
    stands twice."""
    groups: dict[str, tuple[str, ...]] = {}
    for line in filter(None, map(str.strip, _BETWEEN.split(text))):
        name, _sign, listed = (part.strip() for part in line.partition("="))
        kinds = tuple(part.strip() for part in listed.split(","))
        unknown = next((kind for kind in kinds if kind not in known), None)
        if not name or unknown is not None:
            raise KeyError(unknown or line)
        if name in groups:
            raise ValueError(name)
        groups[name] = kinds
    return groups


def merged(
    groups: Mapping[str, tuple[str, ...]], written: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Prepared groups and those of one's own. Raises ``ValueError`` with an operation that stands
    in two groups, or a name that both have."""
    if both := sorted(set(groups) & set(written)):
        raise ValueError(both[0])
    all_groups = {**groups, **written}
    grouping_of(all_groups)
    return all_groups
