"""What the page says of alpha where pairs share source texts."""

from __future__ import annotations

from django.utils.translation import override

from annotation.management.commands.agreement import _other_sources
from annotation.web.agreement.dashboard.words import elsewhere, reading
from tests.agreement.test_sources import CELLS, OF, report


def said(found) -> str:
    with override("en"):
        return reading(found)


def test_other_source_texts_lead_where_pairs_share_them():
    words = said(report(CELLS, OF))
    first = words.index(
        "For these annotators on other source texts of the same kind, its 95% interval"
    )
    assert "With as few as 12 source texts it holds the truth somewhat less often" in words
    assert words.index("Each pair taken for itself, as on other pairs of these same texts") > first
    assert "on other items of the same kind" not in words
    with override("en"):
        assert elsewhere(report(CELLS, OF), []).startswith("What other people would have given")
    with override("fr"):
        assert "sur d'autres textes sources du même genre" in reading(report(CELLS, OF))


def test_why_nothing_is_said_of_them():
    few = report(CELLS[:9], {unit: OF[unit] for unit in range(9)})
    words = said(few)
    assert "other source texts of the same kind" not in words
    assert "For other source texts: No interval: it takes at least 8 original texts" in words
    assert _other_sources(few.other_sources).endswith("and there are 3.")
    assert _other_sources(report(CELLS, OF).other_sources).startswith(
        "    for other source texts (12 here):  ["
    )


def test_as_before_where_each_pair_has_its_own():
    assert "For these annotators on other items of the same kind" in said(report(CELLS, None))
    assert "interval" not in said(report(CELLS, None, draws=0))
