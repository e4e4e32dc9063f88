"""A backup that was changed, or that somebody else made, is refused in a sentence; and one that
only its reader can open."""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyrage
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from django.conf import settings as django_settings
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation import checks
from annotation.backup import archive, sealing
from annotation.models import Judgment
from tests.operations.test_backup import (  # noqa: F401  (fixtures)
    STATE,
    backup,
    elsewhere,
    filled,
    rewritten,
    same,
    state_here,
)

pytestmark = pytest.mark.django_db(transaction=True)
KEY, OTHER = "1f" * 32, "2e" * 32
Change = Callable[[dict[str, bytes], dict[str, Any]], None]


def public(key: str) -> str:
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key))
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


@pytest.fixture
def signing(settings: Any) -> str:
    settings.BACKUP_SIGNING_KEY = KEY
    return public(KEY)


def said(command: str, *arguments: str, **options: Any) -> str:
    out = io.StringIO()
    call_command(command, *arguments, stdout=out, **options)
    return out.getvalue()


def resigned(content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    """As somebody would who knows how it is done, and has no key of ours."""
    import hashlib

    content["files/b.txt"] = b"changed"
    manifest["files"]["files/b.txt"]["sha256"] = hashlib.sha256(b"changed").hexdigest()


def stripped(content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    resigned(content, manifest)
    del content[archive.SIGNATURE]


def scribbled(content: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    content[archive.SIGNATURE] = b"a line"


class TestSigned:
    def test_what_it_was_signed_by_is_told(self, signing, backup):  # noqa: F811
        assert said("backup", public_key=True).strip() == signing
        with archive.opened(backup) as (_zip, manifest):
            assert manifest["signed_by"] == signing
        assert f"Signed by {signing}, as asked for." in said(
            "restore", str(backup), replace=True, stderr=io.StringIO()
        )

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (resigned, "signature does not fit what is in it"),
            (stripped, "is not signed, so nobody knows"),
            (scribbled, "signature does not fit"),
        ],
    )
    def test_a_changed_one_is_refused_with_a_right_manifest_too(
        self,
        signing,
        backup,  # noqa: F811
        change: Change,
        why,
    ):
        before = Judgment.objects.count()
        for command in ("restore", "verify_backup"):
            options = {"replace": True} if command == "restore" else {}
            with pytest.raises(CommandError, match=why):
                call_command(command, str(rewritten(backup, change)), **options)
        assert Judgment.objects.count() == before

    def test_without_a_key_a_signature_that_does_not_fit_is_refused_all_the_same(
        self,
        signing,
        backup,  # noqa: F811
        settings,
    ):
        settings.BACKUP_SIGNING_KEY = ""
        with (
            pytest.raises(archive.BackupError, match="does not fit"),
            archive.opened(rewritten(backup, resigned)),
        ):
            pass
        with archive.opened(backup) as (_zip, manifest):
            assert manifest["signed_by"] == signing

    def test_of_another_key(self, signing, backup, settings):  # noqa: F811
        settings.BACKUP_SIGNING_KEY, settings.BACKUP_SIGNED_BY = "", [public(OTHER)]
        with (
            pytest.raises(archive.BackupError, match="signed by another key"),
            archive.opened(backup),
        ):
            pass
        settings.BACKUP_SIGNED_BY = [public(OTHER), signing.upper()]
        with archive.opened(backup) as (_zip, manifest):
            assert manifest["signed_by"] == signing

    def test_one_from_before_there_was_a_key(self, backup, settings):  # noqa: F811
        settings.BACKUP_SIGNING_KEY = KEY
        with pytest.raises(CommandError, match="add --unsigned"):
            call_command("restore", str(backup), replace=True)
        output = said("restore", str(backup), replace=True, unsigned=True, stderr=io.StringIO())
        assert "It is not signed" in output

    def test_whose_signature_nobody_asked_for(self, signing, backup, settings):  # noqa: F811
        settings.BACKUP_SIGNING_KEY = ""
        assert "which nobody asked for here" in said("verify_backup", str(backup))

    def test_nothing_to_print(self, settings):
        with pytest.raises(CommandError, match="openssl rand"):
            said("backup", public_key=True)
        settings.BACKUP_SIGNING_KEY = "abc"
        with pytest.raises(CommandError, match="64 hexadecimal digits"):
            said("backup", public_key=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BACKUP_SIGNING_KEY", "abc"),
        ("BACKUP_SIGNED_BY", ["abc"]),
        ("BACKUP_RECIPIENTS", ["age1abc"]),
        ("BACKUP_RECIPIENTS", ["ssh-ed25519 AAAA"]),
    ],
)
def test_a_key_that_is_none_stops_the_start(settings, name, value):
    assert checks.backup_keys() == []
    setattr(settings, name, value)
    [error] = checks.backup_keys()
    assert (error.id, f"BAREME_{name}" in error.msg) == ("bareme.E012", True)
    assert error.hint


class Keys:
    """Private keys as files, and their public halves."""

    def __init__(self, folder: Path) -> None:
        age = pyrage.x25519.Identity.generate()
        self.age, self.age_file = str(age.to_public()), folder / "age.key"
        self.age_file.write_text(f"# created: today\n# public key: {self.age}\n{age}\n")
        ssh = Ed25519PrivateKey.generate()
        self.ssh = ssh.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
        self.ssh_file = folder / "id_ed25519"
        self.ssh_file.write_bytes(
            ssh.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
        )


@pytest.fixture
def keys(tmp_path_factory: pytest.TempPathFactory, settings: Any) -> Keys:
    fresh_keys = Keys(tmp_path_factory.mktemp("keys"))
    settings.BACKUP_RECIPIENTS = [fresh_keys.age, fresh_keys.ssh]
    return fresh_keys


class TestSealed:
    def test_it_is_opened_by_each_reader_and_nobody_else(
        self,
        keys,
        backup,  # noqa: F811
        filled,  # noqa: F811
        elsewhere,  # noqa: F811
        child_environment,
    ):
        assert sealing.is_sealed(backup)
        assert b"Ce que contient" not in backup.read_bytes()
        before = state_here(child_environment)
        for identity in (keys.age_file, keys.ssh_file):
            machine = elsewhere()
            machine("manage.py", "restore", str(backup), "--identity", str(identity))
            same(before, json.loads(machine("-c", STATE).stdout))
        with pytest.raises(CommandError, match=r"is encrypted\. Add --identity"):
            call_command("restore", str(backup), replace=True)

    def test_nothing_plain_is_left_where_backups_lie_nor_in_the_data_folder(self, keys, backup):  # noqa: F811
        assert [path.name for path in backup.parent.iterdir()] == [backup.name]
        assert backup.stat().st_mode & 0o077 == 0
        assert not list(Path(django_settings.DATA_DIR).glob(".backup-*"))

    def test_it_is_called_so(self, keys, filled, tmp_path_factory):  # noqa: F811
        folder = tmp_path_factory.mktemp("backups")
        call_command("backup", output=str(folder), stdout=io.StringIO())
        [made] = folder.iterdir()
        assert made.name.endswith(".zip.age")

    def test_cut_changed_or_with_another_key(self, keys, backup, tmp_path_factory):  # noqa: F811
        folder = tmp_path_factory.mktemp("others")
        whole = backup.read_bytes()
        middle = len(whole) // 2
        others = {
            "cut": whole[:middle],
            "head": whole[:60],
            "changed": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        }
        for name, content in others.items():
            (folder / name).write_bytes(content)
            with pytest.raises(CommandError, match="cannot be decrypted with this key"):
                call_command("restore", str(folder / name), replace=True, identity=keys.age_file)
        other = Keys(folder).age_file
        with pytest.raises(CommandError, match="encrypted to another"):
            call_command("restore", str(backup), replace=True, identity=other)
        assert not list(Path(django_settings.DATA_DIR).glob(".backup-*"))

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (b"", "holds no private key"),
            (b"# nothing\n", "holds no private key"),
            (b"age1public", "holds no private key of age"),
            ("clé".encode(), "holds no private key of age"),
            (b"-----BEGIN OPENSSH " + b"PRIVATE KEY-----\nx\n", "holds no private key of age"),
        ],
    )
    def test_an_identity_that_is_none(self, keys, backup, tmp_path, content, why):  # noqa: F811
        (tmp_path / "key").write_bytes(content)
        with pytest.raises(CommandError, match=why):
            call_command("restore", str(backup), replace=True, identity=tmp_path / "key")
        said = r"none cannot be read as a private key: No such file.*Name with --identity"
        with pytest.raises(CommandError, match=said):
            call_command("restore", str(backup), replace=True, identity=tmp_path / "none")
        with pytest.raises(CommandError, match=r"it is a folder.*Name with --identity"):
            call_command("verify_backup", str(backup), identity=tmp_path)

    def test_an_identity_with_a_passphrase(self, keys, backup, tmp_path):  # noqa: F811
        key = Ed25519PrivateKey.generate()
        secret = BestAvailableEncryption(b"secret")
        begin, end = (f"-----{word} OPENSSH PRIVATE KEY-----\n" for word in ("BEGIN", "END"))
        head = base64.encodebytes(b"openssh-key-v1\0\0\0\0\x0aaes256-ctr").decode()
        contents = [
            (begin + head + end).encode(),
            key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, secret),
            f"{begin.replace('OPENSSH', 'RSA')}Proc-Type: 4,ENCRYPTED\n".encode(),
            b"age-encryption.org/v1\n-> scrypt",
        ]
        if keygen := shutil.which("ssh-keygen"):
            made = tmp_path / "made"
            command = [keygen, "-q", "-t", "ed25519", "-N", "secret", "-f", str(made)]
            subprocess.run(command, check=True)
            contents.append(made.read_bytes())
        for content in contents:
            (tmp_path / "key").write_bytes(content)
            with pytest.raises(CommandError, match=r"with a passphrase.*age -d -i"):
                call_command("restore", str(backup), replace=True, identity=tmp_path / "key")

    def test_a_full_disk_is_known_as_one(self, keys, tmp_path):
        """The library says what the system said in words alone."""
        (tmp_path / "plain").write_bytes(bytes(2_000_000))
        with pytest.raises(OSError, match="No space left") as caught:
            sealing.seal(tmp_path / "plain", Path("/dev/full"))
        assert caught.value.errno == 28
        sealing.seal(tmp_path / "plain", tmp_path / "sealed")
        with pytest.raises(OSError, match="No space left") as caught:
            sealing.unseal(tmp_path / "sealed", keys.age_file, Path("/dev/full"))
        assert caught.value.errno == 28

    def test_signed_and_sealed(self, signing, keys, backup):  # noqa: F811
        output = said("verify_backup", str(backup), identity=keys.age_file)
        assert f"Signed by {signing}, as asked for." in output
        with pytest.raises(CommandError, match="is encrypted"):
            said("verify_backup", str(backup))


def test_age_itself_opens_it(keys, backup, tmp_path):  # noqa: F811
    """Where the program is installed: who has the key needs no Barème."""
    if not shutil.which("age"):
        pytest.skip("age is not installed here")
    plain = tmp_path / "plain.zip"
    subprocess.run(
        ["age", "-d", "-i", str(keys.age_file), "-o", str(plain), str(backup)], check=True
    )
    assert zipfile.is_zipfile(plain)
