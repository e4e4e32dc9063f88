"""The demonstration's texts cover what an annotator and a lead should see at least once."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import py3langid
import pytest

from annotation.demo import Record, guide, records
from annotation.protocols.base import Wording
from annotation.protocols.legal_meaning.classes import CLASSES
from annotation.protocols.legal_meaning.rules import score
from annotation.protocols.legal_meaning.wording import ERROR_TYPES, SIMPLICITY

RECORDS = records()
MAIN = [record for record in RECORDS if record["round"] == "main"]
SENTENCE_END = re.compile(r"[.!?»](?=\s|$)")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def by_key(record: Record) -> str:
    return str(record["key"])


def test_there_are_enough_pairs_in_both_rounds() -> None:
    assert len(MAIN) >= 40
    assert Counter(record["round"] for record in RECORDS)["practice"] == 8
    assert len({record["key"] for record in RECORDS}) == len(RECORDS)


def test_every_class_is_the_intended_one_at_least_twice() -> None:
    counts = Counter(record["intended"]["characterization"] for record in RECORDS)
    assert {value for value, count in counts.items() if count >= 2} == {
        option.value for option in CLASSES
    }


def test_every_error_type_occurs_at_least_four_times() -> None:
    counts = Counter(error["type"] for record in RECORDS for error in record["intended"]["errors"])
    assert {key for key, count in counts.items() if count >= 4} == {
        option.key for option in ERROR_TYPES
    }


def test_every_level_of_simplicity_and_every_bracket_occurs() -> None:
    levels = {record["intended"]["simplicity"] for record in MAIN}
    assert levels == {option.value for option in SIMPLICITY}
    assert {record["intended"]["bracket"] for record in MAIN} == {1, 2, 3}


def test_the_main_round_has_an_identical_an_english_and_a_truncated_output() -> None:
    assert any(record["simplification"] == record["original"] for record in MAIN)
    assert any(py3langid.classify(record["simplification"])[0] == "en" for record in MAIN)
    truncated = [record for record in MAIN if not SENTENCE_END.search(record["simplification"][-1])]
    assert truncated
    assert all("omission" in {e["type"] for e in r["intended"]["errors"]} for r in truncated)


def test_some_are_excellent_and_some_off_track() -> None:
    scores = Counter(score(r["intended"]["bracket"], len(r["intended"]["errors"])) for r in MAIN)
    assert scores[10] >= 5
    assert scores[1] >= 3
    assert len(scores) >= 7


@pytest.mark.parametrize("record", RECORDS, ids=by_key)
def test_evidence_occurs_verbatim(record: Record) -> None:
    for error in record["intended"]["errors"]:
        assert error["note"]
        assert error["original_quote"] or error["simplification_quote"]
        assert error["original_quote"] in record["original"]
        assert error["simplification_quote"] in record["simplification"]


@pytest.mark.parametrize("record", RECORDS, ids=by_key)
def test_an_original_is_a_legal_text_block(record: Record) -> None:
    assert 30 <= len(words(record["original"])) <= 110
    assert 1 <= len(SENTENCE_END.findall(record["original"])) <= 5
    assert py3langid.classify(record["original"])[0] == "fr"
    assert "fictif" in record["source"] or "fictive" in record["source"]


@pytest.mark.parametrize("record", RECORDS, ids=by_key)
def test_no_simplification_is_intended_exactly_where_a_machine_finds_none(record: Record) -> None:
    identical = record["simplification"] == record["original"]
    other_language = py3langid.classify(record["simplification"])[0] != "fr"
    assert (record["intended"]["simplicity"] == 4) == (identical or other_language)


@pytest.mark.parametrize("record", RECORDS, ids=by_key)
def test_class_18_comes_with_an_explanation(record: Record) -> None:
    intended = record["intended"]
    assert (intended["characterization"] == 18) == bool(intended["explanation"])


def test_no_two_originals_are_near_duplicates() -> None:
    shingles = {
        r["key"]: set(zip(*(words(r["original"])[n:] for n in range(3)), strict=False))
        for r in RECORDS
    }
    for (key, left), (other, right) in combinations(shingles.items(), 2):
        assert len(left & right) / min(len(left), len(right)) < 0.2, (key, other)


@pytest.mark.parametrize(
    "option", [*CLASSES, *SIMPLICITY, *ERROR_TYPES], ids=lambda option: option.key
)
def test_every_option_is_explained_in_both_languages(option: object) -> None:
    for name in ("label", "help"):
        wording: Wording = getattr(option, name)
        assert wording.fr.strip()
        assert wording.en.strip()


def test_classes_and_errors_have_examples_and_distinct_keys() -> None:
    for options in (CLASSES, SIMPLICITY, ERROR_TYPES):
        assert [option.value for option in options] == list(range(1, len(options) + 1))
        assert len({option.key for option in options}) == len(options)
    assert all(option.example.fr and option.example.en for option in (*CLASSES, *ERROR_TYPES))


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_guide_says_first_that_it_is_a_demonstration(language: str) -> None:
    body = guide(language)
    assert body.startswith(("> **Démonstration", "> **Demonstration"))
    assert len(words(body)) > 300
