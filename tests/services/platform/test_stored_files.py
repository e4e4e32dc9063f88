"""Artefacts go through the configured storage and nothing else; what comes back is compared with
its hash."""

from __future__ import annotations

import errno

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from annotation.scoring.errors import ScoringError
from annotation.services.platform.stored_files import (
    file_read,
    file_store,
    files_delete,
    folder_fetch,
    folder_mend,
    folder_store,
)


class Bucket(Storage):
    """A storage without folders or paths, as a bucket is one; it may have its own idea of a
    name."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.fails: Exception | None = None

    def _open(self, name, mode="rb"):
        if self.fails:
            raise self.fails
        if name not in self.objects:
            raise FileNotFoundError(name)
        return ContentFile(self.objects[name])

    def _save(self, name, content):
        if self.fails:
            raise self.fails
        self.objects[name] = content.read()
        return name

    def delete(self, name):
        if self.fails:
            raise self.fails
        del self.objects[name]

    def exists(self, name):
        return name in self.objects


@pytest.fixture
def bucket(settings, monkeypatch) -> Bucket:
    made = Bucket()
    monkeypatch.setitem(vars(storages)["_storages"], "artefacts", made)
    assert storages["artefacts"] is made
    return made


def test_files_lie_in_the_storage_alone(bucket, settings, tmp_path):
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "model.json").write_bytes(b"{}")
    (folder / "inner").mkdir()
    files = folder_store("training/x/scorer", folder)
    assert list(files) == ["model.json"]
    assert bucket.objects == {"training/x/scorer/model.json": b"{}"}
    assert not settings.MEDIA_ROOT.exists()
    fetched = folder_fetch(files, "digest")
    assert (fetched / "model.json").read_bytes() == b"{}"
    bucket.fails = RuntimeError("away")
    assert folder_fetch(files, "digest") == fetched, "it is here: the storage is not asked again"
    bucket.fails = None
    files_delete(files)
    assert bucket.objects == {}


def test_a_taken_name_is_not_written_over(bucket):
    first, second = file_store("a.json", b"1"), file_store("a.json", b"2")
    assert first["path"] != second["path"]
    assert file_read(first["path"], first["sha256"]) == b"1"
    assert file_read(second["path"], second["sha256"]) == b"2"


def test_what_was_changed_or_is_gone_is_not_used(bucket, settings):
    stored = file_store("a.json", b"{}")
    bucket.objects[stored["path"]] = b"{} "
    with pytest.raises(ScoringError) as refused:
        folder_fetch({"a.json": stored}, "digest")
    assert refused.value.code == "artefact_corrupted"
    del bucket.objects[stored["path"]]
    with pytest.raises(ScoringError) as refused:
        file_read(stored["path"], stored["sha256"])
    assert refused.value.code == "artefact_missing"
    assert list((settings.DATA_DIR / "scorers").iterdir()) == [], "nothing half fetched is left"


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk_full"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "disk_full"),
        (PermissionError("no"), "storage_unreachable"),
        (RuntimeError("EndpointConnectionError"), "storage_unreachable"),
    ],
)
def test_a_storage_that_fails_is_said_plainly(bucket, raised, code):
    stored = file_store("a.json", b"{}")
    bucket.fails = raised
    for call in (
        lambda: file_store("b.json", b""),
        lambda: file_read(stored["path"], stored["sha256"]),
        lambda: files_delete({"a": stored}),
    ):
        with pytest.raises(ScoringError) as refused:
            call()
        assert refused.value.code == code
        assert refused.value.message.fr
    assert refused.value.__cause__ is raised


def test_the_faster_of_two_that_fetch_wins(bucket, settings, monkeypatch):
    stored = file_store("a.json", b"{}")
    place = settings.DATA_DIR / "scorers" / "digest"
    real = file_read

    def other_process_first(path, sha256):
        place.mkdir(parents=True)
        (place / "a.json").write_bytes(b"{}")
        return real(path, sha256)

    monkeypatch.setattr("annotation.services.platform.stored_files.file_read", other_process_first)
    assert folder_fetch({"a.json": stored}, "digest") == place
    assert [path.name for path in place.parent.iterdir()] == ["digest"]


def test_a_copy_that_was_damaged_here_is_fetched_anew(bucket):
    stored = {name: file_store(name, name.encode()) for name in ("a.json", "b.json")}
    folder = folder_fetch(stored, "digest")
    assert not folder_mend(stored, "digest"), "it is as the storage's"
    (folder / "a.json").write_bytes(b"damaged")
    assert folder_mend(stored, "digest")
    (folder / "b.json").unlink()
    assert folder_mend(stored, "digest")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "a.json": "a.json",
        "b.json": "b.json",
    }
    assert [path.name for path in folder.parent.iterdir()] == ["digest"]


def test_a_damaged_copy_is_not_thrown_away_where_the_storage_has_no_better(bucket):
    stored = {"a.json": file_store("a.json", b"{}")}
    folder = folder_fetch(stored, "digest")
    (folder / "a.json").write_bytes(b"damaged")
    bucket.objects["a.json"] = b"damaged too"
    with pytest.raises(ScoringError) as refused:
        folder_mend(stored, "digest")
    assert refused.value.code == "artefact_corrupted"
    assert [path.name for path in folder.parent.iterdir()] == ["digest"]


def test_a_folder_that_cannot_be_moved_into_place_is_an_error(bucket, settings, monkeypatch):
    from pathlib import Path

    stored = file_store("a.json", b"{}")

    def fails(self, target):
        raise OSError(errno.EACCES, "no")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="no"):
        folder_fetch({"a.json": stored}, "digest")
    assert list((settings.DATA_DIR / "scorers").iterdir()) == []
