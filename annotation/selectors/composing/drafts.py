"""What a composed protocol is, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import PublishedProtocol, User
from annotation.models.protocol import was_judged_otherwise
from annotation.protocols.base import Wording
from annotation.protocols.files import ProtocolUnreadable, protocol_read, says_the_same
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import COMPOSED, UnknownProtocol, published
from annotation.protocols.registry import protocol as protocol_named
from annotation.protocols.validity import faults


@dataclass(frozen=True)
class Examined:
    """``protocol``: what the file makes, None where it cannot be read. ``faults``: why it cannot be
    judged by, ``taken``: why nobody can install it as it is called, ``claimed``: why whoever
    composes it cannot. ``is_installed``: just this one is."""

    protocol: Protocol | None
    faults: tuple[Wording, ...] = ()
    taken: Wording | None = None
    claimed: Wording | None = None
    is_installed: bool = False

    @property
    def may_be_installed(self) -> bool:
        """Whether its owner can have studies choose it."""
        return self.is_sound and not (self.is_installed or self.taken or self.claimed)

    @property
    def is_sound(self) -> bool:
        """Whether people could judge by it."""
        return self.protocol is not None and not self.faults


def examined(text: str, owner: User) -> Examined:
    """What the text of a file amounts to, as ``manage.py protocol check`` says it; a few queries.
    ``owner``: who composes it."""
    try:
        protocol = protocol_read(text)
    except ProtocolUnreadable as error:
        return Examined(None, tuple(error.faults))
    if reasons := faults(protocol):
        return Examined(protocol, tuple(reasons))
    there = _installed(protocol)
    if there == protocol:
        return Examined(protocol, is_installed=True)
    taken = _taken(protocol, text, is_there=there is not None)
    return Examined(protocol, taken=taken, claimed=_claimed(protocol, owner))


def _installed(protocol: Protocol) -> Protocol | None:
    """What is installed under its name."""
    try:
        return protocol_named(protocol.key, protocol.version)
    except UnknownProtocol:
        return None


def _claimed(protocol: Protocol, owner: User) -> Wording | None:
    """A key is whose first version it names: the highest version of a key is what new studies get,
    and nobody else's."""
    named = {(each.key, each.version) for each in published() if each.key == protocol.key}
    if named - COMPOSED:
        return Wording(
            f"La clé « {protocol.key} » (key) est celle d'un protocole de Barème ou de "
            "qui l'exploite : donnez-en une autre à votre protocole.",
            f"The key “{protocol.key}” is that of a protocol of Barème or of whoever runs it: give "
            "yours another.",
        )
    others = PublishedProtocol.objects.filter(key=protocol.key, installed_at__isnull=False)
    if owner.is_admin or not others.exclude(installed_by=owner).exists():
        return None
    return Wording(
        f"Quelqu'un d'autre a installé un protocole sous la clé « {protocol.key} » "
        "(key) : donnez-en une autre au vôtre.",
        f"Somebody else has installed a protocol under the key “{protocol.key}”: give yours "
        "another.",
    )


def _taken(protocol: Protocol, text: str, *, is_there: bool) -> Wording | None:
    name = protocol.name
    if is_there:
        return Wording(
            f"«\u00a0{name}\u00a0» est déjà installé, et dit autre chose\u00a0: donnez une autre "
            "clé (key) ou une autre version.",
            f"“{name}” is installed already, and says something else: give it another key or "
            "another version.",
        )
    former = PublishedProtocol.objects.filter(key=protocol.key, version=protocol.version)
    removed = former.exclude(removed_at=None).first()
    if removed is not None and not says_the_same(removed.file, text):
        return Wording(
            f"Un protocole installé puis retiré s'appelait « {name} », et disait autre "
            "chose : donnez une autre version.",
            f"A protocol that was installed and removed was called “{name}”, and said something "
            "else: give another version.",
        )
    if not was_judged_otherwise(protocol, text):
        return None
    return Wording(
        f"On a jugé ici selon «\u00a0{name}\u00a0», qui disait autre chose\u00a0: donnez une autre "
        "version.",
        f"People have judged by “{name}” here, and it said something else: give it another "
        "version.",
    )
