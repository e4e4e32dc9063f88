"""A report on edits as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.agreement.marks.counts import Counts
from annotation.agreement.marks.figure import Figure
from annotation.agreement.marks.matching import RULES, CoupleEdits, EditsAgreement
from annotation.agreement.marks.report import Agreement, EditsReport

_NAMES = {
    "agreement": "share of equal tokens",
    "cohen": "Cohen's kappa",
    "davies_fleiss": "Davies and Fleiss",
    "alpha": "alpha, nominal",
    "alpha_masi": "alpha, MASI",
    "alpha_unitizing": "alpha, unitizing",
    "alpha_coding": "alpha, coding of units",
}
_MOST_CONFUSED = 15


def edit_lines(report: EditsReport) -> Iterator[str]:
    """The report in English: counts, then agreement as marked and by the grouping."""
    yield from _counts("all", report.counts)
    if len(report.by_annotator) > 1:
        for name, counts in report.by_annotator.items():
            yield _summary(name, counts)
    if report.again:
        yield f"{report.again} pairs that their annotator has a second time are not compared"
    if not report.agreement:
        yield "agreement: undefined: no pair was marked by two people or more."
        return
    drawn = report.drawn
    yield (
        f"agreement on {report.shared_pairs} pairs that two or more marked; {drawn.confidence:.0%} "
        f"intervals over source texts, {drawn.draws} draws, seed {drawn.seed}"
    )
    for agreement in report.agreement:
        yield from _agreement(agreement)


def _counts(name: str, counts: Counts) -> Iterator[str]:
    yield _summary(name, counts)
    for kind, operation in counts.operations.items():
        yield (
            f"  {kind:<14} {operation.edits} edits ({operation.edits / counts.edits:.1%}), on "
            f"{operation.pairs} pairs ({operation.pairs / counts.occurrences:.1%} of occurrences), "
            f"{operation.original_tokens} + {operation.simplification_tokens} tokens"
        )


def _summary(name: str, counts: Counts) -> str:
    return (
        f"{name}: {counts.pairs} pairs ({counts.identical} identical, {counts.unmarked} without an "
        f"edit), {counts.original_tokens} + {counts.simplification_tokens} tokens, {counts.edits} "
        f"edits, {counts.occurrences} occurrences (operations of pairs)"
    )


def _agreement(agreement: Agreement) -> Iterator[str]:
    merged = ", ".join(f"{kind} as {group}" for kind, group in sorted(agreement.grouping.items()))
    yield f"merged: {merged}" if merged else "as marked"
    for side, side_figures in agreement.sides.items():
        basis = side_figures.coefficients["alpha"].basis
        yield f"  {side}: {basis.units} tokens of {basis.pairs} pairs, label sets"
        consensus = ", ".join(
            f"{number} {how}" for how, number in agreement.consensus[side].items()
        )
        yield f"    consensus: {consensus}"
        for name, figure in side_figures.coefficients.items():
            yield f"    {_NAMES[name]:<22} {_shown(figure)}"
        if len(side_figures.couples) > 1:
            for couple in side_figures.couples:
                yield (
                    f"    kappa of {couple.first} and {couple.second}, {couple.kappa.basis.units} "
                    f"tokens of {couple.kappa.basis.pairs} pairs: {_shown(couple.kappa)}"
                )
        for kind, operation in side_figures.operations.items():
            yield (
                f"    {kind}, on {operation.tokens} tokens: kappa "
                f"{_shown(operation.coefficients['davies_fleiss'])}; alpha "
                f"{_shown(operation.coefficients['alpha'])}; unitizing "
                f"{_shown(operation.coefficients['alpha_unitizing'])}"
            )
    yield "  edits of both, matched one to one"
    yield from _f1(agreement.edits)
    for couple_edits in agreement.edits.couples:
        yield from _couple(couple_edits)


def _f1(edits: EditsAgreement) -> Iterator[str]:
    for kind, figure in edits.f1[RULES[0]].items():
        by_rule = ", ".join(f"{rule} {_shown(edits.f1[rule][kind])}" for rule in RULES)
        yield f"    {kind or 'all'}, {figure.basis.units} edits: F1 {by_rule}"


def _couple(couple: CoupleEdits) -> Iterator[str]:
    yield f"  {couple.second} beside {couple.first}, {couple.pairs} pairs"
    for rule in RULES:
        figures = couple.found[rule][""]
        matched = f"{figures.matched:z.1f}" if rule == "aligned" else figures.matched
        yield (
            f"    {rule}: {matched} of {figures.first_edits} and {figures.second_edits} edits; "
            f"precision {_shown(figures.precision)}, recall {_shown(figures.recall)}"
        )
    otherwise = [cell for cell in couple.confused if cell.first != cell.second]
    for cell in otherwise[:_MOST_CONFUSED]:
        yield (
            f"    {cell.edits} × {cell.first or _none(cell.second)} of {couple.first}, "
            f"{cell.second or _none(cell.first)} of {couple.second}"
        )
    if len(otherwise) > _MOST_CONFUSED:
        yield f"    {len(otherwise) - _MOST_CONFUSED} further differences in --json"


def _none(kind: str) -> str:
    return f"no {kind}"


def _shown(figure: Figure) -> str:
    """The value with its interval; why it is missing, or why its interval is."""
    interval = figure.interval
    if figure.value is None:
        return f"undefined: {figure.undefined.en if figure.undefined else ''}"
    if interval.low is None or interval.high is None:
        reason = interval.undefined.en if interval.undefined else ""
        return f"{figure.value:z.4f}  ({reason})"
    return f"{figure.value:z.4f}  [{interval.low:z.4f}, {interval.high:z.4f}]"
