"""The dataset card: what a reader of the Hugging Face hub, or of the folder alone, has to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.agreement.consensus import LOT, SETTLED_ABOVE, Rule
from annotation.protocols.base import Better, Level, Wording
from annotation.release.beside import DOCUMENTS
from annotation.release.deviations import deviation_lines
from annotation.release.front_matter import Released, front_matter
from annotation.release.frozen import MEAN, PROTOCOL, UNNAMED, Frozen
from annotation.release.languages import named
from annotation.release.licences import licence
from annotation.release.marks import marks_section
from annotation.release.nouns import counted
from annotation.release.quality import quality_said
from annotation.release.statistics import TextStatistics, text_statistics
from annotation.release.system_tables import MODEL_NAMES
from annotation.release.unnamed import order_said
from annotation.scoring.splits import source_key

TO_COMPLETE = "TO BE COMPLETED BY THE LEAD"
NOT_MEASURED = Wording(
    "Cet instantané est d'avant que les rapports sur les mesures y soient\u00a0: figez l'étude de "
    "nouveau pour les avoir.",
    "This snapshot was made before reports on metrics were in one: freeze the study again to have "
    "them.",
)
NOT_COMPARED = Wording(
    "Cet instantané est d'avant que les systèmes y soient comparés\u00a0: figez l'étude de nouveau "
    "pour les avoir.",
    "This snapshot was made before systems were compared in one: freeze the study again to have "
    "them.",
)
AS_RELEASED = "as-released"
"""The folder of files in the layouts that other data were released in."""


def card(frozen: Frozen, tables: Sequence[Released]) -> str:
    """README.md: front matter that ``datasets`` reads, then the card."""
    return "\n".join([*front_matter(frozen, tables), *_body(frozen, tables)]) + "\n"


def statistics(frozen: Frozen) -> dict[str, TextStatistics]:
    """Of the originals, each once however many simplifications of it were judged, and of the judged
    simplifications: no text that nobody has judged. Originals that differ in punctuation alone are
    one, as ``frozen.sources`` counts them."""
    pairs = [
        row for row in frozen.rows("simplifications") if row["simplification_key"] in frozen.judged
    ]
    judged = {row["item_key"] for row in pairs}
    originals: dict[str, str] = {}
    for row in frozen.rows("items"):
        if row["item_key"] in judged:
            originals.setdefault(source_key(row["original"]), row["original"])
    return {
        "original": text_statistics(originals.values()),
        "simplification": text_statistics(row["simplification"] for row in pairs),
    }


def agreement_rows(frozen: Frozen) -> Iterator[list[str]]:
    """Dimension, coefficient, value, interval, signature: every number that is defined, in a fixed
    order."""
    for dimension in frozen.rated:
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
            if fitting:
                yield from _further_intervals(dimension["name"], name, value, report)


def _further_intervals(
    dimension: str, name: str, value: float, report: dict[str, Any]
) -> Iterator[list[str]]:
    """Of the fitting alpha: for other source texts, and for other annotators too."""
    for key, whose in (
        ("other_sources", "these annotators, other source texts"),
        ("other_annotators", "other annotators and source texts"),
    ):
        estimate = report.get(key)
        if estimate and estimate["interval"]:
            low, high = (_number(name, end) for end in estimate["interval"])
            label, value_shown = f"{name}: {whose}", _number(name, value)
            yield [dimension, label, value_shown, f"{low} to {high}", estimate["signature"]]


def _in_line(words: str) -> str:
    """One paragraph, and no heading, whatever somebody composed."""
    line = " ".join(words.split())
    return f"\\{line}" if line.startswith("#") else line


def _follows(frozen: Frozen) -> str:
    """Which snapshot came before, for whoever has that one; "" for the first, and for one that was
    frozen before snapshots said so."""
    former = frozen.manifest.get("follows")
    if not former:
        return ""
    name = f"`{frozen.manifest['study']}-{former['number']}`"
    if former["content_digest"] == frozen.manifest["content_digest"]:
        return f" It holds the same data under the same recipe as {name}, which it follows."
    return f" It follows {name} (content SHA-256 `{former['content_digest']}`)."


def _body(frozen: Frozen, tables: Sequence[Released]) -> Iterator[str]:
    yield from ("", f"# {frozen.study['study']['title']}", "")
    yield (
        f"Human judgments of {frozen.judged_texts}: "
        f"{frozen.judged_by}. "
        f"Snapshot `{frozen.name}`, "
        f"frozen on {frozen.date} (UTC); content SHA-256 `{frozen.manifest['content_digest']}`."
        f"{_follows(frozen)}"
    )
    yield from (
        "",
        *_summary(frozen),
        "",
        "## Files",
        "",
        "Each table is there as JSONL, CSV and Parquet with the same rows (`data/`).",
        "",
        "In CSV alone, an apostrophe that is no part of a text stands before what a spreadsheet "
        "would run as a formula: at the beginning of a cell, or after a semicolon, a comma, a tab "
        "or a line end in it. Passages are counted without it.",
        "",
    )
    yield from _table(
        ["table", "rows", "what a row is"], [[f"`{t.name}`", str(t.rows), t.title] for t in tables]
    )
    yield from (
        "",
        *(f"`{name}`: {said}." for name, said in DOCUMENTS.items() if frozen.is_kept(name)),
        "What each column means: `codebook.json`, `codebook.csv`. Checksums: `SHA256SUMS`.",
        "",
    )
    for name, of in frozen.as_released.items():
        yield from (f"`{AS_RELEASED}/{name}`: the same judgments as {of} was released.", "")
    yield from (
        "```python",
        "from datasets import load_dataset",
        "",
        'load_dataset("path/to/this/folder", "long")',
        "```",
    )
    for section in (
        _process,
        _deviations,
        _labels,
        _agreement,
        _systems,
        _metrics,
        _statistics,
        _limits,
    ):
        yield ""
        yield from section(frozen)
    yield from (
        "",
        "## Licence and citation",
        "",
        f"Licence: {licence(frozen.study['study']['licence']).name}.",
    )
    yield f"Citation: see `CITATION.cff` ({TO_COMPLETE})."


def _summary(frozen: Frozen) -> Iterator[str]:
    """What it is in French, the dimensions one after another."""
    first, *others = [frozen.label(dimension["name"], "fr") for dimension in frozen.rated]
    texts = " ".join(
        said for said in ("textes", frozen.about.domain.fr, named(frozen.languages, "fr")) if said
    )
    judged = f"Résumé : jugements humains de simplifications de {texts}"
    if frozen.headed:
        beside, second = (heading.fr for heading in frozen.headed)
        judged = f"Résumé : jugements humains de {texts} (« {second} » en regard de « {beside} »)"
    has_marks = frozen.has("errors") and frozen.count("errors")
    marks = "les erreurs, " if frozen.marks_are_errors else "les marques, "
    rest = f"{marks if has_marks else ''}les désaccords et les étiquettes"
    if not others:
        yield f"{judged} ({first}), avec {rest} finales."
        return
    yield f"{judged} ({first}, "
    yield f"{', '.join(others)}), avec {rest} finales."


def guidance(study: Mapping[str, Any]) -> list[str]:
    """How long a pair and the whole were to take, as annotators were told; nothing of what was not
    planned."""
    seconds, hours = study["guidance_seconds"], study["hours_budget"]
    return [
        *((f"{counted(seconds, 'second')} per pair",) if seconds else ()),
        *((f"{counted(hours, 'hour')} in all",) if hours else ()),
    ]


def _process(frozen: Frozen) -> Iterator[str]:
    study, protocol, rounds = (
        frozen.study["study"],
        frozen.study["protocol"],
        frozen.study["rounds"],
    )
    yield from ("## How it was annotated", "")
    yield f"Protocol `{protocol['key']}`, version {protocol['version']}."
    about = frozen.about
    said_of = (about.summary.en, about.score.en, about.source)
    yield from (_in_line(said) for said in said_of if said.strip())
    if frozen.judged_here:
        yield (
            f"Annotators saw {frozen.both_texts} side by side, in a seeded order of "
            "their own, never the system's name, another answer or a scorer's output."
            f"{frozen.shown_alone} "
            f"Guidance, shown and not enforced: {', '.join(guidance(study)) or 'none'}."
        )
    else:
        yield (
            "All judgments were made elsewhere and imported from a file: how is for its "
            "authors to say."
        )
    yield "The questions, verbatim:"
    yield ""
    yield from (
        f"{place}. “{question['fr']}”"
        for place, question in enumerate(protocol["questions"], start=1)
    )
    yield ""
    if frozen.judged_here:
        # Of judgments from elsewhere nobody here knows whether the score was typed.
        yield from (
            _scale(dimension, _policy(frozen, dimension["name"]))
            for dimension in frozen.dimensions
            if dimension["brackets"]
        )
    practice = rounds["practice"]["items"]
    yield (
        f"Practice: {counted(practice, 'item')}, kept apart from the data."
        if practice
        else "No practice round is recorded here."
    )
    yield from _ruled(frozen)
    yield from (said.en for said in quality_said(frozen))
    guides = ", ".join(map(str, frozen.study["guide_versions"])) or "none was published here"
    yield f"Versions of the annotation guide: {guides}."
    if frozen.glossary.exists():
        number = frozen.study["study"]["glossary_number"]
        yield (
            f"The study's glossary, version {number}: {frozen.glossary.name}. When it was used: "
            "glossary_used_at."
        )
    yield f"Annotators (experts or not), recruitment, pay: {TO_COMPLETE}."
    yield from ("", "Annotators appear by pseudonym only:", "")
    rows = [
        [a["annotator"], a["kind"], str(a["judgments"]), _hours(a["active_seconds"])]
        for a in frozen.study["annotators"]
    ]
    yield from _table(["annotator", "kind", "judgments", "active hours"], rows)


def _ruled(frozen: Frozen) -> Iterator[str]:
    """What the protocol left to the study, in its words."""
    study, rulings = frozen.study["study"], frozen.protocol.rulings if frozen.protocol else ()
    decided = [
        f"{_in_line(ruling.label.en)}: {ruling.said(study.get(ruling.name, ruling.default)).en}"
        for ruling in rulings
    ]
    if decided:
        yield f"What the study decided: {'; '.join(decided)}."


def _policy(frozen: Frozen, dimension: str) -> str:
    """What the study ruled on scores below their bracket."""
    known = frozen.protocol.bracketed if frozen.protocol else ()
    for scale in known:
        if scale.dimension_name == dimension:
            return scale.policy(frozen.study["study"])
    return "not known here"


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


def _drawn_by(frozen: Frozen) -> str:
    """Of which words the digest decides a tie, by the version of the recipe."""
    is_first = frozen.manifest["recipe"]["labels"]["version"] == "1"
    return "seed:simplification_key" if is_first else "seed:dimension:simplification_key"


def _drawn_alike(frozen: Frozen) -> str:
    """That the draws of a pair's questions are not independent, where they are not."""
    labels = frozen.manifest["recipe"]["labels"]
    drawn = sum(rule == Rule.MAJORITY for rule in labels["rules"].values())
    if labels["version"] != "1" or drawn < 2:
        return ""
    return (
        " (the dimension is no part of it: ties of one pair on several dimensions, among as many "
        "values, all fall on the same place, and labels drawn so do not show that two answers go "
        "together)"
    )


def _drawn_said(frozen: Frozen) -> str:
    """How often the lot decided."""
    if not frozen.drawn:
        return "No tie was left to draw (`drawn` is empty)."
    return f"{counted(len(frozen.drawn), 'label was', 'labels were')} drawn (`drawn`)."


def _labels(frozen: Frozen) -> Iterator[str]:
    recipe = frozen.manifest["recipe"]["labels"]
    rules = ", ".join(f"{name}: {rule}" for name, rule in _rated(frozen, recipe["rules"]))
    yield from ("## Final labels", "")
    ties = recipe.get("ties", LOT)
    if ties != LOT and frozen.has_ties:
        signatures = "; ".join(
            f"{name} `{model['signature']}`" for name, model in frozen.agreement["models"].items()
        )
        yield (
            f"A tie goes to the tied value whose probability under `{ties}` is above "
            f"{SETTLED_ABOVE:.0%} (provenance `posterior`), and to the lot where there is none: "
            f"{signatures or 'nothing could be modelled'}. `posteriors` holds each probability."
        )
    drawn = (
        f"Ties are drawn with seed {recipe['seed']}: the tied value at "
        f'SHA-256("{_drawn_by(frozen)}") modulo the number of tied values, ascending'
        f"{_drawn_alike(frozen)}. " + _drawn_said(frozen)
        if frozen.has_ties
        else "No label is drawn: no rule of these leaves a tie."
    )
    yield (
        f"Recipe version {recipe['version']}: {rules}. {drawn} Beside each label: its "
        "provenance, the full distribution, the soft label (`shares`), and for scales the median, "
        "the severity-adjusted mean and the mean z-score. A pair that an adjudication found "
        "legitimately divided has no single label."
    )


def _agreement(frozen: Frozen) -> Iterator[str]:
    yield from ("## Agreement", "")
    yield (
        "Quote the coefficient at the scale's own level, with the interval for other annotators "
        "where there is one. Intervals: bootstrap over items unless the signature says "
        f"otherwise, {frozen.manifest['recipe']['confidence']:.0%}. Kappa is the mean over every "
        "two annotators, weighted by the items that both rated. `python recompute_agreement.py` "
        "recomputes the coefficients and intervals of this table and every final label with public "
        "packages, and names each document with figures that it does not recompute."
    )
    yield ""
    header = ["dimension", "coefficient", "value", "interval", "signature"]
    yield from _table(
        header, [[*row[:4], f"`{row[4]}`".replace("|", "\\|")] for row in agreement_rows(frozen)]
    )
    for dimension in frozen.rated:
        report = frozen.agreement["dimensions"][dimension["name"]]
        if report["settings"].get("open_ended"):
            yield from ("", f"`{dimension['name']}`, ac2: {report['undefined']['ac2']['en']}")
    yield from marks_section(frozen)


_NO_MEANS = (
    "No dimension here has means or ranks. The share of each answer is in `system_shares`, "
    "the differences of shares are in `system_pair_shares`."
)


def _systems(frozen: Frozen) -> Iterator[str]:
    """Each system's mean and place; where systems are not compared, why."""
    yield from ("## Systems side by side", "")
    if not frozen.compares_systems:
        yield frozen.systems["undefined"]["en"] if frozen.systems else NOT_COMPARED.en
        for order in order_said(frozen):
            yield from ("", order.en)
        return
    facts, settings = frozen.systems, frozen.systems["settings"]
    rows = [*_system_rows(facts)]
    others = (
        ", those `with_other_annotators` for other annotators of the same kind too" if rows else ""
    )
    yield (
        "Tables `systems`, `system_shares`, `system_pairs` and those beside them. Differences are "
        "over the texts on which both systems were judged, the first less the second. Intervals at "
        f"{settings['confidence']:.0%}: those without a name hold for these annotators and other "
        f"source texts (bootstrap over source texts, {settings['draws']} draws, seed "
        f"{settings['seed']}){others}. Tests exchange signs of source texts; Holm's correction is "
        "over all pairs of systems on all dimensions. A difference that is not established does "
        "not show that systems are alike. `python recompute_agreement.py` recomputes these figures."
    )
    yield ""
    if rows:
        header = ["dimension", "system", "mean", "interval", "rank", "places left by the tests"]
        yield from _table(header, rows)
    else:
        yield _NO_MEANS
    notes = [note["en"] for note in facts["notes"]]
    for name, dimension in _rated(frozen, facts["dimensions"]):
        notes += _better_note(name, dimension)
        if dimension["ranks"] and dimension["no_ranks"] is not None:
            notes.append(f"`{name}`: {dimension['no_ranks']['en']}")
        notes += [f"`{name}`: {note['en']}" for note in dimension["notes"]]
    for name, report in _rated(frozen, facts["mixed"]):
        if report["undefined"] is not None:
            notes.append(f"`{name}`, mixed models: {report['undefined']['en']}")
            continue
        for model, called in MODEL_NAMES.items():
            if (lacking := report.get(model, {}).get("undefined")) is not None:
                notes.append(f"`{name}`, {called}: {lacking['en']}")
    yield ""
    yield from (f"- {note}" for note in notes)


def _rated(frozen: Frozen, by_dimension: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What is known of the dimensions that somebody rated, in its own order."""
    rated = {dimension["name"] for dimension in frozen.rated}
    return [(name, facts) for name, facts in by_dimension.items() if name in rated]


def _better_note(name: str, dimension: dict[str, Any]) -> Iterator[str]:
    """What ranks and superiority mean where higher is not better; snapshots of before do not
    say."""
    if dimension["level"] == Level.NOMINAL:
        return
    if dimension.get("better") == Better.LOWER:
        yield (
            f"`{name}`: lower is better. Rank 1 has the lowest mean, and superiority is how often "
            "the first is judged lower; differences and Cliff's delta are those of the values."
        )
    elif dimension.get("better") == Better.NEITHER:
        yield (
            f"`{name}`: higher is neither better nor worse. There are no ranks, and superiority "
            "is that of higher values."
        )


def _system_rows(facts: dict[str, Any]) -> Iterator[list[str]]:
    for name, dimension in facts["dimensions"].items():
        ranks = {rank["system"]: rank for rank in dimension["ranks"]}
        for system in dimension["systems"]:
            mean, rank = system["mean"], ranks.get(system["system"])
            if mean["value"] is None:
                continue
            bounds = mean["interval"]
            yield [
                name,
                system["system"].replace("|", "\\|"),
                f"{mean['value']:z.4f}",
                f"{bounds[0]:z.4f} to {bounds[1]:z.4f}" if bounds else "–",
                f"{rank['rank']:g}" if rank and rank["rank"] is not None else "–",
                f"{rank['between'][0]} to {rank['between'][1]}" if rank else "–",
            ]


def _metrics(frozen: Frozen) -> Iterator[str]:
    """How far each metric agrees with people; where there is no report, why."""
    yield from ("## Metrics against people", "")
    facts = frozen.metrics
    if not facts or facts["undefined"] is not None:
        yield facts["undefined"]["en"] if facts else NOT_MEASURED.en
        return
    yield (
        "Tables `metrics`, `metric_differences`, `metric_strata` and `metric_values`: the reports "
        "that had been written of these answers when the study was frozen. "
        f"{_metric_settings(facts['reports'])} `human` is what one person achieves "
        "against the others. Where lower is better, the sign is turned: correlations, differences "
        "and orders are of −value, while `metric_values` holds the value as it is (column "
        "`turned` in each of these tables; `human_better`: which way is better on people's own "
        "scale, whose sign is turned as well where that is lower). `python "
        "recompute_agreement.py` recomputes correlations from the values of at most 600 outputs."
    )
    yield ""
    header = ["dimension", "references", "metric", "better", "Pearson", "interval", "n"]
    header.append("signature")
    yield from _table(header, [row for report in facts["reports"] for row in _metric_rows(report)])
    notes = [_best(report) for report in facts["reports"]]
    notes += [
        f"`{omission['dimension']}`: {omission['reason']['en']}" for omission in facts["left_out"]
    ]
    notes += [f"`{r['dimension']}`: {note['en']}" for r in facts["reports"] for note in r["notes"]]
    yield ""
    yield from (f"- {note}" for note in notes)


def _metric_settings(reports: Sequence[dict[str, Any]]) -> str:
    """How intervals were made, once where all reports are alike and else for each."""
    intervals = [_metric_interval(report) for report in reports]
    if len(set(intervals)) == 1:
        return f"{intervals[0]}."
    named = (
        f"`{report['dimension']}`"
        + (f" (references: {report['reference']})" if report["reference"] else "")
        for report in reports
    )
    return " ".join(f"{name}: {said}." for name, said in zip(named, intervals, strict=True))


def _metric_interval(report: dict[str, Any]) -> str:
    if not report["draws"]:
        return "Nothing was resampled, so that there are neither intervals nor bootstrap tests"
    return (
        f"Intervals at {report['confidence']:.0%} resample source texts ({report['draws']} draws, "
        f"seed {report['seed']}) and hold for these annotators"
    )


_AFTER = (
    " Baselines, metrics that only describe and those that fewer outputs have stand after these, "
    "whatever their r."
)


def _best(report: dict[str, Any]) -> str:
    """Which metric agrees best, and of which that is said."""
    rule = "of the metrics that have a better side and that at least half of the outputs have"
    if report.get("better") == Better.NEITHER:
        return (
            f"`{report['dimension']}`: higher is neither better nor worse on this human scale, and "
            "no metric is called the best."
        )
    if not report["best"]:
        return f"`{report['dimension']}`: {rule}, none has a defined correlation."
    best = next(line for line in report["lines"] if line["name"] == report["best"])
    own = best["figures"]["pearson"]
    value, is_known = f"r = {own['value']:z.3f}", own["low"] is not None
    if is_known:
        share = f"{report['confidence']:.0%}"
        value += f", {share} interval {own['low']:z.3f} to {own['high']:z.3f}"
    claim = (
        f"`{report['best']}` agrees best ({value})."
        if is_known and own["low"] > 0
        else f"`{report['best']}` has the highest correlation ({value}), which is not shown to be "
        "above 0."
    )
    # Snapshots of before do not say which these are, and their lines stand by r alone.
    after = _AFTER if any(line.get("competes") for line in report["lines"]) else ""
    return f"`{report['dimension']}`: {rule}, {claim}{after}"


_BETTER = {1: "higher", -1: "lower (sign turned)", 0: "neither"}


def _metric_rows(report: dict[str, Any]) -> Iterator[list[str]]:
    def place(line: dict[str, Any]) -> tuple[bool, float]:
        """Those that compete first; of snapshots of before all alike."""
        value = line["figures"]["pearson"]["value"]
        return not line.get("competes"), -(value if value is not None else -2.0)

    lines = [
        (line["name"], _BETTER[line["direction"]], line["figures"]["pearson"], line["signature"])
        for line in sorted(report["lines"], key=place)
    ]
    for name, better, figure, signature in [("human", "–", report["ceiling"], ""), *lines]:
        if figure["value"] is None:
            continue
        bounds = (
            f"{figure['low']:z.3f} to {figure['high']:z.3f}" if figure["low"] is not None else "–"
        )
        signature_cell = f"`{signature}`" if signature else ""
        row = [report["dimension"], report["reference"] or "–", name, better]
        row += [f"{figure['value']:z.3f}", bounds, str(figure["n"]), signature_cell]
        yield [cell.replace("|", "\\|") for cell in row]


def _statistics(frozen: Frozen) -> Iterator[str]:
    columns = statistics(frozen)
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
                for value in (getattr(s, name) for s in columns.values())
            ),
        ]
        for name, label in names.items()
    ]
    yield from ("## Statistics of the texts", "")
    yield (
        "Each original is counted once, however many simplifications of it were judged, and each "
        "judged simplification once."
    )
    yield ""
    yield from _table(["", *columns], rows)
    for side, of in columns.items():
        if of.uncut:
            yield ""
            yield (
                f"Of {counted(of.texts, 'text')} ({side}), {of.uncut} "
                f"{'is' if of.uncut == 1 else 'are'} not cut into words by spaces: their "
                "words and sentences are not counted"
                + (", and neither are the others'." if of.words is None else ".")
            )


def _limits(frozen: Frozen) -> Iterator[str]:
    yield from ("## Limits", "")
    yield from (f"- {_in_line(limit.en)}" for limit in frozen.about.limits)
    yield "- Disagreement is part of the data: read the distributions, not the final labels alone."
    yield from _brought(frozen)
    if unjudged := frozen.count("simplifications") - len(frozen.judged):
        said = counted(unjudged, "simplification has", "simplifications have")
        if frozen.headed:
            said = counted(unjudged, "text has", "texts have")
        yield f"- {said} no judgment."
    if not frozen.manifest["study_closed"]:
        yield f"- Frozen before the study was closed: {frozen.manifest['reason']}"
    if frozen.waiting:
        said = counted(frozen.waiting, "judgment was", "judgments were")
        yield f"- {said} sent back, not made again by then, and kept as before."
    if frozen.study["withdrawn_annotators"]:
        yield (
            f"- Annotators who have withdrawn are left out: {frozen.study['withdrawn_annotators']}."
        )
    yield (
        "- Names of the study's people, addresses, telephone numbers and accounts that were "
        "found in what people typed were "
        f"replaced by “[…]” ({_replaced(frozen)}; an ellipsis that somebody wrote so is among "
        "them). No search finds all of them: "
        "nicknames, misspellings "
        "and other people's names may remain. Tell the maintainers what you find."
    )
    yield f"- Further limits and intended uses: {TO_COMPLETE}."


def _brought(frozen: Frozen) -> Iterator[str]:
    """What is not known of those whose answers come from a file, in so far as it is not."""
    imported = [a for a in frozen.study["annotators"] if a["kind"] == "imported"]
    people = [a for a in imported if a.get("identity") != MEAN]
    if frozen.means:
        number = sum(judge["judgments"] for judge in frozen.means)
        yield (
            f"- {counted(number, 'judgment is', 'judgments are')} the published mean of what "
            "several people answered: who they are, how many, and how far apart, is not known here."
        )
    if people:
        unnamed = sum(a.get("identity") == UNNAMED for a in people)
        order = (
            f" The file names none of {unnamed} of them: their pseudonyms follow the order of its "
            "rows, and need not be the same people from one pair to another. Kappa, severity and "
            "what holds for other annotators take each for one person."
        )
        yield (
            f"- {counted(len(people), 'annotator comes', 'annotators come')} from a file: how "
            "their answers were collected, and how long they took, is not known here (empty, never "
            "zero)."
            f"{order if unnamed else ''}"
        )
    if bare := _bare(frozen):
        scores = "judgment states a score" if bare == 1 else "judgments state a score"
        yield (
            f"- {bare} imported {scores} alone: the bracket and the errors behind it are not known "
            "(empty, never zero)."
        )


def _bare(frozen: Frozen) -> int:
    """How many judgments have a score that a file states without saying how it came about."""
    names = [f"{each['name']}_derivation" for each in frozen.dimensions if each["brackets"]]
    if not names:
        return 0
    return sum(any(row.get(n) == "imported" for n in names) for row in frozen.rows("judgments"))


def _replaced(frozen: Frozen) -> str:
    """How often “[…]” stands in the judgments, and where else it does: an ellipsis that somebody
    wrote so among them."""

    def marks(begins: str) -> int:
        files = frozen.manifest["files"].items()
        return sum(facts.get("redacted", 0) for name, facts in files if name.startswith(begins))

    elsewhere = (
        ("the practice round", "practice.jsonl"),
        ("the rulings", "rulings.jsonl"),
        ("the guides", "guide-v"),
        ("the glossary", "glossary.jsonl"),
        ("the protocol", PROTOCOL),
    )
    said = [f"{counted(marks('judgments.jsonl'), 'mark')} in the judgments"]
    said += [f"{number} in {called}" for called, begins in elsewhere if (number := marks(begins))]
    return ", ".join(said)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _number(name: str, value: Any) -> str:
    if value is None:
        return "undefined"
    return (
        f"{100 * value:z.2f} %" if name in ("percent_agreement", "within_one") else f"{value:z.4f}"
    )


def _hours(seconds: int | None) -> str:
    return "not known" if seconds is None else f"{seconds / 3600:.1f}"
