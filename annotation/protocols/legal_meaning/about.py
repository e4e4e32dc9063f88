"""What published data and leads' pages say of FrJUDGE's protocol."""

from __future__ import annotations

from annotation.protocols.base import Wording
from annotation.protocols.protocol import About

ABOUT = About(
    domain=Wording("juridiques", "legal"),
    # Beauchemin et al. (2025), appendix F.4.1: their datasheet is of this criterion alone.
    quality={"legal_meaning": ("correctness", "content")},
    limits=(
        Wording(
            "Les passages ont été jugés hors de leur contrat; une échelle de 1 à 10 dont chaque "
            "erreur retire un point est grossière.",
            "Passages were judged outside their contract; a scale of 1–10 with errors worth one "
            "point each is coarse.",
        ),
    ),
    notes={
        "legal_meaning": Wording(
            "Le 0,10 que l'article rapporte pour la précision légale est l'alpha nominal : pour "
            "lui, 9 et 10 ne sont pas plus proches que 1 et 10. Sur une échelle ordonnée, c'est "
            "l'alpha ordinal qu'il faut citer.",
            "The 0.10 that the paper reports for legal meaning is the nominal alpha: it treats 9 "
            "and 10 as no closer than 1 and 10. On an ordered scale the ordinal alpha is the one "
            "to quote.",
        )
    },
)
