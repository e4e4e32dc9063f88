"""Who made a backup: an Ed25519 signature over its manifest, by a key that is not in the file.

The manifest names the SHA-256 of everything else, so that its signature is that of the whole. Keys
are 32 bytes, written as 64 hexadecimal digits. The library is imported where there is a key: every
process looks for one when it starts, and the library is a fortieth of what they all hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.conf import settings

from annotation.backup.errors import BackupError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# What else this key may ever sign begins with other words.
_ABOUT = b"bareme backup manifest 1\n"
_HEX = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"([0-9a-f]{64}) ([0-9a-f]{128})\n?")


def signature_of(manifest: bytes) -> bytes | None:
    """The public key and the signature, as one line; None where no key is set."""
    key = _signing_key()
    if key is None:
        return None
    return f"{_public(key)} {key.sign(_ABOUT + manifest).hex()}\n".encode()


def public_key() -> str | None:
    """By which others check what this installation signs; None where it signs nothing."""
    key = _signing_key()
    return None if key is None else _public(key)


def keys_trusted() -> set[str]:
    """Whose signature a backup must have here; empty where none is asked for. Raises
    ``BackupError`` for a setting that is no key."""
    keys = {key.lower() for key in settings.BACKUP_SIGNED_BY}
    if wrong := [key for key in keys if not _HEX.fullmatch(key)]:
        raise BackupError(
            f"BAREME_BACKUP_SIGNED_BY holds {wrong[0]!r}, which is no public key. Take what "
            "`manage.py backup --public-key` prints where the backups are made."
        )
    own = public_key()
    return keys | {own} if own else keys


def signer_of(manifest: bytes, signature: bytes | None, *, unsigned_ok: bool) -> str:
    """The public key whose signature the manifest has, "" for none.

    Raises ``BackupError`` for a signature that does not fit, and, unless ``unsigned_ok``, for one
    that is missing or of another key where one is asked for.
    """
    signer = "" if signature is None else _checked(manifest, signature)
    trusted = keys_trusted()
    if signer in trusted or not trusted or unsigned_ok:
        return signer
    fault = f"is signed by another key ({signer})" if signer else "is not signed"
    raise BackupError(
        f"The backup {fault}, so nobody knows who made it. Take another copy; if you know where it "
        "comes from, add --unsigned."
    )


def _checked(manifest: bytes, signature: bytes) -> str:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    parts = _SIGNATURE.fullmatch(signature.decode("ascii", "replace"))
    try:
        if parts is None:
            raise InvalidSignature
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(parts[1]))
        key.verify(bytes.fromhex(parts[2]), _ABOUT + manifest)
    except InvalidSignature as error:
        raise BackupError(
            "The backup's signature does not fit what is in it: it was changed after it was made. "
            "Take another copy."
        ) from error
    return parts[1]


def _signing_key() -> Ed25519PrivateKey | None:
    written = settings.BACKUP_SIGNING_KEY.lower()
    if not written:
        return None
    if not _HEX.fullmatch(written):
        raise BackupError(
            "BAREME_BACKUP_SIGNING_KEY is not 64 hexadecimal digits. Make one with: openssl rand "
            "-hex 32"
        )
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(written))


def _public(key: Ed25519PrivateKey) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
