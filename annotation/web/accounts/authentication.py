"""Who a session belongs to; asked at every request, so with a statement composed once."""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend

from annotation.models import User
from annotation.prepared import Prepared

_USER = Prepared(lambda user: User.objects.filter(pk=user), user=2_000_000_001)


class PasswordBackend(ModelBackend):
    """Django's backend for e-mail address and password, with its own way to read the person of a
    session."""

    def get_user(self, user_id: int) -> User | None:
        """The person; None where there is none any more, or they may not log in any more."""
        user = _USER.first(user=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None
