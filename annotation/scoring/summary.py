"""Metrics of several seeds or repeats as one row of a report: mean ± standard deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

METRICS = ("pearson", "spearman", "r2", "rmse", "mae", "share_above", "mean_above")


def summary(metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean ± sample standard deviation over the seeds; the reason of the first seed where none
    defines it."""
    figures: dict[str, Any] = {"items": float(np.mean([seed["items"] for seed in metrics]))}
    for name in METRICS:
        values = [seed[name]["value"] for seed in metrics if seed[name]["value"] is not None]
        figures[name] = {
            "mean": float(np.mean(values)) if values else None,
            "sd": float(np.std(values, ddof=1)) if len(values) > 1 else None,
            "seeds": len(values),
            "undefined": None if values else metrics[0][name]["undefined"],
        }
    return figures
