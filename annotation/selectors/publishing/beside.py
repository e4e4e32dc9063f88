"""What a snapshot keeps beside judgments: the protocol, agreement on what people marked, and
questions of its texts with what models and people said. Nothing where there is no such."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from annotation.agreement.marks.consensus import consensus_rows, token_consensus
from annotation.agreement.marks.figure import Drawn as MarksDrawn
from annotation.agreement.marks.grouping import AS_MARKED, grouping_of
from annotation.agreement.marks.layers import layers_of
from annotation.agreement.marks.report import edits_report
from annotation.corpus.question_rows import QuestionRow
from annotation.metrics.report.estimate import Drawn
from annotation.models import GenerationRun, PublishedProtocol, Simplification, Study
from annotation.protocols.files import (
    ProtocolIsCode,
    ProtocolUnreadable,
    protocol_read,
    protocol_text,
)
from annotation.protocols.protocol import Protocol
from annotation.release.frozen import PROTOCOL
from annotation.release.recipe import SnapshotRecipe
from annotation.scoring.splits import source_key
from annotation.selectors.agreement.marked import marked_pairs
from annotation.selectors.base.redaction import Redaction, redaction
from annotation.selectors.publishing.question_people import QUESTION_PROTOCOLS
from annotation.selectors.publishing.questions import (
    QuestionsRequest,
    made_from,
    report_with_people,
    rows_with_people,
)

Beside = tuple[str, Iterator[str]]
"""The name of a file and its pieces."""
_LANGUAGES = ("fr", "en")
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
# What a protocol calls a question, an answer, a kind: no words, even where it is somebody's name.
_CALLED = re.compile(r"[A-Za-z0-9_.-]*")


def frozen_protocol(study: Study) -> Iterator[Beside]:
    """``protocol.json``: what was asked, with names taken out of its words as out of a guide's, but
    for what it has published data say of it. Nothing of a protocol that is partly code, which no
    file holds. What it says counts, not how its file is laid out."""
    try:
        content = json.loads(protocol_text(_as_published(study.protocol)))
    except (ProtocolIsCode, ProtocolUnreadable):
        return
    redacted = redaction(study)
    parts = {
        name: part if name == "about" else _unnamed(part, redacted)
        for name, part in content.items()
    }
    # In the order in which a protocol's file says it.
    yield PROTOCOL, iter([json.dumps(parts, ensure_ascii=False, indent=2) + "\n"])


def _as_published(protocol: Protocol) -> Protocol:
    """Of one that is not installed here any more, what the database keeps of its file. Raises
    ``ProtocolUnreadable`` where that is nothing."""
    if protocol.is_installed:
        return protocol
    kept = PublishedProtocol.objects.filter(key=protocol.key, version=protocol.version)
    return protocol_read(kept.values_list("file", flat=True).get())


def words_unnamed(study: Study, said: Any) -> Any:
    """What another file says in the words of the study's protocol, without names as
    ``protocol.json`` is; as it is where the protocol is partly code, whose words are fixed."""
    try:
        protocol_text(_as_published(study.protocol))
    except ProtocolIsCode:
        return said
    except ProtocolUnreadable:
        pass
    return _unnamed(said, redaction(study))


def labels_unnamed(study: Study) -> dict[str, str]:
    """What lines of JSON hold where an answer's label says a name, each with what is to stand in
    its place; nothing of nearly every protocol."""
    try:
        content = json.loads(protocol_text(_as_published(study.protocol)))
    except (ProtocolIsCode, ProtocolUnreadable):
        return {}
    redacted = redaction(study)
    return {
        f'_{language}": {_encode(text)}': f'_{language}": {_encode(unnamed)}'
        for language, text in sorted(set(_wordings(content)))
        if (unnamed := redacted.text(text)) != text
    }


def _wordings(value: Any) -> Iterator[tuple[str, str]]:
    """Every wording of a protocol's file, as (language, text)."""
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from _wordings(inner)
        elif name in _LANGUAGES:
            yield name, inner


def _unnamed(value: Any, redacted: Redaction) -> Any:
    """A part of a protocol's file without names in its words; what it calls its parts by stays, or
    nothing would refer to them any more."""
    if isinstance(value, dict):
        return {
            name: redacted.text(inner)
            if isinstance(inner, str) and (name in _LANGUAGES or not _CALLED.fullmatch(inner))
            else _unnamed(inner, redacted)
            for name, inner in value.items()
        }
    return [_unnamed(inner, redacted) for inner in value] if isinstance(value, list) else value


def frozen_marks(study: Study, recipe: SnapshotRecipe) -> Iterator[Beside]:
    """Of each question whose answer is counted by its marks: ``marks.json``, the report as marked
    and with the protocol's groups as one, and ``mark_consensus.jsonl``, a row for each word."""
    fields = [field for field in study.protocol.fields if field.marks and field.counted]
    if not fields:
        return
    drawn = MarksDrawn(recipe.draws, recipe.seed, recipe.confidence)
    reports: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    for field in fields:
        pairs = marked_pairs(study, field.name, withdrawn=False)
        groups = grouping_of({group.key: group.members for group in field.mark_groups})
        reports[field.name] = edits_report(pairs, groups, drawn, source_of=source_key).as_dict()
        consensus = token_consensus(layers_of(pairs), AS_MARKED)
        rows += [{"field": field.name, **row} for row in consensus_rows(consensus)]
    yield "marks.json", _document(reports)
    yield "mark_consensus.jsonl", (_line(row) for row in rows)


def frozen_questions(study: Study, recipe: SnapshotRecipe) -> Iterator[Beside]:
    """Of the runs that graded answers and have ended: ``questions.jsonl``, their long rows with
    what people said, and ``questions.json``, the report of these rows.

    People's answers are those of closed studies that every lead of this one leads, without whoever
    has left."""
    runs = list(
        study.generation_runs.filter(
            purpose=GenerationRun.Purpose.GRADE, state=GenerationRun.State.FINISHED
        ).order_by("number")
    )
    if not runs:
        return
    first, *others = runs
    questions_request = QuestionsRequest(
        first,
        tuple(others),
        drawn=Drawn(recipe.draws, recipe.seed, recipe.confidence),
        withdrawn=False,
    )
    rows = rows_with_people(questions_request)
    questions_request = replace(questions_request, judged=tuple(made_from(_judged(study), rows)))
    rows = rows_with_people(questions_request)
    if not recipe.systems:
        rows = list(_untold(study, rows))
    yield "questions.jsonl", (_line(asdict(row)) for row in rows)
    yield "questions.json", _document(report_with_people(questions_request, rows))


def _judged(study: Study) -> list[Study]:
    """Closed studies by people of questions and answers, each led by everybody who leads this one:
    whoever reads its snapshots may read those answers where they were given."""
    leads = set(study.leads.values_list("user", flat=True))
    closed = Study.objects.filter(protocol_key__in=QUESTION_PROTOCOLS, state=Study.State.CLOSED)
    return [
        judged
        for judged in closed.filter(leads__user__in=leads).distinct().order_by("key")
        if leads <= set(judged.leads.values_list("user", flat=True))
    ]


def _untold(study: Study, rows: list[QuestionRow]) -> Iterator[QuestionRow]:
    """The rows with the pair's name in the place of who wrote its text."""
    names = {
        (
            pair.item.key,
            pair.system or pair.pair_name,
        ): pair.pair_name
        for pair in Simplification.objects.filter(item__study=study).select_related("item")
    }
    for row in rows:
        yield replace(row, system=names[row.source, row.system])


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n"


def _document(content: dict[str, Any]) -> Iterator[str]:
    yield json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
