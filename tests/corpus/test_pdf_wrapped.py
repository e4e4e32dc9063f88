"""Cells of several lines in the tables of printed pages. The pages are as browsers print them: the
text in the order in which it was drawn, and the same with its gaps. All examples are invented."""

from __future__ import annotations

import pytest

from annotation.corpus.pdf_tables import with_bars

ABOVE = "L'assureur paie les sommes qui suivent, selon la garantie choisie."
BELOW = "L'assuré doit aviser l'assureur dans les sept jours du sinistre."
ROWS = [
    "Garantie | Ce qui est couvert | Montant",
    "Bris de glace | pare-brise, lunette arrière, vitres latérales et rétroviseurs | 500 $",
    "Vol et tentative de vol du véhicule stationné | perte totale | "
    "valeur à neuf moins la franchise",
]
TOP = """
       Garantie                   Ce qui est couvert                   Montant
Bris de glace             pare-brise, lunette arrière, vitres     500 $
                          latérales et rétroviseurs
Vol et tentative de vol   perte totale                            valeur à neuf
du véhicule stationné                                             moins la
                                                                  franchise
"""
MIDDLE = """
       Garantie                   Ce qui est couvert                   Montant
                          pare-brise, lunette arrière, vitres
Bris de glace             latérales et rétroviseurs               500 $
Vol et tentative de vol                                           valeur à neuf
du véhicule stationné     perte totale                            moins la
                                                                  franchise
"""
CELL_BY_CELL = [
    "Garantie Ce qui est couvert Montant",
    "Bris de glace pare-brise, lunette arrière, vitres",
    "latérales et rétroviseurs",
    "500 $",
    "Vol et tentative de vol",
    "du véhicule stationné perte totale valeur à neuf",
    "moins la",
    "franchise",
]


def shown(table: str) -> str:
    return "\n".join([ABOVE, *table.strip("\n").split("\n"), BELOW])


@pytest.mark.parametrize("table", [TOP, MIDDLE], ids=["top", "middle"])
def test_a_row_is_one_line_whichever_way_its_cells_stand(table):
    assert with_bars([ABOVE, *CELL_BY_CELL, BELOW], shown(table)) == [ABOVE, *ROWS, BELOW]


def test_cells_that_were_drawn_line_by_line():
    lines = [
        "Garantie Ce qui est couvert Montant",
        "Bris de glace pare-brise, lunette arrière, vitres 500 $",
        "latérales et rétroviseurs",
        "Dépannage remorquage 100 $",
    ]
    page = """
Garantie                  Ce qui est couvert                      Montant
Bris de glace             pare-brise, lunette arrière, vitres     500 $
                          latérales et rétroviseurs
Dépannage                 remorquage                              100 $
"""
    assert with_bars(lines, shown(page)) == [ROWS[0], ROWS[1], "Dépannage | remorquage | 100 $"]


def test_the_paragraph_after_a_table_is_no_cell():
    after = "le tout sous réserve des exclusions qui suivent et de la franchise choisie."
    lines = [*CELL_BY_CELL, after]
    made = with_bars(lines, f"{TOP.strip(chr(10))}\n{after}")
    assert made == [*ROWS, after]


def test_paragraphs_side_by_side_are_left_as_they_are():
    lines = [
        "L'assureur paie les", "dommages au véhicule de", "l'assuré.",
        "L'assuré avise l'assureur", "de tout sinistre dans les", "sept jours.",
    ]  # fmt: skip
    page = """
L'assureur paie les          L'assuré avise l'assureur
dommages au véhicule de      de tout sinistre dans les
l'assuré.                    sept jours.
                             """
    assert with_bars(lines, page) == lines


def test_what_is_drawn_otherwise_than_it_is_seen_is_left_as_it_is():
    lines = [ABOVE, *CELL_BY_CELL[:3], "Une note entre deux.", *CELL_BY_CELL[3:], BELOW]
    assert "|" not in "".join(with_bars(lines, shown(TOP))[5:-1])


def test_a_table_of_very_many_pieces_is_left_as_it_is():
    row = "Bris de glace             pare-brise, lunette\n                          et vitres\n"
    lines = ["Bris de glace pare-brise, lunette", "et vitres"] * 300
    assert len(with_bars(lines, row * 300)) == 600


def test_words_that_come_twice_belong_to_their_own_rows():
    page = """
Vol                       du véhicule, sauf s'il      500 $
                          est loué
Feu                       du véhicule, sauf s'il      500 $
                          est loué
"""
    lines = [
        "Vol du véhicule, sauf s'il", "est loué", "500 $",
        "Feu du véhicule, sauf s'il", "est loué", "500 $",
    ]  # fmt: skip
    assert with_bars(lines, page) == [
        "Vol | du véhicule, sauf s'il est loué | 500 $",
        "Feu | du véhicule, sauf s'il est loué | 500 $",
    ]
