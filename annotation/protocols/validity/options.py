"""What a field offers to choose from: values, keys and words. Said of the field. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.protocols.base import Better, Level, Wording
from annotation.protocols.fault_words import quoted
from annotation.protocols.kinds import Choice, Field
from annotation.protocols.validity.naming import LETTERS, NAME, is_unsaid


def option_faults(f: Field) -> Iterator[Wording]:
    """What is wrong with its options, types of marks or brackets."""
    values = [option.value for option in getattr(f, "options", ())]
    if len(set(values)) != len(values):
        yield Wording("a deux options de même valeur", "has two options of one value")
    keys = list(_keys(f))
    if len(set(keys)) != len(keys):
        yield Wording("a deux options de même clé", "has two options of one key")
    for option in getattr(f, "options", ()) or getattr(f, "types", ()):
        if is_unsaid(option.label):
            yield Wording(
                f"a une option sans libellé en français, {quoted(option.key)}",
                f"has an option without a French label, {option.key!r}",
            )
    if isinstance(f, Choice) and f.level == Level.NOMINAL and f.better == Better.LOWER:
        yield Wording(
            "dit que plus bas est meilleur de valeurs qui n'ont pas d'ordre\u00a0: faites-en un "
            "Scale, ou retirez better",
            "says that lower is better of classes, which have no order: make it a Scale, or take "
            "better out",
        )
    if isinstance(f, Choice) and len(values) < 2:
        yield Wording(
            "a une échelle d'un seul niveau\u00a0: rien ne pourrait se distinguer",
            "has a scale of one level: nothing could be told apart",
        )
    for key in keys:
        if not NAME.fullmatch(key):
            yield Wording(
                f"a une option dont la clé {quoted(key)} n'est pas un nom\u00a0: {LETTERS.fr}",
                f"has an option whose key {key!r} is no name: {LETTERS.en}",
            )


def _keys(f: Field) -> Iterator[str]:
    """What options, types of marks and brackets are called where data are published."""
    for name in ("options", "types", "brackets"):
        yield from (option.key for option in getattr(f, name, ()))
