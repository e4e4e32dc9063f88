"""JADES: metrics and people by system (table 3), and Pearson of metrics with each dimension, with
the references among the outputs and without them (table 4)."""

from annotation.metrics.papers.figures import PEARSON, WITH_REFERENCES
from annotation.metrics.papers.paper import NO_SYSTEM, WEIGHTS, PaperColumn, PaperLine, PaperTable
from annotation.protocols.base import Wording
from annotation.protocols.registry import protocol

_PROTOCOL = protocol("jades", "1")

_WITHOUT = PaperColumn("without", Wording("r, sans elles", "r, without them"))
_FLUENCY, _MEANING, _SIMPLICITY = _PROTOCOL.dimensions
_LABELS = {
    _FLUENCY: Wording("tableau 4, fluidité", "table 4, fluency"),
    _MEANING: Wording("tableau 4, sens", "table 4, meaning"),
    _SIMPLICITY: Wording("tableau 4, simplicité", "table 4, simplicity"),
}
# By dimension: BLEU, SARI, BERTScore, each with and without.
_PUBLISHED = {
    _FLUENCY: ((0.308, 0.167), (0.300, 0.157), (0.335, 0.230)),
    _MEANING: ((0.411, 0.228), (0.385, 0.142), (0.429, 0.275)),
    _SIMPLICITY: ((0.459, 0.177), (0.493, 0.294), (0.474, 0.246)),
}


def _table(dimension: str) -> PaperTable:
    bleu, sari, bertscore = _PUBLISHED[dimension]
    return PaperTable(
        key=f"jades-4-{dimension}",
        paper="Hayakawa et al. (2022), JADES",
        table=_LABELS[dimension],
        note=Wording(
            "Publié : les deux moitiés des données; des notes de la moitié « test » ne sont pas "
            "publiées telles qu'elles étaient, et le tableau ne se recalcule qu'en partie. Ici : "
            "avec et sans les sorties jugées du système de référence, s'il y en a un.",
            "Published: both halves of the data; the scores of the “test” half are not released as "
            "they were, and the table can be computed anew in part only. Here: with and without "
            "the judged outputs of the reference system, where there is one.",
        ),
        columns=(WITH_REFERENCES, _WITHOUT),
        ours=(WITH_REFERENCES, PEARSON),
        lines=(
            PaperLine("BLEU", bleu, ("bleu",)),
            PaperLine("SARI", sari, ("sari",)),
            PaperLine("BERTScore", bertscore, ("bertscore",), WEIGHTS),
        ),
        protocol=_PROTOCOL.key,
        dimension=dimension,
    )


# Table 3 on JADES: BLEU, SARI, BERTScore; fluency, meaning, simplicity where people were asked.
_BY_SYSTEM = {
    "Reference": (None, None, None, 3.17, 3.09, 2.45),
    "Identical": (29.10, 16.27, 80.93, None, None, None),
    "BART-S": (26.34, 41.21, 80.75, None, None, None),
    "BART-J": (32.50, 49.97, 82.81, None, None, None),
    "BART-SJ": (36.03, 58.12, 83.90, 2.84, 2.38, 1.95),
    "EditNTS-S": (25.05, 36.67, 78.38, None, None, None),
    "EditNTS-SJ": (30.52, 44.30, 80.78, 2.76, 2.36, 1.45),
}
# As the released file calls the two whose outputs people judged.
_RELEASED = {"BART-SJ": "bart", "EditNTS-SJ": "editnts"}


def _systems(dimension: str) -> PaperTable:
    place = 3 + list(_PUBLISHED).index(dimension)
    label = _LABELS[dimension]
    columns = (
        PaperColumn("means.bleu", Wording("BLEU", "BLEU"), "points"),
        PaperColumn("means.sari", Wording("SARI", "SARI"), "points"),
        PaperColumn("means.bertscore", Wording("BERTScore", "BERTScore"), "points"),
        PaperColumn("people.mean", Wording("moyenne des gens", "people's mean"), "points"),
    )
    return PaperTable(
        key=f"jades-3-{dimension}",
        paper="Hayakawa et al. (2022), JADES",
        table=Wording(label.fr.replace("4", "3"), label.en.replace("4", "3")),
        note=Wording(
            "Publié : moitié « test », mesures d'un corpus entier. Ici : moyennes des sorties de "
            "chaque système; BERTScore s'il est apporté sous le nom bertscore.",
            "Published: the “test” half, metrics of a whole corpus. Here: means over each system's "
            "outputs; BERTScore where it is brought in under the name bertscore.",
        ),
        columns=columns,
        ours=columns,
        lines=tuple(
            PaperLine(
                name,
                (*figures[:3], figures[place]),
                (name.casefold(), *([_RELEASED[name]] if name in _RELEASED else [])),
                NO_SYSTEM,
            )
            for name, figures in _BY_SYSTEM.items()
        ),
        protocol=_PROTOCOL.key,
        dimension=dimension,
        of_parts=True,
    )


TABLES = (*map(_systems, _PUBLISHED), *map(_table, _PUBLISHED))
