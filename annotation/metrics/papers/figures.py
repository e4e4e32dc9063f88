"""Columns that several papers have."""

from annotation.metrics.papers.paper import Told
from annotation.protocols.base import Wording

PEARSON = Told("pearson", Wording("r", "r"))
SPEARMAN = Told("spearman", Wording("ρ", "ρ"))
RMSE = Told("rmse", Wording("Erreur", "RMSE"), "points")
R_SQUARED = Told("r_squared", Wording("R²", "R²"))
IDENTICAL = Told("identical_strict", Wording("Identiques ≥ 99 %", "Identical ≥ 99%"), "share")
IDENTICAL_95 = Told("identical_lenient", Wording("Identiques ≥ 95 %", "Identical ≥ 95%"), "share")
UNRELATED = Told("unrelated_strict", Wording("Sans rapport ≤ 1 %", "Unrelated ≤ 1%"), "share")
UNRELATED_5 = Told("unrelated_lenient", Wording("Sans rapport ≤ 5 %", "Unrelated ≤ 5%"), "share")
AUGMENTED = Told("pearson_augmented", Wording("r, avec augmentation", "r, with augmentation"))
AUGMENTED_RMSE = Told(
    "rmse_augmented", Wording("Erreur, avec augmentation", "RMSE, with augmentation"), "points"
)
WITH_REFERENCES = Told(
    "pearson_references", Wording("r, références comprises", "r, references among the outputs")
)
ABOVE = Told("share_above", Wording("Au-dessus des gens", "Above the people"), "share")
LOW = Told("half_low", Wording("r, moitié basse", "r, low half"))
HIGH = Told("half_high", Wording("r, moitié haute", "r, high half"))

EXPLAINED = Told("explained", Wording("R² de Lasso", "R² of Lasso"))
# What the outputs are (``report.parts``).
NUMBER = Told("n", Wording("paires", "pairs"), "count")
VOCABULARY = tuple(
    Told(f"{side}.vocabulary", Wording(f"vocabulaire, {fr}", f"vocabulary, {side}"), "count")
    for side, fr in (("original", "original"), ("simplification", "simplification"))
)
WORDS = tuple(
    Told(f"{side}.words", Wording(f"mots, {fr}", f"words, {side}"), "points")
    for side, fr in (("original", "original"), ("simplification", "simplification"))
)
RICHNESS = tuple(
    Told(f"{side}.richness", Wording(f"richesse, {fr}", f"richness, {side}"), "points")
    for side, fr in (("original", "original"), ("simplification", "simplification"))
)
RICHNESS_OF_TEXTS = tuple(
    Told(
        f"{side}.richness_of_texts",
        Wording(f"richesse par texte (%), {fr}", f"richness by text (%), {side}"),
        "points",
    )
    for side, fr in (("original", "original"), ("simplification", "simplification"))
)
