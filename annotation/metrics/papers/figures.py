"""Columns that several papers have."""

from annotation.metrics.papers.paper import PaperColumn
from annotation.protocols.base import Wording

PEARSON = PaperColumn("pearson", Wording("r", "r"))
SPEARMAN = PaperColumn("spearman", Wording("ρ", "ρ"))
RMSE = PaperColumn("rmse", Wording("Erreur", "RMSE"), "points")
R_SQUARED = PaperColumn("r_squared", Wording("R²", "R²"))
IDENTICAL = PaperColumn(
    "identical_strict", Wording("Identiques ≥ 99 %", "Identical ≥ 99%"), "share"
)
IDENTICAL_95 = PaperColumn(
    "identical_lenient", Wording("Identiques ≥ 95 %", "Identical ≥ 95%"), "share"
)
UNRELATED = PaperColumn(
    "unrelated_strict", Wording("Sans rapport ≤ 1 %", "Unrelated ≤ 1%"), "share"
)
UNRELATED_5 = PaperColumn(
    "unrelated_lenient", Wording("Sans rapport ≤ 5 %", "Unrelated ≤ 5%"), "share"
)
AUGMENTED = PaperColumn(
    "pearson_augmented", Wording("r, avec augmentation", "r, with augmentation")
)
AUGMENTED_RMSE = PaperColumn(
    "rmse_augmented", Wording("Erreur, avec augmentation", "RMSE, with augmentation"), "points"
)
WITH_REFERENCES = PaperColumn(
    "pearson_references", Wording("r, références comprises", "r, references among the outputs")
)
ABOVE = PaperColumn("share_above", Wording("Au-dessus des gens", "Above the people"), "share")
LOW = PaperColumn("half_low", Wording("r, moitié basse", "r, low half"))
HIGH = PaperColumn("half_high", Wording("r, moitié haute", "r, high half"))

EXPLAINED = PaperColumn("explained", Wording("R² de Lasso", "R² of Lasso"))
# What the outputs are (``report.parts``).
NUMBER = PaperColumn("n", Wording("paires", "pairs"), "count")
VOCABULARY = tuple(
    PaperColumn(f"{side}.vocabulary", Wording(f"vocabulaire, {fr}", f"vocabulary, {side}"), "count")
    for side, fr in (("original", "original"), ("simplification", "simplification"))
)
WORDS = tuple(
    PaperColumn(f"{side}.words", Wording(f"mots, {fr}", f"words, {side}"), "points")
    for side, fr in (("original", "original"), ("simplification", "simplification"))
)
RICHNESS = tuple(
    PaperColumn(f"{side}.richness", Wording(f"richesse, {fr}", f"richness, {side}"), "points")
    for side, fr in (("original", "original"), ("simplification", "simplification"))
)
RICHNESS_OF_TEXTS = tuple(
    PaperColumn(
        f"{side}.richness_of_texts",
        Wording(f"richesse par texte (%), {fr}", f"richness by text (%), {side}"),
        "points",
    )
    for side, fr in (("original", "original"), ("simplification", "simplification"))
)
