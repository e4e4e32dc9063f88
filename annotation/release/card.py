"""The dataset card: what a reader of the Hugging Face hub, or of the folder alone, has to know."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.release.deviations import deviation_lines
from annotation.release.frozen import Frozen
from annotation.release.licences import licence
from annotation.release.statistics import TextStatistics, text_statistics

TO_COMPLETE = "TO BE COMPLETED BY THE LEAD"
DEFAULT_CONFIG = "long"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class Released:
    """A table of the bundle as it was written."""

    name: str
    title: str
    rows: int


def card(frozen: Frozen, tables: Sequence[Released]) -> str:
    """README.md: front matter that ``datasets`` reads, then the card."""
    return "\n".join([*_front_matter(frozen, tables), *_body(frozen, tables)]) + "\n"


def statistics(frozen: Frozen) -> dict[str, TextStatistics]:
    """Of the originals and of their simplifications, pair by pair as they were judged."""
    originals = {row["item_key"]: row["original"] for row in frozen.rows("items")}
    pairs = list(frozen.rows("simplifications"))
    return {
        "original": text_statistics(originals[row["item_key"]] for row in pairs),
        "simplification": text_statistics(row["simplification"] for row in pairs),
    }


def agreement_rows(frozen: Frozen) -> Iterator[list[str]]:
    """Dimension, coefficient, value, interval, signature: every number that is defined, in a fixed
    order."""
    for dimension in frozen.dimensions:
        report = frozen.agreement["dimensions"][dimension["name"]]
        for name in report["signatures"]:
            group, _, key = name.partition(".")
            value = report[group][key] if key else report[group]
            bounds = report["intervals"][group]
            bounds = bounds[key] if key and bounds is not None else bounds
            fitting = " (fits this scale)" if name == f"alpha.{report['fitting']}" else ""
            yield [
                dimension["name"],
                name + fitting,
                _number(name, value),
                "–"
                if bounds is None
                else f"{_number(name, bounds[0])} to {_number(name, bounds[1])}",
                report["signatures"][name],
            ]


def _front_matter(frozen: Frozen, tables: Sequence[Released]) -> Iterator[str]:
    of = licence(frozen.study["study"]["licence"])
    yield from ("---", "language:", "- fr", f"license: {of.hub}")
    if of.hub == "other":
        yield f"license_name: {json.dumps(of.name, ensure_ascii=False)}"
    yield f"pretty_name: {json.dumps(frozen.study['study']['title'], ensure_ascii=False)}"
    yield from ("annotations_creators:", "- expert-generated", "multilinguality:", "- monolingual")
    yield from ("task_categories:", "- text-classification")
    yield from ("tags:", "- legal", "- text-simplification", "- human-evaluation")
    rows = next(table.rows for table in tables if table.name == DEFAULT_CONFIG)
    yield from (
        "size_categories:",
        f"- {next((name for most, name in _SIZES if rows < most), 'n>1M')}",
        "configs:",
    )
    for table in tables:
        if table.rows:
            yield from (f"- config_name: {table.name}", "  data_files:", "  - split: train")
            yield f"    path: data/{table.name}.parquet"
            if table.name == DEFAULT_CONFIG:
                yield "  default: true"
    yield "---"


def _body(frozen: Frozen, tables: Sequence[Released]) -> Iterator[str]:
    title, main = frozen.study["study"]["title"], frozen.study["rounds"]["main"]
    yield from ("", f"# {title}", "")
    yield (
        f"Human judgments of {main['simplifications']} French simplifications of {main['items']} "
        "legal passages: "
        f"{main['judgments']} judgments by {len(frozen.study['annotators'])} annotators. "
        f"Snapshot `{frozen.name}`, "
        f"frozen on {frozen.date}; content SHA-256 `{frozen.manifest['content_digest']}`."
    )
    yield from (
        "",
        "Résumé : jugements humains de simplifications de textes juridiques français (simplicité, ",
    )
    yield (
        "qualification, précision légale), avec les erreurs, les désaccords et les étiquettes "
        "finales."
    )
    yield from (
        "",
        "## Files",
        "",
        "Each table is there as JSONL, CSV and Parquet with the same rows (`data/`).",
        "",
    )
    yield from _table(
        ["table", "rows", "what a row is"], [[f"`{t.name}`", str(t.rows), t.title] for t in tables]
    )
    yield from (
        "",
        "What each column means: `codebook.json`, `codebook.csv`. Checksums: `SHA256SUMS`.",
        "",
    )
    yield from (
        "```python",
        "from datasets import load_dataset",
        "",
        'load_dataset("path/to/this/folder", "long")',
        "```",
    )
    for section in (_process, _deviations, _labels, _agreement, _statistics, _limits):
        yield ""
        yield from section(frozen)
    yield from (
        "",
        "## Licence and citation",
        "",
        f"Licence: {licence(frozen.study['study']['licence']).name}.",
    )
    yield f"Citation: see `CITATION.cff` ({TO_COMPLETE})."


def _process(frozen: Frozen) -> Iterator[str]:
    study, protocol, rounds = (
        frozen.study["study"],
        frozen.study["protocol"],
        frozen.study["rounds"],
    )
    yield from ("## How it was annotated", "")
    yield f"Protocol `{protocol['key']}`, version {protocol['version']}."
    if frozen.judged_here:
        yield (
            "Annotators saw the original and the simplification side by side, in a seeded order of "
            "their own, never the system's name, another answer or a scorer's output. Guidance, "
            "shown and not enforced: "
            f"{study['guidance_seconds']} seconds per pair, {study['hours_budget']} hours in all."
        )
    else:
        yield (
            "All judgments were imported from a published file: how they were made is for its "
            "authors to say."
        )
    yield "The questions, verbatim:"
    yield ""
    yield from (
        f"{place}. «{question['fr']}»"
        for place, question in enumerate(protocol["questions"], start=1)
    )
    yield ""
    yield from (
        _scale(dimension, study["crossing_policy"])
        for dimension in frozen.dimensions
        if dimension["brackets"]
    )
    practice = rounds["practice"]["items"]
    yield (
        f"Practice: {practice} items, kept apart from the data."
        if practice
        else "No practice round is recorded here."
    )
    guides = ", ".join(map(str, frozen.study["guide_versions"])) or "none was published here"
    yield f"Versions of the annotation guide: {guides}."
    if frozen.glossary.exists():
        number = frozen.study["study"]["glossary_number"]
        yield (
            f"The study's glossary, version {number}: {frozen.glossary.name}. When it was used: "
            "glossary_used_at."
        )
    yield f"Annotators, recruitment, pay: {TO_COMPLETE}."
    yield from ("", "Annotators appear by pseudonym only:", "")
    rows = [
        [a["annotator"], a["kind"], str(a["judgments"]), _hours(a["active_seconds"])]
        for a in frozen.study["annotators"]
    ]
    yield from _table(["annotator", "kind", "judgments", "active hours"], rows)


def _scale(dimension: dict[str, Any], policy: str) -> str:
    brackets = ", ".join(f"{b['en']} ({b['bottom']}–{b['top']})" for b in dimension["brackets"])
    return (
        f"The score of {dimension['name']} is never typed: a bracket is picked ({brackets}), and "
        "each error takes one "
        f"point off its top, down to {dimension['scale'][0]}. When errors cross the bottom of "
        f"the bracket: `{policy}`."
    )


def _deviations(frozen: Frozen) -> Iterator[str]:
    yield from ("## Deviations from the plan", "")
    yield from deviation_lines(frozen)


def _labels(frozen: Frozen) -> Iterator[str]:
    recipe = frozen.manifest["recipe"]["labels"]
    rules = ", ".join(f"{name}: {rule}" for name, rule in recipe["rules"].items())
    yield from ("## Final labels", "")
    yield (
        f"Recipe version {recipe['version']}: {rules}. Ties are drawn with seed "
        f"{recipe['seed']}: the tied value at "
        'SHA-256("seed:simplification_key") modulo the number of tied values, ascending. '
        f"{frozen.count('drawn')} labels were drawn (`drawn`). Beside each label: its "
        "provenance, the full distribution, and for scales the median, the severity-adjusted mean "
        "and the mean z-score. A pair that an adjudication found legitimately divided has no "
        "single label."
    )


def _agreement(frozen: Frozen) -> Iterator[str]:
    yield from ("## Agreement", "")
    yield (
        "Quote the coefficient at the scale's own level. Intervals: bootstrap over items unless "
        "the signature says "
        f"otherwise, {frozen.manifest['recipe']['confidence']:.0%}. `python "
        "recompute_agreement.py` recomputes the percentages and alphas with public packages."
    )
    yield ""
    header = ["dimension", "coefficient", "value", "interval", "signature"]
    yield from _table(
        header, [[*row[:4], f"`{row[4]}`".replace("|", "\\|")] for row in agreement_rows(frozen)]
    )


def _statistics(frozen: Frozen) -> Iterator[str]:
    found = statistics(frozen)
    names = {
        "texts": "texts",
        "sentences": "sentences",
        "words": "words",
        "types": "distinct words",
        "richness": "lexical richness (distinct words / words, %)",
        "words_per_text": "mean words per text",
        "words_per_sentence": "mean words per sentence",
    }
    rows = [
        [
            label,
            *(
                "–" if value is None else f"{value:g}"
                for value in (getattr(s, name) for s in found.values())
            ),
        ]
        for name, label in names.items()
    ]
    yield from ("## Statistics of the texts", "")
    yield from _table(["", *found], rows)


def _limits(frozen: Frozen) -> Iterator[str]:
    yield from ("## Limits", "")
    imported = [a for a in frozen.study["annotators"] if a["kind"] == "imported"]
    yield (
        "- Passages were judged outside their contract; a scale of 1–10 with errors worth one "
        "point each is coarse."
    )
    yield "- Disagreement is part of the data: read the distributions, not the final labels alone."
    if imported:
        yield (
            f"- {len(imported)} annotators come from a published file that names none: their "
            "pseudonyms follow the "
            "order of its rows, and brackets, errors and times are not known (empty, never zero)."
        )
    if frozen.study["unjudged_simplifications"]:
        yield f"- {frozen.study['unjudged_simplifications']} simplifications have no judgment yet."
    if not frozen.manifest["study_closed"]:
        yield f"- Frozen before the study was closed: {frozen.manifest['reason']}"
    if frozen.study["withdrawn_annotators"]:
        yield (
            f"- Annotators who have withdrawn are left out: {frozen.study['withdrawn_annotators']}."
        )
    replaced = frozen.manifest["files"].get("judgments.jsonl", {}).get("redacted", 0)
    yield (
        "- Names of the study's people, addresses, telephone numbers and accounts that were "
        "found in comments were "
        f"replaced by “[…]” ({replaced} marks in the judgments). No search finds all of them: "
        "nicknames, misspellings "
        "and other people's names may remain. Tell the maintainers what you find."
    )
    yield f"- Further limits and intended uses: {TO_COMPLETE}."


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _number(name: str, value: Any) -> str:
    if value is None:
        return "undefined"
    return f"{100 * value:.2f} %" if name in ("percent_agreement", "within_one") else f"{value:.4f}"


def _hours(seconds: int | None) -> str:
    return "not known" if seconds is None else f"{seconds / 3600:.1f}"
