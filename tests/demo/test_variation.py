"""The invented annotators answer validly, differently from each other, and always the same."""

from __future__ import annotations

import subprocess
import sys
from statistics import mean

import pytest

from annotation.demo import Record, records
from annotation.demo.seed import active_seconds, variation
from annotation.protocols.base import PairFacts
from annotation.protocols.registry import protocol

PROTOCOL = protocol("legal_meaning", "1")
ASK = {"crossing_policy": "ask", "span_required": False}
ANNOTATORS = range(5)


def facts(record: Record) -> PairFacts:
    identical = record["simplification"] == record["original"]
    return PairFacts(
        original_length=len(record["original"]),
        simplification_length=len(record["simplification"]),
        is_identical=identical,
        is_other_language=record["intended"]["simplicity"] == 4 and not identical,
    )


def scores(annotator: int) -> list[int]:
    values = []
    for record in records():
        ratings = PROTOCOL.ratings(variation(record, annotator, "demo"), ASK)
        values += [rating.value for rating in ratings if rating.dimension == "legal_meaning"]
    return values


@pytest.mark.parametrize("annotator", ANNOTATORS)
@pytest.mark.parametrize("seed", ["demo", "other"])
def test_every_answer_is_a_complete_judgment(annotator: int, seed: str) -> None:
    for record in records():
        answers = variation(record, annotator, seed)
        assert PROTOCOL.clean(answers) == answers
        assert PROTOCOL.problems(answers, facts(record), ASK) == [], record["key"]


def test_spans_are_those_of_the_quotes() -> None:
    marked = 0
    for record in records():
        quotes = {e["note"]: e for e in record["intended"]["errors"]}
        for error in variation(record, 4, "demo")["errors"]:
            for side in ("original", "simplification"):
                if error[f"{side}_start"] is not None:
                    span = record[side][error[f"{side}_start"] : error[f"{side}_end"]]
                    assert span == quotes[error["note"]][f"{side}_quote"]
                    marked += 1
    assert marked > 50


def test_the_same_seed_gives_the_same_answers_in_another_interpreter() -> None:
    code = (
        "from annotation.demo import records; from annotation.demo.seed import variation;"
        "print([variation(r, 2, 'demo') for r in records()])"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str([variation(record, 2, "demo") for record in records()])


def test_there_are_two_camps_and_nobody_copies() -> None:
    means = [mean(scores(annotator)) for annotator in ANNOTATORS]
    assert min(means[:3]) - max(means[3:]) > 1
    assert len({tuple(scores(annotator)) for annotator in ANNOTATORS}) == len(ANNOTATORS)


def test_crossings_are_kept_by_some_and_moved_by_others() -> None:
    given = {variation(r, a, "demo")["crossing_answer"] for r in records() for a in ANNOTATORS}
    assert given == {"", "kept", "moved"}


def test_time_is_plausible() -> None:
    seconds = [
        active_seconds(record, annotator, "demo")
        for record in records()
        for annotator in ANNOTATORS
    ]
    assert min(seconds) > 30
    assert max(seconds) < 900
