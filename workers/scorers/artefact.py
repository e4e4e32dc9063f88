"""A scorer's files: written aside and moved into place whole, listed with their SHA-256, refused
when one differs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.scoring.errors import ScoringError

MANIFEST = "manifest.json"
FORMAT = 1


def write_artefact(
    folder: Path, files: Mapping[str, bytes], facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Write ``files`` and a manifest (``facts``, sizes, hashes) as ``folder``; a reader sees all of
    it or nothing.

    Raises ``ScoringError`` ("artefact_exists") where the folder already holds something, OSError
    when the disk is full; what was half-written is removed.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ScoringError(
            "artefact_exists",
            (
                f"Le dossier {folder.name} contient déjà un évaluateur; un évaluateur n'est "
                "jamais réécrit."
            ),
            f"The folder {folder.name} already holds a scorer; a scorer is never written over.",
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    manifest = {
        **facts,
        "format": FORMAT,
        "files": {
            name: {"sha256": _digest(content), "bytes": len(content)}
            for name, content in sorted(files.items())
        },
    }
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, content in files.items():
            _write(aside / name, content)
        _write(aside / MANIFEST, json_bytes(manifest))
        aside.chmod(0o755)
        if folder.exists():
            # Empty, checked above; a rename needs no folder in its place on every system.
            folder.rmdir()
        aside.replace(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return manifest


def read_artefact(folder: Path, backend: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and every file that it lists.

    Raises ``ScoringError``: "artefact_missing", "artefact_corrupted" (a hash differs),
    "artefact_other_backend".
    """
    manifest = _manifest(folder)
    if manifest.get("backend") != backend:
        raise ScoringError(
            "artefact_other_backend",
            f"Cet évaluateur est de type « {manifest.get('backend')} » et non « {backend} ».",
            f"This scorer is of the kind “{manifest.get('backend')}”, not “{backend}”.",
        )
    return manifest, {
        name: _read(folder, name, entry["sha256"]) for name, entry in manifest["files"].items()
    }


def json_bytes(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys: the same scorer gives the same bytes. Not-a-number is
    refused."""
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":")
    ).encode()


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise _missing(MANIFEST) from None
    except ValueError:
        raise _corrupted(MANIFEST) from None
    if (
        not isinstance(manifest, dict)
        or manifest.get("format") != FORMAT
        or not isinstance(manifest.get("files"), dict)
    ):
        raise _corrupted(MANIFEST)
    if any(Path(name).name != name for name in manifest["files"]):
        raise _corrupted(MANIFEST)
    return manifest


def _read(folder: Path, name: str, digest: str) -> bytes:
    try:
        content = (folder / name).read_bytes()
    except FileNotFoundError:
        raise _missing(name) from None
    if _digest(content) != digest:
        raise _corrupted(name)
    return content


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        # A crash after the move must not leave an empty file under a good name.
        os.fsync(stream.fileno())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _missing(name: str) -> ScoringError:
    return ScoringError(
        "artefact_missing",
        f"Le fichier {name} de l'évaluateur manque : reprenez une autre version ou réentraînez.",
        f"The scorer's file {name} is missing: go back to another version or retrain.",
    )


def _corrupted(name: str) -> ScoringError:
    return ScoringError(
        "artefact_corrupted",
        (
            f"Le fichier {name} de l'évaluateur est abîmé (son empreinte SHA-256 a changé) : il "
            "n'est pas utilisé."
        ),
        f"The scorer's file {name} is damaged (its SHA-256 has changed): it is not used.",
    )
