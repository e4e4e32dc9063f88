"""Every published table, one line for each paper."""

from __future__ import annotations

from annotation.metrics.papers import assetann, jades, judgebert, meaningbert, simplicity_da
from annotation.metrics.papers.paper import PaperTable

TABLES: dict[str, PaperTable] = {
    table.key: table
    for tables in (
        judgebert.TABLES,
        meaningbert.TABLES,
        jades.TABLES,
        simplicity_da.TABLES,
        assetann.TABLES,
    )
    for table in tables
}


def tables_for(protocol: str, dimension: str) -> list[PaperTable]:
    """Tables on this dimension of a study's protocol."""
    return [
        table
        for table in TABLES.values()
        if table.protocol and (table.protocol, table.dimension) == (protocol, dimension)
    ]
