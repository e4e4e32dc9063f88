"""Where training data come from: a frozen snapshot, or published data sets as they were
released."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.corpus.problems import shown
from annotation.models import DatasetSnapshot, Study
from annotation.protocols.base import Wording
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import UnknownProtocol, protocol
from annotation.release.languages import main_language
from annotation.scoring.dataset import LabelledPair, TrainingSet
from annotation.scoring.errors import ScoringError
from annotation.services.publishing.snapshots import snapshot_damage, snapshot_folder

CSMD_TARGET = "csmd/meaning"
_CSMD_LABELS = ("label_own_mean", "label")
_OWN_MEAN = "label_own_mean"
_CSMD_TEXTS = ("original", "simplification")
_CSMD_LOWEST, _CSMD_HIGHEST = 0, 100
_MOST_PROBLEMS = 20
CORPUS_BREAK = "\f"
# In an item's source, after the document's name and before the headings.
_DOCUMENT_ENDS = "›"


def set_of_snapshot(snapshot: DatasetSnapshot) -> TrainingSet:
    """Every pair with a final label on the dimension that the protocol lets be predicted.

    Raises ``ScoringError``: "snapshot_damaged" (a file is missing or not as frozen),
    "other_protocol" (there is no scale to learn), "no_labels".
    """
    if damaged := snapshot_damage(snapshot):
        names = ", ".join(damaged)
        raise ScoringError(
            "snapshot_damaged",
            f"Des fichiers de l'instantané {snapshot.name} manquent ou ont changé : {names}.",
            f"Files of the snapshot {snapshot.name} are missing or have changed: {names}.",
        )
    known = _protocol(snapshot)
    scale = known.dimension(known.predicted)
    classes = [dimension.name for dimension in known.classes]
    folder = snapshot_folder(snapshot)
    items = {row["item_key"]: row for row in _rows(folder / "items.jsonl")}
    labels = {name: _labels(folder, name) for name in (scale.name, *classes)}
    ratings = _ratings(folder, scale.name)
    written = list(_rows(folder / "simplifications.jsonl"))
    pairs = [
        _pair(number, row, items[row["item_key"]], labels, scale.name, ratings, classes)
        for number, row in enumerate(written, 1)
        if labels[scale.name].get(row["simplification_key"]) is not None
    ]
    if not pairs:
        raise _no_labels(snapshot.name, scale.label)
    rule = snapshot.recipe.get("labels", {}).get("rules", {}).get(scale.name, "mean")
    tops = _bracket_tops(known, scale.name)
    return TrainingSet(
        name=snapshot.name,
        target=f"{snapshot.protocol_key}/{scale.name}",
        language=main_language(row.get("language", "") for row in written),
        lowest=float(scale.lowest),
        highest=float(scale.highest),
        pairs=tuple(pairs),
        bracket_tops=tops,
        aggregate=str(rule),
    )


def _bracket_tops(known: Protocol, dimension: str) -> tuple[float, ...]:
    """Upper ends of the lower brackets, lowest first; () without brackets."""
    brackets = [b for s in known.bracketed if s.dimension_name == dimension for b in s.brackets]
    return tuple(float(top) for top in sorted(bracket.top for bracket in brackets)[:-1])


def study_scale(study: Study) -> tuple[float, float, tuple[float, ...]]:
    """Ends and bracket tops of what a scorer would predict of the study. Raises ``ScoringError``
    ("other_protocol") where its protocol has no such scale."""
    known = study.protocol
    if not known.predicted:
        raise ScoringError(
            "other_protocol",
            "Le protocole de cette étude n'a pas d'échelle à prédire : donnez-en une.",
            "This study's protocol has no scale to predict: give one.",
        )
    scale = known.dimension(known.predicted)
    return float(scale.lowest), float(scale.highest), _bracket_tops(known, scale.name)


def set_of_csmd(place: Path, label: str = "") -> TrainingSet:
    """MeaningBERT's pairs (scale 0–100) from a TSV, or from a folder as released (``meaning/*.tsv``
    or the TSVs).

    ``label``: the column (default ``label_own_mean``, else ``label``). Where ``label_own_mean``
    stands beside it, the audit compares them. Raises ``ScoringError``: "data_unreadable",
    "no_labels".
    """
    files = _csmd_files(place)
    pairs: list[LabelledPair] = []
    for file in files:
        columns, rows = _csmd_rows(file)
        if not rows:
            continue
        column = _csmd_label(columns, label, file)
        problems = [
            (number, wrong)
            for number, row in enumerate(rows, 1)
            if (wrong := _csmd_problem(row, column))
        ]
        if problems:
            raise _csmd_refused(file, problems)
        for row in rows:
            pairs.append(_csmd_pair(len(pairs) + 1, row, column, file))
    if not pairs:
        raise _no_labels(place.name)
    name = f"{place.name}:{label}" if label else place.name
    ends = float(_CSMD_LOWEST), float(_CSMD_HIGHEST)
    return TrainingSet(name, CSMD_TARGET, "en", *ends, tuple(pairs), (33.0, 66.0), "mean")


def corpus_parts(content: bytes) -> list[list[str]]:
    """Other legal texts for unrelated pairs: one sentence a line, short lines (headings) left out;
    a form feed alone on its line begins another text."""
    try:
        texts = content.decode("utf-8-sig").split(f"\n{CORPUS_BREAK}\n")
    except UnicodeDecodeError as error:
        raise _unreadable("le corpus", "the corpus", "UTF-8") from error
    parts = [
        [line.strip() for line in text.splitlines() if len(line.split()) >= 5] for text in texts
    ]
    if not all(parts):
        raise _unreadable("le corpus", "the corpus", "une phrase par ligne / one sentence a line")
    return parts


def _protocol(snapshot: DatasetSnapshot) -> Protocol:
    """The snapshot's protocol, which has a dimension to predict. Raises ``ScoringError``."""
    try:
        known = protocol(snapshot.protocol_key, snapshot.protocol_version)
    except UnknownProtocol as error:
        raise _other_protocol(snapshot) from error
    if not known.predicted:
        raise _other_protocol(snapshot)
    return known


def _labels(folder: Path, dimension: str) -> dict[str, float | None]:
    return {
        row["simplification_key"]: row["value"]
        for row in _rows(folder / "labels.jsonl")
        if row["dimension"] == dimension
    }


def _ratings(folder: Path, dimension: str) -> dict[str, dict[str, float]]:
    ratings: dict[str, dict[str, float]] = defaultdict(dict)
    for row in _rows(folder / "ratings.jsonl"):
        if row["dimension"] == dimension:
            ratings[row["simplification_key"]][row["annotator"]] = float(row["value"])
    return ratings


def _pair(
    number: int,
    row: Mapping[str, Any],
    item: Mapping[str, Any],
    labels: Mapping[str, Mapping[str, float | None]],
    dimension: str,
    ratings: Mapping[str, Mapping[str, float]],
    classes: Sequence[str],
) -> LabelledPair:
    key = row["simplification_key"]
    value = labels[dimension][key]
    of_classes = {name: labels[name].get(key) for name in classes}
    return LabelledPair(
        row=number,
        key=key,
        original=item["original"],
        simplification=row["simplification"],
        label=float(value or 0.0),
        ratings=dict(ratings.get(key, {})),
        finish_reason=row.get("finish_reason") or "",
        system=row.get("system") or "",
        classes={name: f"{label:g}" for name, label in of_classes.items() if label is not None},
        corpus=str(item.get("source") or "").split(_DOCUMENT_ENDS, 1)[0].strip(),
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _csmd_files(place: Path) -> list[Path]:
    if place.is_dir():
        inner = place / "meaning"
        files = sorted((inner if inner.is_dir() else place).glob("*.tsv"))
    else:
        files = [place]
    if not files or not all(file.is_file() for file in files):
        raise _unreadable(str(place), str(place), "TSV: original, simplification, label")
    return files


def _csmd_rows(file: Path) -> tuple[list[str], list[dict[str, str]]]:
    """The columns and the rows under them."""
    try:
        content = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(file.name, file.name, "UTF-8") from error
    reader = csv.DictReader(io.StringIO(content, newline=""), delimiter="\t")
    rows = list(reader)
    return list(reader.fieldnames or ()), rows


def _csmd_label(columns: Sequence[str], label: str, file: Path) -> str:
    """The column of labels. Raises ``ScoringError`` where a column is not there."""
    column = label or next((name for name in _CSMD_LABELS if name in columns), "label")
    missing = [name for name in (*_CSMD_TEXTS, column) if name not in columns]
    if missing:
        absent, there = ", ".join(missing), ", ".join(columns)
        raise ScoringError(
            "data_unreadable",
            f"{file.name} n'a pas de colonne {absent}. Ses colonnes : {there}.",
            f"{file.name} has no column {absent}. Its columns: {there}.",
        )
    return column


def _csmd_problem(row: Mapping[str, str | None], column: str) -> Wording | None:
    """What is wrong with a row; None where it is a pair."""
    for name in _CSMD_TEXTS:
        if not (row[name] or "").strip():
            return Wording(f"{name} est vide", f"{name} is empty")
    for name in (column, _OWN_MEAN):
        value = row.get(name) or ""
        # Nobody's own mean is no mistake.
        if not _is_label(value) and (value or name == column):
            cell = shown(value)
            return Wording(
                f"{name} : « {cell} » n'est pas un nombre de {_CSMD_LOWEST} à {_CSMD_HIGHEST}",
                f"{name}: “{cell}” is no number from {_CSMD_LOWEST} to {_CSMD_HIGHEST}",
            )
    return None


def _is_label(value: str) -> bool:
    try:
        return _CSMD_LOWEST <= float(value) <= _CSMD_HIGHEST
    except ValueError:
        return False


def _csmd_refused(file: Path, problems: Sequence[tuple[int, Wording]]) -> ScoringError:
    first, more = problems[:_MOST_PROBLEMS], len(problems) - _MOST_PROBLEMS
    fr = [f"{file.name}, ligne {number} : {problem.fr}." for number, problem in first]
    en = [f"{file.name}, row {number}: {problem.en}." for number, problem in first]
    if more > 0:
        fr.append(f"… et {more} autres lignes.")
        en.append(f"… and {more} more rows.")
    fr.append("Corrigez ces lignes, ou retirez-les. Rien n'a été retenu.")
    en.append("Mend these rows, or leave them out. Nothing was taken.")
    return ScoringError("data_unreadable", "\n".join(fr), "\n".join(en))


def _csmd_pair(number: int, row: Mapping[str, str], column: str, file: Path) -> LabelledPair:
    own = row.get(_OWN_MEAN)
    return LabelledPair(
        row=number,
        key=f"{file.stem}-{number:05}",
        original=row["original"],
        simplification=row["simplification"],
        label=float(row[column]),
        ratings={"own-mean": float(own)} if own else {},
        system=row.get("campaign") or "",
        corpus=row.get("campaign") or "",
    )


def _unreadable(fr: str, en: str, wanted: str) -> ScoringError:
    return ScoringError(
        "data_unreadable", f"{fr} : illisible ({wanted}).", f"{en}: cannot be read ({wanted})."
    )


def _other_protocol(snapshot: DatasetSnapshot) -> ScoringError:
    named = f"{snapshot.protocol_key} {snapshot.protocol_version}"
    return ScoringError(
        "other_protocol",
        f"L'instantané {snapshot.name} suit le protocole {named}, qui n'a pas d'échelle à "
        "apprendre.",
        f"The snapshot {snapshot.name} follows the protocol {named}, which has no scale to learn.",
    )


def _no_labels(name: str, dimension: Wording | None = None) -> ScoringError:
    if dimension is None:
        fr, en = "aucune paire jugée", "no judged pair"
    else:
        fr = f"aucune paire qui soit jugée sur « {dimension.fr} »"
        en = f"no pair that is judged on “{dimension.en}”"
    return ScoringError("no_labels", f"{name} ne contient {fr}.", f"{name} holds {en}.")
