"""Backups that only their reader can open: encrypted to public keys in the format of age.

The server has public keys alone. Who has the private one, in a file of its own, opens a backup
wherever that file is: here for a restore, or with the program ``age`` itself. The library is
imported where there is a key: every process asks for the readers when it starts.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from annotation.backup.errors import BackupError

SUFFIX = ".age"
_HEAD = b"age-encryption.org/"
# How a private key in OpenSSH's own format begins (its PROTOCOL.key), and one without a passphrase
# goes on: a length, and the name of the cipher.
_OPENSSH = b"openssh-key-v1\0"
_NO_CIPHER = b"\0\0\0\4none"


def readers() -> list[Any]:
    """To whom backups are encrypted; none: they are not. Raises ``BackupError`` for a setting that
    is no public key."""
    return [_reader(key) for key in settings.BACKUP_RECIPIENTS]


def seal(source: Path, target: Path) -> None:
    """Encrypt a file to the readers. Raises ``OSError``."""
    import pyrage

    with source.open("rb") as plain, target.open("wb") as file:
        sealed = _RememberingFile(file)
        try:
            pyrage.encrypt_io(plain, sealed, readers())
        except pyrage.EncryptError as error:
            raise sealed.error or error from error


def is_sealed(path: Path) -> bool:
    """Whether the file is encrypted in the format of age. Raises ``OSError``."""
    with path.open("rb") as file:
        return file.read(len(_HEAD)) == _HEAD


def unseal(source: Path, identity: Path | None, target: Path) -> None:
    """Decrypt a file with the private key in ``identity``: a file of age's, or a private SSH key.

    Raises ``BackupError`` where there is none, it is no key, not that of this file, or the file was
    changed; ``OSError``.
    """
    if identity is None:
        raise BackupError(
            f"{source} is encrypted. Add --identity FILE with the private key that opens it."
        )
    import pyrage

    keys = _identities(identity)
    with source.open("rb") as sealed, target.open("wb") as file:
        plain = _RememberingFile(file)
        try:
            pyrage.decrypt_io(sealed, plain, keys)
        except (pyrage.DecryptError, OSError) as error:
            raise plain.error or BackupError(
                f"{source} cannot be decrypted with this key ({error}): it is encrypted to "
                "another, or it was cut or changed. Take the right key, or another copy."
            ) from error


class _RememberingFile:
    """A file that remembers why it could not be written to: of that the library tells the words
    alone, and a full disk is known by its number."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        self._file.flush()


def _reader(key: str) -> Any:
    import pyrage

    kind = pyrage.ssh.Recipient if key.startswith("ssh-") else pyrage.x25519.Recipient
    try:
        return kind.from_str(key)
    except pyrage.RecipientError as error:
        raise BackupError(
            f"BAREME_BACKUP_RECIPIENTS holds {key[:20]!r}, which is no public key. Write what "
            "age-keygen prints (age1…), or an SSH key (ssh-ed25519 …)."
        ) from error


def _identities(path: Path) -> list[Any]:
    import pyrage

    written = _key_file(path)
    if _has_passphrase(written):
        raise BackupError(
            f"{path} holds a private key with a passphrase, which is not asked for here. Decrypt "
            f"the backup first, where age asks for it (age -d -i {path} -o plain.zip "
            "backup.zip.age), or take the passphrase off a copy of an SSH key (ssh-keygen -p -f "
            "COPY)."
        )
    try:
        if written.startswith(b"-----BEGIN"):
            return [pyrage.ssh.Identity.from_buffer(written)]
        lines = [line.strip() for line in written.decode("ascii").splitlines()]
        identities = [
            pyrage.x25519.Identity.from_str(line)
            for line in lines
            if line and not line.startswith("#")
        ]
    except (pyrage.IdentityError, UnicodeDecodeError) as error:
        raise BackupError(f"{path} holds no private key of age's, nor of SSH's.") from error
    if not identities:
        raise BackupError(f"{path} holds no private key.")
    return identities


def _has_passphrase(written: bytes) -> bool:
    """Whether a key file is itself encrypted: one of SSH's (in the format of OpenSSH, whose head
    names the cipher, or as PEM), or one of age's."""
    head, _line, rest = written.partition(b"\n")
    if not head.startswith(b"-----BEGIN"):
        return head.startswith(_HEAD)
    if b"OPENSSH" not in head:
        return b"ENCRYPTED" in head + rest[:100]
    try:
        content = base64.b64decode(rest.partition(b"-----END")[0])
    except ValueError:
        return False
    return content.startswith(_OPENSSH) and not content.startswith(_OPENSSH + _NO_CIPHER)


def _key_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = "it is a folder" if path.is_dir() else error.strerror or str(error)
        raise BackupError(
            f"{path} cannot be read as a private key: {reason}. Name with --identity the file that "
            "age-keygen wrote, or that of a private SSH key, which the user of this command may "
            "read."
        ) from error
