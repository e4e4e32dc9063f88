"""A release that does not tell which system wrote what: names are left out, the order is not."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.protocols.base import Wording
from annotation.release.frozen import Frozen

_ORDER_TELLS = Wording(
    "Les données ne disent pas quel système a écrit quoi, mais leurs clés et leurs rangs suivent "
    "l'ordre du fichier importé\u00a0: si les systèmes y viennent dans le même ordre pour chaque "
    "texte, les simplifications de même rang sont d'un même système.",
    "The data do not tell which system wrote what, but their keys and positions follow the order "
    "of the file that was imported: if systems come in the same order there for each text, "
    "simplifications of one position are of one system.",
)


def order_said(frozen: Frozen) -> Iterator[Wording]:
    """That the order of outputs may tell which belong to one system; nothing where systems are
    told, or no text has two outputs."""
    items = [row["item_key"] for row in frozen.rows("simplifications")]
    if not frozen.has_systems and len(set(items)) < len(items):
        yield _ORDER_TELLS
