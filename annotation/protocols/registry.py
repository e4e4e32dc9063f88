"""Every published protocol version, by the module that holds it; none is ever removed or edited.

A module has a ``PROTOCOL``. One line here publishes it; an installation adds its own by the setting
``PROTOCOLS`` (environment: ``BAREME_PROTOCOLS``) without touching this file; ``annotation.apps``
publishes these as it starts. ``protocols/validity`` says at start what is wrong with one.
"""

from __future__ import annotations

from importlib import import_module

from annotation.protocols.protocol import Protocol

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
MODULES: dict[tuple[str, str], str] = {}
"""Where each stands."""


class UnknownProtocol(KeyError):
    """No protocol of this key and version is installed."""

    def __init__(self, key: str, version: str) -> None:
        known = ", ".join(f"{k} {v}" for k, v in PROTOCOLS)
        super().__init__(f"no protocol {key!r} in version {version!r}; published: {known}")


def publish(module: str) -> Protocol:
    """Add the ``PROTOCOL`` of a module. Raises ``ValueError`` for a key and version that another
    module has taken, ``ImportError`` and ``AttributeError`` for a module that is none."""
    published = import_module(module).PROTOCOL
    if not isinstance(published, Protocol):
        raise TypeError(f"{module}.PROTOCOL is no protocol")
    identity = (published.key, published.version)
    if MODULES.setdefault(identity, module) != module:
        raise ValueError(f"{module}: {MODULES[identity]} has published {published.name!r} already")
    PROTOCOLS[identity] = published
    return published


def protocol(key: str, version: str) -> Protocol:
    """The published protocol. Raises ``UnknownProtocol`` with what there is instead."""
    try:
        return PROTOCOLS[key, version]
    except KeyError:
        raise UnknownProtocol(key, version) from None


for _module in PUBLISHED:
    publish(_module)
