"""What is wrong with rows of judgments that fit no pair of a study, each with its remedy. It stands
in the row of a job for days: who judged is not named."""

from __future__ import annotations

from annotation.corpus.judged_columns import ANNOTATOR
from annotation.corpus.problems import RowProblem
from annotation.protocols.base import Wording


def other_text(row: int, *, key: str) -> RowProblem:
    """The identifier is one of the study's, and its text is another."""
    return RowProblem(
        "id",
        "other_text",
        Wording(
            f"L'étude a une autre clause sous l'identifiant « {key} ».",
            f"The study has another clause under the identifier “{key}”.",
        ),
        row=row,
        remedy=Wording(
            "Ne prenez pas la colonne de l'identifiant si elle n'est pas celle de l'étude, ou "
            "corrigez l'original.",
            "Do not take the identifier's column if it is not the study's, or correct the "
            "original.",
        ),
    )


def no_such_pair(row: int) -> RowProblem:
    """The clause is in the study, without this simplification of this system."""
    return RowProblem(
        "simplification",
        "no_such_pair",
        Wording(
            "L'étude a cette clause, mais pas cette simplification de ce système.",
            "The study has this clause, but not this simplification by this system.",
        ),
        row=row,
        remedy=Wording(
            "Écrivez la simplification et le système comme dans l'étude; si la paire est nouvelle, "
            "importez-la d'abord seule.",
            "Write the simplification and the system as in the study; if the pair is new, import "
            "it by itself first.",
        ),
    )


def ambiguous(row: int) -> RowProblem:
    """Several pairs of the study are of exactly these texts."""
    return RowProblem(
        "simplification",
        "several_pairs",
        Wording(
            "L'étude a plusieurs paires de ces textes.",
            "The study has several pairs of these texts.",
        ),
        row=row,
        remedy=Wording(
            "Ajoutez l'identifiant de la clause et le système, comme dans l'étude.",
            "Add the clause's identifier and the system, as in the study.",
        ),
    )


def not_main(row: int, *, key: str) -> RowProblem:
    """The pair is of the practice round, or one that the plan makes."""
    return RowProblem(
        "",
        "not_main",
        Wording(
            f"« {key} » n'est pas de la ronde principale : seules ses paires reçoivent des "
            "jugements faits ailleurs.",
            f"“{key}” is not of the main round: only its pairs take judgments made elsewhere.",
        ),
        row=row,
        remedy=Wording("Supprimez la ligne.", "Delete the row."),
    )


def other_spaces(row: int, *, key: str) -> RowProblem:
    """Marked passages are counted from another beginning of the text."""
    return RowProblem(
        "",
        "other_spaces",
        Wording(
            f"Les textes de « {key} » commencent dans l'étude par des espaces que le fichier n'a "
            "pas : les passages marqués tomberaient ailleurs.",
            f"The texts of “{key}” begin in the study with spaces that the file has not: the "
            "marked passages would stand elsewhere.",
        ),
        row=row,
        remedy=Wording(
            "Enlevez les passages de cette ligne.", "Take the passages out of this row."
        ),
    )


def judged_here(row: int, *, key: str) -> RowProblem:
    """Somebody of this name has judged the pair in the study."""
    return RowProblem(
        ANNOTATOR,
        "judged_here",
        Wording(
            f"Quelqu'un de ce nom a déjà jugé « {key} » dans l'étude.",
            f"Somebody of this name has judged “{key}” in the study already.",
        ),
        row=row,
        remedy=Wording(
            "Supprimez la ligne; si c'est quelqu'un d'autre, donnez-lui un autre nom dans tout le "
            "fichier.",
            "Delete the row; if it is somebody else, give them another name in the whole file.",
        ),
    )


def judged_in_two_rows(row: int, *, first: int) -> RowProblem:
    """Two rows that name one pair in two ways are by the same person."""
    return RowProblem(
        ANNOTATOR,
        "judged_twice",
        Wording(
            f"La même personne a jugé la même paire de l'étude à la ligne {first}.",
            f"The same person has judged the same pair of the study in row {first}.",
        ),
        row=row,
        remedy=Wording("Gardez une des deux lignes.", "Keep one of the two rows."),
    )
