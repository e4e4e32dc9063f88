"""The released tables: their columns, and their rows out of a snapshot's files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotation.protocols.base import Level
from annotation.protocols.columns import OF_LABELS, OF_SCALES, OF_WORDS
from annotation.release.beside import TABLES
from annotation.release.frozen import Frozen
from annotation.release.metric_tables import MetricTable, metric_tables
from annotation.release.system_tables import SystemTable, system_tables
from annotation.release.tables import Field, Row, Table

Rows = Iterable[Row]

_ITEM = Field(
    "item_key",
    "text",
    "Clé de l'item (le passage source).",
    "Key of the item (the source passage).",
)
_PAIR = Field(
    "simplification_key", "text", "Clé de la simplification.", "Key of the simplification."
)
_SYSTEM = Field(
    "system",
    "text",
    "Système qui a écrit la simplification.",
    "System that wrote the simplification.",
)
_WHO = Field("annotator", "text", "Pseudonyme de l'annotateur·rice.", "Pseudonym of the annotator.")
_DIMENSION = Field("dimension", "text", "Dimension jugée.", "Dimension that was judged.")
_TEXT = Field(
    "simplification", "text", "Texte de la simplification.", "Text of the simplification."
)
_ORIGINAL = Field("original", "text", "Texte de l'item.", "Text of the item.")
_WORDS = (("Clé", "key"), ("Nom français", "French name"))
_TIMES = ("revision", "guide_version", "started_at", "submitted_at", "active_seconds")

ITEMS = (
    _ITEM,
    Field(
        "item_position", "integer", "Rang de l'item dans l'étude.", "Rank of the item in the study."
    ),
    Field("source", "text", "Document d'où vient l'item.", "Document that the item comes from."),
    Field("context_before", "text", "Ce qui précède l'item.", "What precedes the item."),
    _ORIGINAL,
    Field("context_after", "text", "Ce qui suit l'item.", "What follows the item."),
    Field("original_sha256", "text", "SHA-256 du texte (UTF-8).", "SHA-256 of the text (UTF-8)."),
    Field(
        "source_sha256",
        "text",
        "Le même pour des textes qui ne diffèrent que par la casse, l'espacement ou la "
        "ponctuation\u00a0: un texte original, ce que tirent les intervalles.",
        "The same for texts that differ in case, spacing or punctuation alone: one source text, "
        "which is what intervals draw.",
    ),
)
SIMPLIFICATIONS = (
    _ITEM,
    _PAIR,
    Field("position", "integer", "Rang parmi celles de l'item.", "Rank among those of its item."),
    _SYSTEM,
    _TEXT,
    Field("language", "text", "Langue détectée (ISO 639-1).", "Language as detected (ISO 639-1)."),
    Field("identical", "boolean", "Identique à l'original.", "Identical to the original."),
    Field(
        "finish_reason",
        "text",
        "Pourquoi le modèle s'est arrêté.",
        "Why the model stopped; length: cut off.",
    ),
)
RATINGS = (
    _ITEM,
    _PAIR,
    _WHO,
    _DIMENSION,
    Field("value", "integer", "Valeur; voir le dictionnaire.", "Value; see the codebook."),
)
LABELS = (
    _PAIR,
    _DIMENSION,
    Field("level", "text", "Niveau de mesure.", "Level of measurement."),
    Field("rule", "text", "Règle de la recette.", "Rule of the recipe."),
    Field(
        "value",
        "number",
        "Étiquette finale. Vide : sans jugement, ou deux lectures se défendent.",
        "Final label. Empty: no rating, or two readings hold.",
    ),
    Field(
        "provenance",
        "text",
        (
            "unanimous, majority, posterior (égalité tranchée par un modèle), drawn (au sort), "
            "computed (moyenne de valeurs inégales), single, none, adjudicated."
        ),
        (
            "unanimous, majority, posterior (a tie that a model settled), drawn (by lot), computed "
            "(mean of unequal values), single, none, adjudicated."
        ),
    ),
    Field("ratings", "integer", "Nombre de jugements.", "Number of ratings."),
    Field("distribution", "json", "Valeur : nombre de jugements.", "Value: number of ratings."),
    Field(
        "shares",
        "json",
        "Étiquette souple : part des jugements qui donnent chaque valeur.",
        "Soft label: the share of ratings with each value.",
    ),
    Field(
        "posteriors",
        "json",
        "Probabilité de chaque valeur selon le modèle que nomme la recette; vide sans modèle.",
        "Probability of each value under the model that the recipe names; empty without one.",
    ),
    Field(
        "tied",
        "json",
        "Valeurs entre lesquelles un modèle ou le sort a décidé.",
        "Values among which a model or a draw decided.",
    ),
    Field("adjudication", "text", "settled, divided ou vide.", "settled, divided or empty."),
    Field(
        "computed_value", "number", "Ce que la recette seule donne.", "What the recipe alone gives."
    ),
    Field("computed_provenance", "text", "Sa provenance.", "Its provenance."),
    Field("mean", "number", "Moyenne (échelles).", "Mean (scales)."),
    Field("median", "number", "Médiane (échelles).", "Median (scales)."),
    Field("sd", "number", "Écart-type, n − 1 (échelles).", "Standard deviation, n − 1 (scales)."),
    Field(
        "severity_adjusted_mean",
        "number",
        "Moyenne corrigée de la sévérité des juges (modèle additif).",
        "Mean adjusted for the raters' severity (additive model).",
    ),
    Field("zscore", "number", "Moyenne des cotes z par juge.", "Mean of the raters' own z-scores."),
)


@dataclass(frozen=True)
class Layout:
    """One released table and where its rows come from."""

    table: Table
    rows: Callable[[], Rows]


def layouts(frozen: Frozen) -> list[Layout]:
    """Every table of the bundle, in order; practice only where there was one."""

    def stored(name: str) -> Callable[[], Rows]:
        return lambda: frozen.rows(name)

    pairs = (
        SIMPLIFICATIONS
        if frozen.has_systems
        else tuple(f for f in SIMPLIFICATIONS if f is not _SYSTEM)
    )
    all_layouts = [
        *(Layout(_own(frozen, name), stored(name)) for name in frozen.own_layouts),
        Layout(
            Table("long", "One row per pair and annotator, every field", _exported(frozen, "long")),
            stored("judgments"),
        ),
        Layout(
            Table("wide", "One row per pair, a column per annotator", _exported(frozen, "wide")),
            stored("wide"),
        ),
        Layout(
            Table("aggregated", "One row per pair with its final labels", _aggregated(frozen)),
            lambda: _final(frozen),
        ),
        Layout(Table("ratings", "One row per rating", RATINGS), stored("ratings")),
        Layout(
            Table("labels", "One row per pair and dimension: the final label", LABELS),
            stored("labels"),
        ),
        Layout(
            Table("drawn", "The labels that a seeded draw decided", LABELS), lambda: frozen.drawn
        ),
        *([Layout(_RULINGS, stored("rulings"))] if frozen.has("rulings") else []),
        *([Layout(_marks(frozen), stored("errors"))] if frozen.has("errors") else []),
        Layout(
            Table("items", "One row per item; several may have one source passage", ITEMS),
            stored("items"),
        ),
        Layout(
            Table("simplifications", "One row per simplification", pairs), stored("simplifications")
        ),
        Layout(
            Table("timings", "One row per judgment: when and how long", _timing_fields(frozen)),
            lambda: _timings(frozen),
        ),
        *(_compared(frozen, table) for table in system_tables(frozen.systems)),
        *(_measured(frozen, table) for table in metric_tables(frozen.metrics)),
        *(Layout(table, stored(table.name)) for table in TABLES if frozen.has(table.name)),
    ]
    if frozen.count("practice"):
        long = _exported(frozen, "long")
        all_layouts.append(
            Layout(
                Table("practice", "The practice round: not part of the data", long),
                stored("practice"),
            )
        )
    return all_layouts


_RULINGS = Table(
    "rulings",
    "What adjudications decided, with their reasons",
    (
        _PAIR,
        _DIMENSION,
        Field(
            "outcome",
            "text",
            "settled\u00a0: une valeur; divided\u00a0: deux lectures se tiennent.",
            "settled: one value; divided: two readings hold.",
        ),
        Field("value", "number", "La valeur retenue.", "The value that was settled on."),
        Field(
            "marks",
            "json",
            "D'une dimension qui compte des marques : celles qui sont retenues, avec leurs "
            "passages (points de code, début inclus, fin exclue).",
            "Of a dimension that counts marks: those that stand, with their passages (code points, "
            "start included, end excluded).",
        ),
        Field("reasons", "text", "Les motifs juridiques.", "The legal reasons."),
    ),
)


def _compared(frozen: Frozen, table: SystemTable) -> Layout:
    return Layout(table.table, lambda: table.rows(frozen.systems))


def _measured(frozen: Frozen, table: MetricTable) -> Layout:
    return Layout(table.table, lambda: table.rows(frozen.metrics))


def _own(frozen: Frozen, name: str) -> Table:
    title = frozen.codebook["layouts"][name]["title"]["en"]
    return Table(name, f"The layout that {title} was released in", _exported(frozen, name))


def _marks(frozen: Frozen) -> Table:
    called = "error" if frozen.marks_are_errors else "mark"
    rows = f"One row per {frozen.about.domain.en} {called}".replace("  ", " ")
    which = ""
    if frozen.protocol is not None and not frozen.marks_are_errors and frozen.protocol.has_errors:
        errors = [field.name for field in frozen.protocol.marked if field.are_errors]
        which = f"; only those of {' and '.join(errors)} are errors"
    return Table("errors", f"{rows}, with its spans{which}", _exported(frozen, "errors"))


def _exported(frozen: Frozen, layout: str) -> tuple[Field, ...]:
    """The columns that the codebook describes."""
    return tuple(
        Field(c["name"], _kind(c), c["description"]["fr"], c["description"]["en"])
        for c in frozen.codebook["layouts"][layout]["columns"]
    )


def _kind(column: dict[str, Any]) -> str:
    if column["type"] != "category":
        return str(column["type"])
    return "integer" if all(isinstance(v["value"], int) for v in column["values"]) else "text"


def _timing_fields(frozen: Frozen) -> tuple[Field, ...]:
    named = {field.name: field for field in _exported(frozen, "long")}
    return (_ITEM, _PAIR, _WHO, *(named[name] for name in _TIMES))


def _timings(frozen: Frozen) -> Iterator[Row]:
    names = [field.name for field in _timing_fields(frozen)]
    return ({name: row[name] for name in names} for row in frozen.rows("judgments"))


def _aggregated(frozen: Frozen) -> tuple[Field, ...]:
    fields = [_ITEM, _PAIR, *([_SYSTEM] if frozen.has_systems else []), _ORIGINAL, _TEXT]
    for dimension in frozen.dimensions:
        fields += _of_dimension(dimension)
    return tuple(fields)


def _of_dimension(dimension: dict[str, Any]) -> list[Field]:
    name = dimension["name"]
    described = {field.name: field for field in LABELS}
    parts = [*OF_LABELS]
    is_scale = dimension["level"] != Level.NOMINAL
    fields = [
        Field(
            name,
            "number" if is_scale else "integer",
            "Étiquette finale.",
            "Final label.",
        )
    ]
    if dimension["options"]:
        fields += [
            Field(
                f"{name}_{part}", "text", f"{label_fr} de l'étiquette.", f"The label's {label_en}."
            )
            for part, (label_fr, label_en) in zip(OF_WORDS, _WORDS, strict=True)
        ]
    if is_scale:
        parts += OF_SCALES
    for part in parts:
        field = described[part]
        fields.append(Field(f"{name}_{part}", field.kind, field.fr, field.en))
    return fields


def _final(frozen: Frozen) -> Iterator[Row]:
    originals = {row["item_key"]: row["original"] for row in frozen.rows("items")}
    labels = frozen.labels()
    for pair in frozen.rows("simplifications"):
        row: dict[str, Any] = {
            "item_key": pair["item_key"],
            "simplification_key": pair["simplification_key"],
        }
        if frozen.has_systems:
            row["system"] = pair["system"]
        row |= {"original": originals[pair["item_key"]], "simplification": pair["simplification"]}
        own_labels = labels.get(pair["simplification_key"], {})
        for dimension in frozen.dimensions:
            row |= _labelled(dimension, own_labels.get(dimension["name"]))
        yield row


def _labelled(dimension: dict[str, Any], label: Row | None) -> dict[str, Any]:
    name = dimension["name"]
    if label is None:
        return {f"{name}_provenance": "none", f"{name}_ratings": 0, f"{name}_distribution": {}}
    parts = [*OF_LABELS]
    if dimension["level"] != Level.NOMINAL:
        parts += OF_SCALES
    row = {name: label["value"], **{f"{name}_{part}": label.get(part) for part in parts}}
    for option in dimension["options"]:
        # A mean of levels may lie between them: it has no words then.
        if option["value"] == label["value"]:
            row |= {f"{name}_key": option["key"], f"{name}_fr": option["fr"]}
    return row
