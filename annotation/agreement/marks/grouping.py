"""Operations that are counted as one: by ASSETann's two merges, or by a grouping of one's own."""

from __future__ import annotations

from collections.abc import Mapping

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
    found: dict[str, str] = {}
    for name, operations in groups.items():
        for operation in operations:
            if found.setdefault(operation, name) != name:
                raise ValueError(operation)
    return found
