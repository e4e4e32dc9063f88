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
    found = report["explained"]
    yield f"Lasso from {len(found['counts'])} counts, {found['folds']} folds of originals"
    for name, one in found["metrics"].items():
        if one["r_squared"]["n"]:
            kept = {count: value for count, value in one["coefficients"].items() if value}
            told = ", ".join(f"{count} {value:.3g}" for count, value in kept.items())
            yield f"  {name:<18} R² {_shown(one['r_squared'])}; {told or 'no coefficient'}"


def _paper(found: Report) -> Iterator[str]:
    """Each published line, and ours below it."""
    yield f"{found['paper']}, {found['table']['en']}"
    yield f"  {found['told']['en']}"
    for line in found["lines"]:
        figures = zip(found["columns"], line["published"], strict=True)
        told = (f"{one['label']['en']} {value:g}" for one, value in figures if value is not None)
        yield f"  {line['label']}: published {', '.join(told)}"
        if line["ours"]:
            for one, figure in zip(found["ours"], line["ours"], strict=True):
                if figure is not None:
                    named = line["metric"] or f"here, {figure['n']} outputs"
                    yield f"    {named}: {one['label']['en']} {_shown(figure)}"
        elif line["reason"]:
            yield f"    none here: {line['reason']['en']}"


def _basis(report: Report) -> Iterator[str]:
    low, high = report["scale"]
    about = report["dimension"] or ", ".join(report["table"]["human"])
    yield (
        f"{about}: {report['n']} outputs of {report['sources']} originals, {report['people']} "
        f"people, {report['ratings']} scores on {low:g} to {high:g}{_found(report)}"
    )
    yield (
        f"{report['confidence']:.0%} intervals over originals, {report['draws']} draws, seed "
        f"{report['seed']}; references: {report['references'] or 'none'}; {report['method']}"
    )
    yield f"one person against the others: {_shown(report['ceiling'])}"
    yield f"best: {report['best'] or 'none is defined'}"


def _found(report: Report) -> str:
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
        )
        if holds
    ]
    marked = f" ({', '.join(kinds)})" if kinds else ""
    yield f"{line['name']}{marked}: {line['n']} outputs"
    if line["missing"]:
        yield f"  {'missing':<18} {_missing(line)}"
    none: dict[str, list[str]] = {}
    for name, found in line["figures"].items():
        if found["value"] is None:
            none.setdefault(_shown(found), []).append(name)
        else:
            yield f"  {name:<18} {_shown(found)}"
    for words, names in none.items():
        yield f"  {', '.join(names)}: {words}"
    if line["versus"] is not None:
        yield f"  {'behind the best':<18} {_versus(line['versus'])}"
    yield f"  {'signature':<18} {line['signature']}"


def _missing(line: Report) -> str:
    return "; ".join(
        f"{one['n']} without a value: {one['reason']['en'] if one['reason'] else one['code']}"
        for one in line["missing"]
    )


def _versus(found: Report) -> str:
    words = _shown(found["difference"])
    if found["williams_t"] is not None:
        words += (
            f"; Williams t({found['degrees']}) {found['williams_t']:.3f}, p {found['p']:.2g}, "
            f"Holm {found['p_holm']:.2g}"
        )
    if found["p_bootstrap"] is not None:
        words += (
            f"; paired bootstrap p {found['p_bootstrap']:.2g}, Holm {found['p_bootstrap_holm']:.2g}"
        )
    return words


def _strata(report: Report) -> Iterator[str]:
    for dimension, parts in groupby(report["strata"], lambda one: str(one["dimension"])):
        for part in parts:
            yield (
                f"{dimension} = {part['value']}: {part['n']} outputs, one person against the "
                f"others {_shown(part['ceiling'])}"
            )
            for name, found in part["pearson"].items():
                if found["n"]:
                    yield f"  {name:<18} {_shown(found)}"


def _shown(found: Report) -> str:
    """The value with its interval; why it is missing, or why its interval is."""
    reason = found["undefined"]["en"] if found["undefined"] else ""
    if found["value"] is None:
        return f"undefined: {reason}"
    if found["low"] is None:
        return f"{found['value']:.4f}  ({reason})" if reason else f"{found['value']:.4f}"
    return f"{found['value']:.4f}  [{found['low']:.4f}, {found['high']:.4f}]"
