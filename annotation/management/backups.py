"""What `manage.py restore`, `verify_backup` and `recovered` have in common: which file, its key,
and whose it is; what is said of erasures."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from annotation.backup.erasures import Repeated
from annotation.backup.signing import keys_trusted
from annotation.management.files import named
from annotation.models import User


def add_backup_arguments(parser: ArgumentParser) -> None:
    """Which backup, and how it is opened and trusted."""
    parser.add_argument(
        "file", type=named, help="what `manage.py backup` wrote, or the name of one in the storage"
    )
    parser.add_argument(
        "--identity",
        type=lambda given: Path(named(given)),
        help="the file of the private key that opens an encrypted one (age's, or SSH's)",
    )
    parser.add_argument(
        "--unsigned",
        action="store_true",
        help="take it without the signature that is asked for here: you know where it comes from",
    )


def signed_in_words(signer: str) -> str:
    """Whose signature it has, and whether that is one that was asked for."""
    if not signer:
        return "It is not signed: nothing says who made it."
    if signer in keys_trusted():
        return f"Signed by {signer}, as asked for."
    return (
        f"Signed by {signer}, which nobody asked for here: set BAREME_BACKUP_SIGNED_BY to the key "
        "that it should be."
    )


def tell_of_repeated(command: BaseCommand, repeated: Repeated) -> None:
    """Who was erased again, and who has to be by hand."""
    if repeated.again:
        command.stdout.write(
            f"Erased again, because they were erased after it: {len(repeated.again)} account(s)."
        )
    for account, reason in repeated.left:
        address = User.objects.values_list("email", flat=True).get(pk=account)
        command.stderr.write(
            f"Erased after it and here again: {address}. {reason} Then: manage.py erase_person."
        )
