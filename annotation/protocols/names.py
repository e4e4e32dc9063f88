"""Names that nobody knows, in words: the nearest known one, and all of them."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from annotation.protocols.base import Wording


def shown(name: str) -> str:
    """The beginning of a name from outside, fit to be shown: what cannot be printed becomes
    U+FFFD."""
    return "".join(character if character.isprintable() else "\ufffd" for character in name[:60])


def unknown_name(name: str, known: Collection[str]) -> Wording:
    """That this name is not known where ``known`` are."""
    name, all_of_them = shown(name), ", ".join(sorted(known))
    if not known:
        return Wording(
            f"«\u00a0{name}\u00a0» n'est pas connu\u00a0: rien n'est pris ici.",
            f"“{name}” is not known: nothing is taken here.",
        )
    near = get_close_matches(name, sorted(known), n=1)
    asked_fr = f"Vouliez-vous dire «\u00a0{near[0]}\u00a0»? " if near else ""
    asked_en = f"Did you mean “{near[0]}”? " if near else ""
    return Wording(
        f"«\u00a0{name}\u00a0» n'est pas connu. {asked_fr}Noms connus\u00a0: {all_of_them}.",
        f"“{name}” is not known. {asked_en}Known are: {all_of_them}.",
    )
