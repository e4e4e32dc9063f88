"""Words of a Word document that stand in something else: a tracked change, a content control, a
field, a table in a cell. All examples are invented."""

from __future__ import annotations

import io

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from annotation.corpus.document_files import read_document


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(inner: str) -> str:
    return f"<w:p>{inner}</w:p>"


def texts(*blocks: str) -> list[str]:
    """What is read of a document whose body is these elements."""
    made = docx.Document()
    body = made.element.body
    for block in blocks:
        holder = parse_xml(f"<w:body {nsdecls('w')}>{block}</w:body>")
        for element in list(holder):
            body.insert(len(body) - 1, element)
    written = io.BytesIO()
    made.save(written)
    return [part.text for part in read_document(written.getvalue(), "bail.docx").paragraphs]


INSERTED = f'<w:ins w:id="1" w:author="a">{run("ne peut pas ")}</w:ins>'
DELETED = '<w:del w:id="2" w:author="a"><w:r><w:delText>peut </w:delText></w:r></w:del>'
CONTROL = f"<w:sdt><w:sdtContent>{run('500 $')}</w:sdtContent></w:sdt>"
PROMPT = (
    "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr>"
    f"<w:sdtContent>{run('Cliquez ici pour écrire.')}</w:sdtContent></w:sdt>"
)
FILLED = PROMPT.replace("<w:showingPlcHdr/>", '<w:showingPlcHdr w:val="0"/>')
NUMBER = '<w:fldSimple w:instr=" REF art "><w:r><w:t>12</w:t></w:r></w:fldSimple>'
TAGGED = f'<w:smartTag w:element="date">{run("le 3 mars")}</w:smartTag>'


@pytest.mark.parametrize(
    ("inner", "read"),
    [
        (
            run("L'assureur ") + INSERTED + DELETED + run("résilier."),
            "L'assureur ne peut pas résilier.",
        ),
        (run("Payez ") + CONTROL + run(" par an."), "Payez 500 $ par an."),
        (run("Nom : ") + PROMPT, "Nom :"),
        (run("Nom : ") + FILLED, "Nom : Cliquez ici pour écrire."),
        (run("L'article ") + NUMBER + run(" vaut."), "L'article 12 vaut."),
        (run("Dès ") + TAGGED + run("."), "Dès le 3 mars."),
        (
            f'<w:hyperlink w:anchor="a">{run("Voir ")}{INSERTED}</w:hyperlink>',
            "Voir ne peut pas",
        ),
        (f'<w:moveTo w:id="4" w:author="a">{run("Déplacée ici.")}</w:moveTo>', "Déplacée ici."),
    ],
)
def test_words_of_a_sentence_are_read_where_they_stand(inner: str, read: str) -> None:
    assert texts(paragraph(inner)) == [read]


def test_what_was_moved_away_is_not_read() -> None:
    away = f'<w:moveFrom w:id="4" w:author="a">{run("Déplacée.")}</w:moveFrom>'
    assert texts(paragraph(away), paragraph(run("Reste."))) == ["Reste."]


def test_a_provision_in_a_content_control_is_read_in_its_order() -> None:
    control = (
        f"<w:sdt><w:sdtContent>{paragraph(run('Répondez sous dix jours.'))}</w:sdtContent></w:sdt>"
    )
    assert texts(paragraph(run("Un.")), control, paragraph(run("Deux."))) == [
        "Un.",
        "Répondez sous dix jours.",
        "Deux.",
    ]


def test_the_table_of_contents_stays_out() -> None:
    contents = (
        '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
        f"</w:sdtPr><w:sdtContent>{paragraph(run('Table des matières'))}</w:sdtContent></w:sdt>"
    )
    assert texts(contents, paragraph(run("Un."))) == ["Un."]


def test_a_table_in_a_cell_and_a_row_in_a_control() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{paragraph(run('Dix jours'))}</w:tc></w:tr></w:tbl>{paragraph('')}"
    cells = f"<w:tc>{paragraph(run('Délai'))}</w:tc><w:tc>{inner}</w:tc>"
    repeated = f"<w:sdt><w:sdtContent><w:tr>{cells}</w:tr></w:sdtContent></w:sdt>"
    assert texts(f"<w:tbl><w:tr>{cells}</w:tr>{repeated}</w:tbl>") == ["Délai | Dix jours"] * 2


def test_a_deleted_provision_counts_no_more() -> None:
    listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>'
    made = docx.Document()
    style = made.styles["List Number"].element.pPr.numPr
    number = listed.format(number=style.numId.val)
    mark = '<w:rPr><w:del w:id="9" w:author="a"/></w:rPr>'
    provisions = [
        paragraph(f"<w:pPr>{number}</w:pPr>{run('Premier point.')}"),
        paragraph(f"<w:pPr>{number}{mark}</w:pPr>{DELETED}"),
        paragraph(f"<w:pPr>{number}</w:pPr>{run('Second point.')}"),
    ]
    assert [text.split()[0] for text in texts(*provisions)] == ["1.", "2."]


def test_paragraphs_whose_end_was_deleted_are_one() -> None:
    mark = '<w:pPr><w:rPr><w:del w:id="9" w:author="a"/></w:rPr></w:pPr>'
    begun = paragraph(mark + run("L'assureur ") + DELETED)
    assert texts(begun, paragraph(run("résilie."))) == ["L'assureur résilie."]
    table = f"<w:tbl><w:tr><w:tc>{paragraph(run('Délai'))}</w:tc></w:tr></w:tbl>"
    assert texts(begun, table, begun) == ["L'assureur", "Délai", "L'assureur"]
