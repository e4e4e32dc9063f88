"""A cell of a table of pairs as it is stored, or why its text cannot stand there."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from annotation.accents import composed
from annotation.corpus.columns import FIELDS, NEVER_EMPTY
from annotation.corpus.problems import RowProblem
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing

MAX_TEXT = 20_000
LONGEST_CELL = 131_072
"""Characters of a cell that is a text at all: csv's own limit, which ``delimited`` raises for the
whole process. Beyond it a quotation mark was never closed."""
MAX_LENGTHS = {
    "original": MAX_TEXT,
    "simplification": MAX_TEXT,
    "context_before": MAX_TEXT,
    "context_after": MAX_TEXT,
    "id": 80,
    "system": 100,
    "source": 300,
    "structure": 2_000,
}
KEY_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,79}$"
"""What names an item: it stands in addresses, file names and exports."""
_KEY = re.compile(KEY_PATTERN)
# More accents than that on one letter are no text; putting them in order takes the square of their
# number.
_MOST_ACCENTS = 30
_ROW_OF_MARKS = re.compile(rf"[^\w\s]{{{_MOST_ACCENTS + 1}}}")
# Control characters but tab and newline, halves of surrogate pairs, and what is no character at
# all.
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffd-\uffff]")


def clean_text(text: str) -> str:
    """The text as it is stored: as given, without a byte order mark or space around it; "" where
    nobody would see anything of it.

    Line ends become ``\\n``, because browsers make them so: a span marked on the page counts
    characters of the stored text.
    """
    kept = text.replace("\r\n", "\n").replace("\r", "\n").strip().strip("\ufeff").strip()
    return "" if shows_nothing(kept) else kept


def look_alike(text: str, other: str) -> bool:
    """Whether nobody could tell two texts apart by looking: they differ at most in how accents are
    written, in spaces and in characters without a shape."""
    return _as_seen(text) == _as_seen(other)


def _as_seen(text: str) -> str:
    shown = "".join(c for c in text if c.isspace() or not shows_nothing(c))
    return " ".join(composed(shown).split())


def field_text(name: str, cell: str) -> str:
    """A cell of this field as it is stored: of a structure its labels, parted by "; "."""
    return "; ".join(labels_of_cell(cell)) if name == "structure" else clean_text(cell)


def labels_of_cell(cell: str) -> tuple[str, ...]:
    """Labels from a JSON list, or divided by semicolons."""
    try:
        listed = json.loads(cell)
    except (ValueError, RecursionError):
        listed = None
    parts = listed if isinstance(listed, list) else cell.split(";")
    return tuple(text for part in parts if (text := clean_text(str(part))))


def text_problems(row: int, name: str, text: str, *, quoted: bool = True) -> Sequence[RowProblem]:
    """Why a text cannot stand in this field of a pair. ``quoted``: it may have stood in quotation
    marks (``Table.is_quoted``)."""
    if not text:
        return [_empty(row, name)] if name in NEVER_EMPTY else ()
    if len(text) > MAX_LENGTHS[name]:
        return [_too_long(row, name, text, quoted=quoted)]
    if match := _FORBIDDEN.search(text):
        return [_forbidden(row, name, match)]
    if any(all(map(unicodedata.combining, row_of[0])) for row_of in _ROW_OF_MARKS.finditer(text)):
        return [_too_many_accents(row, name)]
    if name == "id" and not _KEY.match(text):
        return [_bad_key(row, text)]
    return ()


_FILL = Wording(
    "Remplissez la cellule, ou supprimez la ligne.", "Fill the cell, or delete the row."
)


_NONE_YET = Wording(
    "Remplissez la cellule, ou supprimez la ligne. Si un modèle doit les rédiger toutes, ne "
    "choisissez aucune colonne pour elles.",
    "Fill the cell, or delete the row. Where a model is to write all of them, choose no column for "
    "them.",
)


def _empty(row: int, name: str) -> RowProblem:
    label = FIELDS[name]
    return RowProblem(
        name,
        "empty",
        Wording(f"« {label.fr} » est vide.", f"“{label.en}” is empty."),
        row=row,
        remedy=_NONE_YET if name == "simplification" else _FILL,
    )


def nested(row: int, name: str) -> RowProblem:
    """The refusal of a list where a text of a pair should stand."""
    label = FIELDS[name]
    return RowProblem(
        name,
        "nested",
        Wording(
            f"« {label.fr} » est une liste, pas un texte.", f"“{label.en}” is a list, not a text."
        ),
        row=row,
        remedy=Wording(
            "Choisissez une autre colonne, ou mettez-y un texte, une ligne par paire.",
            "Choose another column, or put a text there, one line per pair.",
        ),
    )


_SHORTEN = Wording("Raccourcissez-le.", "Shorten it.")
_SHORTEN_OR_CLOSE = Wording(
    "Raccourcissez-le; s'il contient d'autres lignes, un guillemet n'est pas fermé.",
    "Shorten it; if it holds other rows, a quotation mark is not closed.",
)


def _too_long(row: int, name: str, text: str, *, quoted: bool) -> RowProblem:
    label, most = FIELDS[name], MAX_LENGTHS[name]
    return RowProblem(
        name,
        "too_long",
        Wording(
            f"« {label.fr} » a {len(text)} caractères; le maximum est {most}.",
            f"“{label.en}” has {len(text)} characters; {most} are the most.",
        ),
        row=row,
        remedy=_SHORTEN_OR_CLOSE if quoted and "\n" in text else _SHORTEN,
    )


def _forbidden(row: int, name: str, match: re.Match[str]) -> RowProblem:
    label, code, place = FIELDS[name], f"U+{ord(match[0]):04X}", match.start() + 1
    if match[0] == "\ufffd":
        remedy = Wording(
            (
                "L'encodage n'est pas le bon, ou le texte est abîmé : choisissez-en un autre ou "
                "corrigez la cellule."
            ),
            "The encoding is wrong or the text is damaged: choose another one or mend the cell.",
        )
    else:
        remedy = Wording(
            "Supprimez ce caractère invisible; s'il y en a partout, choisissez un autre encodage.",
            "Delete this invisible character; if there are many, choose another encoding.",
        )
    return RowProblem(
        name,
        "forbidden_character",
        Wording(
            f"« {label.fr} » contient le caractère {code} (le {place}e), qui n'est pas du texte.",
            f"“{label.en}” holds the character {code} (number {place}), which is no text.",
        ),
        row=row,
        remedy=remedy,
    )


def _too_many_accents(row: int, name: str) -> RowProblem:
    label = FIELDS[name]
    return RowProblem(
        name,
        "too_many_accents",
        Wording(
            f"« {label.fr} » a une lettre avec plus de {_MOST_ACCENTS} accents.",
            f"“{label.en}” has a letter with more than {_MOST_ACCENTS} accents.",
        ),
        row=row,
        remedy=Wording("Supprimez-les : le texte est abîmé.", "Delete them: the text is damaged."),
    )


def _bad_key(row: int, text: str) -> RowProblem:
    return RowProblem(
        "id",
        "bad_key",
        Wording(
            f"« {text} » ne peut pas être un identifiant.", f"“{text}” cannot be an identifier."
        ),
        row=row,
        remedy=Wording(
            (
                "Commencez par une lettre sans accent ou un chiffre, puis lettres, chiffres, . _ : "
                "et - seulement."
            ),
            "Start with an unaccented letter or a digit, then letters, digits, . _ : and - only.",
        ),
    )
