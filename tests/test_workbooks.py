"""Workbooks: a text stays a text, a number a number, and what does not fit is refused."""

from __future__ import annotations

import io
import tracemalloc
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from annotation import workbooks
from annotation.corpus.tables import Layout
from annotation.corpus.xlsx import read
from annotation.workbooks import MOST_CHARACTERS, SheetFile, WorkbookLimit
from tests.house.test_csv_writers import HOSTILE

# Half a character, and what no XML holds.
UNHELD = ["a\x00b", "\ud800", "\x1f", "a\rb\r\n", "_x0041_", "__x000D_", "\uffff"]


def written(*rows: list[Any], title: str = "alpha") -> bytes:
    sheet, out = SheetFile(title), io.BytesIO()
    for row in rows:
        sheet.writerow(row)
    sheet.save(out)
    return out.getvalue()


def cells(*rows: list[Any]) -> list[list[Any]]:
    sheet = openpyxl.load_workbook(io.BytesIO(written(*rows))).active
    return [list(row) for row in sheet.iter_rows()]


@pytest.mark.parametrize("text", [*HOSTILE, "=HYPERLINK(1)", "#N/A", "0012", "1e5", "12345678901"])
def test_a_text_is_a_text_whatever_it_looks_like(text: str) -> None:
    [[cell]] = cells([text])
    assert cell.data_type == "s"


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\r" not in text])
def test_what_starts_like_a_formula_stays_a_text_when_it_is_edited(text: str) -> None:
    [[cell, harmless]] = cells([text, "Une clause."])
    assert (cell.value, cell.quotePrefix) == (text, True)
    assert not harmless.quotePrefix


@pytest.mark.parametrize("text", [*HOSTILE, *UNHELD[:1], *UNHELD[2:]])
def test_our_own_reader_gets_back_what_was_written(text: str) -> None:
    sheet = read(written(["key", "text"], ["a", text]), Layout())
    assert [row.cells for row in sheet.rows] == [["a", text]]


def test_half_a_character_is_held_and_named_by_the_reader() -> None:
    sheet = read(written(["key", "text"], ["a", UNHELD[1]], ["b", "c"]), Layout())
    assert [problem.code for problem in sheet.problems] == ["half_character"]


def test_numbers_are_numbers_and_long_ones_keep_their_digits() -> None:
    [row] = cells([3, -2.5, Decimal("3.25"), True, None, "", 10**15])
    assert [cell.value for cell in row] == [3, -2.5, 3.25, True, None, None, str(10**15)]


def test_the_sheet_is_named_and_its_header_stands_still() -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(written(["a"], title="a/b:" + "x" * 40))).active
    assert sheet.title == "a-b-" + "x" * 27
    assert sheet.freeze_panes == "A2"


def test_a_text_longer_than_a_cell_is_refused_by_its_place() -> None:
    sheet = SheetFile("s")
    sheet.writerow(["key", "text"])
    sheet.writerow(["a", "x" * MOST_CHARACTERS])
    with pytest.raises(WorkbookLimit) as caught:
        sheet.writerow(["b", "x" * (MOST_CHARACTERS + 1)])
    assert (caught.value.code, caught.value.row, caught.value.column) == ("cell_too_long", 3, 2)
    sheet.discard()


def test_more_rows_than_a_sheet_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbooks, "MOST_ROWS", 2)
    sheet = SheetFile("s")
    sheet.writerow(["key"])
    sheet.writerow(["a"])
    with pytest.raises(WorkbookLimit, match="too_many_rows"):
        sheet.writerow(["b"])
    sheet.discard()


def test_what_is_discarded_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    sheet = SheetFile("s")
    sheet.writerow(["key"])
    assert list(tmp_path.iterdir())
    sheet.discard()
    assert not list(tmp_path.iterdir())
    saved = SheetFile("s")
    saved.writerow(["key"])
    saved.save(io.BytesIO())
    saved.discard()
    assert not list(tmp_path.iterdir())


def test_memory_does_not_grow_with_rows(tmp_path: Path) -> None:
    def peak(rows: int) -> int:
        sheet = SheetFile("s")
        with (tmp_path / "x.xlsx").open("wb") as out:
            tracemalloc.start()
            for number in range(rows):
                sheet.writerow([f"item-{number:06}", "Une phrase simple.", number])
            sheet.save(out)
            highest = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return highest

    peak(10)  # what is loaded once
    assert peak(8000) < peak(1000) + 300_000
