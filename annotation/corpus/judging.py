"""How the judgments of a long table are asked for: in plain values, which go to the process that
reads a file, and there as what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.corpus.judged import Reading
from annotation.corpus.judged_columns import guess_judged, is_judged, labels_of
from annotation.corpus.tables import Table, named_columns
from annotation.protocols.base import Rulings
from annotation.protocols.files import protocol_read
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import CONTENTS, SOURCES, publish, published


@dataclass(frozen=True)
class Judging:
    """``take``: whether rows are judgments; None where their columns say so. ``mapping`` and
    ``names``: columns by field and slot, by place or by name. ``name``: what the file is called.
    Others: see ``Reading``."""

    protocol: Protocol
    rulings: Rulings
    take: bool | None = None
    mapping: Mapping[str, int] | None = None
    names: Mapping[str, str | None] | None = None
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    same_scale: tuple[str, ...] = ()
    name: str = ""

    def takes(self, table: Table, peer: str) -> bool:
        """Whether the rows of a table are taken as judgments."""
        if self.take is not None:
            return self.take
        return bool(peer) or is_judged(guess_judged(table.columns, self.protocol), self.protocol)

    def columns(self, table: Table) -> dict[str, int]:
        """Columns by field and slot, as chosen or else as their names suggest. Raises
        ``TableError`` for a name that no column has."""
        if self.mapping is not None:
            return dict(self.mapping)
        mapping = guess_judged(table.columns, self.protocol)
        if self.names is None:
            return mapping
        named = named_columns(table, mapping, self.names)
        order = labels_of(self.protocol)
        return {slot: place for slot, place in named.items() if slot in order}

    def reading(self, mapping: Mapping[str, int]) -> Reading:
        return Reading(self.protocol, self.rulings, mapping, self.values, self.same_scale)


def judging_options(protocol: Protocol, rulings: Rulings, **choices: Any) -> dict[str, Any]:
    """Plain values, of which ``judging_of`` makes the same again in another process: there nobody
    has published the protocols that only this installation has."""
    module = SOURCES[protocol.key, protocol.version]
    return {"module": module, "rulings": dict(rulings), **choices}


def judging_handed_on(options: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """These values for a process that shall read by what this one has published: of a protocol that
    is a file what that said then, whatever stands there now."""
    if options is None:
        return None
    published()  # somebody may have installed it since this process looked
    contents = {SOURCES[identity]: text for identity, text in list(CONTENTS.items())}
    text = contents.get(options["module"])
    return {**options} if text is None else {**options, "content": text}


def judging_of(options: Mapping[str, Any] | None) -> Judging | None:
    """What is asked, of plain values."""
    if options is None:
        return None
    own = ("module", "content")
    choices = {name: value for name, value in options.items() if name not in own}
    choices["same_scale"] = tuple(choices.get("same_scale", ()))
    content = options.get("content")
    protocol = publish(options["module"]) if content is None else protocol_read(content)
    return Judging(protocol=protocol, **choices)
