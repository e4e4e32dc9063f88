"""Which edition of the code every scorer answers by, whatever it has learned."""

from __future__ import annotations

ANSWERS = 5
"""Counted up whenever the same stored scorer would say another score of the same texts: its
features or its stated rules changed. It stands in every signature, so that no report mixes scores
of two editions."""
