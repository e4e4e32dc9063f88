"""Whether who asks for another way in is still let in by the one that they ask by.

A request that was under way when an admin unlinked an account, when it was closed or when its
password was changed would otherwise leave a key behind that nobody knows of.
"""

from __future__ import annotations

from django.contrib.sessions.models import Session

from annotation.errors import RuleError
from annotation.models import User

_CHANGED = (
    "Votre compte a changé entre-temps : connectez-vous de nouveau, puis recommencez.",
    "Your account has changed meanwhile: log in again, then begin again.",
)


def still_in(actor: User, *, field: str, session: str | None) -> None:
    """Nobody closes the account, ends its log-ins for good or changes its password until the
    transaction ends. ``actor``: as they were when they asked; ``session``: the key of the log-in by
    which they did, None for none. Raises ``RuleError`` (``changed``) where somebody has since."""
    now = User.objects.select_for_update(no_key=True).get(pk=actor.pk)
    is_over = session is not None and not Session.objects.filter(pk=session).exists()
    if is_over or now.password != actor.password or not now.is_active:
        raise RuleError.single(field, "changed", *_CHANGED)
