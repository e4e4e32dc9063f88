"""Who is named in a line that says whom to ask ("Prof. Roy, roy@uni.example"): PURE."""

from __future__ import annotations

import re

from annotation.privacy.contacts import contacts
from annotation.privacy.folding import fold
from annotation.privacy.names import TITLES, Person
from annotation.privacy.words import PARTICLES

_BETWEEN = re.compile(r"[,;:/()<>\[\]|&\n]|\s[-–—]\s|\b(?:et|ou|and|or)\b")
_ADDRESS = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_TITLE = re.compile(rf"{TITLES}(?:(?<=\.)\s*|\s+)", re.IGNORECASE)
_MOST_WORDS = 5
# What is written with a capital and is nobody: a place or a group of people that are asked.
_LISTED = """
université university universitaire faculté faculty école school collège college institut institute
laboratoire laboratory lab labo centre center chaire chair département department service services
équipe team groupe group secrétariat secretariat bureau office pavillon building salle room étage
direction coordination responsable contact courriel email mail téléphone telephone phone tél tel
poste ext questions projet project étude study rue avenue boulevard street ministère barreau chambre
cour tribunal court association société company inc
"""
_NOBODY = frozenset(fold(_LISTED).split())


def people_named(text: str) -> list[Person]:
    """Everybody whose name stands in such a line, as far as it is written like one: words with
    capitals between commas, or several of them in a row. An address is theirs whose name is in it.
    """
    addresses = _ADDRESS.findall(text)
    for start, end in sorted(contacts(text), reverse=True):
        text = f"{text[:start]},{text[end:]}"
    names = [name for piece in _BETWEEN.split(text) for name in _names(piece)]
    return [Person(name, _address_of(name, addresses)) for name in dict.fromkeys(names)]


def _names(piece: str) -> list[str]:
    """Rows of words with capitals, with the particles between them. One word is a name where it is
    the whole piece."""
    piece = _TITLE.sub("", piece.strip(), count=1) if _TITLE.match(piece.strip()) else piece.strip()
    words = piece.split()
    rows: list[list[str]] = [[]]
    for word in words:
        if word[0].isupper() or (rows[-1] and _is_particle(word)):
            rows[-1].append(word)
        elif rows[-1]:
            rows.append([])
    return [
        " ".join(row)
        for row in map(_without_last_particles, rows)
        if _is_name(row, is_whole=len(row) == len(words))
    ]


def _is_name(row: list[str], *, is_whole: bool) -> bool:
    if not row or len(row) > _MOST_WORDS or not _NOBODY.isdisjoint(fold(word) for word in row):
        return False
    # "Anne", but neither "Écrivez à …" nor an abbreviation.
    return len(row) > 1 or (is_whole and not (row[0].isupper() and len(row[0]) > 1))


def _without_last_particles(row: list[str]) -> list[str]:
    while row and _is_particle(row[-1]) and not row[-1][0].isupper():
        row = row[:-1]
    return row


def _is_particle(word: str) -> bool:
    return fold(word) in PARTICLES or fold(word).startswith(("d'", "l'"))


def _address_of(name: str, addresses: list[str]) -> str:
    parts = Person(name).parts
    for address in addresses:
        local = fold(address.partition("@")[0])
        if any(part in local for part in parts):
            return address
    return ""
