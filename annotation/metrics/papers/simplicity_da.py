"""Simplicity-DA: |Pearson| with the simplicity z-score against ASSET's references, in both halves
and over all."""

from annotation.metrics.papers.figures import HIGH, LOW, PEARSON
from annotation.metrics.papers.paper import NOT_HERE, WEIGHTS, PaperLine, PaperTable
from annotation.protocols.base import Wording
from annotation.protocols.registry import protocol

_PROTOCOL = protocol("direct_assessment", "1")
_MEANING, _FLUENCY, _SIMPLICITY = _PROTOCOL.dimensions

SIMPLICITY = PaperTable(
    key="simplicity-da",
    paper="Alva-Manchego, Scarton and Specia (2021), Simplicity-DA",
    table=Wording(
        "tableau des corrélations, références d'ASSET", "table of correlations, ASSET's references"
    ),
    note=Wording(
        "Publié : valeurs absolues, 600 sorties de six systèmes, cotes Z de la simplicité. Ici : "
        "avec le signe par lequel plus haut est meilleur.",
        "Published: absolute values, 600 outputs of six systems, z-scores of simplicity. Here: "
        "with the sign by which higher is better.",
    ),
    columns=(LOW, HIGH, PEARSON),
    ours=(LOW, HIGH, PEARSON),
    lines=(
        PaperLine("BERTScore-P", (0.512, 0.287, 0.617), ("bertscore_p",), WEIGHTS),
        PaperLine("BERTScore-F1", (0.518, 0.224, 0.573), ("bertscore_f1",), WEIGHTS),
        PaperLine("iBLEU", (0.398, 0.253, 0.504), ("ibleu",), NOT_HERE),
        PaperLine("BLEU", (0.405, 0.235, 0.496), ("bleu (table)", "bleu")),
        PaperLine("SARI", (0.336, 0.139, 0.359), ("sari (table)", "sari_da")),
        PaperLine("FKGL", (0.272, 0.093, 0.117), ("fkgl (table)", "fkgl")),
        PaperLine(
            "SAMSA",
            (0.103, 0.010, 0.058),
            ("samsa",),
            Wording(
                "Demande l'analyseur TUPA et son modèle; apportez les notes.",
                "Needs the parser TUPA and its model; bring the scores in.",
            ),
        ),
    ),
    protocol=_PROTOCOL.key,
    dimension=_SIMPLICITY,
)
TABLES = (SIMPLICITY,)
