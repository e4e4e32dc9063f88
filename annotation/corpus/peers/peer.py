"""What a reader of another program's export says of itself, and what several of them share.

An export is taken apart into objects (tasks, examples, lines); a peer makes rows of each, one for
each pair and annotator: the task's own fields by their names, ``ANNOTATOR``, and what was answered
by the name of its question. Marks are a list of ``span``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from annotation.protocols.base import NO_WORDING, Wording

ANNOTATOR, COMMENT = "annotator", "comment"
FILE = "_file"
"""Under this name an object says in which file of an archive it stood, without its ending."""
PeerRecord = Mapping[str, Any]


@dataclass(frozen=True)
class Peer:
    """One program's export. ``knows``: whether an object is of its shape. ``rows``: what one comes
    to; None in the place of what its annotator passed over or took back. ``item``: by what an
    object of another file of the same archive is known, where annotations only name items that
    stand there. ``numbers_tasks``: its ``id`` is the program's own number of a task, of which the
    same pair may have several. ``question_names``: the questions that an object's answers name;
    ``fields``: its member that holds the task's own fields, "" where they stand beside it. A field
    that is called as a question of the file is left out: it would stand for an answer that nobody
    gave.
    ``refusal``: the column and the text that say that the annotator refused the task; what else
    stands in the row is no answer then. ``joined``: what becomes of a row once it has its item.
    ``beside``: what to do where the texts are not there, as the program does not write them."""

    key: str
    title: str
    knows: Callable[[PeerRecord], bool]
    rows: Callable[[PeerRecord], Iterator[dict[str, Any] | None]]
    item: Callable[[PeerRecord], str] | None = None
    numbers_tasks: bool = False
    question_names: Callable[[PeerRecord], Iterable[str]] | None = None
    fields: str = ""
    refusal: tuple[str, str] = ("", "")
    joined: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    beside: Wording = NO_WORDING

    def without(self, record: PeerRecord, names: Set[str]) -> PeerRecord:
        """An object without the task's own fields of these names."""
        kept = {
            name: value
            for name, value in (record[self.fields] if self.fields else record).items()
            if name not in names
        }
        return {**record, self.fields: kept} if self.fields else kept


def span(label: Any, start: Any, end: Any, *, within: str, quote: Any = None) -> dict[str, Any]:
    """A marked passage: of which field of the task, and what stood there where the export says."""
    return {"label": label, "start": start, "end": end, "in": within, "quote": quote}


def single(values: Any) -> Any:
    """The only one of a list as itself."""
    return values[0] if isinstance(values, list) and len(values) == 1 else values


def are_objects(value: Any) -> bool:
    """Whether this is a list of objects."""
    return isinstance(value, list) and all(isinstance(member, Mapping) for member in value)
