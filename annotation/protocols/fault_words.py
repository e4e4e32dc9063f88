"""How what is wrong with a protocol is put into words, in both languages: names in guillemets in
French and as Python writes them in English, errors by what they say. Pure."""

from __future__ import annotations

from annotation.protocols.base import RulingRefused, Wording
from annotation.protocols.kinds import ShapeError

_MOST_SHOWN = 60


def quoted(value: object) -> str:
    """A name or a text in a French sentence, between guillemets, and any other value as Python
    writes it; the beginning of a long one."""
    if not isinstance(value, str):
        return repr(value)[:_MOST_SHOWN]
    if not value:
        return '""'  # as files write it: between guillemets nobody would see that it is empty
    beginning = "".join(map(_fit, value[:_MOST_SHOWN]))
    return f"«\u00a0{beginning}{'…' if len(value) > _MOST_SHOWN else ''}\u00a0»"


def numbered(number: int) -> str:
    """A large number in a French sentence."""
    return f"{number:,}".replace(",", "\u00a0")


def of_field(name: object, fault: Wording) -> Wording:
    """What is wrong with a field, said of the protocol that asks it."""
    return Wording(f"son champ {quoted(name)} {fault.fr}", f"its field {name!r} {fault.en}")


def error_words(error: Exception) -> Wording:
    """What an error says: in both languages where it was raised here for people, else as it is."""
    if isinstance(error, ShapeError):
        words = error.problem.message
    elif isinstance(error, RulingRefused):
        words = error.words
    else:
        words = Wording(str(error), str(error))
    return Wording(words.fr.rstrip("."), words.en)


def _fit(character: str) -> str:
    # French spaces are none to ``isprintable``.
    if character.isspace():
        return character if character in "\u00a0\u202f" else " "
    return character if character.isprintable() else "\ufffd"


def failed(french: str, english: str, error: Wording) -> Wording:
    """What was tried, and what came of it."""
    return Wording(f"{french}\u00a0: {error.fr}", f"{english}: {error.en}")
