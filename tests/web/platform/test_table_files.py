"""Tables as workbooks: the rows of the CSV, and what does not fit said on the page."""

from __future__ import annotations

import io

import pytest
from openpyxl import load_workbook

from annotation.models import Item
from tests.factories import make_pair

pytestmark = pytest.mark.django_db


def cells(answer) -> list[list[object]]:
    assert answer.status_code == 200
    assert answer["content-disposition"].endswith('.xlsx"')
    assert answer["x-content-type-options"] == "nosniff"
    sheet = load_workbook(io.BytesIO(b"".join(answer.streaming_content)), read_only=True).active
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def test_items_with_their_numbers_and_without_formulas(cast):
    make_pair(cast.alpha, key="0012", original="=1+1", system="-x")
    header, *rows = cells(cast.client("lead").get("/studies/alpha/items.csv?format=xlsx"))
    assert header[:2] == ["clé", "ronde"]
    [row] = [row for row in rows if row[0] == "0012"]
    assert row[3:] == ["=1+1", 4, "-x", 0]


@pytest.mark.parametrize("path", ["people.csv", "remarks.csv", "pay.csv", "glossary.csv"])
def test_the_other_tables(cast, path):
    lead = cast.client("lead")
    header, *_rows = cells(lead.get(f"/studies/alpha/{path}?format=xlsx"))
    plain = lead.get(f"/studies/alpha/{path}").content.decode("utf-8-sig").splitlines()[0]
    assert header == plain.split(";")


def test_a_text_that_no_cell_holds_is_named_on_the_list(cast):
    Item.objects.filter(study=cast.alpha, key="item-0002").update(original="x" * 40_000)
    lead = cast.client("lead")
    answer = lead.get("/studies/alpha/items.csv?format=xlsx", follow=True)
    assert answer.redirect_chain == [("/studies/alpha/items/", 302)]
    assert "colonne «\u00a0original\u00a0»" in answer.content.decode()
    assert lead.get("/studies/alpha/items.csv").status_code == 200


def test_too_many_rows_are_said(cast, monkeypatch):
    monkeypatch.setattr("annotation.workbooks.MOST_ROWS", 2)
    answer = cast.client("lead").get("/studies/alpha/items.csv?format=xlsx", follow=True)
    assert "restreignez la liste" in answer.content.decode()
