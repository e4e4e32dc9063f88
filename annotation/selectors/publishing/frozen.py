"""A study as the data files of a snapshot: every byte follows from the data, never from row ids or
the moment."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Count, Q, Sum

from annotation.agreement.consensus import LOT
from annotation.agreement.modelled.crowd import Modelled, modelled, not_modelled
from annotation.agreement.modelled.labels import model_report, posteriors_of
from annotation.agreement.table import Ratings
from annotation.corpus.csmd import JUDGE as CSMD_JUDGE
from annotation.corpus.csmd import PROTOCOL as CSMD_PROTOCOL
from annotation.models import (
    Annotator,
    Assignment,
    GuideVersion,
    Item,
    Judgment,
    PairsImport,
    Simplification,
    Study,
)
from annotation.protocols.base import Level
from annotation.protocols.columns import NOTE
from annotation.protocols.protocol import Protocol
from annotation.release.frozen import MEAN, UNNAMED
from annotation.release.labels import Ruling, final_labels, is_drawn, severities
from annotation.release.recipe import SnapshotRecipe
from annotation.scoring.splits import source_key
from annotation.selectors.agreement.adjudication import in_force
from annotation.selectors.agreement.consistency import study_controls, study_repeats
from annotation.selectors.agreement.precision import chosen_design
from annotation.selectors.agreement.reliability import (
    StudyRatings,
    level_of,
    study_ratings,
)
from annotation.selectors.base.pseudonyms import disclosure
from annotation.selectors.base.redaction import Redaction, redaction
from annotation.selectors.base.standings import AGAIN
from annotation.selectors.guides.glossary import glossary_entries
from annotation.selectors.publishing.beside import (
    frozen_marks,
    frozen_protocol,
    frozen_questions,
    labels_unnamed,
    words_unnamed,
)
from annotation.selectors.publishing.deviation_words import deviations_in_words
from annotation.selectors.publishing.exports import (
    Chunk,
    export_chunks,
    export_spec,
    layouts_of,
)
from annotation.selectors.publishing.metrics import frozen_metrics
from annotation.selectors.publishing.systems import frozen_systems

Rulings = Mapping[tuple[int, str], tuple[str, float | None]]
"""Adjudications by (simplification id, dimension): outcome ("settled", "divided") and value."""

_BATCH = 2000
_SEEDS = 2**32 - 100
"""What MACE can begin by, with room for its restarts."""
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


class FrozenFile(NamedTuple):
    """One data file, a piece at a time; read the pieces in order, within ``one_moment()``."""

    name: str
    pieces: Iterator[str]


def frozen_files(
    study: Study, recipe: SnapshotRecipe, rulings: Rulings | None = None
) -> Iterator[FrozenFile]:
    """Every data file of a snapshot, in a fixed order.

    The main round; practice in a file of its own. People and published judges only, without those
    who have withdrawn. Free text is redacted (see ``redaction``).
    """
    ratings = study_ratings(study, withdrawn=False)
    yield FrozenFile("items.jsonl", _items(study))
    yield FrozenFile(
        "simplifications.jsonl", _simplifications(study, ratings, systems=recipe.systems)
    )
    yield from _exported(study, recipe)
    yield FrozenFile("ratings.jsonl", _ratings(ratings))
    models = _models(ratings, recipe)
    labels = final_labels(
        ratings.tables,
        levels(study.protocol),
        recipe.labels,
        _by_unit(ratings, rulings or {}),
        {name: posteriors_of(model) for name, model in models.items()},
    )
    ordered = [label.as_dict() for name in study.protocol.dimensions for label in labels[name]]
    yield FrozenFile("labels.jsonl", _lines(ordered))
    yield FrozenFile("drawn.jsonl", _lines(filter(is_drawn, ordered)))
    if reasons := _reasons(study, ratings):
        yield FrozenFile("rulings.jsonl", _lines(reasons))
    yield FrozenFile("agreement.json", _document(_agreement(study, ratings, recipe, models)))
    yield FrozenFile("systems.json", _document(frozen_systems(study, recipe)))
    yield FrozenFile("metrics.json", _document(frozen_metrics(study, recipe)))
    for name, pieces in (*frozen_marks(study, recipe), *frozen_questions(study, recipe)):
        yield FrozenFile(name, pieces)
    yield FrozenFile("study.json", _document(_facts(study, ratings)))
    for name, pieces in frozen_protocol(study):
        yield FrozenFile(name, pieces)
    yield from _guides(study)
    if study.glossary_size:
        yield FrozenFile("glossary.jsonl", _glossary(study))


def levels(protocol: Protocol) -> dict[str, Level]:
    """The level of measurement of each dimension, in the protocol's order."""
    return {name: level_of(protocol, name) for name in protocol.dimensions}


def _exported(study: Study, recipe: SnapshotRecipe) -> Iterator[FrozenFile]:
    """The layouts that exports know already, under the release's options."""
    options = {
        "withdrawn": False,
        "machines": False,
        "systems": recipe.systems,
        "coarse_times": recipe.coarse_times,
    }
    practice = {**options, "round": "practice"}
    study_layouts = layouts_of(study.protocol)
    # A protocol's own layouts are JSON lines, or what their data were released as; such a file
    # holds texts and numbers only, nothing that people typed beside them.
    own = {key: layout.formats for key, layout in study_layouts.items() if layout.is_own}
    in_lines = [key for key, forms in own.items() if "jsonl" in forms]
    layouts: list[tuple[str, str, str, dict[str, Any]]] = [
        ("judgments.jsonl", "long", "jsonl", options),
        ("wide.jsonl", "wide", "jsonl", options),
        *(
            (f"{key}.jsonl", key, "jsonl", options)
            for key in ("errors", *in_lines)
            if key in study_layouts
        ),
        *((f"{key}.{f[0]}", key, f[0], options) for key, f in own.items() if key not in in_lines),
        ("practice.jsonl", "long", "jsonl", practice),
        ("codebook.json", "codebook", "json", options),
    ]
    redacted = redaction(study)
    labels = labels_unnamed(study)
    for name, layout, form, chosen in layouts:
        chunks = export_chunks(study, export_spec(layout, form, chosen))
        if form == "jsonl":
            lines = (redacted.lines(chunk.text) for chunk in chunks)
            yield FrozenFile(name, (_replaced(piece, labels) for piece in lines))
        elif layout == "codebook":
            yield FrozenFile(name, _codebook(study, chunks))
        else:
            yield FrozenFile(name, (chunk.text for chunk in chunks))


def _items(study: Study) -> Iterator[str]:
    columns = (
        "key",
        "position",
        "source",
        "context_before",
        "original",
        "context_after",
        "original_digest",
    )
    named = ("item_key", "item_position", *columns[2:6], "original_sha256")
    rows = (
        Item.objects.filter(study=study, round=Item.Round.MAIN)
        .order_by("position")
        .values_list(*columns)
    )
    return _lines(
        {**dict(zip(named, row, strict=True)), "source_sha256": source_key(row[4])}
        for row in rows.iterator(_BATCH)
    )


def _simplifications(study: Study, ratings: StudyRatings, *, systems: bool) -> Iterator[str]:
    columns = ("text", "language", "is_identical", "finish_reason")
    simplifications = Simplification.objects.filter(item__study=study, item__round=Item.Round.MAIN)
    by_pk = {pk: rest for pk, *rest in simplifications.values_list("pk", *columns)}
    for unit in ratings.items:
        text, language, is_identical, finish_reason = by_pk[unit.pk]
        row: dict[str, Any] = {
            "item_key": unit.item_key,
            "simplification_key": unit.key,
            "position": unit.position,
        }
        if systems:
            row["system"] = unit.system
        row |= {
            "simplification": text,
            "language": language,
            "identical": is_identical,
            "finish_reason": finish_reason,
        }
        yield _encode(row) + "\n"


def _ratings(ratings: StudyRatings) -> Iterator[str]:
    """One row per rating: all that agreement is computed from."""
    item_of = {unit.key: unit.item_key for unit in ratings.items}
    for name, table in ratings.tables.items():
        columns = (table.unit_index.tolist(), table.rater_index.tolist(), table.values.tolist())
        for unit, rater, value in zip(*columns, strict=True):
            key = str(table.unit_ids[unit])
            row = {
                "item_key": item_of[key],
                "simplification_key": key,
                "annotator": table.rater_ids[rater],
                "dimension": name,
                "value": int(value),
            }
            yield _encode(row) + "\n"


def _by_unit(ratings: StudyRatings, rulings: Rulings) -> dict[tuple[str, str], Ruling]:
    key_of = {unit.pk: unit.key for unit in ratings.items}
    return {
        (key_of[pk], name): Ruling(*ruling)
        for (pk, name), ruling in rulings.items()
        if pk in key_of
    }


def _models(ratings: StudyRatings, recipe: SnapshotRecipe) -> dict[str, Modelled]:
    """The model that decides ties before the lot, on every dimension that can be modelled; none
    where the lot alone does."""
    method, protocol = recipe.labels.ties, ratings.protocol
    if method == LOT:
        return {}
    return {
        name: modelled(table, method, seed=recipe.labels.seed % _SEEDS)
        for name, table in ratings.tables.items()
        if not_modelled(table, level_of(protocol, name)) is None
    }


def _reasons(study: Study, ratings: StudyRatings) -> list[dict[str, Any]]:
    """The rulings in force with their reasons, in the order of pairs and dimensions. Who decided is
    not told."""
    place = {unit.pk: (at, unit.key) for at, unit in enumerate(ratings.items)}
    redacted = redaction(study)
    order = {name: at for at, name in enumerate(study.protocol.dimensions)}
    rulings = [ruling for ruling in in_force(study) if ruling.simplification_id in place]
    rulings.sort(
        key=lambda ruling: (place[ruling.simplification_id][0], order.get(ruling.dimension, 0))
    )
    return [
        {
            "simplification_key": place[ruling.simplification_id][1],
            "dimension": ruling.dimension,
            "outcome": ruling.outcome,
            "value": ruling.value,
            "marks": _noted(ruling.marks, redacted),
            "reasons": redacted.text(ruling.reasons),
        }
        for ruling in rulings
    ]


def _noted(marks: list[Any] | None, redacted: Redaction) -> list[Any] | None:
    """Marks with the names in their notes taken out."""
    if marks is None:
        return None
    return [{**mark, NOTE: redacted.text(mark.get(NOTE, ""))} for mark in marks]


def _checks(study: Study) -> dict[str, Any]:
    """What came of silent repeats and of control pairs; who has withdrawn is left out."""
    kept = {rater.pseudonym for rater in disclosure(study, withdrawn=False).raters.values()}
    return {"repeats": _repeats(study, kept), "controls": _controls(study, kept)}


def _controls(study: Study, kept: Collection[str]) -> list[dict[str, Any]]:
    """Of each kind that somebody was given: how many, how many were judged
    and how many as they must be (None where the protocol expects nothing of such a pair)."""
    rows: dict[str, dict[str, Any]] = {}
    for result in study_controls(study):
        if result.annotator in kept:
            row = rows.setdefault(
                result.kind,
                {"kind": result.kind, "annotators": 0, "given": 0, "judged": 0, "passed": None},
            )
            row["annotators"] += 1
            row["given"] += result.given
            row["judged"] += result.judged
            if result.passed is not None:
                row["passed"] = (row["passed"] or 0) + result.passed
    return [rows[kind] for kind in sorted(rows)]


def _repeats(study: Study, kept: Collection[str]) -> dict[str, Any]:
    """How often people gave the same answer to a pair that was silently offered to them again."""
    repeats = study_repeats(study)
    dimensions: dict[str, dict[str, int]] = {}
    for agreement in repeats.by_person:
        if agreement.annotator in kept:
            row = dimensions.setdefault(
                agreement.dimension, {"pairs": 0, "same": 0, "annotators": 0}
            )
            row["pairs"] += agreement.pairs
            row["same"] += round(agreement.same * agreement.pairs)
            row["annotators"] += 1
    return {
        "offered": sum(number for name, number in repeats.given.items() if name in kept),
        "judged": sum(repeat.annotator in kept for repeat in repeats.twice),
        "dimensions": dimensions,
    }


def _agreement(
    study: Study, ratings: StudyRatings, recipe: SnapshotRecipe, models: Mapping[str, Modelled]
) -> dict[str, Any]:
    reports = ratings.reports(draws=recipe.draws, seed=recipe.seed, confidence=recipe.confidence)
    return {
        "dimensions": {name: report.as_dict() for name, report in reports.items()},
        "severities": {
            name: severities(table)
            for name, table in ratings.tables.items()
            if level_of(ratings.protocol, name) != Level.NOMINAL
        },
        "models": {name: _model(ratings.tables[name], model) for name, model in models.items()},
        **(_checks(study) if _has_judges(ratings) else {}),
    }


def _model(table: Ratings, model: Modelled) -> dict[str, Any]:
    """What a model was computed from and what it changed; its posteriors stand with the labels."""
    report = model_report(table, model)
    del report["compared"]
    return report


def _replaced(text: str, unnamed: Mapping[str, str]) -> str:
    for said, left in unnamed.items():
        text = text.replace(said, left)
    return text


def _codebook(study: Study, chunks: Iterator[Chunk]) -> Iterator[str]:
    document = json.loads("".join(chunk.text for chunk in chunks))
    for part in ("protocol", "layouts"):
        document[part] = words_unnamed(study, document[part])
    yield json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _has_judges(ratings: StudyRatings) -> bool:
    """Whether somebody judged here: of judgments from elsewhere nobody knows whether any were
    repeated."""
    return any(rater.kind == Annotator.Kind.PERSON for rater in ratings.annotators)


def _facts(study: Study, ratings: StudyRatings) -> dict[str, Any]:
    """What the card and the datasheet say of the study, as counts and settings."""
    named = ("key", "title", "licence", "seed")
    settings = (
        "guidance_seconds",
        "hours_budget",
        "is_blind",
        "context_arm",
        "aid_renderings",
        "aid_glossary",
        "glossary_number",
    )
    return {
        "study": {name: getattr(study, name) for name in named}
        | {ruling.name: study.rulings[ruling.name] for ruling in study.protocol.rulings}
        | {name: getattr(study, name) for name in settings},
        "protocol": words_unnamed(study, _protocol(study.protocol)),
        "rounds": {round_: _round(study, round_) for round_ in ("main", "practice")},
        "annotators": _annotators(study),
        "withdrawn_annotators": study.annotators.filter(withdrawn_at__isnull=False).count(),
        "unjudged_simplifications": len(ratings.items)
        - max(t.n_rated for t in ratings.tables.values()),
        "guide_versions": list(
            GuideVersion.objects.filter(study=study)
            .order_by("number")
            .values_list("number", flat=True)
        ),
        "deviations": deviations_in_words(study),
        "sample_size": chosen_design(study),
        "pay": None
        if study.hourly_rate is None
        else {"per_active_hour": str(study.hourly_rate), "currency": study.pay_currency},
    }


def _protocol(protocol: Protocol) -> dict[str, Any]:
    brackets = {
        field.dimension_name: [
            {
                "value": b.value,
                "key": b.key,
                "bottom": b.bottom,
                "top": b.top,
                "fr": b.short.fr,
                "en": b.short.en,
            }
            for b in field.brackets
        ]
        for field in protocol.bracketed
    }
    dimensions = [
        {
            "name": dimension.name,
            "level": str(dimension.level),
            "better": str(dimension.better),
            "scale": list(dimension.scale),
            "options": [
                {"value": o.value, "key": o.key, "fr": o.label.fr, "en": o.label.en}
                for o in dimension.options
            ],
            "brackets": brackets.get(dimension.name, []),
        }
        for dimension in protocol.scales
    ]
    title = {"fr": protocol.title.fr, "en": protocol.title.en}
    return {
        "key": protocol.key,
        "version": protocol.version,
        "title": title,
        "questions": _questions(protocol),
        "dimensions": dimensions,
    }


def _questions(protocol: Protocol) -> list[dict[str, Any]]:
    return [
        {
            "step": step.key,
            "fr": step.question.fr,
            "en": step.question.en,
            "dimensions": [
                name for name in protocol.dimensions if protocol.field_of(name) in step.fields
            ],
        }
        for step in protocol.steps
    ]


def _round(study: Study, name: str) -> dict[str, int]:
    kept = list(disclosure(study, withdrawn=False, machines=False).raters)
    judged = Judgment.objects.filter(
        assignment__annotator__in=kept,
        assignment__simplification__item__round=name,
        submitted_at__isnull=False,
        surplus=False,
    )
    pairs = Simplification.objects.filter(item__study=study, item__round=name)
    return {
        "items": Item.objects.filter(study=study, round=name).count(),
        "simplifications": pairs.count(),
        "judgments": judged.count(),
        "sent_back": Assignment.objects.filter(AGAIN, judgment__in=judged).count(),
    }


def _identities(study: Study) -> dict[int, str]:
    """What is known of judges of a released file beside what they answered: that each label is a
    mean, or that the file names nobody and the order of its rows tells them apart. Nothing of those
    whom a file names."""
    judges = Annotator.objects.filter(study=study, kind=Annotator.Kind.IMPORTED)
    if study.protocol_key == CSMD_PROTOCOL.key:
        return dict.fromkeys(judges.filter(pseudonym=CSMD_JUDGE).values_list("pk", flat=True), MEAN)
    brought = PairsImport.Kind.FRJUDGE
    unnamed = judges.filter(
        pseudonym__regex=r"^J[0-9]+$", assignments__simplification__brought_by__kind=brought
    )
    return dict.fromkeys(unnamed.values_list("pk", flat=True).distinct(), UNNAMED)


def _annotators(study: Study) -> list[dict[str, Any]]:
    raters = disclosure(study, withdrawn=False, machines=False).raters
    main = Q(
        assignments__judgment__submitted_at__isnull=False,
        assignments__simplification__item__round=Item.Round.MAIN,
        assignments__judgment__surplus=False,
    )
    counted = Annotator.objects.filter(pk__in=list(raters)).annotate(
        judged=Count("assignments__judgment", filter=main),
        seconds=Sum("assignments__judgment__active_seconds", filter=main, default=0),
    )
    numbers = {
        pk: (judged, seconds)
        for pk, judged, seconds in counted.order_by().values_list("pk", "judged", "seconds")
    }
    identities = _identities(study)
    return [
        {
            "annotator": rater.pseudonym,
            "kind": rater.kind,
            "identity": identities.get(pk, ""),
            "judgments": numbers[pk][0],
            # Nobody measured the time of judges from a published file.
            "active_seconds": numbers[pk][1] if rater.kind == Annotator.Kind.PERSON else None,
        }
        for pk, rater in raters.items()
    ]


def _guides(study: Study) -> Iterator[FrozenFile]:
    redacted = redaction(study)
    for guide in GuideVersion.objects.filter(study=study).order_by("number"):
        for language, body in (("fr", guide.body_fr), ("en", guide.body_en)):
            if body.strip():
                yield FrozenFile(
                    f"guide-v{guide.number}-{language}.md",
                    iter([redacted.text(body).rstrip() + "\n"]),
                )


def _glossary(study: Study) -> Iterator[str]:
    """The definitions in force, which are part of the conditions under which people judged."""
    redacted = redaction(study)
    return _lines(
        {name: redacted.text(getattr(entry, name)) for name in ("term", "definition", "source")}
        for entry in glossary_entries(study)
    )


def _lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (_encode(row) + "\n" for row in rows)


def _document(content: Mapping[str, Any]) -> Iterator[str]:
    yield json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
