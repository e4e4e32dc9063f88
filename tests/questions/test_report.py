"""The report, and its figures computed again from the written rows by other libraries."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats  # type: ignore[import-untyped]
from sklearn.metrics import (  # type: ignore[import-untyped]
    cohen_kappa_score,
    precision_score,
    recall_score,
)

from annotation.agreement.bootstrap import resampled_counts
from annotation.agreement.systems.resampling import tail_of
from annotation.corpus.question_rows import QuestionRow, as_csv
from annotation.corpus.summaries import read_summaries
from annotation.metrics.report.estimate import Drawn
from annotation.questions.against import best_threshold
from annotation.questions.figures import Maker
from annotation.questions.report import AS_GRADED, WORDS_FOUND, Spent, questions_report
from tests.questions.rows import SYSTEMS, VARIANTS, rows

ROWS = rows()
DRAWN = Drawn(draws=400, seed=11)
REPORT = questions_report(ROWS, drawn=DRAWN)
GAVEL = Path(__file__).parents[2].parent / "shared" / "data" / "gavel" / "ten_cases.jsonl"


def exported() -> pd.DataFrame:
    """The rows as another program reads them, with what it derives."""
    table = pd.read_csv(
        io.StringIO(as_csv(ROWS)), keep_default_na=False, na_values={"grade": [""], "usd": [""]}
    )
    absent = (table["missing"] != "") | (
        table["grade"].isna() & (table["is_in_text"] == 1) & (table["beyond_text"] == 0)
    )
    table["score"] = table["grade"].where(
        (table["is_in_text"] == 1) & (table["beyond_text"] == 0), 0
    )
    table.loc[absent, "score"] = np.nan
    table["graded"] = table["grade"].where(table["is_in_text"] == 1, 0)
    table.loc[table["missing"] != "", "graded"] = np.nan
    said = table["people"].map(lambda cell: json.loads(cell) if cell else {})
    table["share"] = said.map(
        lambda people: np.mean([value == "YES" for value in people.values()]) if people else np.nan
    )
    return table


TABLE = exported()


def part(**wanted: str) -> dict[str, Any]:
    named = {"variant": "", "model": "gpt", "system": "", "type": ""} | wanted
    (row,) = [row for row in REPORT["systems"] if named.items() <= row.items()]
    return row


def against(scoring: str = WORDS_FOUND, **wanted: str) -> dict[str, Any]:
    named = {"variant": VARIANTS[0], "system": "", "scoring": scoring} | wanted
    (row,) = [row for row in REPORT["people"] if named.items() <= row.items()]
    return row


def chosen(frame: pd.DataFrame, **wanted: str) -> pd.DataFrame:
    for name, value in wanted.items():
        frame = frame[frame[name] == value] if value else frame
    return frame


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("system", ["", *SYSTEMS])
@pytest.mark.parametrize("kind", ["", "issue"])
def test_shares_and_means_are_those_of_the_exported_rows(
    variant: str, system: str, kind: str
) -> None:
    row = part(variant=variant, system=system, type=kind)
    frame = chosen(TABLE, variant=variant, system=system, type=kind)
    known = frame["score"].dropna()
    assert row["n"] == len(frame)
    assert row["answered"] == row["yes"]["n"] == len(known)
    assert sum(reason["n"] for reason in row["missing"]) == len(frame) - len(known)
    assert row["yes"]["value"] == pytest.approx((known >= 5).mean())
    assert row["mean"]["value"] == pytest.approx(known.mean())
    graded = frame["graded"].dropna()
    assert row["yes_as_graded"]["value"] == pytest.approx((graded >= 5).mean())
    assert row["mean_as_graded"]["value"] == pytest.approx(graded.mean())
    answered = frame[frame["missing"].fillna("") == ""]
    assert row["not_in_text"]["value"] == pytest.approx((answered["is_in_text"] == 0).mean())
    beyond = (answered["is_in_text"] == 1) & (answered["beyond_text"] == 1)
    assert row["beyond_text"]["value"] == pytest.approx(beyond.mean())


def test_intervals_are_those_of_drawn_sources() -> None:
    frame = chosen(TABLE, variant=VARIANTS[0]).dropna(subset=["score"])
    by_source = frame.groupby("source")["score"].agg(["sum", "count"])
    once = np.ones(len(by_source), dtype=np.int64)
    counts = np.concatenate(list(resampled_counts(once, DRAWN.draws, DRAWN.seed)))
    means = (counts @ by_source["sum"].to_numpy()) / (counts @ by_source["count"].to_numpy())
    tail = tail_of(len(by_source))
    low, high = np.quantile(means, [tail, 1 - tail])
    mean = part(variant=VARIANTS[0])["mean"]
    assert (mean["low"], mean["high"]) == pytest.approx((low, high))
    assert mean["sources"] == 12
    assert mean["seed"] == 11
    assert "seed:11" in mean["signature"]
    assert "draws:400" in mean["signature"]


@pytest.mark.parametrize("scoring", [WORDS_FOUND, AS_GRADED])
@pytest.mark.parametrize("system", ["", *SYSTEMS])
def test_model_against_people_as_other_libraries_compute_it(scoring: str, system: str) -> None:
    row = against(scoring, system=system)
    frame = chosen(TABLE, variant=VARIANTS[0], system=system)
    column = "score" if scoring == WORDS_FOUND else "graded"
    both = frame.dropna(subset=[column, "share"])
    assert row["pearson"]["n"] == len(both)
    assert row["pearson"]["value"] == pytest.approx(stats.pearsonr(both[column], both["share"])[0])
    assert row["spearman"]["value"] == pytest.approx(
        stats.spearmanr(both[column], both["share"])[0]
    )
    decided = both[both["share"] != 0.5]
    assert row["tied"] == len(both) - len(decided)
    assert row["missing"] == len(frame.dropna(subset=["share"])) - len(both)
    people = decided["share"] > 0.5
    for line in [{"threshold": 5, **row}, *row["curve"]]:
        model = decided[column] >= line["threshold"]
        kappa = cohen_kappa_score(people, model)
        if math.isnan(kappa):
            assert line["kappa"]["value"] is None
        else:
            assert line["kappa"]["value"] == pytest.approx(kappa)
        assert line["recall"]["value"] == pytest.approx(recall_score(people, model))
        if model.any():
            assert line["precision"]["value"] == pytest.approx(precision_score(people, model))
        else:
            assert line["precision"]["value"] is None
            assert line["precision"]["undefined"]["fr"]
    assert [line["threshold"] for line in row["curve"]] == list(range(11))


def test_a_threshold_is_chosen_on_one_half_and_reported_on_the_other() -> None:
    choice = against()["chosen"]
    frame = chosen(TABLE, variant=VARIANTS[0]).dropna(subset=["score", "share"])
    frame = frame[frame["share"] != 0.5]
    sources = np.array(sorted(frame["source"].unique()))
    order = np.random.Generator(np.random.PCG64(11)).permutation(len(sources))
    half = frame["source"].isin(sources[order[: len(sources) // 2]])
    people = frame["share"] > 0.5
    kappas = {
        at: cohen_kappa_score(people[half], frame["score"][half] >= at) for at in range(1, 11)
    }
    best = max(kappas.values())
    assert kappas[choice["threshold"]] == pytest.approx(best)
    assert choice["chosen_on"] == {"n": int(half.sum()), "sources": len(sources) // 2}
    for name, at in (("there", choice["threshold"]), ("default", 5)):
        other = cohen_kappa_score(people[~half], frame["score"][~half] >= at)
        assert choice[name]["kappa"]["value"] == pytest.approx(other)
        assert choice[name]["kappa"]["n"] <= int((~half).sum())


def test_variants_are_compared_on_the_same_texts() -> None:
    (comparison,) = REPORT["variants"]
    assert comparison["first"]["variant"], comparison["second"]["variant"] == VARIANTS
    known = TABLE.dropna(subset=["score"]).assign(yes=lambda frame: frame["score"] >= 5)
    texts = known.groupby(["variant", "source", "system"])[["yes", "score"]].mean()
    apart = (texts.loc[VARIANTS[0]] - texts.loc[VARIANTS[1]]).dropna()
    assert comparison["texts"] == comparison["yes"]["n"] == len(apart)
    assert comparison["yes"]["value"] == pytest.approx(apart["yes"].mean())
    assert comparison["mean"]["value"] == pytest.approx(apart["score"].mean())
    assert comparison["mean"]["low"] < comparison["mean"]["value"] < comparison["mean"]["high"]
    each = [
        stats.pearsonr(frame["score"], frame["share"])[0]
        for frame in (
            chosen(known.dropna(subset=["share"]), variant=variant) for variant in VARIANTS
        )
    ]
    assert comparison["pearson"]["value"] == pytest.approx(each[0] - each[1], abs=0.05)
    assert comparison["pearson"]["low"] is not None


def test_questions_are_counted_once_whatever_was_answered() -> None:
    pairs = REPORT["pairs"]
    assert pairs["questions"] == 36
    assert pairs["correct"]["yes"] == pairs["correct"]["judged"] == 36
    assert pairs["correct"]["share"]["value"] == 1.0
    assert pairs["captured"]["published"] == {
        "yes": 42,
        "of": 48,
        "source": "Xu and Ashley (2023), arXiv:2309.15016",
    }
    assert pairs["captured"]["judged"] == 36


def test_what_it_cost() -> None:
    for cost in REPORT["cost"]:
        frame = chosen(TABLE, variant=cost["variant"])
        assert cost["usd"] == pytest.approx(frame["usd"].sum())
        assert cost["tokens"] == frame["tokens"].sum()
        assert cost["usd_per_row"] == pytest.approx(frame["usd"].mean())
    costs = questions_report(
        [replace(ROWS[0], usd=None)],
        drawn=Drawn(0),
        spent=[Spent(ROWS[0].variant, "gpt", 12, 5000, 0.5), Spent("other", "gpt", 1)],
    )["cost"]
    assert [(cost["question_calls"], cost["usd"], cost["usd_unknown"]) for cost in costs] == [
        (1, None, 1),
        (12, None, 1),
    ]
    assert costs[1]["tokens"] == 5000 + (ROWS[0].tokens or 0)
    assert costs[0]["usd_per_row"] is None


def test_the_published_line_stands_beside_systems_of_the_same_name() -> None:
    lines = {line["system"]: line for line in REPORT["published"]}
    assert [(line["pearson"], line["spearman"]) for line in lines.values()] == [
        (0.81, 0.83),
        (0.61, 0.8),
        (0.74, None),
        (0.72, 0.74),
    ]
    for name in SYSTEMS:
        assert len(lines[name]["ours"]) == 4, "two variants, each scored in two ways"
    assert lines[""]["ours"][0]["pearson"] == REPORT["people"][0]["pearson"]


def test_the_same_rows_give_the_same_bytes() -> None:
    assert json.dumps(questions_report(ROWS, drawn=DRAWN)) == json.dumps(REPORT)
    json.dumps(REPORT, allow_nan=False)
    again = questions_report(ROWS, drawn=Drawn(400, 12))
    assert again["systems"][0]["yes"]["value"] == REPORT["systems"][0]["yes"]["value"]
    assert again["systems"][0]["yes"]["low"] != REPORT["systems"][0]["yes"]["low"]


def test_every_figure_says_on_what_it_rests() -> None:
    def figures(value: Any) -> Any:
        if isinstance(value, dict):
            if "signature" in value:
                yield value
            for inner in value.values():
                yield from figures(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from figures(inner)

    all_figures = list(figures(REPORT))
    assert len(all_figures) > 300
    for figure in all_figures:
        assert figure["seed"] == 11
        assert f"n:{figure['n']}" in figure["signature"]
        assert (figure["value"] is None) <= (figure["undefined"] is not None)
        assert (figure["low"] is None) <= (figure["undefined"] is not None)


GOOD = QuestionRow("a", "LED", "1", grade=7, people={"A": True})


def test_nothing_is_a_no_that_was_never_answered() -> None:
    row = questions_report(
        [
            GOOD,
            replace(GOOD, question="2", missing="refused", grade=None),
            replace(GOOD, question="3", grade=None),
            replace(GOOD, question="4", is_in_text=False, grade=None),
            replace(GOOD, question="5", beyond_text=True, grade=9),
            replace(GOOD, question="6", beyond_text=True, grade=None),
        ],
        drawn=Drawn(0),
    )["systems"][0]
    assert row["missing"] == [{"reason": "no_grade", "n": 1}, {"reason": "refused", "n": 1}]
    assert (row["yes"]["value"], row["yes"]["n"]) == (0.25, 4)
    assert row["yes_as_graded"]["value"] == pytest.approx(2 / 3)
    assert row["yes_as_graded"]["n"] == 3
    # The third row was answered: what is known of its words needs no grade.
    assert (row["beyond_text"]["value"], row["beyond_text"]["n"]) == (0.4, 5)


def test_what_cannot_be_said_is_said_in_words() -> None:
    empty = questions_report([], drawn=DRAWN)
    assert empty["systems"] == empty["people"] == empty["variants"] == empty["cost"] == []
    assert empty["pairs"]["captured"]["share"]["undefined"]["fr"]
    report = questions_report([GOOD, replace(GOOD, variant="b", missing="x")], drawn=DRAWN)
    assert report["variants"][0]["texts"] == 0
    assert report["variants"][0]["pearson"]["undefined"]["en"]
    alike, other = (
        part for part in report["people"] if part["scoring"] == WORDS_FOUND and part["system"] == ""
    )
    assert alike["kappa"]["undefined"]["en"].startswith("The model and people say the same")
    assert alike["chosen"]["threshold"] is None
    assert "Fewer than 4" in alike["chosen"]["undefined"]["en"]
    assert other["missing"] == 1
    assert other["kappa"]["undefined"]["en"] == "There is nothing to count."
    assert other["recall"]["undefined"]["en"].startswith("People said yes to none")
    assert questions_report([replace(GOOD, people={})], drawn=DRAWN)["people"] == []


def test_no_threshold_is_chosen_where_kappa_never_is() -> None:
    silent = [replace(GOOD, source=str(at), grade=0) for at in range(8)]
    choice = questions_report(silent, drawn=DRAWN)["people"][0]["chosen"]
    assert choice["threshold"] in range(11)
    same = [replace(GOOD, source=str(at), grade=10) for at in range(8)]
    choice = questions_report(same, drawn=DRAWN)["people"][0]["chosen"]
    assert choice["threshold"] is None
    assert "Kappa" in choice["undefined"]["en"]


def test_of_equal_thresholds_the_one_next_to_the_default_is_taken() -> None:
    maker = Maker(np.arange(4), Drawn(0))
    values = np.array([0.0, 0.0, 8.0, 8.0])
    assert best_threshold(maker, values, np.array([False, False, True, True])) == 5
    values = np.array([6.0, 6.0, 8.0, 8.0])
    assert best_threshold(maker, values, np.array([False, False, True, True])) == 7


@pytest.mark.skipif(not GAVEL.exists(), reason="the ten cases are not here")
def test_ten_legal_references_with_four_systems_and_scripted_grades() -> None:
    written = read_summaries(GAVEL.read_bytes()).rows
    report = questions_report(
        [
            QuestionRow(
                summary.id, summary.system, str(number), type=kind, grade=(at + 3 * number) % 11
            )
            for at, summary in enumerate(written)
            for number, kind in enumerate(("issue", "reason", "conclusion"), start=1)
        ],
        drawn=DRAWN,
    )
    assert (report["n"], report["sources"]) == (120, 10)
    whole = [row for row in report["systems"] if row["type"] == "" and row["system"]]
    assert len(whole) == 4
    for system_row in whole:
        system = [at for at, row in enumerate(written) if row.system == system_row["system"]]
        grades = [(at + 3 * number) % 11 for at in system for number in (1, 2, 3)]
        assert system_row["mean"]["value"] == pytest.approx(np.mean(grades))
        assert system_row["yes"]["value"] == pytest.approx(
            np.mean([grade >= 5 for grade in grades])
        )
        assert system_row["yes"]["low"] < system_row["yes"]["value"] < system_row["yes"]["high"]
