"""Numbers that Word prints and does not keep in the text: counted as Word counts them (ECMA-376
part 1, §17.9). All examples are invented."""

from __future__ import annotations

import io
from typing import Any

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn

from annotation.corpus.document_files import read_document
from annotation.corpus.documents import Document
from annotation.corpus.lines import Hint
from annotation.corpus.segmentation import segment


def level(
    number: int, form: str = "decimal", text: str = "%1.", start: int = 1, more: str = ""
) -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>'
        f'{more}<w:lvlText w:val="{text}"/></w:lvl>'
    )


POLICY = [
    level(0, text="%1."),
    level(1, text="%1.%2"),
    level(2, "lowerLetter", "%3)"),
    level(3, "lowerRoman", "(%4)"),
]


class Made:
    """A Word document whose paragraphs are numbered by these levels."""

    def __init__(self, levels: list[str] = POLICY, *, more: str = "") -> None:
        self.document = docx.Document()
        self.numbering = self._numbering()
        for child in list(self.numbering):
            self.numbering.remove(child)
        self.define("7", levels)
        self.instance("1", "7", more)

    def _numbering(self) -> Any:
        for relation in self.document.part.rels.values():
            if relation.reltype == RELATIONSHIP_TYPE.NUMBERING:
                return relation.target_part.element
        raise AssertionError("the library's own template has one")

    def define(self, name: str, levels: list[str]) -> None:
        xml = f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{name}">{"".join(levels)}'
        self.numbering.append(parse_xml(f"{xml}</w:abstractNum>"))

    def instance(self, name: str, of: str, more: str = "") -> None:
        inner = f'<w:abstractNumId w:val="{of}"/>{more}'
        self.numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="{name}">{inner}</w:num>'))

    def say(self, text: str, at: int | None = 0, number: str = "1", *, into: Any = None) -> None:
        """A paragraph at this level; without a number where ``at`` is None."""
        paragraph = (into or self.document).add_paragraph(text)
        if at is not None:
            mark(paragraph, f'<w:ilvl w:val="{at}"/><w:numId w:val="{number}"/>')

    def read(self) -> Document:
        written = io.BytesIO()
        self.document.save(written)
        return read_document(written.getvalue(), "police.docx")

    def lines(self) -> list[str]:
        return [paragraph.text for paragraph in self.read().paragraphs]


def mark(paragraph: Any, inner: str) -> None:
    properties = paragraph._p.get_or_add_pPr()
    properties.append(parse_xml(f"<w:numPr {nsdecls('w')}>{inner}</w:numPr>"))


def test_levels_are_counted_and_begin_anew_below():
    made = Made()
    for text, at in [
        ("Garanties", 0), ("L'assureur paie le bris.", 1), ("Il paie aussi :", 1), ("le vol;", 2),
        ("le feu;", 2), ("du toit;", 3), ("du mur.", 3), ("Exclusions", 0),
        ("Le gel est exclu.", 1), ("l'usure.", 2),
    ]:  # fmt: skip
        made.say(text, at)
    assert made.lines() == [
        "1. Garanties", "1.1 L'assureur paie le bris.", "1.2 Il paie aussi :", "a) le vol;",
        "b) le feu;", "(i) du toit;", "(ii) du mur.", "2. Exclusions", "2.1 Le gel est exclu.",
        "a) l'usure.",
    ]  # fmt: skip


def test_provisions_are_read_by_their_number_and_lists_as_lists():
    made = Made()
    made.say("Garanties", 0)
    made.say("L'assureur paie :", 1)
    made.say("le vol;", 2)
    assert [part.hint for part in made.read().paragraphs] == [None, None, Hint.ITEM]


def test_what_stands_between_does_not_begin_a_list_anew():
    made = Made()
    made.say("Un")
    made.say("Entre les deux.", None)
    made.say("", 0)  # Word counts an empty paragraph too
    made.say("Trois")
    assert made.lines() == ["1. Un", "Entre les deux.", "3. Trois"]


@pytest.mark.parametrize(
    ("form", "start", "label"),
    [
        ("upperLetter", 1, "A."),
        ("lowerLetter", 28, "bb."),
        ("upperRoman", 14, "XIV."),
        ("lowerRoman", 5000, "5000."),
        ("decimalZero", 3, "03."),
        ("ordinal", 2, "2."),
        ("lowerLetter", 999, "999."),
        ("lowerLetter", 0, "0."),
        ("chicago", 4, "4."),
    ],
)
def test_formats(form, start, label):
    made = Made([level(0, form, start=start)])
    made.say("Le vol est couvert.")
    assert made.lines() == [f"{label} Le vol est couvert."]


@pytest.mark.parametrize("form", ["bullet", "none"])
def test_bullets_have_no_number(form):
    made = Made([level(0, form, "o")])
    made.say("le vol;")
    (read,) = made.read().paragraphs
    assert (read.text, read.hint) == ("le vol;", Hint.ITEM)


def test_legal_numbering_writes_all_as_digits():
    made = Made([level(0, "upperRoman"), level(1, text="%1.%2", more="<w:isLgl/>")])
    made.say("Titre", 0)
    made.say("Le vol est couvert.", 1)
    assert made.lines() == ["I. Titre", "1.1 Le vol est couvert."]
    made = Made([level(0, "upperRoman"), level(1, text="%1.%2", more='<w:isLgl w:val="0"/>')])
    made.say("Titre", 0)
    made.say("Le vol est couvert.", 1)
    assert made.lines()[1] == "I.1 Le vol est couvert."


def test_a_level_that_never_begins_anew():
    never = '<w:lvlRestart w:val="0"/>'
    made = Made([level(0), level(1, text="Article %2 –", more=never)])
    for at in (0, 1, 0, 1):
        made.say("Le vol est couvert.", at)
    assert [line.split(" Le")[0] for line in made.lines()] == [
        "1.",
        "Article 1 –",
        "2.",
        "Article 2 –",
    ]


def test_a_list_that_begins_anew_and_one_that_goes_on():
    made = Made(more="")
    anew = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    made.instance("2", "7", anew)
    made.instance("3", "7")
    for number in ("1", "1", "2", "2", "3"):
        made.say("Le vol est couvert.", number=number)
    assert [line.split()[0] for line in made.lines()] == ["1.", "2.", "5.", "6.", "7."]


def test_a_level_that_one_list_writes_otherwise():
    made = Made()
    made.instance("2", "7", f'<w:lvlOverride w:ilvl="0">{level(0, text="§ %1")}</w:lvlOverride>')
    made.say("Le vol est couvert.", number="2")
    assert made.lines() == ["§ 1 Le vol est couvert."]


def test_numbers_that_come_with_a_style():
    made = Made([level(0), level(1, text="%1.%2", more='<w:pStyle w:val="Heading2"/>')])
    styles = made.document.styles
    for name in ("Heading 1", "Heading 2"):
        properties = styles[name].element.get_or_add_pPr()
        properties.append(parse_xml(f'<w:numPr {nsdecls("w")}><w:numId w:val="1"/></w:numPr>'))
    own = styles.add_style("Disposition", 1)
    own.base_style = styles["Heading 2"]
    made.document.add_heading("Garanties", 1)
    made.document.add_heading("Bris", 2)
    paragraph = made.document.add_paragraph("Sans numéro", style="Heading 2")
    mark(paragraph, '<w:numId w:val="0"/>')
    made.document.add_paragraph("Vol", style="Disposition")
    read = made.read().paragraphs
    # A style that is based on another is at the first level unless one is said to be its own.
    assert [part.text for part in read] == ["1. Garanties", "1.1 Bris", "Sans numéro", "2. Vol"]
    assert [part.hint for part in read[:3]] == [Hint.HEADING] * 3


def test_numbers_in_cells_are_counted_once():
    made = Made()
    made.say("Un")
    table = made.document.add_table(rows=2, cols=2)
    made.say("Deux", into=table.cell(0, 0))
    table.cell(0, 1).text = "500 $"
    made.say("Trois", into=table.cell(1, 1))
    made.say("Quatre")
    assert made.lines() == ["1. Un", "2. Deux | 500 $", "3. Trois", "4. Quatre"]


@pytest.mark.parametrize(
    "inner",
    [
        '<w:ilvl w:val="0"/><w:numId w:val="99"/>',
        '<w:ilvl w:val="0"/>',
        '<w:ilvl w:val="99999999999999"/><w:numId w:val="x"/>',
    ],
)
def test_numbering_that_is_not_there_numbers_nothing(inner):
    made = Made()
    mark(made.document.add_paragraph("Le vol est couvert."), inner)
    assert made.lines() == ["Le vol est couvert."]


def test_definitions_that_are_damaged_are_read_as_far_as_they_go():
    made = Made([level(0, text="%1" * 500), '<w:lvl w:ilvl="77"/>', "<w:lvl/>"])
    made.instance("4", "no-such")
    made.instance(
        "5", "7", '<w:lvlOverride w:ilvl="x"><w:startOverride w:val="-3"/><w:lvl/></w:lvlOverride>'
    )
    made.say("Le vol est couvert.", at=8, number="5")
    made.say("Le vol est couvert.")
    made.say("Le vol est couvert.", number="4")
    read = made.lines()
    assert len(read) == 3
    assert max(map(len, read)) < 80


def test_styles_that_are_based_on_one_another_in_a_ring():
    made = Made()
    styles = made.document.styles
    one, other = styles.add_style("Un", 1), styles.add_style("Autre", 1)
    one.base_style, other.base_style = other, one
    made.document.add_paragraph("Le vol est couvert.", style="Un")
    assert made.lines() == ["Le vol est couvert."]


def test_a_document_without_any_numbering():
    made = docx.Document()
    part = made.part
    for key, relation in list(part.rels.items()):
        if relation.reltype == RELATIONSHIP_TYPE.NUMBERING:
            del part.rels[key]
    paragraph = made.add_paragraph("Le vol est couvert.")
    mark(paragraph, '<w:ilvl w:val="0"/><w:numId w:val="1"/>')
    assert paragraph._p.pPr.find(qn("w:numPr")) is not None
    written = io.BytesIO()
    made.save(written)
    assert read_document(written.getvalue(), "police.docx").text == "Le vol est couvert."


def test_the_same_clauses_as_where_the_numbers_are_typed():
    """A policy numbered by Word and the same with its numbers in the text."""
    parts = [
        ("DISPOSITIONS", 0), ("L'assureur paie l'indemnité dans les trente jours.", 1),
        ("Sont exclus :", 1), ("le gel;", 2), ("la rouille, sauf :", 2),
        ("celle du toit;", 3), ("celle du mur.", 3),
        ("RÉSILIATION", 0), ("L'assuré peut résilier le contrat en tout temps.", 1),
    ]  # fmt: skip
    made = Made()
    for text, at in parts:
        made.say(text, at)
    read = made.read()
    typed = read_document("\n".join(made.lines()).encode(), "police.txt")
    assert [(block.text, block.headings) for block in segment(read.text, read.hints)] == [
        (block.text, block.headings) for block in segment(typed.text, typed.hints)
    ]
