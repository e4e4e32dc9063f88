"""JUDGEBERT: what the corpus is (table 3), and model-based metrics (tables 5 and 6). Table 4 is an
example of two sentences that are called unrelated, by the rule of ``scoring.augmentation``, and
holds no figure."""

from annotation.metrics.papers.figures import (
    ABOVE,
    AUGMENTED,
    AUGMENTED_RMSE,
    IDENTICAL,
    NUMBER,
    PEARSON,
    RICHNESS_OF_TEXTS,
    RMSE,
    UNRELATED,
    WORDS,
)
from annotation.metrics.papers.paper import NO_SYSTEM, WEIGHTS, PaperLine, PaperTable
from annotation.protocols.base import Wording
from annotation.protocols.registry import protocol

_PROTOCOL = protocol("legal_meaning", "1")
_COLUMNS = (PEARSON, RMSE, IDENTICAL, UNRELATED, ABOVE)


def _line(label: str, *published: float, ours: tuple[str, ...] = ()) -> PaperLine:
    r, rmse, *shares = published
    return PaperLine(label, (r, rmse, *(round(share / 100, 4) for share in shares)), ours, WEIGHTS)


LEGAL_MEANING = PaperTable(
    key="judgebert-5-6",
    paper="Beauchemin et al. (2025), JUDGEBERT",
    table=Wording("tableaux 5 et 6, sans augmentation", "tables 5 and 6, without augmentation"),
    note=Wording(
        "Publié : 90 paires de test de FrJUDGE, mesures ramenées à 0–10. Ici : toutes les sorties "
        "du rapport, sur son échelle.",
        "Published: 90 test pairs of FrJUDGE, metrics brought to 0–10. Here: all outputs of the "
        "report, on its scale.",
    ),
    columns=_COLUMNS,
    ours=_COLUMNS,
    lines=(
        _line("BERTScore", 0.46, 3.61, 100, 0, 82.22, ours=("bertscore",)),
        _line("Coverage", 0.19, 2.82, 0, 0, 27.78, ours=("coverage",)),
        _line("LENS", 0.38, 2.57, 0, 0.67, 30.00, ours=("lens",)),
        _line("MeaningBERT", 0.17, 3.51, 100, 0.67, 82.22, ours=("meaningbert",)),
        _line("QuestEval", -0.05, 2.99, 0, 0, 27.78, ours=("questeval",)),
        _line("SBERT (sentence-t5-xxl)", 0.13, 3.25, 100, 0, 76.67, ours=("sbert",)),
        _line("SBERT-Multi (distiluse v1)", 0.06, 3.35, 0, 0, 77.78, ours=("sbert-multi",)),
        _line("JUDGEBERT", 0.74, 1.72, 0, 0, 0.00, ours=("judgebert",)),
    ),
    protocol=_PROTOCOL.key,
    dimension=_PROTOCOL.predicted,
)
_AUGMENTED = (AUGMENTED, AUGMENTED_RMSE, IDENTICAL, UNRELATED)
AUGMENTED_MEANING = PaperTable(
    key="judgebert-5-augmented",
    paper="Beauchemin et al. (2025), JUDGEBERT",
    table=Wording("tableau 5, avec augmentation", "table 5, with augmentation"),
    note=Wording(
        "Publié : paires de test tirées de 297 jugées et de 594 de contrôle, mesures ramenées à "
        "0–10. Ici : toutes les sorties du rapport, et ses paires de contrôle (300 originaux au "
        "plus).",
        "Published: test pairs drawn from 297 judged and 594 control pairs, metrics brought to "
        "0–10. Here: all outputs of the report, and its control pairs (of 300 originals at most).",
    ),
    columns=_AUGMENTED,
    ours=_AUGMENTED,
    lines=(
        _line("BERTScore", 0.94, 5.09, 100, 0, ours=("bertscore",)),
        _line("Coverage", 0.90, 2.20, 0, 0, ours=("coverage",)),
        _line("LENS", 0.56, 3.87, 0, 0.67, ours=("lens",)),
        _line("MeaningBERT", 0.81, 3.98, 100, 0.67, ours=("meaningbert",)),
        _line("QuestEval", 0.68, 3.82, 0, 0, ours=("questeval",)),
        _line("SBERT (sentence-t5-xxl)", 0.92, 2.84, 100, 0, ours=("sbert",)),
        _line("SBERT-Multi (distiluse v1)", 0.90, 2.39, 100, 0, ours=("sbert-multi",)),
        _line("JUDGEBERT-DA", 0.97, 1.01, 100, 100, ours=("judgebert-da",)),
    ),
    protocol=_PROTOCOL.key,
    dimension=_PROTOCOL.predicted,
)
_FACTS = (NUMBER, *RICHNESS_OF_TEXTS, *WORDS)
CORPUS = PaperTable(
    key="judgebert-3",
    paper="Beauchemin et al. (2025), JUDGEBERT",
    table=Wording("tableau 3, le corpus", "table 3, the corpus"),
    note=Wording(
        "Publié : richesse = mots distincts d'une phrase sur le vocabulaire entier (en %), avec "
        "les mots et les phrases de spaCy, sans ponctuation. Ici : la même définition par clause. "
        "Les 297 clauses de FrJUDGE ont 65 mots en moyenne, les simplifications 43 : les 18,83 et "
        "14,24 imprimés ne peuvent être que de phrases au sens de spaCy, dont ni la version ni le "
        "découpage ne sont donnés, et ne se recalculent pas.",
        "Published: richness = a sentence's distinct words over the whole vocabulary (in per "
        "cent), with spaCy's words and sentences, without punctuation. Here: the same definition "
        "by clause. FrJUDGE's 297 clauses have 65 words on the average, its simplifications 43: "
        "the printed 18.83 and 14.24 can only be of sentences as spaCy cuts them, of which neither "
        "version nor rule is given, and cannot be computed anew.",
    ),
    columns=_FACTS,
    ours=_FACTS,
    lines=(
        PaperLine("FrJUDGE", (297, 1.2, 1.1, 18.83, 14.24), ("",), NO_SYSTEM),
        PaperLine("CLEAR", (4596, 2.4, 2.28, 19.65, 19.50), ("clear",), NO_SYSTEM),
        PaperLine("WikiLarge FR", (297753, 0.59, 0.5, 14.57, 11.73), ("wikilarge fr",), NO_SYSTEM),
    ),
    protocol=_PROTOCOL.key,
    dimension=_PROTOCOL.predicted,
    of_parts=True,
)
TABLES = (CORPUS, LEGAL_MEANING, AUGMENTED_MEANING)
