"""Files of edits, whatever their layout: what was read of one, and what no layout may hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.corpus.problems import (
    HALF_CHARACTER,
    MAX_PROBLEMS,
    RowProblem,
    TableError,
    and_more,
    shown,
)
from annotation.corpus.texts import MAX_TEXT
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing
from annotation.protocols.edits import MarkedPair

MOST_EDITS = 5_000
"""Of one annotator on one pair."""
LONGEST_NAME = 100


@dataclass(frozen=True)
class EditsFile:
    """The pairs in the order of the file; the ``problems`` of its rows; ``fatal`` where it is no
    such file at all. With a problem of either kind nothing of it is to be counted."""

    pairs: tuple[MarkedPair, ...] = ()
    problems: tuple[RowProblem, ...] = ()
    fatal: RowProblem | None = None


def named(problems: list[RowProblem]) -> tuple[RowProblem, ...]:
    """The problems that are named, as many as anybody mends by hand."""
    if len(problems) <= MAX_PROBLEMS:
        return tuple(problems)
    return (*problems[:MAX_PROBLEMS], and_more(problems[MAX_PROBLEMS].row))


def name_problem(row: int, field: str, name: str) -> RowProblem | None:
    """Why this cannot be the name of an operation, of a pair or of who marked it."""
    if name and name == name.strip() and len(name) <= LONGEST_NAME and name.isprintable():
        return None
    return refused(
        row,
        field,
        "no_name",
        Wording(
            f"« {shown(name)} » n'est pas un nom.",
            f"“{shown(name)}” is no name.",
        ),
        Wording(
            f"Écrivez de 1 à {LONGEST_NAME} caractères lisibles, sans espace au bord.",
            f"Write 1 to {LONGEST_NAME} printable characters, without a space at either end.",
        ),
    )


def text_problem(row: int, field: str, text: str) -> RowProblem | None:
    """Why this cannot be a text of a pair."""
    is_stored = "\x00" not in text and not HALF_CHARACTER.search(text)
    if not shows_nothing(text) and len(text) <= MAX_TEXT and is_stored:
        return None
    return refused(
        row,
        field,
        "no_text",
        Wording(
            "Ce texte est vide, trop long, ou contient un caractère nul ou une moitié de "
            "caractère.",
            "This text is empty, too long, or holds a null character or half of a character.",
        ),
        Wording(
            f"Donnez un texte de 1 à {MAX_TEXT} caractères.",
            f"Give a text of 1 to {MAX_TEXT} characters.",
        ),
    )


def too_many_edits(row: int) -> RowProblem:
    """The refusal of what passes ``MOST_EDITS``."""
    return refused(
        row,
        "",
        "too_many_edits",
        Wording(
            f"La paire a plus de {MOST_EDITS} opérations d'une même personne.",
            f"The pair has more than {MOST_EDITS} edits by one person.",
        ),
        Wording("Divisez la paire.", "Divide the pair."),
    )


def no_span(row: int, field: str) -> RowProblem:
    """The refusal of an edit that marks nothing."""
    return refused(
        row,
        field,
        "no_span",
        Wording(
            "L'opération ne marque rien, ni dans l'original ni dans la simplification.",
            "The edit marks nothing, neither in the original nor in the simplification.",
        ),
        Wording("Marquez un mot d'un côté au moins.", "Mark a word of one side at least."),
    )


def twice(row: int, field: str, pair: str) -> RowProblem:
    """The refusal of a pair that one annotator has a second time."""
    return refused(
        row,
        field,
        "pair_twice",
        Wording(
            f"La paire « {shown(pair)} » est déjà marquée par la même personne.",
            f"The pair “{shown(pair)}” is already marked by the same person.",
        ),
        Wording(
            "Gardez-en une, ou nommez la seconde autrement.",
            "Keep one of the two, or give the second another name.",
        ),
    )


def raise_empty(pairs: Sequence[MarkedPair]) -> None:
    """Raises ``TableError`` where a file has no pair at all."""
    if not pairs:
        raise TableError(
            "empty",
            Wording("Le fichier ne contient aucune paire.", "The file holds no pair."),
            Wording(
                "Choisissez le fichier des opérations, ou un autre format.",
                "Choose the file of the edits, or another layout.",
            ),
        )


def refused(row: int, field: str, code: str, message: Wording, remedy: Wording) -> RowProblem:
    return RowProblem(field, code, message, row=row, remedy=remedy)
