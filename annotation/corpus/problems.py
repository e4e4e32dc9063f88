"""What is wrong with a file or with one of its rows, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.protocols import names
from annotation.protocols.base import NO_WORDING, Problem, Wording

HALF_CHARACTER = re.compile("[\ud800-\udfff]")
"""Half of a pair of codes that only together are a character: no page, file or database takes
one."""

shown = names.shown

MAX_PROBLEMS = 20_000
"""How many problems of a file are named, repeated pairs aside: nobody mends more by hand."""


_MOST_NAMED = 10
"""Names that one message holds; it says how many more there are."""


@dataclass(frozen=True)
class RowProblem(Problem):
    """Why a row is refused. Row 0 is the file as a whole; ``field`` is empty where it is the row as
    a whole."""

    row: int = 0
    remedy: Wording = NO_WORDING
    duplicate: bool = False
    """A repetition: leaving it out loses nothing."""


class TableError(ValueError):
    """A file that cannot be read as a table at all."""

    def __init__(
        self, code: str, message: Wording, remedy: Wording, *, row: int = 0, field: str = ""
    ) -> None:
        super().__init__(f"{message.en} {remedy.en}")
        self.problem = RowProblem(field, code, message, row=row, remedy=remedy)


def refusal(problem: RowProblem) -> TableError:
    """The refusal of a whole file that a problem is."""
    return TableError(
        problem.code, problem.message, problem.remedy, row=problem.row, field=problem.field
    )


def and_more(row: int) -> RowProblem:
    """What stands for the problems after ``row``, once ``MAX_PROBLEMS`` are named."""
    return RowProblem(
        "",
        "more_problems",
        Wording(
            (
                f"Il y a plus de {MAX_PROBLEMS} problèmes; ceux d'après la ligne {row} ne sont "
                "pas nommés."
            ),
            f"There are more than {MAX_PROBLEMS} problems; those after row {row} are not named.",
        ),
        remedy=Wording(
            "Vérifiez d'abord que le fichier est lu comme il faut.",
            "Check first that the file is read as it should be.",
        ),
    )


def names_in_words(missing: Sequence[str]) -> Wording:
    """The first of these names, fit to be shown, and how many more there are."""
    first = ", ".join(shown(name) for name in missing[:_MOST_NAMED])
    more = len(missing) - _MOST_NAMED
    if more <= 0:
        return Wording(first, first)
    return Wording(f"{first} et {more} de plus", f"{first} and {more} more")


def half_character(row: int, field: str) -> RowProblem:
    """The refusal of a row whose ``field`` (a key, a header, a column) holds half of a
    character."""
    name = shown(field)
    return RowProblem(
        name,
        "half_character",
        Wording(
            f"« {name} » contient une moitié de caractère.", f"“{name}” holds half a character."
        ),
        row=row,
        remedy=Wording(
            "Supprimez-la, ou écrivez le fichier de nouveau avec le programme dont il vient.",
            "Delete it, or write the file again with the program that it comes from.",
        ),
    )
