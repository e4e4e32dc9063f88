"""Names that nobody knows, in words: the nearest known one, and all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from annotation.protocols.base import Wording

_MOST_NAMED = 10


def shown(name: str) -> str:
    """The beginning of a name from outside, fit to be shown: what cannot be printed becomes
    U+FFFD."""
    return "".join(character if character.isprintable() else "\ufffd" for character in name[:60])


def unknown_name(name: str, known: Collection[str]) -> Wording:
    """That this name is not known where ``known`` are."""
    return unknown_names([name], known)


def unknown_names(names: Sequence[str], known: Collection[str]) -> Wording:
    """That these names are not known where ``known`` are; the first of many."""
    said = [_said(shown(name), sorted(known)) for name in names[:_MOST_NAMED]]
    offered = ", ".join(sorted(known))
    return Wording(
        f"{' '.join(words.fr for words in said)} "
        + (f"Noms connus\u00a0: {offered}." if known else "Rien n'est pris ici."),
        f"{' '.join(words.en for words in said)} "
        + (f"Known are: {offered}." if known else "Nothing is taken here."),
    )


def _said(name: str, known: Sequence[str]) -> Wording:
    fr, en = f"«\u00a0{name}\u00a0» n'est pas connu.", f"“{name}” is not known."
    if near := get_close_matches(name, known, n=1):
        fr += f" Vouliez-vous dire «\u00a0{near[0]}\u00a0»?"
        en += f" Did you mean “{near[0]}”?"
    return Wording(fr, en)
