"""What a new password ends, whichever way it is set: a page, a link, ``manage.py changepassword``,
a shell."""

from __future__ import annotations

from django.contrib.auth.base_user import AbstractBaseUser

from annotation.models import User
from annotation.services.accounts.institution import institution_unlink
from annotation.services.accounts.tokens import tokens_revoke


class TokensEnd:
    """Named among the validators, because Django tells those of each password once it is stored; it
    refuses none.

    Open log-ins need nothing: each holds a digest of the password that it was made with.
    """

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Any password will do, as far as these go."""

    def get_help_text(self) -> str:
        """Nothing that somebody who chooses a password has to know."""
        return ""

    def password_changed(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Revoke the person's API tokens, unless they have just been asked about them
        (``User.tokens_asked``), and unlink an institution's account: whoever knew the old password
        may have linked their own."""
        if not isinstance(user, User):
            return
        institution_unlink(actor=None, user=user)
        if not user.tokens_asked:
            tokens_revoke(actor=None, user=user)
