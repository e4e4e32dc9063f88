"""A report on metrics as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

Report = Mapping[str, Any]


def report_lines(report: Report) -> Iterator[str]:
    """The report in English, the best agreement first, metrics without any value at the end."""
    yield from _basis(report)
    defined = [line for line in report["lines"] if line["n"]]
    for line in sorted(defined, key=_rank):
        yield from _line(line)
    for line in report["lines"]:
        if not line["n"]:
            yield f"{line['name']}: {_missing(line) or 'undefined'}"
    yield from _strata(report)
    yield from _explained(report)
    for paper in report["papers"]:
        yield from _paper(paper)


def _explained(report: Report) -> Iterator[str]:
    """R² of each metric from the counts, and the coefficients that are not 0."""
    if "explained" not in report:
        return
    explained = report["explained"]
    yield f"Lasso from {len(explained['counts'])} counts, {explained['folds']} folds of originals"
    for name, fit in explained["metrics"].items():
        if fit["r_squared"]["n"]:
            kept = {count: value for count, value in fit["coefficients"].items() if value}
            coefficients = ", ".join(f"{count} {value:.3g}" for count, value in kept.items())
            yield f"  {name:<18} R² {_shown(fit['r_squared'])}; {coefficients or 'no coefficient'}"


def _paper(paper: Report) -> Iterator[str]:
    """Each published line, and ours below it."""
    yield f"{paper['paper']}, {paper['table']['en']}"
    yield f"  {paper['told']['en']}"
    for line in paper["lines"]:
        figures = zip(paper["columns"], line["published"], strict=True)
        published = (
            f"{column['label']['en']} {value:g}" for column, value in figures if value is not None
        )
        yield f"  {line['label']}: published {', '.join(published)}"
        if line["ours"]:
            for column, figure in zip(paper["ours"], line["ours"], strict=True):
                if figure is not None:
                    named = line["metric"] or f"here, {figure['n']} outputs"
                    yield f"    {named}: {column['label']['en']} {_shown(figure)}"
        elif line["reason"]:
            yield f"    none here: {line['reason']['en']}"


def _basis(report: Report) -> Iterator[str]:
    low, high = report["scale"]
    about = report["dimension"] or ", ".join(report["table"]["human"])
    yield (
        f"{about}: {report['n']} outputs of {report['sources']} originals, {report['people']} "
        f"people, {report['ratings']} scores on {low:g} to {high:g}{_ends_note(report)}"
    )
    # A table has none, and reports of before do not say.
    of_withdrawn = report.get("of_withdrawn", {"people": 0, "judgments": 0})
    if of_withdrawn["judgments"]:
        yield (
            f"of people who have withdrawn, in no snapshot: {of_withdrawn['judgments']} scores by "
            f"{of_withdrawn['people']}"
        )
    yield (
        f"{report['confidence']:.0%} intervals over originals, {report['draws']} draws, seed "
        f"{report['seed']}; references: {report['references'] or 'none'}; {report['method']}"
    )
    yield f"one person against the others: {_shown(report['ceiling'])}"
    yield "where lower is better, correlations are of the value with its sign turned"
    if report.get("better", "higher") != "higher":
        yield f"better on the human scale: {report['better']}"
    yield (
        "best, of metrics that have a better side and that at least half of the outputs have: "
        f"{report['best'] or 'none is defined'}"
    )


def _ends_note(report: Report) -> str:
    if report.get("table", {}).get("scale_given", True):
        return ""
    return " (ends as found in the table)"


def _rank(line: Report) -> tuple[bool, float]:
    value = line["figures"]["pearson"]["value"]
    return value is None, -(value or 0.0)


def _line(line: Report) -> Iterator[str]:
    kinds = [
        kind
        for kind, holds in (
            ("baseline", line["is_baseline"]),
            ("brought in", line["is_brought"]),
            ("lower is better", line["direction"] < 0),
            ("only describes", not line["direction"]),
        )
        if holds
    ]
    marked = f" ({', '.join(kinds)})" if kinds else ""
    yield f"{line['name']}{marked}: {line['n']} outputs"
    if line["missing"]:
        yield f"  {'missing':<18} {_missing(line)}"
    if past := line.get("outside"):
        numbers = ", ".join(f"{number} of {of}" for of, number in past.items())
        yield f"  {'past the range':<18} {numbers}: counted as its end in errors and shares above"
    none: dict[str, list[str]] = {}
    for name, figure in line["figures"].items():
        if figure["value"] is None:
            none.setdefault(_shown(figure), []).append(name)
        else:
            yield f"  {name:<18} {_shown(figure)}"
    for words, names in none.items():
        yield f"  {', '.join(names)}: {words}"
    if line["versus"] is not None:
        yield f"  {'behind the best':<18} {_versus(line['versus'])}"
    yield f"  {'signature':<18} {line['signature']}"


def _missing(line: Report) -> str:
    return "; ".join(
        f"{missing['n']} without a value: "
        f"{missing['reason']['en'] if missing['reason'] else missing['code']}"
        for missing in line["missing"]
    )


def _versus(versus: Report) -> str:
    words = _shown(versus["difference"])
    if versus["williams_t"] is not None:
        words += (
            f"; Williams t({versus['degrees']}) {versus['williams_t']:z.3f}, p {versus['p']:.2g}, "
            f"Holm {versus['p_holm']:.2g}"
        )
    if versus["p_bootstrap"] is not None:
        words += (
            f"; paired bootstrap p {versus['p_bootstrap']:.2g}, "
            f"Holm {versus['p_bootstrap_holm']:.2g}"
        )
    return words


def _strata(report: Report) -> Iterator[str]:
    for dimension, parts in groupby(report["strata"], lambda stratum: str(stratum["dimension"])):
        for part in parts:
            yield (
                f"{dimension} = {part['value']}: {part['n']} outputs, one person against the "
                f"others {_shown(part['ceiling'])}"
            )
            for name, figure in part["pearson"].items():
                if figure["n"]:
                    yield f"  {name:<18} {_shown(figure)}"


def _shown(figure: Report) -> str:
    """The value with its interval; why it is missing, or why its interval is."""
    reason = figure["undefined"]["en"] if figure["undefined"] else ""
    if figure["value"] is None:
        return f"undefined: {reason}"
    if figure["low"] is None:
        return f"{figure['value']:z.4f}  ({reason})" if reason else f"{figure['value']:z.4f}"
    return f"{figure['value']:z.4f}  [{figure['low']:z.4f}, {figure['high']:z.4f}]"
