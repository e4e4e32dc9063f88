"""MeaningBERT: what its data are (tables 1 to 3), metrics against people (table 5), and both sanity
checks (tables 6 and 7). Table 4 shows examples and holds no figure."""

from collections.abc import Callable
from typing import NamedTuple

from annotation.metrics.papers.figures import (
    IDENTICAL,
    IDENTICAL_95,
    NUMBER,
    PEARSON,
    R_SQUARED,
    RICHNESS,
    RMSE,
    UNRELATED,
    UNRELATED_5,
    VOCABULARY,
    WORDS,
)
from annotation.metrics.papers.paper import (
    NO_SYSTEM,
    NOT_HERE,
    WEIGHTS,
    PaperColumn,
    PaperLine,
    PaperTable,
)
from annotation.protocols.base import NO_WORDING, Wording
from annotation.protocols.registry import protocol

_PAPER = "Beauchemin, Saggion and Khoury (2023), MeaningBERT"
_PROTOCOL = protocol("direct_assessment", "1")
_AGREEMENT = (PEARSON, R_SQUARED, RMSE)
_WORDNET = Wording(
    "Demande les données de WordNet; apportez les notes.",
    "Needs WordNet's data; bring the scores in.",
)


class _Line(NamedTuple):
    """``ours``, and why there may be none; table 5 (r, R², RMSE), table 6 (≥ 95, ≥ 99 %) and table
    7 (≤ 5, ≤ 1 %), empty where a table has no such line."""

    label: str
    ours: str
    reason: Wording
    agreement: tuple[float, ...]
    same: tuple[float, ...] = ()
    apart: tuple[float, ...] = ()


_LINES = (
    _Line(
        "BERTScore F1",
        "bertscore_f1",
        WEIGHTS,
        (0.426, -0.946, 35.167),
        (100, 100),
        (0, 0),
    ),
    _Line(
        "BERTScore precision",
        "bertscore_p",
        WEIGHTS,
        (0.424, -1.018, 35.813),
        (100, 100),
        (0, 0),
    ),
    _Line("BERTScore recall", "bertscore_r", WEIGHTS, (0.391, -0.884, 34.596), (100, 100), (0, 0)),
    _Line("BLANC", "blanc", WEIGHTS, (0.1805, -2.47, 47.15), (3.36, 3.36), (83.03, 78.60)),
    _Line("BLEU", "bleu", NO_WORDING, (0.202, -1.56, 40.294), (100, 100), (100, 71.253)),
    _Line(
        "BLEU-SARI (AM)",
        "bleu-sari-am",
        NOT_HERE,
        (0.174, -2.183, 44.935),
        (100, 100),
        (100, 69.415),
    ),
    _Line(
        "BLEU-SARI (GM)",
        "bleu-sari-gm",
        NOT_HERE,
        (0.169, -2.385, 46.341),
        (100, 100),
        (100, 69.916),
    ),
    _Line("BLEURT", "bleurt", WEIGHTS, (0.507, -5.338, 63.426), (8.914, 2.228), (100, 100)),
    _Line(
        "Coverage", "coverage", WEIGHTS, (0.175, -0.312, 28.877), (35.655, 0.279), (6.017, 1.114)
    ),
    _Line("FKBLEU", "fkbleu", NOT_HERE, (0.097, -6.251, 67.822), (0, 0), (100, 91.198)),
    _Line("FKGL", "fkgl", NO_WORDING, (0.209, -5.793, 65.647)),
    _Line("iBLEU", "ibleu", NOT_HERE, (0.202, -2.11, 44.407), (0, 0), (100, 91.142)),
    _Line("LENS", "lens", WEIGHTS, (0.529, -0.521, 31.066), (0, 0), (100, 99.387)),
    _Line("METEOR", "meteor", _WORDNET, (0.189, -0.328, 29.029), (100, 100), (97.103, 61.838)),
    _Line("QuestEval", "questeval", WEIGHTS, (0.42, 0.141, 23.352), (3.064, 0.557), (0, 0)),
    _Line("ROUGE-1", "rouge1", NO_WORDING, (0.196, -0.207, 27.691), (100, 100), (100, 94.986)),
    _Line("ROUGE-2", "rouge2", NO_WORDING, (0.203, -0.66, 32.451), (100, 100), (100, 100)),
    _Line("ROUGE-L", "rougel", NO_WORDING, (0.166, -0.304, 28.789), (100, 100), (100, 94.986)),
    _Line("SARI", "sari", NO_WORDING, (0.081, -3.393, 52.79), (100, 100), (100, 68.635)),
    _Line(
        "Sentence Transformer",
        "sbert",
        WEIGHTS,
        (0.496, -0.289, 28.632),
        (100, 100),
        (52.925, 28.022),
    ),
    _Line("TER", "ter", NO_WORDING, (0.168, -0.748, 33.313), (100, 100), (100, 100)),
    _Line(
        "MeaningBERT (without DA)",
        "meaningbert-without-da",
        WEIGHTS,
        (0.251, -0.009, 25.673),
        (0, 0),
        (0, 0),
    ),
    _Line(
        "MeaningBERT (with DA)",
        "meaningbert",
        WEIGHTS,
        (0.928, 0.86, 16.355),
        (100, 100),
        (100, 100),
    ),
)


def _checks(
    number: int,
    published: Callable[[_Line], tuple[float, ...]],
    label: Wording,
    note: Wording,
    columns: tuple[PaperColumn, ...],
) -> PaperTable:
    return PaperTable(
        key=f"meaningbert-{number}",
        paper=_PAPER,
        table=label,
        note=note,
        columns=columns,
        ours=columns,
        lines=tuple(
            PaperLine(
                line.label,
                tuple(round(share / 100, 5) for share in published(line)),
                (line.ours,),
                line.reason,
            )
            for line in _LINES
            if published(line)
        ),
        protocol=_PROTOCOL.key,
        dimension=_PROTOCOL.predicted,
    )


MEANING = PaperTable(
    key="meaningbert-5",
    paper=_PAPER,
    table=Wording("tableau 5", "table 5"),
    note=Wording(
        "Publié : moyenne de dix tirages de 30 % de CSMD, 1 355 paires, échelle de 0 à 100. Ici : "
        "toutes les sorties du rapport, comparées à leur original s'il n'y a pas de référence, "
        "avec le signe par lequel plus haut est meilleur.",
        "Published: mean of ten 30% test splits of CSMD, 1,355 pairs, scale from 0 to 100. Here: "
        "all outputs of the report, compared with their original where there is no reference, with "
        "the sign by which higher is better.",
    ),
    columns=_AGREEMENT,
    ours=_AGREEMENT,
    lines=tuple(
        PaperLine(line.label, line.agreement, (line.ours,), line.reason) for line in _LINES
    ),
    protocol=_PROTOCOL.key,
    dimension=_PROTOCOL.predicted,
)
SAME = _checks(
    6,
    lambda line: line.same,
    Wording("tableau 6, phrases identiques", "table 6, identical sentences"),
    Wording(
        "Publié : 359 phrases d'ASSET, chacune à côté d'elle-même. Ici : les paires de contrôle du "
        "rapport.",
        "Published: 359 sentences of ASSET, each beside itself. Here: the report's control pairs.",
    ),
    (IDENTICAL_95, IDENTICAL),
)
APART = _checks(
    7,
    lambda line: line.apart,
    Wording("tableau 7, phrases sans rapport", "table 7, unrelated sentences"),
    Wording(
        "Publié : 359 phrases d'ASSET, chacune à côté d'une soupe de mots d'un modèle de langue. "
        "Ici : à côté d'un autre original qui ne partage presque rien avec elle, ce qui est plus "
        "difficile.",
        "Published: 359 sentences of ASSET, each beside a soup of words from a language model. "
        "Here: beside another original that shares next to nothing with it, which is harder.",
    ),
    (UNRELATED_5, UNRELATED),
)
# By data set as printed, and as CSMD's own campaigns are called: tables 2 and 3 have the figures of
# the 360 pairs under Simplicity-DA and those of the 600 under SimpDA 2022.
_ASSET, _QUESTEVAL, _MERGED = ("asset",), ("questeval",), ("",)
_OF_360, _OF_600 = ("simpda2022",), ("simplicityda",)
_EXCHANGED = Wording(
    "Les colonnes Simplicity-DA et SimpDA 2022 y sont échangées par rapport au tableau 1 : les "
    "figures sont celles de 360 et de 600 paires.",
    "The columns Simplicity-DA and SimpDA 2022 are exchanged there in respect of table 1: their "
    "figures are those of 360 and of 600 pairs.",
)
_SPREAD = tuple(
    PaperColumn(f"people.{key}", Wording(fr, en), "points")
    for key, fr, en in (
        ("min", "minimum", "minimum"),
        ("low", "1er quartile", "first quartile"),
        ("median", "médiane", "median"),
        ("mean", "moyenne", "mean"),
        ("sd", "écart-type", "standard deviation"),
        ("high", "3e quartile", "third quartile"),
        ("max", "maximum", "maximum"),
    )
)
_Sets = tuple[tuple[str, tuple[float, ...], tuple[str, ...]], ...]


def _data(
    number: int, label: Wording, note: Wording, columns: tuple[PaperColumn, ...], sets: _Sets
) -> PaperTable:
    return PaperTable(
        key=f"meaningbert-{number}",
        paper=_PAPER,
        table=label,
        note=note,
        columns=columns,
        ours=columns,
        lines=tuple(PaperLine(name, figures, ours, NO_SYSTEM) for name, figures, ours in sets),
        protocol=_PROTOCOL.key,
        dimension=_PROTOCOL.predicted,
        of_parts=True,
    )


SETS = _data(
    1,
    Wording("tableau 1, les données", "table 1, the data"),
    Wording(
        "Publié : les quatre jeux de CSMD. Ici : les sorties du rapport par système (campaign dans "
        "la table réparée de CSMD).",
        "Published: CSMD's four data sets. Here: the report's outputs by system (campaign in "
        "CSMD's repaired table).",
    ),
    (NUMBER,),
    (
        ("ASSET", (100,), _ASSET),
        ("Simplicity-DA", (600,), _OF_600),
        ("SimpDA 2022", (360,), _OF_360),
        ("QuestEval", (295,), _QUESTEVAL),
        ("CSMD", (1355,), _MERGED),
    ),
)
TEXTS = _data(
    2,
    Wording("tableau 2, les textes", "table 2, the texts"),
    Wording(
        f"{_EXCHANGED.fr} La richesse y est celle des mots pleins dans ASSET (858 sur 994), d'une "
        "liste de mots vides qui n'est pas donnée, et ne se recalcule pas; ici, mots distincts sur "
        "tous les mots.",
        f"{_EXCHANGED.en} Richness is that of words without stop words in ASSET (858 of 994), of a "
        "list that is not given, and cannot be computed anew; here, distinct words over all words.",
    ),
    (*VOCABULARY, *WORDS, *RICHNESS),
    (
        ("ASSET", (994, 767, 18.25, 12.98, 0.86, 0.84), _ASSET),
        ("Simplicity-DA", (1138, 1787, 38.45, 20.83, 0.13, 0.25), _OF_360),
        ("SimpDA 2022", (2599, 2544, 19.75, 15.92, 0.37, 0.44), _OF_600),
        ("QuestEval", (996, 1074, 18.91, 14.00, 0.28, 0.37), _QUESTEVAL),
    ),
)
RATINGS = _data(
    3,
    Wording("tableau 3, les notes", "table 3, the ratings"),
    _EXCHANGED,
    _SPREAD,
    (
        ("ASSET", (0.87, 21.37, 45.80, 49.26, 30.57, 77.78, 99.47), _ASSET),
        ("Simplicity-DA", (28.33, 82.67, 91.00, 87.55, 12.98, 97.33, 100.00), _OF_360),
        ("SimpDA 2022", (1.27, 43.23, 64.10, 61.75, 23.77, 82.03, 98.67), _OF_600),
        ("QuestEval", (4.00, 52.57, 78.07, 69.49, 24.93, 90.15, 99.47), _QUESTEVAL),
        ("CSMD", (0.87, 52.20, 76.33, 69.37, 25.33, 90.78, 100.00), _MERGED),
    ),
)
TABLES = (SETS, TEXTS, RATINGS, MEANING, SAME, APART)
