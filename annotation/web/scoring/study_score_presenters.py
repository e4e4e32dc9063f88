"""A scorer beside a study's people, in rows and words."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from annotation.scoring.as_rater import Beside, ScorerBeside
from annotation.scoring.bootstrap import Interval
from annotation.scoring.metrics import Metric
from annotation.services.scoring.study_scores import ScoredItem, StudyScores
from annotation.web.base.numbers import decimal, percent
from annotation.web.base.presenters import text


def scores_context(scores: StudyScores) -> dict[str, Any]:
    """Both choices of items, the trustworthy one first, and what they were computed from."""
    choices = [
        (_("Items whose source the scorer has never seen"), "unseen", scores.unseen),
        (_("All items"), "every", scores.every),
    ]
    return {
        "choices": [_choice(title, key, beside) for title, key, beside in choices],
        "unscored": scores.unscored,
        "signature": scores.signature,
    }


def item_row(item: ScoredItem) -> dict[str, Any]:
    """A line of the table of items."""
    return {
        "unit": item.unit,
        "item": item.unit.rsplit("/", 1)[0],
        "system": item.system,
        "score": decimal(item.score, 1),
        "interval": "–"
        if item.low is None or item.high is None
        else f"{decimal(item.low, 1)} – {decimal(item.high, 1)}",
        "human": decimal(item.human, 1),
        "apart": _signed(item.score - item.human),
        "annotators": item.annotators,
        "is_seen": item.is_seen,
    }


def _choice(title: str, key: str, beside: ScorerBeside | None) -> dict[str, Any]:
    if beside is None:
        return {"title": title, "key": key, "rows": []}
    return {
        "title": title,
        "key": key,
        "items": beside.mean.items,
        "pearson": _metric(beside.mean.pearson),
        "pearson_interval": _interval(beside.pearson_interval),
        "rmse": _metric(beside.mean.rmse),
        "rmse_interval": _interval(beside.rmse_interval),
        "draws": beside.pearson_interval.draws,
        "reliability": _metric(beside.reliability),
        "reliability_items": beside.reliability_items,
        "rows": [
            _row(_("Mean of the people"), beside.mean, strong=True),
            *(_row(annotator.rater, annotator) for annotator in beside.annotators),
        ],
    }


def _row(title: str, beside: Beside, *, strong: bool = False) -> dict[str, Any]:
    severity = beside.severity.value
    near = beside.near.value
    cells = [
        _metric(beside.pearson),
        _metric(beside.person),
        _metric(beside.rmse),
        _cell(beside.severity, None if severity is None else _signed(severity)),
        _cell(beside.near, None if near is None else percent(near)),
    ]
    return {"title": title, "items": beside.items, "cells": cells, "strong": strong}


def _metric(metric: Metric) -> dict[str, str]:
    return _cell(metric, None if metric.value is None else decimal(metric.value))


def _cell(metric: Metric, shown: str | None) -> dict[str, str]:
    """What is undefined is a dash with its reason."""
    return {
        "text": "–" if shown is None else shown,
        "why": text(metric.undefined) if metric.undefined else "",
    }


def _interval(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return text(interval.undefined) if interval.undefined else "–"
    return f"[{decimal(interval.low)};\u00a0{decimal(interval.high)}]"


def _signed(value: float) -> str:
    shown = decimal(value)
    return f"+{shown}" if value > 0 else shown
