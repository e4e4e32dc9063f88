"""What a report on metrics starts from, where it is of a snapshot: the frozen texts and answers,
whatever the study has become since."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from annotation.errors import RuleError
from annotation.metrics.languages import with_languages
from annotation.metrics.metric import MetricPair, pair
from annotation.metrics.report.people import REFERENCES, FloatArray, Output, People
from annotation.models import DatasetSnapshot, Study
from annotation.selectors.agreement.reliability import scale_of
from annotation.selectors.metrics.material import Material, pair_names
from annotation.services.publishing.snapshots import (
    snapshot_damage,
    snapshot_folder,
    snapshot_withdrawals,
)

_Row = Mapping[str, Any]


def snapshot_numbers(study: Study) -> list[int]:
    """Of the study's snapshots, the newest first."""
    snapshots = DatasetSnapshot.objects.filter(study=study).order_by("-number")
    return list(snapshots.values_list("number", flat=True))


def snapshot_of(study: Study, number: int) -> DatasetSnapshot:
    """The snapshot, its files as they were frozen. Raises ``RuleError`` ("unknown", "damaged")."""
    snapshot = DatasetSnapshot.objects.filter(study=study, number=number).first()
    if snapshot is None:
        raise RuleError.single(
            "snapshot",
            "unknown",
            f"L'étude n'a pas d'instantané {number}.",
            f"The study has no snapshot {number}.",
        )
    if damaged := snapshot_damage(snapshot):
        names = ", ".join(damaged)
        raise RuleError.single(
            "snapshot",
            "damaged",
            f"Des fichiers de l'instantané {snapshot.name} manquent ou ont changé : {names}.",
            f"Files of the snapshot {snapshot.name} are missing or have changed: {names}.",
        )
    return snapshot


def frozen_systems(snapshot: DatasetSnapshot) -> set[str]:
    """Who wrote its simplifications; none where its recipe does not tell."""
    rows = _rows(snapshot_folder(snapshot) / "simplifications.jsonl")
    return {row["system"] for row in rows if row.get("system")}


def frozen_material(
    snapshot: DatasetSnapshot, dimension: str, references: Collection[str] = ()
) -> Material:
    """As ``selectors.metrics.material.material`` has it of the study. ``ids`` are those of the
    study's simplifications of the same names (0 where there is none any more), so that scores that
    were brought in stand beside. Whoever has withdrawn since is left out."""
    folder = snapshot_folder(snapshot)
    ratings = _ratings(folder, dimension, snapshot_withdrawals(snapshot))
    raters = sorted({name for given in ratings.values() for name in given})
    originals = {row["item_key"]: row["original"] for row in _rows(folder / "items.jsonl")}
    written = list(_rows(folder / "simplifications.jsonl"))
    beside_texts = _references(written, references)
    classes = _classes(folder, snapshot.study)
    judged = [row for row in written if row["simplification_key"] in ratings]
    outputs = [row for row in judged if row.get("system", "") not in references]
    own = [row for row in judged if row.get("system", "") in references]
    scale = scale_of(snapshot.study.protocol, dimension)

    def matrix(rows: Sequence[_Row]) -> FloatArray:
        given = [ratings[row["simplification_key"]] for row in rows]
        table = [[by_rater.get(name, np.nan) for name in raters] for by_rater in given]
        return np.array(table, dtype=np.float64)

    def output(row: _Row) -> Output:
        return Output(
            unit=row["simplification_key"],
            original=originals[row["item_key"]],
            simplification=row["simplification"],
            system=row.get("system", ""),
            finish_reason=row["finish_reason"],
            majority=classes.get(row["simplification_key"], ""),
        )

    def texts(row: _Row) -> MetricPair:
        compared = beside_texts.get(row["item_key"], ())
        return pair(originals[row["item_key"]], row["simplification"], compared, row["language"])

    people = People(
        tuple(map(output, outputs)),
        matrix(outputs),
        float(min(scale)),
        float(max(scale)),
        better=snapshot.study.protocol.dimension(dimension).better,
    ).with_beside(
        REFERENCES, list(map(output, own)), np.nanmean(matrix(own), axis=1) if own else np.zeros(0)
    )
    pairs, beside = (with_languages(list(map(texts, some))) for some in (outputs, own))
    names = pair_names(snapshot.study)
    numbers = [len(metric_pair.references) for metric_pair in pairs] or [0]
    return Material(
        people,
        tuple(names.get(row["simplification_key"], 0) for row in outputs),
        pairs,
        max(numbers),
        min(numbers),
        tuple(names.get(row["simplification_key"], 0) for row in own),
        beside,
    )


def _ratings(folder: Path, dimension: str, without: Collection[str]) -> dict[str, dict[str, float]]:
    ratings: dict[str, dict[str, float]] = defaultdict(dict)
    for row in _rows(folder / "ratings.jsonl"):
        if row["dimension"] == dimension and row["annotator"] not in without:
            ratings[row["simplification_key"]][row["annotator"]] = float(row["value"])
    return ratings


def _references(rows: Sequence[_Row], systems: Collection[str]) -> dict[str, tuple[str, ...]]:
    by_item: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.get("system", "") in systems:
            by_item[row["item_key"]].append(row["simplification"])
    return {item: tuple(texts) for item, texts in by_item.items()}


def _classes(folder: Path, study: Study) -> dict[str, str]:
    """The final class of each simplification, where the protocol has classes."""
    named = [dimension.name for dimension in study.protocol.classes]
    return {
        row["simplification_key"]: f"{row['value']:g}"
        for row in _rows(folder / "labels.jsonl")
        if named and row["dimension"] == named[0] and row["value"] is not None
    }


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
