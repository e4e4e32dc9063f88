"""What a composed protocol is, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import PublishedProtocol, User
from annotation.models.descriptions import fixed_otherwise
from annotation.models.seals import rules_size
from annotation.protocols.base import Wording
from annotation.protocols.files import ProtocolUnreadable, protocol_read
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import (
    COMPOSED,
    UnknownProtocol,
    latest_versions,
    published,
    version_order,
)
from annotation.protocols.registry import protocol as protocol_named
from annotation.protocols.validity import composed_faults, faults

LARGEST_RULES = 50_000
"""Characters of what the database refuses of one that people install: each connection reads them
before its first judgment, whichever study that is of."""


@dataclass(frozen=True)
class Examined:
    """``protocol``: what the file makes, None where it cannot be read. ``faults``: why it cannot be
    judged by, ``refused``: why whoever composes it cannot install it as it is. ``is_installed``:
    just this one is. ``higher``: the version that new studies get all the same."""

    protocol: Protocol | None
    faults: tuple[Wording, ...] = ()
    refused: Wording | None = None
    is_installed: bool = False
    higher: str = ""

    @property
    def may_be_installed(self) -> bool:
        """Whether its owner can have studies choose it."""
        return self.is_sound and not (self.is_installed or self.refused)

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
    published()  # what this process knows may have been removed since, or never been stored
    there = _installed(protocol)
    # Of what is installed as it is, nothing is said that was not known then.
    if reasons := faults(protocol) if there == protocol else composed_faults(protocol):
        return Examined(protocol, tuple(reasons))
    if there == protocol:
        return Examined(protocol, is_installed=True)
    refused = (
        _claimed(protocol, owner)
        or _taken(protocol, text, is_there=there is not None)
        or _beside(protocol)
        or _too_large(protocol)
    )
    return Examined(protocol, refused=refused, higher=_higher(protocol))


def _installed(protocol: Protocol) -> Protocol | None:
    """What is installed under its name."""
    try:
        return protocol_named(protocol.key, protocol.version)
    except UnknownProtocol:
        return None


def _higher(protocol: Protocol) -> str:
    latest = latest_versions().get(protocol.key)
    if latest is None or version_order(latest.version) < version_order(protocol.version):
        return ""
    return latest.name


def _beside(protocol: Protocol) -> Wording | None:
    """Of two that stand at one place, nobody knows which new studies get."""
    for other in published():
        if other.key == protocol.key and (
            version_order(other.version) == version_order(protocol.version)
        ):
            return Wording(
                f"Sa version est la même que celle de «\u00a0{other.name}\u00a0», écrite "
                "autrement\u00a0: donnez-en une autre.",
                f"Its version is that of “{other.name}”, written otherwise: give it another.",
            )
    return None


def _too_large(protocol: Protocol) -> Wording | None:
    size = rules_size([protocol])
    if size <= LARGEST_RULES:
        return None
    return Wording(
        f"Il demande trop de vérifications à la base de données ({size} caractères, "
        f"{LARGEST_RULES} au plus)\u00a0: posez moins de questions, ou des conditions (shown_when, "
        "required_when) sur moins de valeurs.",
        f"It asks too many checks of the database ({size} characters, {LARGEST_RULES} at most): "
        "ask fewer questions, or make conditions (shown_when, required_when) on fewer values.",
    )


def _claimed(protocol: Protocol, owner: User) -> Wording | None:
    """A key is whose first version it names: the highest version of a key is what new studies get,
    and nobody else's."""
    named = {(each.key, each.version) for each in published() if each.key == protocol.key}
    kept = PublishedProtocol.objects.filter(key=protocol.key).order_by("pk")
    # Also of what whoever runs Barème has not installed at the moment.
    if named - COMPOSED.keys() or kept.filter(installed_at=None).exists():
        return Wording(
            f"La clé « {protocol.key} » (key) est celle d'un protocole de Barème ou de "
            "qui l'exploite : donnez-en une autre à votre protocole.",
            f"The key “{protocol.key}” is that of a protocol of Barème or of whoever runs it: give "
            "yours another.",
        )
    first = kept.first()
    if first is None or owner.is_admin or first.installed_by_id == owner.pk:
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
    if fixed_otherwise(protocol, text) is None:
        return None
    return Wording(
        f"Un protocole installé puis retiré s'appelait «\u00a0{name}\u00a0», et disait autre "
        "chose\u00a0: donnez une autre version.",
        f"A protocol that was installed and removed was called “{name}”, and said something "
        "else: give another version.",
    )
