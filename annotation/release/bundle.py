"""The released bundle: a folder, or a zip of it, whose bytes follow from the snapshot alone."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.release.beside import DOCUMENTS
from annotation.release.card import AS_RELEASED, TO_COMPLETE, card
from annotation.release.croissant import croissant, data_paths
from annotation.release.front_matter import Released
from annotation.release.frozen import Frozen
from annotation.release.heds import heds, heds_file, heds_text
from annotation.release.layouts import Layout, layouts
from annotation.release.licences import licence
from annotation.release.methods import methods_text
from annotation.release.table_files import write_table
from annotation.release.tables import csv_text, sha256_of

SUMS = "SHA256SUMS"
_RECOMPUTE = [
    Path(__file__).with_name(f"recompute_{name}.py")
    for name in ("agreement", "systems", "metrics", "marks")
]
_COPIED = ("manifest.json", "study.json", "agreement.json", "codebook.json")


def write_bundle(snapshot_folder: Path, target: Path) -> dict[str, str]:
    """Write the bundle of a snapshot into ``target``, an empty folder; SHA-256 by path, as in
    SHA256SUMS.

    Nothing of the moment or the machine enters it: the same snapshot gives the same bytes anywhere
    (with the same version of pyarrow, which writes its name into Parquet files).
    """
    frozen = Frozen(snapshot_folder)
    data = target / "data"
    data.mkdir()
    all_layouts = layouts(frozen)
    counts = {
        layout.table.name: write_table(data, layout.table, layout.rows()) for layout in all_layouts
    }
    _copy(frozen, target)
    tables = [layout.table for layout in all_layouts]
    paths = [*data_paths(tables), *(f"{AS_RELEASED}/{name}" for name in frozen.as_released)]
    digests = {path: sha256_of(target / path) for path in paths}
    _document(
        target / "croissant.json", croissant(frozen, [(t, counts[t.name]) for t in tables], digests)
    )
    datasheet = heds(frozen)
    _document(target / "heds.json", heds_file(frozen))
    _document(target / "heds_answers.json", datasheet)
    _text(target / "heds.md", heds_text(datasheet))
    _text(
        target / "README.md",
        card(frozen, [Released(t.name, t.title, counts[t.name]) for t in tables]),
    )
    _text(target / "METHODS.md", methods_text(frozen))
    _text(target / "LICENSE", _licence(frozen))
    _text(target / "CITATION.cff", _citation(frozen))
    _codebook(target / "codebook.csv", all_layouts)
    return _sums(target)


def write_zip(folder: Path, target: Path, name: str, date: str) -> None:
    """The folder as ``target``, a zip in which everything stands below ``name``; in order, of the
    day ``date``."""
    year, month, day = (int(part) for part in date.split("-"))
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(_files(folder)):
            entry = zipfile.ZipInfo(f"{name}/{path}", (year, month, day, 0, 0, 0))
            entry.compress_type, entry.create_system, entry.external_attr = (
                zipfile.ZIP_DEFLATED,
                3,
                0o644 << 16,
            )
            with (
                (folder / path).open("rb") as source,
                archive.open(entry, "w", force_zip64=True) as out,
            ):
                shutil.copyfileobj(source, out)


def _copy(frozen: Frozen, target: Path) -> None:
    for name in _COPIED:
        shutil.copyfile(frozen.folder / name, target / name)
    if frozen.as_released:
        (target / AS_RELEASED).mkdir()
        for name in frozen.as_released:
            shutil.copyfile(frozen.folder / name, target / AS_RELEASED / name)
    if frozen.guides:
        (target / "guide").mkdir()
        for path in frozen.guides:
            shutil.copyfile(path, target / "guide" / path.name)
    if frozen.glossary.exists():
        shutil.copyfile(frozen.glossary, target / frozen.glossary.name)
    for name in filter(frozen.is_kept, ("systems.json", "metrics.json", *DOCUMENTS)):
        shutil.copyfile(frozen.folder / name, target / name)
    for path in _RECOMPUTE:
        shutil.copyfile(path, target / path.name)


def _codebook(path: Path, all_layouts: list[Layout]) -> None:
    """What the columns of every table mean; the values of coded columns stand in codebook.json."""
    rows = [
        [layout.table.name, position, field.name, field.kind, field.fr, field.en]
        for layout in all_layouts
        for position, field in enumerate(layout.table.fields, start=1)
    ]
    header = ["table", "position", "column", "type", "description_fr", "description_en"]
    path.write_bytes(csv_text(header, rows).encode())


def _licence(frozen: Frozen) -> str:
    stated = frozen.study["study"]["licence"]
    if not stated.strip():
        return (
            f"No licence is stated for the data in this folder: {TO_COMPLETE}\n\n"
            f"Rights in the source passages: {TO_COMPLETE}\n"
        )
    of = licence(stated)
    where = f"Its text: {of.url}" if of.url else f"Its text: {TO_COMPLETE}"
    return (
        f"The data in this folder are licensed under {of.name}.\n{where}\n\n"
        f"Rights in the source passages: {TO_COMPLETE}\n"
    )


def _citation(frozen: Frozen) -> str:
    title = json.dumps(frozen.study["study"]["title"], ensure_ascii=False)
    return (
        f'cff-version: 1.2.0\nmessage: "{TO_COMPLETE}: authors and paper."\n'
        f"type: dataset\ntitle: {title}\n"
        f'version: "{frozen.name}"\ndate-released: {frozen.date}\n'
        f'authors:\n  - name: "{TO_COMPLETE}"\n'
    )


def _sums(target: Path) -> dict[str, str]:
    """Write SHA256SUMS, as ``sha256sum --check`` reads it."""
    sums = {path: sha256_of(target / path) for path in sorted(_files(target))}
    _text(target / SUMS, "".join(f"{digest}  {path}\n" for path, digest in sums.items()))
    return sums


def _files(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


def _document(path: Path, content: Mapping[str, Any]) -> None:
    _text(path, json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
