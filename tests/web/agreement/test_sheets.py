"""What a page shows of a table of figures; files have all of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import translation

from annotation.web.agreement.sheets import (
    Column,
    FigureSheet,
    as_csv,
    as_latex,
    as_markdown,
)

COLUMNS = (Column("Model", once=True), Column("Texts"), Column("Remark"), Column("n", "count"))


def sheet(*rows: tuple[str, str, str, int]) -> FigureSheet:
    return FigureSheet("key", "Title", COLUMNS, rows, note="Read so.")


def shown(*rows: tuple[str, str, str, int]) -> tuple[list[str], str]:
    with translation.override("en"):
        context = sheet(*rows).context()
    return [column["label"] for column in context["columns"]], context["note"]


def test_what_is_the_same_in_all_rows_is_said_once_under_the_table() -> None:
    assert shown(("m", "a", "", 1), ("m", "b", "", 2)) == (["Texts", "n"], "Model: m\nRead so.")


@pytest.mark.parametrize("file", [as_csv, as_latex, as_markdown])
def test_files_have_every_column(file: Callable[[FigureSheet], str]) -> None:
    written = file(sheet(("gpt-x", "a", "", 1), ("gpt-x", "b", "", 2)))
    assert "Model" in written
    assert written.count("gpt-x") == 2


def test_a_single_row_and_rows_that_differ_keep_the_column() -> None:
    assert shown(("m", "a", "", 1)) == (["Model", "Texts", "n"], "Read so.")
    assert shown(("m", "a", "x", 1), ("k", "b", "", 2)) == (
        ["Model", "Texts", "Remark", "n"],
        "Read so.",
    )
