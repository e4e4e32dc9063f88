"""The items of a study, drawn from what the funnel kept: by a seed, whatever order the rows come
in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.corpus.funnel import Verdict
from annotation.protocols.base import Wording

PRACTICE, MAIN = 15, 297
"""How many FrJUDGE drew of its 312 blocks (Beauchemin et al. 2025, section 3.2.3)."""


class DrawError(ValueError):
    """A draw that cannot be made: what is wrong, and what to do."""

    def __init__(self, code: str, message: Wording, remedy: Wording) -> None:
        super().__init__(f"{message.en} {remedy.en}")
        self.code, self.message, self.remedy = code, message, remedy


@dataclass(frozen=True)
class Draw:
    """What was drawn, each part in the order of the document, and what was left, in the order it
    would follow."""

    seed: str
    practice: tuple[Verdict, ...]
    main: tuple[Verdict, ...]
    spare: tuple[Verdict, ...]


def draw(
    verdicts: Iterable[Verdict],
    practice: int = PRACTICE,
    main: int = MAIN,
    *,
    seed: str | int,
    fewer: bool = False,
) -> Draw:
    """``practice`` and ``main`` items, drawn without replacement from the verdicts that are kept.

    Each block is placed by the SHA-256 of seed and key: the same kept blocks and seed give the same
    items on every machine and in any order of ``verdicts``, and one block more or less changes no
    other's place. With ``fewer``, what there is goes to practice first, then to the main round.
    Raises ``DrawError``: not_positive, none_kept, too_few (with how many there are).
    """
    if practice < 0 or main < 1:
        raise DrawError(
            "not_positive",
            Wording("Il faut au moins un item principal et aucun nombre négatif.",
                    "At least one main item is needed, and no negative number."),
            Wording("Corrigez les nombres.", "Correct the numbers."),
        )  # fmt: skip
    kept = {verdict.key: verdict for verdict in verdicts if verdict.kept}
    _check_enough(len(kept), practice + main, fewer=fewer)
    order = sorted(kept.values(), key=lambda verdict: (_rank(str(seed), verdict.key), verdict.key))
    last = practice + main
    return Draw(
        str(seed), _in_order(order[:practice]), _in_order(order[practice:last]), tuple(order[last:])
    )


def _rank(seed: str, key: str) -> str:
    return hashlib.sha256(f"{seed}\x1f{key}".encode()).hexdigest()


def _in_order(verdicts: list[Verdict]) -> tuple[Verdict, ...]:
    return tuple(sorted(verdicts, key=lambda verdict: verdict.block.number))


def _check_enough(kept: int, wanted: int, *, fewer: bool) -> None:
    if not kept:
        raise DrawError(
            "none_kept",
            Wording("Aucun bloc n'a passé l'entonnoir.", "No block passed the funnel."),
            Wording("Assouplissez un critère, ou récupérez des blocs à la main.",
                    "Relax a criterion, or rescue blocks by hand."),
        )  # fmt: skip
    if kept < wanted and not fewer:
        raise DrawError(
            "too_few",
            Wording(f"{wanted} items sont demandés et {kept} blocs sont gardés.",
                    f"{wanted} items are asked for and {kept} blocks are kept."),
            Wording((
                "Demandez-en moins, assouplissez un critère, récupérez des blocs, ou ajoutez un "
                "document."
                ),
                    "Ask for fewer, relax a criterion, rescue blocks, or add a document."),
        )  # fmt: skip
