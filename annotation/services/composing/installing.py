"""Protocols that people install themselves: without a terminal, and without starting Barème anew.

Every process learns of them where it is asked (``protocols.registry.published``), and the
database's rules are made anew in the transaction that installs or removes one.
"""

from __future__ import annotations

from django.db import DatabaseError, transaction
from django.utils import timezone

from annotation.errors import RuleError, StaleProtocolDraft
from annotation.models import ProtocolDraft, PublishedProtocol, Study, User, triggers
from annotation.models.protocol import COMPOSED_THERE
from annotation.protocols.description import described
from annotation.selectors.composing.drafts import examined
from annotation.services.platform.events import event_record

MOST_INSTALLED = 100
"""Of all people together: each adds to what the database looks at in every judgment."""


@transaction.atomic
def protocol_install(*, actor: User, draft: ProtocolDraft, seen: int) -> PublishedProtocol:
    """Let studies be judged by what the draft says. ``seen``: the revision that its owner looked
    through before they asked for it.

    Raises ``RuleError`` for one that nobody could judge by, or not under this name, and for one too
    many; ``StaleProtocolDraft`` where another window has saved since, and
    ``ProtocolDraft.DoesNotExist`` where it was deleted.
    """
    stored = ProtocolDraft.objects.select_for_update().get(pk=draft.pk)
    if stored.revision != seen:
        raise StaleProtocolDraft(stored)
    _one_at_a_time()
    looked = examined(stored.text, actor)
    protocol = looked.protocol
    if protocol is None or looked.faults:
        raise RuleError.single(
            "text",
            "unsound",
            "On ne peut pas juger selon cette ébauche\u00a0: corrigez d'abord ce qui y manque.",
            "Nobody could judge by this draft: mend what is wrong with it first.",
        )
    if refused := looked.taken or looked.claimed:
        raise RuleError.single("text", "taken", refused.fr, refused.en)
    if looked.is_installed:
        raise RuleError.single(
            "text",
            "installed",
            "Ce protocole est déjà installé\u00a0: une étude peut le choisir.",
            "This protocol is installed already: studies can choose it.",
        )
    if PublishedProtocol.objects.filter(COMPOSED_THERE).count() >= MOST_INSTALLED:
        raise RuleError.single(
            "text",
            "too_many",
            f"{MOST_INSTALLED} protocoles composés sont installés, et pas un de plus ne peut "
            "l'être\u00a0: retirez-en un que personne n'utilise.",
            f"{MOST_INSTALLED} composed protocols are installed, and no more can be: remove one "
            "that nobody uses.",
        )
    kept, _is_new = PublishedProtocol.objects.update_or_create(
        key=protocol.key,
        version=protocol.version,
        defaults={
            "description": described(protocol),
            "file": stored.text,
            "installed_at": timezone.now(),
            "installed_by": actor,
            "removed_at": None,
        },
    )
    _renew_rules()
    event_record(actor=actor, verb="protocol_installed", target=kept, protocol=protocol.name)
    return kept


@transaction.atomic
def protocol_remove(*, actor: User, installed: PublishedProtocol) -> None:
    """Take it away from what new studies can choose; its file stays with the database, and its name
    is not given to another. Raises ``RuleError`` where a study follows it."""
    _one_at_a_time()
    kept = PublishedProtocol.objects.filter(COMPOSED_THERE, pk=installed.pk).first()
    if kept is None:
        return
    if is_followed(kept):
        raise RuleError.single(
            "protocol",
            "followed",
            f"Une étude suit «\u00a0{kept}\u00a0»\u00a0: il reste installé tant qu'elle existe.",
            f"A study follows “{kept}”: it stays installed as long as there is one.",
        )
    kept.removed_at = timezone.now()
    kept.save(update_fields=["removed_at"])
    _renew_rules()
    event_record(actor=actor, verb="protocol_removed", target=kept, protocol=str(kept))


def is_followed(installed: PublishedProtocol) -> bool:
    """Whether any study pins it."""
    followed = Study.objects.filter(protocol_key=installed.key, protocol_version=installed.version)
    return followed.exists()


def _one_at_a_time() -> None:
    """Two that install at once would each make rules without the other's; nor does anybody create a
    study by one that is being removed (``studies.study_create``)."""
    list(PublishedProtocol.objects.select_for_update().order_by("pk").values_list("pk"))


def _renew_rules() -> None:
    try:
        with transaction.atomic():
            triggers.renew()
    except DatabaseError as error:
        raise RuleError.single(
            "text",
            "too_large",
            "La base de données refuse les règles de ce protocole\u00a0: il a trop de questions ou "
            "de réponses.",
            "The database refuses the rules of this protocol: it has too many questions or "
            "answers.",
        ) from error
