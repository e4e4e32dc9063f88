"""What a composed protocol is, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models.protocol import was_judged_otherwise
from annotation.protocols.base import Wording
from annotation.protocols.files import ProtocolUnreadable, protocol_read
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from annotation.protocols.validity import faults


@dataclass(frozen=True)
class Examined:
    """``protocol``: what the file makes, None where it cannot be read. ``faults``: why it cannot be
    judged by, ``taken``: why it cannot be installed as it is called. ``is_installed``: just this
    one is."""

    protocol: Protocol | None
    faults: tuple[Wording, ...] = ()
    taken: Wording | None = None
    is_installed: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether people could judge by it."""
        return self.protocol is not None and not self.faults


def examined(text: str) -> Examined:
    """What the text of a file amounts to, as ``manage.py protocol check`` says it; one query at
    most."""
    try:
        protocol = protocol_read(text)
    except ProtocolUnreadable as error:
        return Examined(None, tuple(error.faults))
    if reasons := faults(protocol):
        return Examined(protocol, tuple(reasons))
    if PROTOCOLS.get((protocol.key, protocol.version)) == protocol:
        return Examined(protocol, is_installed=True)
    return Examined(protocol, taken=_taken(protocol, text))


def _taken(protocol: Protocol, text: str) -> Wording | None:
    name = protocol.name
    if (protocol.key, protocol.version) in PROTOCOLS:
        return Wording(
            f"«\u00a0{name}\u00a0» est déjà installé, et dit autre chose\u00a0: donnez une autre "
            "clé (key) ou une autre version.",
            f"“{name}” is installed already, and says something else: give it another key or "
            "another version.",
        )
    if not was_judged_otherwise(protocol, text):
        return None
    return Wording(
        f"On a jugé ici selon «\u00a0{name}\u00a0», qui disait autre chose\u00a0: donnez une autre "
        "version.",
        f"People have judged by “{name}” here, and it said something else: give it another "
        "version.",
    )
