"""Protocols that people install themselves: without a terminal, and without starting Barème anew.

Every process learns of them where it is asked (``protocols.registry.published``), and the
database's rules are made anew in the transaction that installs or removes one.
"""

from __future__ import annotations

import re

from django.db import DatabaseError, OperationalError, connection, transaction
from django.utils import timezone

from annotation.errors import RuleError, StaleProtocolDraft
from annotation.models import ProtocolDraft, PublishedProtocol, Study, User, triggers
from annotation.models.composed import COMPOSED_THERE, composed_hold
from annotation.models.seals import rules_size
from annotation.protocols.base import Problem, Wording
from annotation.protocols.description import described
from annotation.protocols.files import members
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import is_composed, published
from annotation.selectors.composing.drafts import examined
from annotation.services.platform.events import event_record

MOST_INSTALLED = 100
"""Of all people together."""
LARGEST_RULES_TOGETHER = 500_000
"""As ``LARGEST_RULES``, of all that people install."""
MOST_FAULTS = 20
"""That are named at once."""
_PLACE = re.compile(r"(\w+)(?:\[[^\[\]]*\])?(?:\.\w+(?:\[[^\[\]]*\])?)*")
"""As in ``steps[reading].fields[ease].label``."""


@transaction.atomic
def draft_install(*, actor: User, draft: ProtocolDraft, seen: int) -> PublishedProtocol:
    """Let studies be judged by what the draft says. ``seen``: the revision that its owner looked
    through before they asked for it.

    Raises ``StaleProtocolDraft`` where another window has saved since,
    ``ProtocolDraft.DoesNotExist`` where it was deleted, else as ``protocol_install``.
    """
    stored = ProtocolDraft.objects.select_for_update().get(pk=draft.pk)
    if stored.revision != seen:
        raise StaleProtocolDraft(stored)
    return protocol_install(actor=actor, file=stored.text)


@transaction.atomic
def protocol_install(*, actor: User, file: str) -> PublishedProtocol:
    """Let studies be judged by what the text of a file says (``protocols/files.py``). Raises
    ``RuleError`` for one that nobody could judge by, or not under this name, for one that asks too
    much of the database, and for one too many."""
    composed_hold()
    looked = examined(file, actor)
    protocol = looked.protocol
    if protocol is None or looked.faults:
        faults = looked.faults[:MOST_FAULTS]
        raise RuleError([Problem(_place_of(fault), "unsound", fault) for fault in faults])
    if looked.refused:
        raise RuleError([Problem("", "taken", looked.refused)])
    if looked.is_installed:
        raise RuleError.single(
            "",
            "installed",
            "Ce protocole est déjà installé\u00a0: une étude peut le choisir.",
            "This protocol is installed already: studies can choose it.",
        )
    if PublishedProtocol.objects.filter(COMPOSED_THERE).count() >= MOST_INSTALLED:
        raise RuleError.single(
            "",
            "too_many",
            f"{MOST_INSTALLED} protocoles composés sont installés, et pas un de plus ne peut "
            "l'être\u00a0: retirez-en un que personne n'utilise.",
            f"{MOST_INSTALLED} composed protocols are installed, and no more can be: remove one "
            "that nobody uses.",
        )
    _check_rules(protocol)
    kept = PublishedProtocol.objects.filter(key=protocol.key, version=protocol.version).first()
    kept = kept or PublishedProtocol(key=protocol.key, version=protocol.version)
    # Who brings one back that somebody else had installed does not make it theirs.
    kept.installed_by = kept.installed_by if kept.installed_at else actor
    kept.description, kept.file = described(protocol), file
    kept.installed_at, kept.removed_at = timezone.now(), None
    kept.save()
    _renew_rules()
    event_record(actor=actor, verb="protocol_installed", target=kept, protocol=protocol.name)
    return kept


@transaction.atomic
def protocol_remove(*, actor: User, installed: PublishedProtocol) -> None:
    """Take it away from what new studies can choose; its file stays with the database, and its name
    is not given to another. Raises ``RuleError`` where a study follows it."""
    composed_hold()
    kept = PublishedProtocol.objects.filter(COMPOSED_THERE, pk=installed.pk).first()
    if kept is None:
        return
    if is_followed(kept):
        raise RuleError.single(
            "protocol",
            "followed",
            f"Au moins une étude suit «\u00a0{kept}\u00a0»\u00a0: il reste installé tant qu'il y "
            "en a une.",
            f"A study follows “{kept}”: it stays installed as long as there is one.",
        )
    kept.removed_at = timezone.now()
    kept.save(update_fields=["removed_at"])
    _renew_rules()
    event_record(actor=actor, verb="protocol_removed", target=kept, protocol=str(kept))


def _place_of(fault: Wording) -> str:
    """Where in the file it is, as ``protocols.files`` begins what it says of a part; "" for what is
    said of the whole."""
    begun = _PLACE.match(fault.en)
    if begun is None or begun[1] not in members(Protocol) or not fault.fr.startswith(begun[0]):
        return ""
    return begun[0]


def is_followed(installed: PublishedProtocol) -> bool:
    """Whether any study pins it."""
    followed = Study.objects.filter(protocol_key=installed.key, protocol_version=installed.version)
    return followed.exists()


def _check_rules(protocol: Protocol) -> None:
    """Raises ``RuleError`` for rules that would hold up those who judge by others, together."""
    own = rules_size([protocol])
    others = rules_size(each for each in published() if is_composed(each))
    if own + others > LARGEST_RULES_TOGETHER:
        raise RuleError.single(
            "",
            "too_many",
            "Les protocoles composés qui sont installés demandent déjà trop de vérifications à la "
            "base de données\u00a0: retirez-en un que personne n'utilise.",
            "The composed protocols that are installed ask too many checks of the database "
            "already: remove one that nobody uses.",
        )


def _renew_rules() -> None:
    try:
        with transaction.atomic():
            triggers.renew()
    except DatabaseError as error:
        if isinstance(error, OperationalError) and connection.vendor == "postgresql":
            raise  # its server, and not these rules
        raise RuleError.single(
            "",
            "refused",
            "La base de données refuse les règles de ce protocole\u00a0: simplifiez ses questions "
            "et leurs conditions, ou parlez-en à qui exploite Barème.",
            "The database refuses the rules of this protocol: make its questions and their "
            "conditions simpler, or speak of it to whoever runs Barème.",
        ) from error
