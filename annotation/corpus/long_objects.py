"""What a file that is no table comes to: objects, each with its number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.corpus import jsonl
from annotation.corpus.encodings import decode, detect
from annotation.corpus.peers import inception
from annotation.corpus.peers.webanno_tsv import BEGINNING, read_tsv
from annotation.corpus.peers.xmi import NAMESPACE, read_xmi
from annotation.corpus.problems import RowProblem, TableError, shown
from annotation.corpus.tables import MAX_ROWS, Layout, Table, too_many_rows
from annotation.protocols.base import Wording

START = 400
BEFORE = b"\xef\xbb\xbf \t\r\n"
_UTF_8 = "utf-8"
_OF_XMI = 20_000
_CAS = re.compile(rb'\{\s*"%[A-Z_]{1,30}"\s*:')

Numbered = Iterable[tuple[int, Mapping[str, Any] | RowProblem]]


def document_of(content: bytes, layout: Layout) -> str | None:
    """The text of a file that is one document of JSON with a list, not an object a line."""
    if content[:START].lstrip(BEFORE)[:1] != b"[":
        return None
    encoding = layout.encoding or detect(content)[0]
    return decode(content, encoding)


def members_of(text: str) -> Numbered:
    """The objects of a list, counted from 1. Raises ``TableError``."""
    members = _loaded(text)
    if not isinstance(members, list) or not any(isinstance(member, dict) for member in members):
        raise _no_document("Cette liste n'a aucun objet.", "This list has no object.")
    if len(members) > MAX_ROWS:
        raise too_many_rows()
    return [
        (number, jsonl.checked(number, member) if isinstance(member, dict) else _no_object(number))
        for number, member in enumerate(members, start=1)
    ]


def rows_of(table: Table) -> Numbered:
    """The rows of a table as objects."""
    for row in table.rows:
        yield row.number, dict(zip(table.columns, row.cells, strict=True))


def cas_of(content: bytes) -> dict[str, Any] | None:
    """The document of a file of INCEpTION's, in the shape of UIMA CAS JSON; None for any other
    file. Raises ``TableError`` where it is damaged."""
    start = content[:START].lstrip(BEFORE)
    if start.startswith(BEGINNING):
        return read_tsv(_text(content))
    if start[:1] == b"<" and NAMESPACE.encode() in content[:_OF_XMI]:
        return read_xmi(content)
    if not _CAS.match(start):
        return None
    cas = _loaded(_text(content))
    if not isinstance(cas, dict) or not inception.knows(cas):
        raise _no_cas()
    return cas


def _text(content: bytes) -> str:
    return decode(content, _UTF_8).removeprefix("\ufeff")


def _loaded(text: str) -> Any:
    """What a document of JSON says. Raises ``TableError``."""
    try:
        return jsonl.loads(text)
    except jsonl.Repeated as error:
        raise _repeated(shown(str(error))) from error
    except json.JSONDecodeError as error:
        raise jsonl.broken_off(error) from error
    except (ValueError, RecursionError) as error:
        raise _no_document(
            "Ce JSON est démesuré.", "This JSON is out of all proportion."
        ) from error


def _no_document(fr: str, en: str) -> TableError:
    return TableError(
        "not_json",
        Wording(fr, en),
        Wording(
            "Exportez-le de nouveau : un fichier coupé n'est pas importé à moitié.",
            "Export it again: half a file is not imported by halves.",
        ),
    )


def _no_cas() -> TableError:
    return TableError(
        "not_cas",
        Wording(
            "Cet export UIMA CAS JSON n'a pas de liste « %FEATURE_STRUCTURES ».",
            "This export in UIMA CAS JSON has no list “%FEATURE_STRUCTURES”.",
        ),
        Wording(
            "Exportez-le de nouveau d'INCEpTION, en UIMA CAS JSON 0.4.0.",
            "Export it from INCEpTION again, as UIMA CAS JSON 0.4.0.",
        ),
    )


def _repeated(key: str) -> TableError:
    return TableError(
        "duplicate_key",
        Wording(
            f"La clé « {key} » est deux fois dans un même objet.",
            f"The key “{key}” is in one object twice.",
        ),
        Wording("Gardez-en une.", "Keep one of the two."),
    )


def _no_object(number: int) -> RowProblem:
    return RowProblem(
        "",
        "not_an_object",
        Wording("Ce n'est pas un objet.", "This is not an object."),
        row=number,
        remedy=Wording("Supprimez-le de la liste.", "Delete it from the list."),
    )
