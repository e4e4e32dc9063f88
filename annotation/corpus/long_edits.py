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
from annotation.corpus.pairs import KEY_PATTERN, clean_text
from annotation.corpus.passages import stored_span
from annotation.corpus.peers import ANNOTATOR
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.tables import Table
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
        layouts := {_ARCHIVED.get(PurePosixPath(one).suffix, "") for one in names_in(content)}
        - {""}
    ):
        return None
    layout = min(layouts)
    files = unpacked(content, _READ[layout])
    return layout, read_brat(files, name) if layout == "brat" else _yawat(files)


def is_thresh(told: object) -> bool:
    """Whether an entry of a list is one of thresh's."""
    return isinstance(told, Mapping) and set(told) >= _OF_THRESH and isinstance(told["edits"], list)


def is_edit_table(table: Table) -> bool:
    """Whether a table has a row for each edit."""
    names = {column.lower() for column in table.columns}
    return names >= set(NEEDED) and not names.isdisjoint(_SPANS)


def rows_of_edits(found: EditsFile) -> Rows:
    """A row for each pair and annotator, with what is wrong in the file. Raises ``TableError``
    where it is no such file."""
    if found.fatal is not None:
        problem = found.fatal
        raise TableError(
            problem.code, problem.message, problem.remedy, row=problem.row, field=problem.field
        )
    if found.problems:
        return [(one.row, one) for one in found.problems]
    names = _names(found.pairs)
    return [(number, _row(names[one.pair], one)) for number, one in enumerate(found.pairs, start=1)]


def _row(name: str, one: MarkedPair) -> dict[str, Any]:
    """Texts as they are stored, offsets counted in them."""
    moved = {side: (one.text(side), clean_text(one.text(side))) for side in SIDES}
    return {
        "id": name,
        ANNOTATOR: one.annotator,
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
            for edit in one.edits
        ],
    }


def _names(pairs: Sequence[MarkedPair]) -> dict[str, str]:
    """The identifier of each pair's item. An export of ours calls pairs by their item and place
    (``item/1``), whose original is one; what an identifier cannot hold becomes a hyphen."""
    originals: dict[str, set[str]] = defaultdict(set)
    for one in pairs:
        originals[_item(one.pair)].add(one.original)
    is_ours = all(len(found) == 1 for found in originals.values())
    items = {one.pair: _item(one.pair) if is_ours else one.pair for one in pairs}
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
        found = read_yawat(content + texts, [len(content), len(texts)], path.stem)
        if found.fatal is not None:
            return found
        pairs += found.pairs
        problems += found.problems
    return EditsFile(tuple(pairs), tuple(problems))
