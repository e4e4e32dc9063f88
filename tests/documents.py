"""An invented contract for tests of source documents: five hard clauses that are kept, and what is
not."""

from __future__ import annotations

from annotation.models import Study, User
from annotation.models.document import SourceDocument
from annotation.services.documents.documents import document_add

HARD = (
    (
        "L'indemnisation additionnelle est subordonnée à la communication préalable des documents "
        "justificatifs."
    ),
    (
        "L'administrateur provisoire détermine les modalités d'indemnisation complémentaire des "
        "bénéficiaires."
    ),
    (
        "La déclaration volontairement incomplète entraîne la déchéance immédiate des garanties "
        "additionnelles."
    ),
    (
        "Le remboursement proportionnel des cotisations demeure conditionnel à la résiliation "
        "anticipée."
    ),
    (
        "La subrogation conventionnelle autorise l'organisme indemnisateur à réclamer réparation "
        "intégrale."
    ),
)
EASY = "Le feu est vif. Le vent est fort."
ENGLISH = (
    "The insurer shall indemnify the policyholder for consequential deterioration of the property."
)
CONTRACT = f"""\
CHAPITRE PREMIER
1. INDEMNISATION
{HARD[0]}
{EASY}
{HARD[1]}
{HARD[2]}
2. FIN
{HARD[3]}
{HARD[0]}
{ENGLISH}
{HARD[4]}
"""


def make_document(
    study: Study, actor: User | None = None, text: str = CONTRACT, name: str = ""
) -> SourceDocument:
    return document_add(actor=actor, study=study, name=name or "contrat.txt", content=text.encode())
