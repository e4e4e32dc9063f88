"""What is wrong with a row of judgments made elsewhere, each with its remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from annotation.corpus.columns import plain
from annotation.corpus.judged_columns import ANNOTATOR, one_of
from annotation.corpus.pairs import PairRow, differing
from annotation.corpus.problems import RowProblem, shown
from annotation.protocols.base import NO_WORDING, Wording
from annotation.protocols.columns import Slot

_MAX_NAME = 200
"""Characters of whom a file names as having judged."""


def who_problems(number: int, who: str) -> list[RowProblem]:
    """Whoever judged is named, by letters or digits."""
    if who and len(who) <= _MAX_NAME and plain(who):
        return []
    if len(who) > _MAX_NAME:
        message = Wording(
            f"Ce nom a {len(who)} caractères; le maximum est {_MAX_NAME}.",
            f"This name has {len(who)} characters; {_MAX_NAME} are the most.",
        )
        shorten = Wording("Donnez-en un plus court.", "Give a shorter name.")
        return [RowProblem(ANNOTATOR, "no_annotator", message, row=number, remedy=shorten)]
    remedy = Wording(
        "Écrivez qui a jugé la paire, ou supprimez la ligne.",
        "Write who judged the pair, or delete the row.",
    )
    if not who:
        message = Wording("Personne n'est nommé.", "Nobody is named.")
    else:
        message = Wording("Ce nom n'a ni lettre ni chiffre.", "This name has no letter or digit.")
    return [RowProblem(ANNOTATOR, "no_annotator", message, row=number, remedy=remedy)]


def contradicted(pair: PairRow, first: PairRow) -> list[RowProblem]:
    """What a row says of a pair otherwise than the first row of the same texts."""
    if pair.key and first.key and pair.key != first.key:
        return [other_key(pair, first)]
    return differing(pair, first)


def other_key(pair: PairRow, first: PairRow) -> RowProblem:
    """The same texts under two identifiers."""
    return RowProblem(
        "id",
        "other_key",
        Wording(
            f"La même paire est à la ligne {first.row} sous un autre identifiant : ses jugements "
            "ne seraient pas comparés.",
            f"The same pair is in row {first.row} under another identifier: its judgments would "
            "not be compared.",
        ),
        row=pair.row,
        remedy=Wording(
            "Ne prenez pas la colonne de l'identifiant, ou donnez le même à la même paire.",
            "Do not take the identifier's column, or give the same one to the same pair.",
        ),
    )


def judged_twice(number: int, first: int) -> RowProblem:
    """It stands in the row of a job for days: who judged is not named."""
    return RowProblem(
        ANNOTATOR,
        "judged_twice",
        Wording(
            f"La même personne a déjà jugé cette paire à la ligne {first}.",
            f"The same person has judged this pair in row {first} already.",
        ),
        row=number,
        remedy=Wording("Gardez une seule des deux lignes.", "Keep one of the two rows."),
    )


def called_nearly_alike(number: int, first: int) -> RowProblem:
    """Nobody is named, as above."""
    return RowProblem(
        ANNOTATOR,
        "nearly_alike",
        Wording(
            f"Ce nom est celui de la ligne {first} à des majuscules ou des espaces près : on "
            "compterait deux personnes.",
            f"This name is that of row {first} but for capitals or spaces: two people would be "
            "counted.",
        ),
        row=number,
        remedy=Wording(
            "Écrivez-le partout de même; si ce sont deux personnes, donnez un code à chacune.",
            "Write it alike everywhere; if they are two people, give each a code.",
        ),
    )


def by_machine(number: int) -> RowProblem:
    """A model's judgment in one of our own exports."""
    return RowProblem(
        ANNOTATOR,
        "machine",
        Wording("C'est un modèle qui a jugé.", "It is a model that judged."),
        row=number,
        remedy=Wording(
            "Exportez sans les modèles : ce qui est importé compte comme jugé par des personnes.",
            "Export without models: what is imported counts as judged by people.",
        ),
    )


def unknown_value(number: int, name: str, text: str) -> RowProblem:
    """A text that is no value of its slot, and that nobody has given one."""
    return RowProblem(
        name,
        "unknown_value",
        Wording(
            f"« {shown(text.strip())} » n'est aucune des réponses possibles.",
            f"“{shown(text.strip())}” is none of the possible answers.",
        ),
        row=number,
        remedy=Wording(
            "Dites ce que devient cette valeur, choisissez une autre colonne, ou corrigez la "
            "ligne.",
            "Say what this value becomes, choose another column, or mend the row.",
        ),
    )


def none_and_others(number: int, slot: Slot) -> RowProblem:
    """A cell that says that no option applies, and names some."""
    none = slot.none or NO_WORDING
    return RowProblem(
        slot.name,
        "none_and_others",
        Wording(
            f"« {slot.label.fr} » : « {none.fr} » est à côté d'autres réponses.",
            f"“{slot.label.en}”: “{none.en}” stands beside other answers.",
        ),
        row=number,
        remedy=Wording(
            "Gardez l'un ou l'autre, ou dites ce que deviennent ces valeurs.",
            "Keep the one or the other, or say what these values become.",
        ),
    )


def unknown_type(number: int, slot: Slot, text: str) -> RowProblem:
    """A mark of a type that the protocol does not have, and that nobody has given one."""
    types = ", ".join(option.key or str(option.value) for option in slot.options)
    name = shown(text.strip())
    message = Wording(f"« {name} » n'est pas de ceux-ci : {types}.",
                      f"“{name}” is none of these: {types}.")  # fmt: skip
    if not name:
        message = Wording(f"Un passage marqué ne dit pas son type; possibles : {types}.",
                          f"A mark does not say its type; possible ones: {types}.")  # fmt: skip
    return replace(unknown_value(number, slot.name, text), message=message)


def of_slot(number: int, name: str, message: Wording) -> RowProblem:
    """What a slot itself refuses, in its own words."""
    return RowProblem(
        name,
        "no_answer",
        message,
        row=number,
        remedy=Wording(
            "Corrigez la ligne, ou ne prenez pas cette colonne.",
            "Mend the row, or do not take this column.",
        ),
    )


def missing(number: int, name: str, labels: Sequence[Wording]) -> RowProblem:
    """A dimension that the protocol asks for, or several of which it asks for one."""
    called = one_of(labels)
    message = Wording(f"« {called.fr} » n'a pas de réponse.", f"“{called.en}” has no answer.")
    remedy = Wording(
        "Choisissez sa colonne, remplissez la cellule, ou supprimez la ligne.",
        "Choose its column, fill the cell, or delete the row.",
    )
    if len(labels) > 1:
        message = Wording(
            f"Il faut une réponse à « {called.fr} » : il n'y en a aucune.",
            f"One answer is needed, to “{called.en}”: there is none.",
        )
        remedy = Wording(
            "Choisissez leurs colonnes, remplissez une cellule, ou supprimez la ligne.",
            "Choose their columns, fill a cell, or delete the row.",
        )
    return RowProblem(name, "missing_answer", message, row=number, remedy=remedy)


def other_protocol(theirs: str, ours: str) -> RowProblem:
    """Of one of our own exports, into a study of another protocol."""
    name = shown(theirs)
    return RowProblem(
        "protocol",
        "other_protocol",
        Wording(
            f"Ces jugements suivent le protocole « {name} », et l'étude « {ours} ».",
            f"These judgments follow the protocol “{name}”, and the study “{ours}”.",
        ),
        remedy=Wording("Importez dans une autre étude.", "Import into another study."),
    )
