"""Edits as the file of each layout that any pairs can be written in."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

from annotation.corpus.brat import as_brat
from annotation.corpus.edit_columns import as_columns
from annotation.corpus.edit_tables import as_jsonl, as_tsv
from annotation.corpus.thresh import as_thresh
from annotation.protocols.edits import MarkedPair

_WRITTEN: Mapping[str, Callable[[Sequence[MarkedPair]], str]] = {
    "jsonl": as_jsonl,
    "tsv": as_tsv,
    "columns": as_columns,
    "thresh": as_thresh,
}
ENDINGS: Mapping[str, str] = {
    "jsonl": "jsonl",
    "tsv": "tsv",
    "columns": "conll",
    "thresh": "json",
    "brat": "zip",
}
"""How a file ends, by its layout."""
_EARLIEST = (1980, 1, 1, 0, 0, 0)


def edit_file(layout: str, pairs: Sequence[MarkedPair]) -> bytes:
    """The pairs in a layout of ``ENDINGS``; brat's files as an archive, equal edits as equal bytes.
    Raises ``TableError`` for what the layout cannot hold."""
    if layout != "brat":
        return _WRITTEN[layout](pairs).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in as_brat(pairs).items():
            archive.writestr(zipfile.ZipInfo(name, _EARLIEST), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()
