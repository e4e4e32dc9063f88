"""What the page says of alpha where pairs share source texts."""

from __future__ import annotations

from django.utils.translation import override

from annotation.management.commands.agreement import _further
from annotation.web.agreement.dashboard.words import reading
from tests.agreement.test_sources import CELLS, OF, report


def said(agreement_report) -> str:
    with override("en"):
        return reading(agreement_report)


def test_other_source_texts_lead_where_pairs_share_them():
    words = said(report(CELLS, OF))
    first = words.index(
        "For these annotators on other source texts of the same kind, its 95% interval"
    )
    assert words.index("Each pair taken for itself, as on other pairs of these same texts") > first
    assert "on other items of the same kind" not in words
    others = words.index(
        "For other annotators of the same kind on other texts, its 95% interval is"
    )
    assert others < first
    with override("fr"):
        assert "sur d'autres textes sources du même genre" in reading(report(CELLS, OF))


def test_why_nothing_is_said_of_them():
    few = report(CELLS[:9], {unit: OF[unit] for unit in range(9)})
    words = said(few)
    assert "other source texts of the same kind" not in words
    # It is the first interval that is spoken of: nothing before names it.
    own = "as on other pairs of these same texts, alpha's 95% interval is"
    assert words.count("interval is") == words.count(own) == 1
    with override("fr"):
        assert "ces mêmes textes, l'intervalle à 95 % de l'alpha va de" in reading(few).replace(
            "\xa0", " "
        )
    assert "For other source texts: No interval: it takes at least 12 original texts" in words
    assert [line.endswith("and there are 3.") for line in _further(few)] == [True]
    texts, others = _further(report(CELLS, OF))
    assert texts.startswith("    for other source texts (12 here):  [")
    assert others.startswith("    for other annotators too (5 here):  [")
    (_nothing, why) = _further(report(CELLS[:, :3], OF))
    assert why.endswith("and there are 3.")
    assert list(_further(report(CELLS * 0 + 4, OF))) == []


def test_as_before_where_each_pair_has_its_own():
    assert "For these annotators on other items of the same kind" in said(report(CELLS, None))
    assert "interval" not in said(report(CELLS, None, draws=0))
