"""Files of edits as a long table: a row for each pair and annotator, all that they marked in one of
its cells."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from annotation.corpus.brat import read_brat
from annotation.corpus.edit_columns import read_columns
from annotation.corpus.edit_tables import NEEDED
from annotation.corpus.edits import EditsFile
from annotation.corpus.long_archives import names_in, unpacked
from annotation.corpus.long_objects import BEFORE, START
from annotation.corpus.passages import stored_span
from annotation.corpus.peers import ANNOTATOR
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.tables import Table
from annotation.corpus.texts import KEY_PATTERN, clean_text
from annotation.corpus.thresh import with_parts_moved
from annotation.corpus.yawat import read_yawat
from annotation.protocols.base import Wording
from annotation.protocols.edits import SIDES, MarkedPair

MARKS = "marks"
"""The column with what was marked, recognised by every question that marks."""
TITLES: Mapping[str, Wording] = {
    "edits": Wording("opérations, une par ligne", "edits, a row each"),
    "edit_columns": Wording("colonnes (CoNLL)", "columns (CoNLL)"),
    "thresh": Wording("thresh", "thresh"),
    "brat": Wording("brat", "brat"),
    "yawat": Wording("YAWAT", "YAWAT"),
}
"""Layouts by key, as pages name them."""
_SPANS = tuple(f"{side}_{how}" for side in SIDES for how in ("spans", "tokens"))
_NO_KEY = re.compile(r"[^A-Za-z0-9._:]+")
_LONGEST = 70
_OF_COLUMNS = b"# pair = "
_OF_THRESH = frozenset(("source", "target", "edits"))
_ARCHIVED = {".ann": "brat", ".aln": "yawat"}
_READ = {"brat": (".ann", ".txt", ".json"), "yawat": (".aln", ".crp")}

COLUMNS = ("id", ANNOTATOR, *SIDES, MARKS)
Rows = list[tuple[int, Mapping[str, Any] | RowProblem]]


def columns_in(content: bytes, name: str) -> EditsFile | None:
    """The edits of a file of columns; None for any other file. ``name``: who annotated, where it
    does not say."""
    is_one = content[:START].lstrip(BEFORE).startswith(_OF_COLUMNS)
    return read_columns(content, name) if is_one else None


def archived(content: bytes, name: str) -> tuple[str, EditsFile] | None:
    """The edits of an archive of brat's folders or of YAWAT's files, and which it is; None for any
    other. Raises ``TableError``."""
    if not (
        layouts := {_ARCHIVED.get(PurePosixPath(path).suffix, "") for path in names_in(content)}
        - {""}
    ):
        return None
    layout = min(layouts)
    files = unpacked(content, _READ[layout])
    return layout, read_brat(files, name) if layout == "brat" else _yawat(files)


def is_thresh(entry: object) -> bool:
    """Whether an entry of a list is one of thresh's."""
    return (
        isinstance(entry, Mapping) and set(entry) >= _OF_THRESH and isinstance(entry["edits"], list)
    )


def is_edit_table(table: Table) -> bool:
    """Whether a table has a row for each edit."""
    names = {column.lower() for column in table.columns}
    return names >= set(NEEDED) and not names.isdisjoint(_SPANS)


def rows_of_edits(edits: EditsFile) -> Rows:
    """A row for each pair and annotator, with what is wrong in the file. Raises ``TableError``
    where it is no such file."""
    if edits.fatal is not None:
        problem = edits.fatal
        raise TableError(
            problem.code, problem.message, problem.remedy, row=problem.row, field=problem.field
        )
    if edits.problems:
        return [(problem.row, problem) for problem in edits.problems]
    names = _names(edits.pairs)
    return [
        (number, _row(names[pair.pair], pair)) for number, pair in enumerate(edits.pairs, start=1)
    ]


def _row(name: str, pair: MarkedPair) -> dict[str, Any]:
    """Texts as they are stored, offsets counted in them."""
    moved = {side: (pair.text(side), clean_text(pair.text(side))) for side in SIDES}
    return {
        "id": name,
        ANNOTATOR: pair.annotator,
        **{side: stored for side, (_text, stored) in moved.items()},
        MARKS: [
            {
                "type": edit.type,
                **{
                    side: [stored_span(*moved[side], *span) for span in edit.spans(side)]
                    for side in SIDES
                },
                "note": with_parts_moved(edit.more, moved),
            }
            for edit in pair.edits
        ],
    }


def _names(pairs: Sequence[MarkedPair]) -> dict[str, str]:
    """The identifier of each pair's item. An export of ours calls pairs by their item and place
    (``item/1``), whose original is one; what an identifier cannot hold becomes a hyphen."""
    originals: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        originals[_item(pair.pair)].add(pair.original)
    is_ours = all(len(texts) == 1 for texts in originals.values())
    items = {pair.pair: _item(pair.pair) if is_ours else pair.pair for pair in pairs}
    keys: dict[str, str] = {}
    taken: set[str] = set()
    for item in dict.fromkeys(items.values()):
        key, again = _key(item), 2
        while key in taken:
            key, again = f"{_key(item)}-{again}", again + 1
        taken.add(key)
        keys[item] = key
    return {pair: keys[item] for pair, item in items.items()}


def _key(name: str) -> str:
    return (
        name
        if re.match(KEY_PATTERN, name)
        else _NO_KEY.sub("-", name)[:_LONGEST].strip("-._:") or "p"
    )


def _item(pair: str) -> str:
    item, _stroke, place = pair.rpartition("/")
    return item if item and place.isdecimal() else pair


def _yawat(files: Mapping[str, bytes]) -> EditsFile:
    """Each ``.aln`` with the ``.crp`` of its name beside it; who annotated is what it is called."""
    pairs: list[MarkedPair] = []
    problems: list[RowProblem] = []
    for name in sorted(files):
        path = PurePosixPath(name)
        if path.suffix != ".aln":
            continue
        content, texts = files[name], files.get(str(path.with_suffix(".crp")), b"")
        edits = read_yawat(content + texts, [len(content), len(texts)], path.stem)
        if edits.fatal is not None:
            return edits
        pairs += edits.pairs
        problems += edits.problems
    return EditsFile(tuple(pairs), tuple(problems))
