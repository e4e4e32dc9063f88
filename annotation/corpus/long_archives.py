"""An archive of files as objects: an export with a file for each annotator, or a project of
INCEpTION's, whose annotations lie in a folder for each document."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from annotation.corpus import archives, jsonl
from annotation.corpus.encodings import decode
from annotation.corpus.long_objects import Numbered, cas_of, document_of, members_of, rows_of
from annotation.corpus.peers import FILE
from annotation.corpus.peers.inception import DOCUMENT
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import JSONL, MAX_ROWS, Layout, too_many_rows
from annotation.protocols.base import Wording

ARCHIVE = b"PK\x03\x04"
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
MAX_FILES = 500
MAX_SMALL_FILES = 20_000
"""Of a layout with four files for each pair and annotator."""
# What Potato keeps of each annotator beside the annotations that it writes.
_BOOKKEEPING = ("user_state.json", "annotation_history.jsonl", "device_visits.json")
_WORKBOOK = "[Content_Types].xml"
_OF_TABLES = (".jsonl", ".json", ".csv", ".tsv")
_OF_DOCUMENTS = (".json", ".tsv", ".xmi")
_READ = (*_OF_TABLES, ".xmi")
_PROJECT, _ANNOTATION = "exportedproject", "annotation"
# The document before anybody annotated it, and what was made of everybody's annotations.
_NOBODY = ("INITIAL_CAS", "CURATION_USER")
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)


def is_archive(content: bytes) -> bool:
    """Whether it is an archive of files, and no workbook, which is one as well."""
    if not content.startswith(ARCHIVE):
        return False
    try:
        archive = archives.contents_of(content, most_bytes=0, most_marks=0)
    except archives.BrokenArchive:
        return False
    return _WORKBOOK not in archive.names and any(name.endswith(_READ) for name in archive.names)


def names_in(content: bytes) -> frozenset[str]:
    """The names of what is in an archive of files; none of what is no archive."""
    if not content.startswith(ARCHIVE):
        return frozenset()
    try:
        return archives.contents_of(content, most_bytes=0, most_marks=0).names
    except archives.BrokenArchive:
        return frozenset()


def unpacked(content: bytes, endings: tuple[str, ...]) -> dict[str, bytes]:
    """The files of an archive whose names end so. Raises ``TableError``."""
    _room(content, MAX_UNPACKED_BYTES, MAX_SMALL_FILES)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {
                member.filename: archive.read(member)
                for member in archive.infolist()
                if member.filename.endswith(endings)
            }
    except _DAMAGED as error:
        raise _broken() from error


def objects_of(content: bytes) -> list[tuple[int, Mapping[str, Any] | RowProblem]]:
    """The objects of its files one after the other, each with what its file and folder are called;
    counted through. Raises ``TableError``."""
    records: list[tuple[int, Mapping[str, Any] | RowProblem]] = []
    room, is_project = _room(content, MAX_UNPACKED_BYTES)
    for name, inside in _files(content, room, is_project=is_project):
        for _number, record in _of_file(name, inside):
            records.append((len(records) + 1, _told_of(record, name, len(records) + 1)))
            if len(records) > MAX_ROWS:
                raise too_many_rows()
    if is_project and not any(
        isinstance(record, dict) and DOCUMENT in record for _number, record in records
    ):
        raise _no_annotations()
    return records


def _room(content: bytes, most: int, most_files: int = MAX_FILES) -> tuple[int, bool]:
    """How many bytes may still be unpacked beside an archive's own, and whether it is a project of
    INCEpTION's. Raises ``TableError``."""
    # The names and sizes alone: what is in it is read below.
    archive = archives.contents_of(content, most_bytes=0, most_marks=0)
    if archive.unpacked > most or len(archive.names) > most_files:
        raise TableError(
            "archive_too_big",
            Wording(
                f"L'archive contient plus de {MAX_UNPACKED_BYTES >> 20} Mo ou de {most_files} "
                "fichiers.",
                f"The archive holds more than {MAX_UNPACKED_BYTES >> 20} MB or {most_files} files.",
            ),
            Wording("Gardez les fichiers d'annotations.", "Keep the files of annotations."),
        )
    is_project = any(
        _parts(name)[-1].startswith(_PROJECT) for name in archive.names if _parts(name)
    )
    return most - archive.unpacked, is_project


def _parts(name: str) -> tuple[str, ...]:
    return PurePosixPath(name.lstrip("/")).parts


def _files(content: bytes, room: int, *, is_project: bool) -> Iterator[tuple[str, bytes]]:
    """What is read of an archive, by name. Somebody's annotations may be an archive themselves."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                name = member.filename
                # A name may be empty, which zipfile itself asks for its last letter.
                if not name or name.endswith("/") or (is_project and not _is_of_project(name)):
                    continue
                if name.rsplit("/", 1)[-1] in _BOOKKEEPING:
                    continue
                if name.endswith(_READ):
                    yield name, archive.read(member)
                elif name.endswith(".zip") and len(_parts(name)) > 1:
                    inside = archive.read(member)
                    room, _is_project = _room(inside, room)
                    yield name, _document_in(inside)
    except TableError:
        raise
    except (*_DAMAGED, archives.BrokenArchive) as error:
        raise _broken() from error


def _is_of_project(name: str) -> bool:
    """Whether a file of a project is somebody's annotations, or a table laid beside its folders."""
    parts = _parts(name)
    if not parts:
        return False
    if parts[0] == _ANNOTATION:
        return len(parts) > 1 and PurePosixPath(name).stem not in _NOBODY
    return len(parts) == 1 and not parts[0].startswith(_PROJECT)


def _document_in(content: bytes) -> bytes:
    """The document in somebody's archive, beside its type system; nothing where there is none."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if name.endswith(_OF_DOCUMENTS)]
        return archive.read(names[0]) if names else b""


def _of_file(name: str, content: bytes) -> Numbered:
    if not content.strip():
        return []
    if name.endswith((*_OF_DOCUMENTS, ".zip")):
        try:
            if (cas := cas_of(content)) is not None:
                folder = _parts(name)[-2:-1]
                return [(1, cas | {DOCUMENT: folder[0]} if folder else cas)]
        except TableError as error:
            return [(1, error.problem)]
    if not name.endswith(_OF_TABLES):
        return []
    if (text := document_of(content, Layout())) is not None:
        return members_of(text)
    table = read_table(content)
    if table.layout.format == JSONL:
        return jsonl.objects(decode(content, table.layout.encoding))
    return rows_of(table)


def _told_of(
    record: Mapping[str, Any] | RowProblem, name: str, number: int
) -> Mapping[str, Any] | RowProblem:
    if isinstance(record, RowProblem):
        # The file's name may be that of who annotated.
        return replace(record, row=number)
    return {**record, FILE: _who(name)}


def _who(name: str) -> str:
    """Whom a file of an archive is called after: itself, or its folder where every folder has one
    of the same name."""
    path = PurePosixPath(name)
    folder = path.parent.name
    return folder if folder and path.stem in ("annotated_instances", "user_state") else path.stem


def _broken() -> TableError:
    return TableError(
        "broken_archive",
        Wording(
            "Cette archive est abîmée, ou protégée par un mot de passe.",
            "This archive is damaged, or has a password.",
        ),
        Wording("Faites-la de nouveau, sans mot de passe.", "Make it again, without one."),
    )


def _no_annotations() -> TableError:
    return TableError(
        "no_annotations",
        Wording(
            "Ce projet d'INCEpTION n'a d'annotations que dans un format qui n'est pas lu.",
            "This project of INCEpTION has annotations only in a format that is not read.",
        ),
        Wording(
            "Exportez-le de nouveau et choisissez le format secondaire UIMA CAS JSON ou WebAnno "
            "TSV 3.3.",
            "Export it again and choose the secondary format UIMA CAS JSON or WebAnno TSV 3.3.",
        ),
    )
