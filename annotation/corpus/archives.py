"""What a zip archive unpacks to, looked at piece by piece before anything is read from it.

A workbook or a Word document of some kilobytes may unpack to gigabytes, or to a few megabytes that
hold millions of elements, of which a parser keeps a hundred bytes or more each.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass

_PIECE = 1 << 20


class BrokenArchive(ValueError):
    """No zip archive, or a damaged or protected one."""


@dataclass(frozen=True)
class Contents:
    """What an archive holds. ``marks`` counts "<" in all of it, at least one for each element of
    XML."""

    names: frozenset[str]
    unpacked: int
    marks: int = 0


def contents_of(content: bytes, *, most_bytes: int, most_marks: int) -> Contents:
    """The names and sizes in an archive. Counting stops past either limit. Raises
    ``BrokenArchive``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            # The directory's sizes may be trusted: a reader stops there, whatever follows.
            contents = Contents(
                frozenset(member.filename for member in members),
                sum(member.file_size for member in members),
            )
            if contents.unpacked > most_bytes:
                return contents
            return Contents(contents.names, contents.unpacked, _marks(archive, members, most_marks))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise BrokenArchive(str(error)) from error


def _marks(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], most: int) -> int:
    count = 0
    for member in members:
        with archive.open(member) as file:
            while count <= most and (piece := file.read(_PIECE)):
                count += piece.count(b"<")
    return count
