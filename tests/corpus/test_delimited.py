"""CSV and TSV as programs really write them."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.delimited import SEPARATORS
from annotation.corpus.pairs_file import read_pairs_file
from annotation.corpus.problems import TableError
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import Layout, Row, looks_like_header

HEADER = ["original", "simplification"]
CELLS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\x00\r"),
    min_size=1,
)
ROWS = st.lists(
    st.tuples(CELLS, CELLS).filter(lambda row: "".join(row).strip()), min_size=1, max_size=8
)

# What cells of a column are, in a file that has no row of names: nothing here is a column's name.
NUMBERS = st.one_of(
    st.integers(-5, 2000).map(str),
    st.floats(0, 1).map(str),
    st.dates().map(str),
    st.integers(0, 100).map("{} %".format),
)
_WORDS = st.lists(
    st.sampled_from(["Le", "bail", "prend", "fin", "puis", "terme", "l'assuré", "gpt-4"]),
    min_size=1,
)
ALIKE = (
    NUMBERS,
    st.one_of(NUMBERS, st.sampled_from(["", "NA", "nan", "n/a", "—", "?"])),
    _WORDS.map(" ".join).filter(lambda text: len(text) <= 60),
    _WORDS.map(lambda words: f"{' '.join(words)}.").filter(lambda text: len(text) <= 60),
    st.sampled_from(["ACCESS", "gpt_4", "PBMT-R"]),
    st.integers(0, 900).map("art_{}".format),
)


def written(rows, separator, line_end="\r\n"):
    target = io.StringIO()
    # Python's writer leaves a line feed unquoted where lines end otherwise.
    quoting = csv.QUOTE_ALL if line_end == "\r" else csv.QUOTE_MINIMAL
    csv.writer(target, delimiter=separator, lineterminator=line_end, quoting=quoting).writerows(
        rows
    )
    return target.getvalue()


def cells(content, **layout):
    return [list(row.cells) for row in read_table(content, Layout(**layout)).rows]


@given(ROWS, st.sampled_from(SEPARATORS), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_what_was_written_is_read_again(rows, separator, encoding):
    content = written([HEADER, *rows], separator).encode(encoding)
    chosen = {"format": "delimited", "separator": separator, "quoted": True, "header": True}
    if encoding == "utf-8":
        chosen["encoding"] = "utf-8"
    assert cells(content, **chosen) == [list(row) for row in rows]


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_the_separator_is_found_even_in_prose(separator, line_end):
    rows = [
        HEADER,
        [
            "Les frais, s'ils sont raisonnables; et utiles | justifiés",
            "On paie les frais, s'ils sont utiles",
        ],
        ["L'assuré, s'il\nle veut, résilie", "Vous, vous pouvez « partir »"],
        ['Il dit "oui", puis "non"', "Il hésite"],
    ]
    table = read_table(written(rows, separator, line_end).encode())
    assert table.layout.separator == separator
    assert table.layout.header is True
    assert [list(row.cells) for row in table.rows] == rows[1:]


def test_row_numbers_are_those_of_a_spreadsheet():
    table = read_table(b'original;simplification\n"a\nb";c\n\n;\nd;e\n')
    assert [(row.number, row.cells[0]) for row in table.rows] == [(2, "a\nb"), (5, "d")]


def test_the_line_that_excel_writes_for_itself_is_obeyed():
    table = read_table(b"sep=|\r\noriginal|simplification\r\na;b|c;d\r\n")
    assert table.layout.separator == "|"
    assert [(row.number, list(row.cells)) for row in table.rows] == [(3, ["a;b", "c;d"])]


def test_a_corpus_without_quoting_keeps_its_quotation_marks():
    content = 'original\tsimplification\n"Valeur" désigne le prix.\t"Valeur" : le prix.\n"Fin de citation\tRien\nUn\tDeux\n'  # noqa: E501
    table = read_table(content.encode())
    assert table.layout.quoted is False
    assert table.rows[0].cells[0] == '"Valeur" désigne le prix.'
    assert table.rows[1].cells[0] == '"Fin de citation'


def test_a_quotation_mark_does_not_swallow_rows():
    # Read with quoting, the first mark pairs with the last one and three rows become one.
    content = 'original\tsimplification\n"ouvre\tun\ndeux\ttrois\nquatre\tferme"\n'
    assert [row.cells[0] for row in read_table(content.encode()).rows] == [
        '"ouvre',
        "deux",
        "quatre",
    ]


def test_bad_quoting_is_named_with_row_and_line():
    with pytest.raises(TableError) as caught:
        read_table(b'original;simplification\n"a\nb";c\nx;"never closed\nmore;\n')
    assert (caught.value.problem.code, caught.value.problem.row) == ("bad_quotes", 3)


@pytest.mark.parametrize(
    ("content", "row"),
    [
        ('original,simplification\n"Texte non fermé,Simple\nautre,ligne\n', 2),
        ('original;simplification\na;b\nc;d\n"Texte non fermé;Simple', 4),
        ('original,simplification\n"a","b"\n"c","d\n', 3),
        ('original\tsimplification\n"a"\t"b"\n"c\t"d"\n', 3),
        ('original;simplification\n"Valeur désigne;le "prix" courant\nb;c\n', 2),
    ],
)
def test_a_mark_that_is_never_closed_is_named_with_the_row_where_it_opens(content, row):
    """However regular the lines are without it: it would be stored as a stray mark, and what it
    was to hold together would be two rows."""
    with pytest.raises(TableError) as caught:
        read_table(content.encode())
    assert (caught.value.problem.code, caught.value.problem.row) == ("bad_quotes", row)
    plain = read_table(content.encode(), Layout(quoted=False))
    assert plain.layout.quoted is False


@pytest.mark.parametrize(
    ("content", "cells"),
    [
        ('original,simplification\nUn "mot" ici,Simple\nUn 5" de,ligne\n', 'Un "mot" ici'),
        ('original;simplification\nDit-il";Simple\n', 'Dit-il"'),
        ('original,simplification\n"Mot" en tête,Simple\n"autre,ligne\n', '"Mot" en tête'),
        ('original\tsimplification\n"Début de citation\tSimple\nb\tc\n', '"Début de citation'),
    ],
)
def test_marks_that_belong_to_the_text_stay_in_it(content, cells):
    table = read_table(content.encode())
    assert table.rows[0].cells[0] == cells
    assert not table.problems


LONG = "\n".join(["y" * 10_000] * 3)


@pytest.mark.parametrize(
    ("file", "is_blamed"),
    [
        (f'original,simplification\n"{LONG}",x\n', True),
        ("original,simplification\n" + LONG.replace("\n", " ") + ",x\n", False),
        (json.dumps({"original": LONG, "simplification": "x"}), False),
    ],
)
def test_a_quotation_mark_is_blamed_where_there_may_be_an_open_one(file, is_blamed):
    parsed = read_pairs_file(file.encode()).pairs
    assert parsed is not None
    (problem,) = parsed.problems
    assert problem.code == "too_long"
    assert ("quotation mark" in problem.remedy.en) == is_blamed


ENDLESS = "y" * 200_000


@pytest.mark.parametrize("cell", [ENDLESS, f'"{ENDLESS}"'])
def test_an_endless_cell_is_a_text_that_is_too_long(cell):
    """It was blamed on a quotation mark, also where there was none."""
    file = read_pairs_file(f"original;simplification\na;b\n{cell};x\n".encode())
    assert file.pairs is not None
    (problem,) = file.pairs.problems
    assert (problem.row, problem.field, problem.code) == (3, "original", "too_long")
    assert "200000 characters; 20000" in problem.message.en


@pytest.mark.parametrize("rest", ["", "\n" + "more;rows\n" * 20_000])
def test_an_endless_cell_that_is_never_closed_is_bad_quoting(rest):
    with pytest.raises(TableError) as caught:
        read_table(f'original;simplification\nx;"{ENDLESS}{rest}'.encode())
    assert (caught.value.problem.code, caught.value.problem.row) == ("bad_quotes", 2)


@pytest.fixture
def _short_cells():
    most = csv.field_size_limit(1000)
    yield
    csv.field_size_limit(most)


@pytest.mark.usefixtures("_short_cells")
def test_what_no_cell_can_hold_is_too_long_too():
    with pytest.raises(TableError) as caught:
        read_table(f"original;simplification\nx;{ENDLESS}\n".encode())
    assert caught.value.problem.code == "too_long"


def test_a_row_with_too_many_cells_is_named_and_a_short_one_filled():
    table = read_table(b"original;simplification;system\na;b;c;d\na;b\na;b;c;;;\n")
    assert [(p.row, p.code) for p in table.problems] == [(2, "too_many_cells")]
    assert [list(row.cells) for row in table.rows] == [["a", "b", ""], ["a", "b", "c"]]


@pytest.mark.parametrize("separator", ["ab", "\n", '"'])
def test_a_separator_is_one_character(separator):
    with pytest.raises(TableError) as caught:
        read_table(b"original;simplification\na;b\n", Layout(separator=separator))
    assert caught.value.problem.code == "bad_separator"


class TestHeader:
    def test_known_names_make_a_header(self):
        assert read_table(b"Texte original,Version\na,b\n").layout.header is True

    def test_short_cells_above_long_ones_make_a_header(self):
        text = "avis légal très long " * 5
        assert read_table(f"A1;B1\n{text};{text}\n{text};{text}\n".encode()).layout.header is True

    def test_without_a_header_columns_are_numbered(self):
        table = read_table(b"un texte;un autre\ndeux textes;deux autres\n")
        assert (table.layout.header, table.columns, len(table.rows)) == (False, ("1", "2"), 2)

    @pytest.mark.parametrize("text", ["a;a\n", "a;;b\n", "x" * 90 + ";y\n"])
    def test_other_first_rows_are_pairs(self, text):
        assert read_table((text * 2).encode()).layout.header is False

    def test_names_above_numbers_make_a_header_where_texts_are_short_too(self):
        row = "1;Hybrid;Le contrat prend fin.;Il finit.;8;{}\n"
        rows = "".join(row.format(value) for value in (100, 99, "", "NA", 1))
        table = read_table(f"sent_id;sys_name;orig_sent;simp_sent;rater_id;mark\n{rows}".encode())
        assert (table.layout.header, len(table.rows)) == (True, 5)
        assert table.columns[2:4] == ("orig_sent", "simp_sent")

    def test_programs_names_above_mostly_long_texts_make_a_header(self):
        text = "avis légal très long " * 5
        rows = f"{text};{text}\n" * 3 + "Fin.;Fin.\n"
        assert read_table(f"orig_sent;simp_sent\n{rows}".encode()).layout.header is True
        assert read_table(f"Préambule;Introduction\n{rows}".encode()).layout.header is False

    def test_the_first_of_numbered_clauses_may_have_a_name(self):
        rows = "".join(f"{number};Payez.;Il faut payer.\n" for number in range(9))
        assert read_table(f"préambule;Ceci lie;Lisez\n{rows}".encode()).layout.header is False

    @given(st.data())
    def test_rows_of_one_kind_have_no_header(self, data):
        """Cells of a column are drawn alike in each row, the first as the others."""
        drawn = data.draw(st.lists(st.sampled_from(ALIKE), min_size=1, max_size=6))
        held = st.tuples(*drawn).filter(any)
        rows = data.draw(st.lists(held, min_size=2, max_size=12))
        assert not looks_like_header([Row(n, row) for n, row in enumerate(rows, start=1)])

    @given(st.data())
    def test_names_above_two_columns_of_numbers_are_a_header(self, data):
        drawn = [NUMBERS, NUMBERS, *data.draw(st.lists(st.sampled_from(ALIKE), max_size=4))]
        rows = data.draw(st.lists(st.tuples(*drawn), min_size=3, max_size=60))
        names = [f"col_{letter}" for letter, _ in zip("abcdef", drawn, strict=False)]
        assert looks_like_header([Row(n, row) for n, row in enumerate([names, *rows], start=1)])

    def test_a_choice_is_obeyed(self):
        table = read_table(b"original;simplification\na;b\n", Layout(header=False))
        assert len(table.rows) == 2

    def test_names_are_made_different(self):
        table = read_table(b"texte;texte;;original\na;b;c;d\n")
        assert table.columns == ("texte", "texte (2)", "3", "original")

    def test_a_header_alone_is_no_table(self):
        with pytest.raises(TableError) as caught:
            read_table(b"original;simplification\n")
        assert caught.value.problem.code == "no_rows"
