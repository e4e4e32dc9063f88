"""Recompute how far metrics agree with people, with public packages only.

`python recompute_agreement.py` runs this too. From data/ratings.csv and data/metric_values.jsonl:
Pearson's, Spearman's and Kendall's correlation of each metric with the people's means, and the
differences to the best with Williams's test and Holm's correction, beside metrics.json and
data/metrics.csv. The values of a metric are published with twelve digits, of at most 600 outputs:
what rests on them is compared to 0.000001. Of models that judged no value is published, and what
rests on theirs is not recomputed. Intervals, parts of the outputs, control pairs, errors
on the human scale and systems are not recomputed.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats  # type: ignore[import-untyped]

HERE = Path(__file__).resolve().parent
ROUNDED = 1e-6
UNSETTLED = tuple(f"bareme-metrics/{version}" for version in range(1, 6))
"""The methods of before, by which equal means could differ by what summing leaves."""
CORRELATIONS = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}


def lines(name: str) -> Any:
    """A table of the data set."""
    path = HERE / "data" / f"{name}.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return pd.DataFrame([json.loads(line) for line in text.split("\n") if line])


def human_means(ratings: Any, report: Any) -> Any:
    """The people's mean of each output, to twelve digits from the first one of the larger end of
    the scale, so that equal means are one rank."""
    own = ratings[ratings["dimension"] == report["dimension"]]
    means = own.groupby("simplification_key")["value"].mean()
    if report["method"] in UNSETTLED:
        return means
    end = max(map(abs, report["scale"])) or 1.0
    digits = 12 - math.floor(math.log10(end))
    return means.map(lambda mean: round(mean, digits) + 0.0)


def turned(line: Any, report: Any, values: Any) -> Any:
    """A metric's values by output, with the sign by which higher is better."""
    kept = values[
        (values["dimension"] == report["dimension"])
        & (values["references"] == report["reference"])
        & (values["metric"] == line["name"])
    ]
    by_output = kept.set_index("simplification_key")["value"]
    return -by_output if line["direction"] < 0 else by_output


def unit(values: Any) -> Any:
    """Divided by a power of two: a metric's values may be so small that their squares are 0."""
    return np.ldexp(values, -np.frexp(np.max(np.abs(values)))[1])


def williams(first: float, second: float, between: float, n: int) -> tuple[float, float] | None:
    """t and one-sided p of whether two correlations with the same thing differ (Williams 1959, as
    in Steiger 1980, equation 7); None where it is not defined."""
    if n < 4:
        return None
    k = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    spread = 2 * k * (n - 1) / (n - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    if spread <= 0:
        return None
    t = (first - second) * math.sqrt((n - 1) * (1 + between) / spread)
    return t, float(stats.t.sf(t, n - 3))


def has_values(line: Any) -> bool:
    """Whether a line's values are published: not where a model judged."""
    return line["kind"] != "judge" and line["values"] is not None


def check_report(report: Any, ratings: Any, values: Any, checked: Any) -> str:
    """Every line of one report that has values; what is to be said of it."""
    human = human_means(ratings, report)
    # Lower is better: the people's sign is turned as a metric's is.
    human = -human if report.get("better") == "lower" else human
    title = " ".join(filter(None, (report["dimension"], report["reference"])))
    checked.same(f"metrics {title}, outputs", len(report["units"]), report["n"])
    told_lines = [line for line in report["lines"] if has_values(line)]
    measured = {line["name"]: turned(line, report, values) for line in told_lines}
    for line in told_lines:
        own = measured[line["name"]]
        checked.same(f"{title} {line['name']}, n", len(own), line["n"])
        people = human.reindex(own.index).to_numpy()
        for name, of in CORRELATIONS.items():
            published = line["figures"][name]["value"]
            if published is not None:
                here = float(of(own.to_numpy(), people).statistic)
                checked.same(f"{title} {line['name']} {name}", here, published, ROUNDED)
    if report["best"]:
        check_versus(title, report, measured, human, checked)
    said = f"{report['dimension']}, {len(told_lines)} lines over {report['n']} outputs"
    without = [line["name"] for line in report["lines"] if line["n"] and not has_values(line)]
    if not without:
        return said
    rest = ", nor differences to it" if report["best"] in without else ""
    return f"{said} (NOT recomputed, values are not published: {', '.join(without)}{rest})"


def check_versus(title: str, report: Any, measured: Any, human: Any, checked: Any) -> None:
    """The difference of every other line to the best, where both have values."""
    best = measured.get(report["best"])
    for line in report["lines"]:
        versus, own = line["versus"], measured.get(line["name"])
        if best is None or own is None:
            continue
        if versus is None or versus["difference"]["value"] is None:
            continue
        both = best.index.intersection(own.index)
        best_scores, own_scores, people = (
            scores.loc[both].to_numpy() for scores in (best, own, human)
        )
        first, second, between = (
            float(np.corrcoef(*map(unit, pair))[0, 1])
            for pair in ((best_scores, people), (own_scores, people), (best_scores, own_scores))
        )
        named = f"{title} {line['name']} against {report['best']}"
        checked.same(f"{named}, difference", first - second, versus["difference"]["value"], ROUNDED)
        test = williams(first, second, between, len(both))
        if test is not None and versus["p"] is not None:
            checked.same(f"{named}, p", test[1], versus["p"], ROUNDED)
    for name in ("p", "p_bootstrap"):
        tested = [line["versus"] for line in report["lines"] if (line["versus"] or {}).get(name)]
        corrected = holm([versus[name] for versus in tested])
        for versus, here in zip(tested, corrected, strict=True):
            # P values are published with six digits that count, and multiplied.
            reach = ROUNDED * len(tested)
            checked.same(f"{title} {name} after Holm", here, versus[f"{name}_holm"], reach)


def holm(p_values: list[float]) -> list[float]:
    """Each p after Holm's (1979) correction over all of them."""
    order, highest = np.argsort(p_values, kind="stable"), 0.0
    adjusted = [0.0] * len(p_values)
    for rank, place in enumerate(order.tolist()):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def check_table(facts: Any, checked: Any) -> None:
    """The table that repeats metrics.json."""
    rows = lines("metrics").to_dict("records")
    keys = ("dimension", "references", "metric", "figure")
    published = {tuple(row[key] for key in keys): row for row in rows}
    for report in facts["reports"]:
        for line in report["lines"]:
            for name, figure in line["figures"].items():
                row = published[report["dimension"], report["reference"], line["name"], name]
                for part in ("value", "low", "high"):
                    cell = None if pd.isna(row[part]) else row[part]
                    checked.same(f"metrics {line['name']} {name} {part}", cell, figure[part])


def check(checked: Any, _drawn_items: Any) -> str:
    """Everything; what is to be said of it."""
    path = HERE / "metrics.json"
    facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"reports": []}
    if not facts["reports"]:
        return ""
    columns = {"simplification_key": str, "annotator": str}
    ratings = pd.read_csv(HERE / "data" / "ratings.csv", dtype=columns, keep_default_na=False)
    values = lines("metric_values")
    said = []
    for report in facts["reports"]:
        name = report["dimension"]
        if report["units"] is None:
            said.append(f"{name} NOT recomputed: values of {report['n']} outputs are not published")
            continue
        said.append(check_report(report, ratings, values, checked))
    check_table(facts, checked)
    return f"Metrics against people: {'; '.join(said)}.\n"
