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


def edit_lines(found: EditsReport) -> Iterator[str]:
    """The report in English: counts, then agreement as marked and by the grouping."""
    yield from _counts("all", found.counts)
    if len(found.by_annotator) > 1:
        for name, counts in found.by_annotator.items():
            yield _summary(name, counts)
    if found.again:
        yield f"{found.again} pairs that their annotator has a second time are not compared"
    if not found.agreement:
        yield "agreement: undefined: no pair was marked by two people or more."
        return
    drawn = found.drawn
    yield (
        f"agreement on {found.shared_pairs} pairs that two or more marked; {drawn.confidence:.0%} "
        f"intervals over source texts, {drawn.draws} draws, seed {drawn.seed}"
    )
    for one in found.agreement:
        yield from _agreement(one)


def _counts(name: str, found: Counts) -> Iterator[str]:
    yield _summary(name, found)
    for kind, one in found.operations.items():
        yield (
            f"  {kind:<14} {one.edits} edits ({one.edits / found.edits:.1%}), on {one.pairs} pairs "
            f"({one.pairs / found.occurrences:.1%} of occurrences), {one.original_tokens} + "
            f"{one.simplification_tokens} tokens"
        )


def _summary(name: str, found: Counts) -> str:
    return (
        f"{name}: {found.pairs} pairs ({found.identical} identical, {found.unmarked} without an "
        f"edit), {found.original_tokens} + {found.simplification_tokens} tokens, {found.edits} "
        f"edits, {found.occurrences} occurrences (operations of pairs)"
    )


def _agreement(found: Agreement) -> Iterator[str]:
    merged = ", ".join(f"{kind} as {group}" for kind, group in sorted(found.grouping.items()))
    yield f"merged: {merged}" if merged else "as marked"
    for side, one in found.sides.items():
        basis = one.coefficients["alpha"].basis
        yield f"  {side}: {basis.units} tokens of {basis.pairs} pairs, label sets"
        told = ", ".join(f"{number} {how}" for how, number in found.consensus[side].items())
        yield f"    consensus: {told}"
        for name, figure in one.coefficients.items():
            yield f"    {_NAMES[name]:<22} {_shown(figure)}"
        if len(one.couples) > 1:
            for couple in one.couples:
                yield (
                    f"    kappa of {couple.first} and {couple.second}, {couple.kappa.basis.units} "
                    f"tokens of {couple.kappa.basis.pairs} pairs: {_shown(couple.kappa)}"
                )
        for kind, operation in one.operations.items():
            yield (
                f"    {kind}, on {operation.tokens} tokens: kappa "
                f"{_shown(operation.coefficients['davies_fleiss'])}; alpha "
                f"{_shown(operation.coefficients['alpha'])}; unitizing "
                f"{_shown(operation.coefficients['alpha_unitizing'])}"
            )
    yield "  edits of both, matched one to one"
    yield from _f1(found.edits)
    for couple_edits in found.edits.couples:
        yield from _couple(couple_edits)


def _f1(found: EditsAgreement) -> Iterator[str]:
    for kind, one in found.f1[RULES[0]].items():
        told = ", ".join(f"{rule} {_shown(found.f1[rule][kind])}" for rule in RULES)
        yield f"    {kind or 'all'}, {one.basis.units} edits: F1 {told}"


def _couple(found: CoupleEdits) -> Iterator[str]:
    yield f"  {found.second} beside {found.first}, {found.pairs} pairs"
    for rule in RULES:
        one = found.found[rule][""]
        matched = f"{one.matched:.1f}" if rule == "aligned" else one.matched
        yield (
            f"    {rule}: {matched} of {one.first_edits} and {one.second_edits} edits; "
            f"precision {_shown(one.precision)}, recall {_shown(one.recall)}"
        )
    otherwise = [cell for cell in found.confused if cell.first != cell.second]
    for cell in otherwise[:_MOST_CONFUSED]:
        yield (
            f"    {cell.edits} × {cell.first or _none(cell.second)} of {found.first}, "
            f"{cell.second or _none(cell.first)} of {found.second}"
        )
    if len(otherwise) > _MOST_CONFUSED:
        yield f"    {len(otherwise) - _MOST_CONFUSED} further differences in --json"


def _none(kind: str) -> str:
    return f"no {kind}"


def _shown(found: Figure) -> str:
    """The value with its interval; why it is missing, or why its interval is."""
    interval = found.interval
    if found.value is None:
        return f"undefined: {found.undefined.en if found.undefined else ''}"
    if interval.low is None or interval.high is None:
        reason = interval.undefined.en if interval.undefined else ""
        return f"{found.value:.4f}  ({reason})"
    return f"{found.value:.4f}  [{interval.low:.4f}, {interval.high:.4f}]"
