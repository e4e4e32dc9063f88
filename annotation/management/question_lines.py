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
    for one in report["people"]:
        yield from _people(one)
    for one in report["variants"]:
        yield from _variants(one)
    yield from _pairs(report["pairs"])
    for one in report["cost"]:
        yield _cost(one)
    yield from _published(report["published"])


def _named(one: Report) -> str:
    return ", ".join(filter(None, (one["variant"], one["model"]))) or "one run"


def _part(part: Report) -> Iterator[str]:
    of = ", ".join(filter(None, (part["system"], part["type"]))) or "all texts"
    yield f"{_named(part)}; {of}: {part['answered']} of {part['n']} rows have a grade"
    for one in part["missing"]:
        yield f"  missing: {one['n']} × {one['reason']}"
    for name, label in (
        ("yes", "YES"),
        ("mean", "mean grade"),
        ("beyond_text", "beyond the text"),
        ("not_in_text", "not in the text"),
    ):
        yield f"  {label:<18} {_shown(part[name])}"
    for name, label in (("yes_as_graded", "YES"), ("mean_as_graded", "mean grade")):
        yield f"  {label}, with what is beyond the text as graded: {_shown(part[name])}"


def _people(one: Report) -> Iterator[str]:
    of = one["system"] or "all texts"
    how = {"words_found": "words found", "as_graded": "as graded"}[one["scoring"]]
    yield (
        f"against people; {_named(one)}; {of}; {how}: {one['judged']} answers, {one['judges']} "
        f"people, {one['tied']} tied, {one['missing']} without a grade"
    )
    for name in ("pearson", "spearman", "kappa", "precision", "recall"):
        yield f"  {name:<18} {_shown(one[name])}"
    chosen = one["chosen"]
    if chosen["threshold"] is None:
        yield f"  threshold          none chosen: {chosen['undefined']['en']}"
        return
    yield (
        f"  threshold          {chosen['threshold']} chosen on {chosen['chosen_on']['sources']} "
        f"texts; on the others kappa {_shown(chosen['there']['kappa'])}"
    )
    for line in one["curve"]:
        figures = ", ".join(
            f"{name} {_value(line[name])}" for name in ("kappa", "precision", "recall")
        )
        yield f"    from {line['threshold']:>2}: {figures}"


def _variants(one: Report) -> Iterator[str]:
    first, second = _named(one["first"]), _named(one["second"])
    yield f"{first} minus {second}: {one['texts']} texts that both have"
    for name, label in (("yes", "YES"), ("mean", "mean grade"), ("pearson", "pearson")):
        yield f"  {label:<18} {_shown(one[name])}"


def _pairs(pairs: Report) -> Iterator[str]:
    for name in ("captured", "correct"):
        one = pairs[name]
        published = one["published"]
        yield (
            f"questions, {name}: {one['yes']} of {one['judged']} ({one['tied']} tied; "
            f"{pairs['questions']} questions); {_shown(one['share'])}; published "
            f"{published['yes']} of {published['of']}"
        )


def _cost(one: Report) -> str:
    money = (
        f"{one['usd']:.4f} USD"
        if one["usd"] is not None
        else f"USD unknown of {one['usd_unknown']} entries"
    )
    tokens = "tokens unknown" if one["tokens"] is None else f"{one['tokens']:.0f} tokens"
    return f"cost; {_named(one)}: {money}, {tokens}, {one['rows']} rows"


def _published(lines: list[Report]) -> Iterator[str]:
    for line in lines:
        spearman = "–" if line["spearman"] is None else f"{line['spearman']:.2f}"
        yield (
            f"published, {line['source']}, {line['system'] or 'mean of systems'}: pearson "
            f"{line['pearson']:.2f}, spearman {spearman}"
        )
        for one in line["ours"]:
            yield (
                f"  here, {_named(one)}, {one['scoring']}: pearson {_value(one['pearson'])}, "
                f"spearman {_value(one['spearman'])}"
            )


def _value(found: Report) -> str:
    return "undefined" if found["value"] is None else f"{found['value']:.3f}"


def _shown(found: Report) -> str:
    """The value with its interval and n; why it is missing, or why its interval is."""
    reason = found["undefined"]["en"] if found["undefined"] else ""
    if found["value"] is None:
        return f"undefined: {reason}"
    bounds = reason if found["low"] is None else f"{found['low']:.4f}, {found['high']:.4f}"
    return f"{found['value']:.4f}  [{bounds}], n {found['n']}"
