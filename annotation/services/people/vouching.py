"""Parts for accounts whose address is not proven: given to whom the giver vouches for."""

from __future__ import annotations

from annotation.errors import RuleError
from annotation.models import Study, User
from annotation.selectors.accounts.unproven import is_unproven
from annotation.services.platform.events import event_record


def vouch(*, actor: User | None, user: User, vouched: bool, study: Study | None = None) -> None:
    """Record that ``actor`` answers for whose account it is, where nothing else proves that. Raises
    ``RuleError`` where it would have to be ``vouched`` for and is not."""
    if not is_unproven(user, to=actor):
        return
    if not vouched:
        raise RuleError.single(
            "vouched",
            "unproven",
            "Ce compte a été créé avec un lien d'invitation que la personne qui invitait a vu "
            "aussi, et rien n'a prouvé l'adresse depuis : quelqu'un d'autre pourrait s'y "
            "connecter. Faites plutôt un lien d'invitation, ou demandez à la personne "
            "de choisir d'abord un nouveau mot de passe par un lien (reçu par courriel, ou donné "
            "par une personne qui administre). Si vous savez que ce compte est bien le sien, "
            "confirmez-le.",
            "This account was made with a link that whoever invited the person saw as well, and "
            "nothing has proven since that its address is theirs: somebody else may log in with "
            "it. Make them an invitation link instead, or let them first choose a new password by "
            "a link (by mail, or from an admin). If you know that the account is theirs, confirm "
            "it.",
        )
    event_record(actor=actor, study=study, verb="address_vouched", target=user)
