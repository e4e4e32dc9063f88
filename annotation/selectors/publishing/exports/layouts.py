"""Every layout, named once: here. What it is called, holds and can be had as, its class says."""

from __future__ import annotations

from annotation.selectors.publishing.exports.codebook import Codebook
from annotation.selectors.publishing.exports.csmd import Csmd
from annotation.selectors.publishing.exports.error_rows import ErrorRows
from annotation.selectors.publishing.exports.frjudge import FrJudge
from annotation.selectors.publishing.exports.jades import Jades
from annotation.selectors.publishing.exports.layout import Layout
from annotation.selectors.publishing.exports.long import Long
from annotation.selectors.publishing.exports.soft_labels import SoftLabels
from annotation.selectors.publishing.exports.standardized import Standardized
from annotation.selectors.publishing.exports.wide import Wide

TABLES: dict[str, Layout] = {
    layout.key: layout
    for layout in (
        FrJudge(),
        Jades(),
        Csmd(),
        Long(),
        Wide(),
        Standardized(),
        SoftLabels(),
        ErrorRows(),
    )
}
LAYOUTS: dict[str, Layout] = {**TABLES, "codebook": Codebook(TABLES)}
"""Every layout by its key; which of them a study has depends on its protocol."""
