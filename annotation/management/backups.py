"""What `manage.py restore` and `manage.py verify_backup` have in common: which file, its key, and
whose it is."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from annotation.backup.signing import keys_trusted


def add_backup_arguments(parser: ArgumentParser) -> None:
    """Which backup, and how it is opened and trusted."""
    parser.add_argument("file", help="what `manage.py backup` wrote")
    parser.add_argument(
        "--identity",
        type=Path,
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
