"""What is wrong with a file or with one of its rows, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.protocols.base import NO_WORDING, Problem, Wording


@dataclass(frozen=True)
class RowProblem(Problem):
    """Why a row is refused. Row 0 is the file as a whole; ``field`` is empty where it is the row as a whole."""

    row: int = 0
    remedy: Wording = NO_WORDING
    duplicate: bool = False
    """A repetition: leaving it out loses nothing."""


class TableError(ValueError):
    """A file that cannot be read as a table at all."""

    def __init__(self, code: str, message: Wording, remedy: Wording, *, row: int = 0) -> None:
        super().__init__(f"{message.en} {remedy.en}")
        self.problem = RowProblem("", code, message, row=row, remedy=remedy)
