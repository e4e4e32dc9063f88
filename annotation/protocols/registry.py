"""Every published protocol version; one line per version, none is ever removed or edited."""

from __future__ import annotations

from annotation.protocols.legal_meaning.rules import PROTOCOL as LEGAL_MEANING_1
from annotation.protocols.protocol import Protocol

PROTOCOLS: dict[tuple[str, str], Protocol] = {
    (LEGAL_MEANING_1.key, LEGAL_MEANING_1.version): LEGAL_MEANING_1,
}


def protocol(key: str, version: str) -> Protocol:
    """The published protocol. Raises ``KeyError`` with what there is instead."""
    try:
        return PROTOCOLS[key, version]
    except KeyError:
        known = ", ".join(f"{k} {v}" for k, v in PROTOCOLS)
        raise KeyError(f"no protocol {key!r} in version {version!r}; published: {known}") from None
