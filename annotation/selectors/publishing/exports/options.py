"""Choices that every layout understands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExportOptions:
    """None of them can reveal who an annotator is."""

    round: str = "main"
    """One of ``ROUNDS``: practice, control pairs, repeats and surplus answers are kept apart."""
    systems: bool = True
    """Keep the column that says which system wrote what."""
    withdrawn: bool = True
    """Keep what annotators submitted who have left since."""
    machines: bool = True
    """Keep what models judged beside people."""
    coarse_times: bool = False
    """Days instead of moments."""
    bom: bool = False
    """Mark CSV and TSV as UTF-8 for Excel."""
