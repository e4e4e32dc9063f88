"""What a closed study exports comes back in as judgments: the same answers, pairs and judges, for
each protocol that is installed, in each format that holds every answer."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd
import pytest
from django.db import transaction

from annotation.corpus.judging import judging_options
from annotation.models import Judgment
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from annotation.reading import pairs_file_read
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.items.items import RowsRefused
from annotation.services.items.judged import judged_import
from annotation.services.studies.studies import study_create
from tests.protocols.answered import RULED
from tests.protocols.judged import judged

FORMS = ("jsonl", "csv", "tsv", "csv-fr", "xlsx", "parquet")
# Of another study, or not known of what was judged elsewhere.
_OTHERWISE = frozenset(
    (
        *("study", "item_position", "annotator_kind", "origin", "revision", "guide_version"),
        *("started_at", "submitted_at", "active_seconds", "imported_row", "context_shown"),
        *("renderings_used_at", "glossary_used_at", "simplification_key", "language"),
    )
)


def exported(study: Any, form: str) -> bytes:
    spec = export_spec("long", form)
    return b"".join(chunk.content for chunk in export_chunks(study, spec))


def brought(study: Any, content: bytes) -> Any:
    judging = judging_options(study.protocol, study.rulings)
    return pairs_file_read(content, person=None, judging=judging)


def told(study: Any) -> list[dict[str, Any]]:
    """The exported rows, without what differs."""
    rows = [json.loads(line) for line in exported(study, "jsonl").splitlines()]
    kept = [{name: value for name, value in row.items() if name not in _OTHERWISE} for row in rows]
    return sorted(kept, key=lambda row: (row["item_key"], row["system"], row["annotator"]))


def differences(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    assert len(before) == len(after)
    return [
        (name, row_before[name], row_after[name])
        for row_before, row_after in zip(before, after, strict=True)
        for name in row_before
        if row_before[name] != row_after[name]
    ]


def again(protocol: Protocol) -> Any:
    return study_create(
        actor=None,
        key="again",
        title="Encore",
        protocol_key=protocol.key,
        protocol_version=protocol.version,
        rulings=RULED.get(protocol.name),
    )


def parquet(study: Any) -> bytes:
    rows = [json.loads(line) for line in exported(study, "jsonl").splitlines()]
    into = io.BytesIO()
    pd.DataFrame(rows).to_parquet(into)
    return into.getvalue()


@contextmanager
def taken_back() -> Iterator[None]:
    """What is imported is taken back: the next file comes to the same database."""
    point = transaction.savepoint()
    yield
    transaction.savepoint_rollback(point)


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_what_goes_out_comes_in_again(protocol):
    first = judged(protocol).study
    before = told(first)
    for form in FORMS:
        content = parquet(first) if form == "parquet" else exported(first, form)
        with taken_back():
            second = again(protocol)
            read = brought(second, content)
            assert read.fatal is None, form
            assert [problem.message.en for problem in read.judged.problems] == [], form
            outcome = judged_import(actor=None, study=second, judged=read.judged)
            assert differences(before, told(second)) == [], form
            imported = Judgment.objects.filter(origin="imported").count()
            assert outcome.judgments == imported > 0, form
        assert not Judgment.objects.filter(origin="imported").exists()


@pytest.mark.django_db
def test_an_export_by_another_protocol_is_refused():
    first = judged(PROTOCOLS["jades", "1"]).study
    other = again(PROTOCOLS["direct_assessment", "1"])
    content = exported(first, "jsonl")
    read = brought(other, content)
    assert "other_protocol" in [problem.code for problem in read.judged.problems]
    with pytest.raises(RowsRefused):
        judged_import(actor=None, study=other, judged=read.judged)
    assert not other.items.exists()
