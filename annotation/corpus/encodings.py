"""Which encoding a file is in. Files name none, so the answer comes with how sure it is."""

from __future__ import annotations

import codecs
import re
from enum import StrEnum

from annotation.corpus.problems import TableError, shown
from annotation.protocols.base import Wording


class Confidence(StrEnum):
    """How an encoding was arrived at."""

    CERTAIN = "certain"
    """The file says so, or nothing else could look like this."""
    GUESSED = "guessed"
    """The most French-looking of several readings: accents are to be checked."""
    DAMAGED = "damaged"
    """Nearly all of it is valid; the rest is not, and those rows are named."""
    CHOSEN = "chosen"


ENCODINGS = (
    "utf-8",
    "cp1252",
    "iso8859-15",
    "latin-1",
    "mac-roman",
    "cp850",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
)
"""What a person may choose; the detection answers with one of these or with utf-32."""

_ALSO_FOUND = frozenset({"utf-32", "utf-32-le", "utf-32-be"})

_MARKS = (
    # UTF-32 first: its little-endian mark starts with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CODECS = frozenset(codecs.lookup(name).name for name in {*ENCODINGS, *_ALSO_FOUND})
_SINGLE_BYTE = ["cp1252", "mac_roman", "cp850", "iso8859_15", "latin_1"]
_ASCII = bytes(range(0x80))
_SAMPLE = 1 << 16
_MULTI_BYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)


def detect(content: bytes) -> tuple[str, Confidence]:
    """The encoding that a file is most likely in. What comes out can be decoded, damaged where it
    says so."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding, Confidence.CERTAIN if _decodes(
                content, encoding
            ) else Confidence.DAMAGED
    if wide := _without_mark(content[:_SAMPLE]):
        return wide, Confidence.GUESSED if _decodes(content, wide) else Confidence.DAMAGED
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _not_quite_utf8(content, error.start)
    return "utf-8", Confidence.CERTAIN


def decode(content: bytes, encoding: str, *, damaged: bool = False) -> str:
    """The text of a file, without its mark. With ``damaged``, bytes that are none become U+FFFD.

    Raises ``TableError`` for an encoding that is none of ``ENCODINGS`` and for bytes that it does
    not have, naming the line.
    """
    if not is_offered(encoding):
        raise TableError(
            "unknown_encoding",
            Wording(
                f"L'encodage « {shown(encoding)} » n'est pas lu.",
                f"The encoding “{shown(encoding)}” is not read.",
            ),
            Wording(
                f"Choisissez parmi : {', '.join(ENCODINGS)}.",
                f"Choose one of: {', '.join(ENCODINGS)}.",
            ),
            field="encoding",
        )
    try:
        text = content.decode(encoding, "replace" if damaged else "strict")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise TableError(
            "wrong_encoding",
            Wording(
                (
                    f"Le fichier n'est pas en {encoding} : la ligne {line} contient des octets "
                    "impossibles."
                ),
                f"The file is not in {encoding}: line {line} holds impossible bytes.",
            ),
            Wording(
                "Choisissez un autre encodage, ou enregistrez le fichier en UTF-8.",
                "Choose another encoding, or save the file as UTF-8.",
            ),
            row=line,
            field="encoding",
        ) from error
    return text.removeprefix("\ufeff")


def is_offered(encoding: str) -> bool:
    """Whether files are read in this encoding, in any spelling of its name.

    Python has others that are no encodings of text, or take the square of a file's length.
    """
    try:
        return codecs.lookup(encoding).name in _CODECS
    except (LookupError, ValueError):
        return False


def _without_mark(sample: bytes) -> str:
    """UTF-16 without a mark: in Western text every other byte is zero."""
    if len(sample) < 4 or sample.count(0) < len(sample) // 4:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 4 * even:
        return "utf-16-le"
    return "utf-16-be" if even > 4 * odd else ""


def _not_quite_utf8(content: bytes, first_bad: int) -> tuple[str, Confidence]:
    """A single-byte encoding, or UTF-8 into which a few foreign bytes were pasted.

    Accents that form valid UTF-8 by chance are rare in any other encoding, so a file where most do
    is UTF-8: reading all of it as something else would spoil every accent for the sake of one row.
    """
    around = content[max(0, first_bad - 4 * _SAMPLE) : first_bad + 4 * _SAMPLE]
    beyond_ascii = len(around.translate(None, _ASCII))
    in_sequences = sum(len(sequence) for sequence in _MULTI_BYTE.findall(around))
    if in_sequences > 0.8 * beyond_ascii:
        return "utf-8", Confidence.DAMAGED
    # Only here: most files are UTF-8, and each is read by a process that imports anew.
    from charset_normalizer import from_bytes

    best = from_bytes(content[: 4 * _SAMPLE], cp_isolation=_SINGLE_BYTE).best()
    for encoding in (best.encoding.replace("_", "-") if best else "", "cp1252"):
        if encoding in ENCODINGS and _decodes(content, encoding):
            return encoding, Confidence.GUESSED
    return "latin-1", Confidence.GUESSED


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
