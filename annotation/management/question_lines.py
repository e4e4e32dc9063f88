"""A report on questions, answers and grades as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Report = Mapping[str, Any]


def question_lines(report: Report) -> Iterator[str]:
    """The report in English."""
    yield (
        f"{report['n']} rows of {report['sources']} reference texts; YES from grade "
        f"{report['threshold']} on; {report['confidence']:.0%} intervals over reference texts, "
        f"{report['draws']} draws, seed {report['seed']}; {report['method']}"
    )
    for part in report["systems"]:
        yield from _part(part)
    for comparison in report["people"]:
        yield from _people(comparison)
    for variants in report["variants"]:
        yield from _variants(variants)
    yield from _pairs(report["pairs"])
    for cost in report["cost"]:
        yield _cost(cost)
    yield from _published(report["published"])


def _named(run: Report) -> str:
    return ", ".join(filter(None, (run["variant"], run["model"]))) or "one run"


def _part(part: Report) -> Iterator[str]:
    of = ", ".join(filter(None, (part["system"], part["type"]))) or "all texts"
    yield f"{_named(part)}; {of}: {part['answered']} of {part['n']} rows have a grade"
    for missing in part["missing"]:
        yield f"  missing: {missing['n']} × {missing['reason']}"
    for name, label in (
        ("yes", "YES"),
        ("mean", "mean grade"),
        ("beyond_text", "beyond the text"),
        ("not_in_text", "not in the text"),
    ):
        yield f"  {label:<18} {_shown(part[name])}"
    for name, label in (("yes_as_graded", "YES"), ("mean_as_graded", "mean grade")):
        yield f"  {label}, with what is beyond the text as graded: {_shown(part[name])}"


def _people(comparison: Report) -> Iterator[str]:
    of = comparison["system"] or "all texts"
    how = {"words_found": "words found", "as_graded": "as graded"}[comparison["scoring"]]
    yield (
        f"against people; {_named(comparison)}; {of}; {how}: {comparison['judged']} answers, "
        f"{comparison['judges']} people, {comparison['tied']} tied, {comparison['missing']} "
        "without a grade"
    )
    for name in ("pearson", "spearman", "kappa", "precision", "recall"):
        yield f"  {name:<18} {_shown(comparison[name])}"
    chosen = comparison["chosen"]
    if chosen["threshold"] is None:
        yield f"  threshold          none chosen: {chosen['undefined']['en']}"
        return
    yield (
        f"  threshold          {chosen['threshold']} chosen on {chosen['chosen_on']['sources']} "
        f"texts; on the others kappa {_shown(chosen['there']['kappa'])}"
    )
    for line in comparison["curve"]:
        figures = ", ".join(
            f"{name} {_value(line[name])}" for name in ("kappa", "precision", "recall")
        )
        yield f"    from {line['threshold']:>2}: {figures}"


def _variants(variants: Report) -> Iterator[str]:
    first, second = _named(variants["first"]), _named(variants["second"])
    yield f"{first} minus {second}: {variants['texts']} texts that both have"
    for name, label in (("yes", "YES"), ("mean", "mean grade"), ("pearson", "pearson")):
        yield f"  {label:<18} {_shown(variants[name])}"


def _pairs(pairs: Report) -> Iterator[str]:
    for name in ("captured", "correct"):
        counts = pairs[name]
        published = counts["published"]
        yield (
            f"questions, {name}: {counts['yes']} of {counts['judged']} ({counts['tied']} tied; "
            f"{pairs['questions']} questions); {_shown(counts['share'])}; published "
            f"{published['yes']} of {published['of']}"
        )


def _cost(cost: Report) -> str:
    money = (
        f"{cost['usd']:.4f} USD"
        if cost["usd"] is not None
        else f"USD unknown of {cost['usd_unknown']} entries"
    )
    tokens = "tokens unknown" if cost["tokens"] is None else f"{cost['tokens']:.0f} tokens"
    return f"cost; {_named(cost)}: {money}, {tokens}, {cost['rows']} rows"


def _published(lines: list[Report]) -> Iterator[str]:
    for line in lines:
        spearman = "–" if line["spearman"] is None else f"{line['spearman']:z.2f}"
        yield (
            f"published, {line['source']}, {line['system'] or 'mean of systems'}: pearson "
            f"{line['pearson']:z.2f}, spearman {spearman}"
        )
        for figures in line["ours"]:
            yield (
                f"  here, {_named(figures)}, {figures['scoring']}: pearson "
                f"{_value(figures['pearson'])}, spearman {_value(figures['spearman'])}"
            )


def _value(figure: Report) -> str:
    return "undefined" if figure["value"] is None else f"{figure['value']:z.3f}"


def _shown(figure: Report) -> str:
    """The value with its interval and n; why it is missing, or why its interval is."""
    reason = figure["undefined"]["en"] if figure["undefined"] else ""
    if figure["value"] is None:
        return f"undefined: {reason}"
    bounds = reason if figure["low"] is None else f"{figure['low']:z.4f}, {figure['high']:z.4f}"
    return f"{figure['value']:z.4f}  [{bounds}], n {figure['n']}"
