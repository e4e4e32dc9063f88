"""Croissant metadata with the fields of its responsible-AI vocabulary.

Croissant 1.0, https://docs.mlcommons.org/croissant/docs/croissant-spec.html, and RAI 1.0,
https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.release.card import TO_COMPLETE, agreement_rows
from annotation.release.frozen import Frozen
from annotation.release.languages import named
from annotation.release.licences import licence
from annotation.release.nouns import counted
from annotation.release.tables import FORMATS, Table

CONFORMS_TO = ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]
_ENCODINGS = {
    "jsonl": "application/jsonlines",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "parquet": "application/x-parquet",
}
_TYPES = {"integer": "sc:Integer", "number": "sc:Float", "boolean": "sc:Boolean"}

_TERMS = (
    *(
        "citeAs",
        "column",
        "equivalentProperty",
        "extract",
        "field",
        "fileProperty",
        "fileObject",
        "fileSet",
    ),
    *(
        "format",
        "includes",
        "isLiveDataset",
        "jsonPath",
        "key",
        "md5",
        "parentField",
        "path",
        "recordSet",
    ),
    *(
        "references",
        "regex",
        "repeated",
        "replace",
        "samplingRate",
        "separator",
        "source",
        "subField",
        "transform",
    ),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{name: f"cr:{name}" for name in _TERMS},
}


def croissant(
    frozen: Frozen, tables: Sequence[tuple[Table, int]], digests: dict[str, str]
) -> dict[str, Any]:
    """The JSON-LD document. ``tables`` with their numbers of rows; ``digests``: SHA-256 by path in
    the bundle."""
    of, study = licence(frozen.study["study"]["licence"]), frozen.study["study"]
    main = frozen.study["rounds"]["main"]
    noun = "published mean" if frozen.are_means else "human judgment"
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": frozen.name,
        "alternateName": study["title"],
        "description": (
            f"{counted(main['judgments'], noun)} of {frozen.judged_texts}: {_judged(frozen)}."
        ),
        "license": of.url or of.name,
        "creator": {"@type": "sc:Organization", "name": TO_COMPLETE},
        "citeAs": f"{study['title']}, snapshot {frozen.name}. {TO_COMPLETE}.",
        "datePublished": frozen.date,
        "version": f"{frozen.manifest['number']}.0.0",
        **_language(frozen),
        "keywords": _keywords(frozen),
        "isLiveDataset": False,
        **_responsible(frozen),
        "distribution": [_file(path, digest) for path, digest in sorted(digests.items())],
        "recordSet": [_records(table) for table, rows in tables if rows],
    }


def _language(frozen: Frozen) -> dict[str, Any]:
    """One code, or several; nothing is said where the language is not recorded."""
    if not frozen.languages:
        return {}
    first, *others = frozen.languages
    return {"inLanguage": [first, *others] if others else first}


def _keywords(frozen: Frozen) -> list[str]:
    domain = frozen.about.domain.en
    return [
        *([domain] if domain else []),
        *([] if frozen.headed else ["text simplification"]),
        "human evaluation",
        *(named([code]) for code in frozen.languages),
    ]


def _file(path: str, digest: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": _ENCODINGS[path.rpartition(".")[2]],
        "sha256": digest,
    }


def _records(table: Table) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{table.name}/{field.name}",
            "name": f"{table.name}/{field.name}",
            "description": field.en,
            "dataType": _TYPES.get(field.kind, "sc:Text"),
            "source": {
                "fileObject": {"@id": f"data/{table.name}.parquet"},
                "extract": {"column": field.name},
            },
        }
        for field in table.fields
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.title,
        "field": fields,
    }


def data_paths(tables: Sequence[Table]) -> list[str]:
    """The paths in the bundle of what Croissant describes."""
    return [f"data/{table.name}.{form}" for table in tables for form in FORMATS]


def _judged(frozen: Frozen) -> str:
    """What was judged, as a list."""
    judged = [frozen.label(dimension["name"]) for dimension in frozen.rated]
    # An import may hold no error: the table is there then, and empty.
    if frozen.has("errors") and frozen.count("errors"):
        judged.append("errors with spans" if frozen.marks_are_errors else "marks with spans")
    return ", ".join(judged)


def _limits(frozen: Frozen) -> list[str]:
    limits = [limit.en for limit in frozen.about.limits]
    if any(dimension["brackets"] for dimension in frozen.dimensions):
        limits.append("Errors count one point each, whatever their weight in law.")
    return limits or [TO_COMPLETE]


def _use_cases(frozen: Frozen) -> list[str]:
    predicted = frozen.protocol.predicted if frozen.protocol else ""
    evaluated = "questions and answers" if frozen.headed else "text simplification"
    uses = [" ".join(f"Evaluating {frozen.about.domain.en} {evaluated}".split())]
    if predicted:
        uses.append(f"Training and testing metrics of {frozen.label(predicted)}")
    return uses


def _guided(study: Mapping[str, Any]) -> str:
    seconds = study["guidance_seconds"]
    return f"Guidance of {seconds} seconds per pair; annotators" if seconds else "Annotators"


def _collection(frozen: Frozen) -> str:
    """What is known of it: of judgments from elsewhere, that they were imported."""
    if frozen.judged_here:
        each = "text" if frozen.headed else "simplification"
        return f"Annotators judged each {each}. How passages were chosen: {TO_COMPLETE}."
    return f"Judgments were imported from a file. How they were collected: {TO_COMPLETE}."


def _each(frozen: Frozen) -> str:
    """By how many people each simplification was judged, which is seldom all that there are."""
    if frozen.are_means:
        return "not known: each is the published mean of what several people answered"
    low, high = (frozen.answers_each or [0])[0], (frozen.answers_each or [0])[-1]
    return str(low) if low == high else f"{low} to {high}"


def _machines(frozen: Frozen) -> list[str]:
    """No model's judgment is released; what reports on metrics say of machines is named."""
    lines = [line for report in frozen.metrics.get("reports", ()) for line in report["lines"]]
    named = {line["signature"]: line["name"] for line in lines if line["kind"] != "metric"}
    statements = ["none: models judged nothing that is released here"]
    if not named:
        return statements
    models = [f"{name} ({signature})" for signature, name in named.items()]
    return [*statements, f"Only held against people, in the table metrics: {'; '.join(models)}"]


def _responsible(frozen: Frozen) -> dict[str, Any]:
    """Who annotated what, how, how far they agree, and what the data are no good for."""
    study, protocol = frozen.study["study"], frozen.study["protocol"]
    analysis = [
        f"{row[0]}, {row[1]}: {row[2]}, interval {row[3]} ({row[4]})"
        for row in agreement_rows(frozen)
    ]
    questions = " ".join(f"“{question['fr']}”" for question in protocol["questions"])
    return {
        "rai:dataCollection": _collection(frozen),
        "rai:dataCollectionType": ["Direct measurement", "Manual human curator"],
        "rai:dataAnnotationProtocol": (
            f"Protocol {protocol['key']} {protocol['version']}, questions in French: {questions} "
            + (
                f"{_guided(study)} saw neither systems nor each other's answers."
                if frozen.judged_here
                else "Imported from a file."
            )
        ),
        "rai:dataAnnotationPlatform": ["Barème" if frozen.judged_here else TO_COMPLETE],
        "rai:dataAnnotationAnalysis": [
            *analysis,
            "Disagreement is kept: every rating, and the distribution beside each final label.",
        ],
        "rai:annotationsPerItem": (
            f"{_each(frozen)}; see the column “ratings” of the table “labels”"
        ),
        "rai:annotatorDemographics": [TO_COMPLETE],
        "rai:machineAnnotationTools": _machines(frozen),
        "rai:dataLimitations": _limits(frozen),
        "rai:dataBiases": [TO_COMPLETE],
        "rai:dataUseCases": _use_cases(frozen),
        "rai:personalSensitiveInformation": [
            "Annotators appear by pseudonym. Names and addresses that were found in what people "
            "typed were replaced; no search finds all of them."
        ],
        "rai:dataReleaseMaintenancePlan": (
            "A release never changes; a correction or a withdrawal makes a new numbered snapshot."
        ),
    }
