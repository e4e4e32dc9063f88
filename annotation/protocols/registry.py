"""Every published protocol version, by where it stands; none is ever removed or edited.

A module has a ``PROTOCOL``; a file of JSON is one (``files.py``). One line here publishes a module;
an installation adds its own, modules and files, by the setting ``PROTOCOLS`` (environment:
``BAREME_PROTOCOLS``) without touching this file; ``annotation.apps`` publishes these as it starts.
``protocols/validity`` says at start what is wrong with one.

What people install on the pages stands in the database, which others may have changed since this
process looked: whoever wants all there are asks ``published()``, whoever wants one ``protocol()``.
``PROTOCOLS`` is what this process knows so far.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from annotation.protocols.files import file_text, protocol_read, protocol_text
from annotation.protocols.protocol import Protocol

FILE = ".json"
"""How the path of a protocol's file ends; what ends otherwise is a module."""

PUBLISHED = (
    "annotation.protocols.legal_meaning.rules",
    "annotation.protocols.jades.definition",
    "annotation.protocols.operations.definition",
    "annotation.protocols.direct_assessment.definition",
    "annotation.protocols.qa_pairs.definition",
    "annotation.protocols.qa_answers.definition",
    "annotation.protocols.assetann.definition",
)

PROTOCOLS: dict[tuple[str, str], Protocol] = {}
"""By key and version, in the order of publication."""
SOURCES: dict[tuple[str, str], str] = {}
"""Where each stands: a module's name, or a file's path."""
CONTENTS: dict[tuple[str, str], str] = {}
"""Of each that is a file, what that said when it was published."""
COMPOSED: dict[tuple[str, str], object] = {}
"""Those that people have installed on the pages, with since when."""


class UnknownProtocol(KeyError):
    """No protocol of this key and version is installed."""

    def __init__(self, key: str, version: str) -> None:
        known = ", ".join(f"{k} {v}" for k, v in list(PROTOCOLS))
        super().__init__(f"no protocol {key!r} in version {version!r}; published: {known}")


_looks: list[Callable[[], None]] = []


def look_by(look: Callable[[], None]) -> None:
    """Have this look for what people have installed, or taken away, since the last time."""
    _looks[:] = [look]


def published() -> tuple[Protocol, ...]:
    """All that can be judged by now; a query."""
    for look in _looks:
        look()
    return tuple(PROTOCOLS.values())


def publish(source: str) -> Protocol:
    """Add the ``PROTOCOL`` of a module, or what a file holds. Raises ``ValueError`` for a key and
    version that another source has taken, ``ImportError`` and ``AttributeError`` for a module that
    is none, ``OSError`` and ``ProtocolUnreadable`` for a file."""
    if not source.endswith(FILE):
        return _add(source, import_module(source).PROTOCOL)
    text = file_text(Path(source).read_bytes())
    protocol = _add(source, protocol_read(text))
    CONTENTS[protocol.key, protocol.version] = text
    return protocol


def publish_composed(text: str, since: object) -> Protocol:
    """Add one that somebody has installed on the pages, by its file. Raises ``ValueError`` for a
    key and version that are taken, ``ProtocolUnreadable`` for a file that is none."""
    protocol = protocol_read(text)
    identity = (protocol.key, protocol.version)
    _add(f"composed:{'-'.join(identity)}{FILE}", protocol)
    CONTENTS[identity] = text
    COMPOSED[identity] = since
    return protocol


def withdraw_composed(key: str, version: str) -> None:
    """Forget one that was installed on the pages, and is no longer."""
    del COMPOSED[key, version]
    for kept in (PROTOCOLS, SOURCES, CONTENTS):
        kept.pop((key, version), None)


def _add(source: str, added: object) -> Protocol:
    if not isinstance(added, Protocol):
        raise TypeError(f"{source}.PROTOCOL is no protocol")
    identity = (added.key, added.version)
    if SOURCES.setdefault(identity, source) != source:
        raise ValueError(f"{source}: {SOURCES[identity]} has published {added.name!r} already")
    PROTOCOLS[identity] = added
    return added


def latest(key: str) -> Protocol:
    """The highest version of a protocol, numbers by their size: 10 after 9, 2 after 2rc1. Raises
    ``UnknownProtocol``."""
    try:
        return latest_versions()[key]
    except KeyError:
        raise UnknownProtocol(key, "") from None


def latest_versions() -> dict[str, Protocol]:
    """The highest version of each protocol, by key, in the order of publication; a query."""
    latest: dict[str, Protocol] = {}
    for each in published():
        best = latest.setdefault(each.key, each)
        latest[each.key] = max(best, each, key=lambda protocol: version_order(protocol.version))
    return latest


def version_order(version: str) -> list[tuple[int, str]]:
    """Where a version stands among others of its protocol: 10 after 9, 2 after 2rc1."""
    parts = re.findall(r"[0-9]+|[^0-9.]+", version)
    ordered = [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
    return [*ordered, (0, "")]


def is_composed(protocol: Protocol) -> bool:
    """Whether somebody has installed it on the pages."""
    return (protocol.key, protocol.version) in COMPOSED


def is_of_file(key: str, version: str) -> bool:
    """Whether a published protocol was read from a file of JSON."""
    return (key, version) in CONTENTS


def place(key: str, version: str) -> str:
    """The file, of code or of JSON, that a published protocol stands in."""
    source = SOURCES[key, version]
    return source if is_of_file(key, version) else str(sys.modules[source].__file__)


def written(protocol: Protocol) -> str:
    """A published protocol as its file says it, or as a file could. Raises ``ProtocolIsCode``."""
    return CONTENTS.get((protocol.key, protocol.version)) or protocol_text(protocol)


def protocol(key: str, version: str) -> Protocol:
    """The published protocol; a query where this process does not know it yet. Raises
    ``UnknownProtocol`` with what there is instead."""
    if (key, version) not in PROTOCOLS:
        published()
    try:
        return PROTOCOLS[key, version]
    except KeyError:
        raise UnknownProtocol(key, version) from None


def named(key: str, version: str = "") -> Protocol:
    """The published protocol, the highest version where none is named. Raises
    ``UnknownProtocol``."""
    return protocol(key, version) if version else latest(key)


for _module in PUBLISHED:
    publish(_module)
