"""Agreement on what people marked, word by word, as card and paragraph on methods tell it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.protocols.base import NO_WORDING, Wording
from annotation.protocols.edits import SIDES
from annotation.release.frozen import Frozen

HEADLINE = "davies_fleiss"
"""What ASSETann's paper quotes (Davies and Fleiss 1982)."""
COLUMNS = ("side", "words", "coefficient", "value", "interval")
_COEFFICIENTS = (HEADLINE, "alpha", "agreement")
_NOT_MARKED = (
    "This snapshot was made before agreement on marks was in one: freeze the study again to have "
    "it."
)
_SAID = Wording(
    "Sur les mots de chaque texte{question}, l'accord est donné par le kappa de Davies et Fleiss "
    "(une combinaison d'{operations} est une classe, leur absence aussi{interval})\u00a0: "
    "{as_marked}{merged}.",
    "On the words of each text{question}, agreement is given as Davies and Fleiss's kappa (a "
    "combination of {operations} is a class, and so is none{interval}): {as_marked}{merged}.",
)
_INTERVAL = Wording(
    "; entre crochets l'intervalle à {confidence}\u00a0% par rééchantillonnage des textes "
    "originaux, {draws} tirages, graine {seed}, qui vaut pour ces annotateurs et d'autres textes",
    "; in brackets its {confidence}% interval from a bootstrap over original texts, {draws} draws, "
    "seed {seed}, which holds for these annotators on other texts",
)
_BOTH_SIDES = Wording(
    "{original} sur les originaux et {simplification} sur les simplifications",
    "{original} on originals and {simplification} on simplifications",
)
_MERGED = Wording(
    "; les {operations} d'un même groupe ({groups}) comptées comme une, {figures}",
    "; with the {operations} of a group ({groups}) counted as one, {figures}",
)
_OF_QUESTION = Wording(" («\u00a0{label}\u00a0»)", " (“{label}”)")
_UNDEFINED = Wording("indéfini", "undefined")
_OPERATIONS, _ERRORS = Wording("opérations", "operations"), Wording("erreurs", "errors")


def marks_section(frozen: Frozen) -> Iterator[str]:
    """Of the card; nothing where no marks are counted."""
    if not frozen.counts_marks:
        return
    yield from ("", "## Agreement on marks", "")
    if not frozen.marks:
        yield _NOT_MARKED
        return
    called = _called(frozen, *frozen.marks)
    operations, edits = called.en, "errors" if called == _ERRORS else "edits"
    yield (
        f"On the words of each side: what stands on a word is one class, several {operations} "
        f"together too, none as well. “merged”: {operations} of one group count as one "
        f"({_groups(frozen)}). `{HEADLINE}` is the kappa of Davies and Fleiss (1982), `alpha` "
        "Krippendorff's nominal alpha, `agreement` the share of equal words. Intervals resample "
        "source texts with all of their pairs, and hold for these annotators. `marks.json` has the "
        f"signatures, each of the {operations} and each two annotators, and agreement on {edits}; "
        "`mark_consensus` what most put on each word."
    )
    yield ""
    rows = [row for field, report in frozen.marks.items() for row in _rows(field, report)]
    if not rows:
        yield "No pair was marked by two people or more: there is nothing to compare."
        return
    header = ("question", operations, *COLUMNS)
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def marks_methods(frozen: Frozen) -> Iterator[Wording]:
    """A sentence for each question by which people marked, where two marked a pair."""
    for field, report in frozen.marks.items():
        if not report["agreement"]:
            continue
        as_marked, *merged = map(_sides, report["agreement"])
        has_interval = any(
            agreement["tokens"][side]["label_sets"][HEADLINE]["interval"]
            for agreement in report["agreement"]
            for side in SIDES
        )
        operations = _called(frozen, field)
        yield _SAID.format(
            operations=operations,
            question=_question(frozen, field),
            interval=_INTERVAL.format(
                confidence=f"{100 * report['confidence']:g}",
                draws=report["draws"],
                seed=report["seed"],
            )
            if has_interval
            else NO_WORDING,
            as_marked=as_marked,
            merged=_MERGED.format(
                operations=operations, groups=_groups_called(frozen, field), figures=merged[0]
            )
            if merged
            else NO_WORDING,
        )


def _groups(frozen: Frozen) -> str:
    """Those of all questions, by name."""
    groups = {group for report in frozen.marks.values() for group in _merged(report)}
    return ", ".join(sorted(groups)) or "there is none here"


def _merged(report: dict[str, Any]) -> set[str]:
    return {group for agreement in report["agreement"] for group in agreement["grouping"].values()}


def _called(frozen: Frozen, *fields: str) -> Wording:
    """What people call what they marked there: errors where all of these questions are of such."""
    known = [frozen.protocol.field(field) for field in fields] if frozen.protocol else []
    return _ERRORS if known and all(field.are_errors for field in known) else _OPERATIONS


def _groups_called(frozen: Frozen, field: str) -> Wording:
    """The groups of a question in words; by name where the protocol is not installed."""
    groups = sorted(_merged(frozen.marks[field]))
    known = frozen.protocol.field(field).mark_groups if frozen.protocol else ()
    labels = [group.label for group in known if group.key in groups]
    labels = labels or [Wording(group, group) for group in groups]
    return Wording(
        *(", ".join(label.get(code).lower() for label in labels) for code in ("fr", "en"))
    )


def _rows(field: str, report: dict[str, Any]) -> Iterator[list[str]]:
    for agreement in report["agreement"]:
        for side in SIDES:
            figures = agreement["tokens"][side]["label_sets"]
            for name in _COEFFICIENTS:
                own = figures[name]
                bounds = own["interval"]
                yield [
                    field,
                    "merged" if agreement["grouping"] else "as marked",
                    side,
                    str(own["tokens"]),
                    name,
                    "undefined" if own["value"] is None else f"{own['value']:z.4f}",
                    f"{bounds[0]:z.4f} to {bounds[1]:z.4f}" if bounds else "–",
                ]


def _sides(agreement: dict[str, Any]) -> Wording:
    return _BOTH_SIDES.format(
        **{side: _figure(agreement["tokens"][side]["label_sets"][HEADLINE]) for side in SIDES}
    )


def _figure(own: dict[str, Any]) -> Wording:
    """«0,32 [0,26; 0,38]»."""
    if own["value"] is None:
        return _UNDEFINED
    en = f"{own['value']:z.2f}"
    if own["interval"]:
        low, high = own["interval"]
        en = f"{en} [{low:z.2f}; {high:z.2f}]"
    return Wording(en.replace(".", ","), en)


def _question(frozen: Frozen, field: str) -> Wording:
    """Which, where there are several."""
    if len(frozen.marks) < 2:
        return NO_WORDING
    label = frozen.protocol.field(field).label if frozen.protocol else Wording(field, field)
    return _OF_QUESTION.format(label=label)
