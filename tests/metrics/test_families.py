"""Each metric on pairs whose value can be worked out by hand."""

from __future__ import annotations

import pytest

from annotation.metrics.metric import (
    FAILED,
    LANGUAGE,
    NO_REFERENCE,
    NO_WORDS,
    UNDEFINED,
    UNKNOWN_LANGUAGE,
    UNSEGMENTED,
    Direction,
    Family,
    References,
    TextMetric,
    oriented,
    pair,
)
from annotation.metrics.registry import FAMILIES, metrics
from annotation.protocols.base import Wording

ORIGINAL = "L'assureur paie l'indemnité dans les trente jours."
SHORTER = "L'assureur paie dans les trente jours."


def readings(original, simplification, references=(), language="fr"):
    values: dict[str, float | str] = {}
    for family in FAMILIES:
        values |= family.readings(pair(original, simplification, references, language))
    return values


def test_a_copy_is_at_the_end_of_every_scale():
    values = readings(ORIGINAL, ORIGINAL, (ORIGINAL,))
    for metric in metrics().values():
        if metric.bounds and metric.name not in ("sari", "sari_da") and "_" not in metric.name:
            best = metric.bounds[0 if metric.direction == Direction.LOWER else 1]
            assert values[metric.name] == pytest.approx(best), metric.name
    assert values["copy_rate"] == values["length_ratio"] == values["word_overlap"] == 100
    assert values["length_ratio_characters"] == 100
    assert values["edit_distance"] == values["added_share"] == values["deleted_share"] == 0
    assert values["compression"] == values["splits"] == 1
    assert values["kandel_moles_change"] == 0


def test_words_that_were_left_out():
    values = readings(ORIGINAL, SHORTER)
    # Nine words (l, assureur, paie, l, indemnité, dans, les, trente, jours), two of them gone.
    assert values["rouge1_recall"] == pytest.approx(100 * 7 / 9)
    assert values["rouge1_precision"] == 100
    assert values["rouge1"] == pytest.approx(100 * 14 / 16)
    assert values["rougel_recall"] == pytest.approx(100 * 7 / 9)
    # Eight and six bigrams, five of them common: "paie dans" is new.
    assert values["rouge2"] == pytest.approx(100 * 10 / 14)
    assert values["deleted_share"] == pytest.approx(100 * 2 / 9)
    assert values["added_share"] == 0
    assert values["word_overlap"] == pytest.approx(100 * 7 / 8)
    assert values["length_ratio"] == pytest.approx(100 * 7 / 9)
    # "l assureur paie" and "dans les trente jours" stand in runs of three.
    assert values["copy_rate"] == 100
    # "l'indemnité " is twelve characters of fifty.
    assert values["edit_distance"] == pytest.approx(100 * 12 / len(ORIGINAL))


def test_an_accent_is_a_letter_however_it_is_written():
    composed, apart = (
        readings("L'élève payé.", "L'élève payé."),
        readings("L'élève payé.", "L'e\u0301le\u0300ve paye\u0301."),
    )
    assert composed == apart
    # As rouge-score cuts, "élève" and "eleve" would share l and ve.
    assert readings("élève", "eleve")["rouge1"] == 0


def test_against_the_best_of_several_references():
    values = readings(ORIGINAL, SHORTER, ("Rien de tel.", SHORTER))
    assert values["rouge1"] == values["rougel"] == 100
    assert values["ter"] == 0
    assert values["bleu"] == pytest.approx(100)
    # What reads the two texts alone does not change.
    assert values["length_ratio"] == readings(ORIGINAL, SHORTER)["length_ratio"]


def test_readability_of_both_sides_in_its_own_language():
    french = readings(ORIGINAL, SHORTER)
    assert french["kandel_moles_change"] == pytest.approx(
        french["kandel_moles"] - french["kandel_moles_original"]
    )
    assert french["fkgl"] == LANGUAGE
    english = readings("The insurer pays within thirty days.", "It pays soon.", language="en")
    # 3 words of one syllable but "soon": 0.39 · 3 + 11.8 · 1 - 15.59.
    assert english["fkgl"] == pytest.approx(0.39 * 3 + 11.8 - 15.59)
    assert english["kandel_moles"] == LANGUAGE


# As imports bring them: unknown, right, or wrong.
@pytest.mark.parametrize("language", ["", "ja", "en"])
def test_japanese_is_not_cut_at_spaces(language):
    values = readings(
        "保険者は三十日以内に支払う。", "保険者は支払う。", ("保険者は払う。",), language=language
    )
    numbers = {name for name, value in values.items() if not isinstance(value, str)}
    baseline, described = "length_ratio_characters", "compression"
    known = {"chrf2", "chrf++", "edit_distance", baseline, described}
    assert numbers == known, "characters' metrics only"
    assert values[baseline] == 100 * values[described] == pytest.approx(100 * 8 / 14)
    assert values["kandel_moles"] == values["fkgl"] == LANGUAGE
    assert values["sari"] == values["word_overlap"] == UNSEGMENTED
    assert values["rouge1"] == values["bleu"] == values["length_ratio"] == UNSEGMENTED
    assert 0 < values["chrf2"] < 100
    assert 0 < values["edit_distance"] < 100


@pytest.mark.parametrize(
    "simplification",
    ["保険者は支払う。", "被保險人應通知保險人。", "ผู้รับประกันภัยต้องจ่ายค่าสินไหม", "အာမခံသူသည်ပေးချေရမည်။"],
)
def test_one_text_without_spaces_is_enough(simplification):
    values = readings(ORIGINAL, simplification)
    assert values["rouge1"] == values["length_ratio"] == UNSEGMENTED
    assert values["kandel_moles"] == LANGUAGE


def test_japanese_that_a_program_has_cut_has_words():
    values = readings("保険 者 は 三十 日 以内 に 支払う 。", "保険 者 は 支払う 。", language="")
    assert values["rouge1_precision"] == 100
    assert values["kandel_moles"] == LANGUAGE


def test_readability_of_a_text_in_no_known_language_is_not_given():
    values = readings(ORIGINAL, SHORTER, language="")
    assert values["kandel_moles"] == values["fkgl"] == UNKNOWN_LANGUAGE
    assert values["rouge1_precision"] == 100


@pytest.mark.parametrize("texts", [("…", "Un mot."), ("Un mot.", "…"), ("", "")])
def test_texts_without_words_are_said_to_be(texts):
    values = readings(*texts)
    assert values["rouge1"] == values["word_overlap"] == NO_WORDS
    assert all(isinstance(value, float | int) or value in UNDEFINED for value in values.values())


def test_sari_needs_a_reference():
    assert readings(ORIGINAL, SHORTER)["sari"] == NO_REFERENCE


def test_what_fails_on_one_pair_says_so():
    metric = TextMetric("odd", Wording("odd", "odd"), Direction.HIGHER, None)
    broken = Family("odd", (metric,), lambda text_pair: {"odd": 1 / len(text_pair.simplification)})
    assert broken.readings(pair("a", "b")) == {"odd": 1.0}
    assert broken.readings(pair("a", "")) == {"odd": FAILED}
    endless = Family("odd", (metric,), lambda _one: {"odd": float("nan")})
    assert endless.readings(pair("a", "b")) == {"odd": FAILED}


def test_a_library_that_is_missing_is_no_failing_pair():
    metric = TextMetric("odd", Wording("odd", "odd"), Direction.HIGHER, None)

    def measure(_one):
        raise ModuleNotFoundError("odd")

    with pytest.raises(ModuleNotFoundError):
        Family("odd", (metric,), measure).readings(pair("a", "b"))


def test_higher_is_better_once_turned():
    assert oriented(0.4, Direction.LOWER) == -0.4
    assert oriented(0.4, Direction.HIGHER) == oriented(0.4, Direction.NEITHER) == 0.4


def test_what_a_family_declares_is_what_it_measures():
    whole = pair(ORIGINAL, SHORTER, (SHORTER,))
    for family in FAMILIES:
        assert {metric.name for metric in family.metrics} == set(family.measure(whole))
        assert isinstance(family.references, References)
        assert not family.weights
