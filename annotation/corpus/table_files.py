"""A file of pairs of any kind, read as a table."""

from __future__ import annotations

from dataclasses import replace

from annotation.corpus import delimited, jsonl, parquet, xlsx
from annotation.corpus.encodings import Confidence, decode, detect
from annotation.corpus.problems import TableError
from annotation.corpus.tables import DELIMITED, JSONL, PARQUET, XLSX, Layout, Table
from annotation.protocols.base import Wording


def read_table(content: bytes, layout: Layout | None = None) -> Table:
    """The rows of a CSV, TSV, JSONL, XLSX or Parquet file.

    Raises ``TableError`` where there are none to be had: another kind of file, an encoding that it
    is not in, no row at all, too many.
    """
    if not content.strip(b"\x00 \t\r\n"):
        raise TableError(
            "empty_file",
            Wording("Le fichier est vide.", "The file is empty."),
            Wording(
                "Choisissez un fichier qui contient des paires.", "Choose a file that holds pairs."
            ),
        )
    layout = layout or Layout()
    kind = layout.format or format_of(content)
    if layout.sheet and kind != XLSX:
        raise TableError(
            "no_sheets",
            Wording(
                f"Ce fichier n'est pas un classeur : il n'a pas de feuille « {layout.sheet} ».",
                f"This file is no workbook: it has no sheet “{layout.sheet}”.",
            ),
            Wording("Ne nommez pas de feuille.", "Name no sheet."),
            field="sheet",
        )
    if kind == PARQUET:
        return parquet.read(content, replace(layout, format=PARQUET))
    if kind == XLSX:
        return xlsx.read(content, replace(layout, format=XLSX))
    encoding, confidence = detect(content)
    if layout.encoding:
        # Chosen as detected is no more certain than it was, and a damaged file must stay readable.
        confidence = confidence if layout.encoding == encoding else Confidence.CHOSEN
        encoding = layout.encoding
    text = decode(content, encoding, damaged=confidence is Confidence.DAMAGED)
    if kind == "":
        kind = JSONL if text.lstrip()[:1] in ("{", "[") else DELIMITED
    read = jsonl.read if kind == JSONL else delimited.read
    return replace(
        read(text, replace(layout, format=kind, encoding=encoding)), confidence=confidence
    )


def format_of(content: bytes) -> str:
    """``xlsx`` and ``parquet`` by their first bytes, "" for text. Raises ``TableError`` for what
    is none of them."""
    if content.startswith(b"PK\x03\x04"):
        return XLSX
    if content.startswith(b"PAR1"):
        return PARQUET
    for signature, name in _FOREIGN:
        if content.startswith(signature):
            raise _not_a_table(name)
    if content[:4096].count(b"\x00") and not detect(content)[0].startswith("utf-"):
        raise _not_a_table(Wording("un fichier binaire", "a binary file"))
    return ""


def check_name(name: str, content: bytes) -> None:
    """Refuse text in a file that is called a workbook, and other text in one that is called JSON:
    whoever sends it did not save what they think. Read as a table of text it would be one column
    that is no pair. Raises ``TableError``, also for what is no table at all."""
    is_workbook = name.lower().endswith((".xlsx", ".xlsm"))
    is_json = name.lower().endswith((".json", ".jsonl", ".ndjson"))
    if not (is_workbook or is_json) or not content.strip() or format_of(content):
        return
    if is_json:
        _check_json(content)
        return
    raise TableError(
        "not_a_workbook",
        Wording(
            "Ce fichier porte un nom de classeur, mais son contenu est du texte.",
            "This file is called a workbook, but it contains text.",
        ),
        Wording(
            "Ouvrez-le dans un tableur et enregistrez-le en .xlsx; si c'est du CSV, appelez-le "
            ".csv.",
            "Open it in a spreadsheet program and save it as .xlsx; if it is CSV, call it .csv.",
        ),
    )


def _check_json(content: bytes) -> None:
    if content[:_START].lstrip(_BEFORE)[:1] in (b"{", b"["):
        return
    raise TableError(
        "not_json",
        Wording(
            "Ce fichier porte un nom de JSON, mais ce n'est pas du JSON (ligne 1, colonne 1).",
            "This file is called JSON, but it is not JSON (line 1, column 1).",
        ),
        Wording(
            "Exportez-le de nouveau; si c'est un tableau, appelez-le .csv ou .tsv.",
            "Export it again; if it is a table, call it .csv or .tsv.",
        ),
        row=1,
    )


_START = 400
# Marks of an encoding, halves of wide characters, room.
_BEFORE = b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"
_FOREIGN = (
    (
        b"\xd0\xcf\x11\xe0",
        Wording(
            "un classeur .xls ancien ou protégé par un mot de passe",
            "an old .xls workbook or one with a password",
        ),
    ),
    (b"%PDF", Wording("un PDF", "a PDF")),
    (b"\x1f\x8b", Wording("une archive gzip", "a gzip archive")),
    (b"7z\xbc\xaf", Wording("une archive 7z", "a 7z archive")),
    (b"Rar!", Wording("une archive RAR", "a RAR archive")),
    (b"\x89PNG", Wording("une image", "an image")),
    (b"\xff\xd8\xff", Wording("une image", "an image")),
    (b"{\\rtf", Wording("un document RTF", "an RTF document")),
)


def _not_a_table(name: Wording) -> TableError:
    return TableError(
        "not_a_table",
        Wording(
            f"Ce fichier est {name.fr}, pas une table.", f"This file is {name.en}, not a table."
        ),
        Wording(
            "Enregistrez les paires en .xlsx, .csv, .tsv ou .jsonl, sans mot de passe.",
            "Save the pairs as .xlsx, .csv, .tsv or .jsonl, without a password.",
        ),
    )
