"""Files that ask a reader for far more than their size: made on the spot, none kept. All are small.

Each was found to stop a site of the time for minutes, or to take gigabytes; ``READ_BY`` says which
reader gets it.
"""

# ruff: noqa: PLW0108 (files are made when they are asked for)

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

from tests.corpus.pdfs import pdf

_WORKBOOK = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'  # noqa: E501
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '  # noqa: E501
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '  # noqa: E501
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


def sheet(rows: str) -> bytes:
    """A workbook of one sheet whose rows are this XML."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return _zip(
        _WORKBOOK
        | {
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'  # noqa: E501
        }
    )


def cells(number: int, *texts: str) -> str:
    """A row of inline texts."""
    inner = "".join(
        f'<c r="{"ABCDEFGH"[place]}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
        for place, text in enumerate(texts)
    )
    return f'<row r="{number}">{inner}</row>'


def word(body: str) -> bytes:
    """A Word document whose body is this XML."""
    import docx

    made = io.BytesIO()
    docx.Document().save(made)
    with zipfile.ZipFile(made) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'<w:document xmlns:w="{main}"><w:body>{body}</w:body></w:document>'
    return _zip(members | {"word/document.xml": document})


def _zip(members: dict[str, str | bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def _styles() -> bytes:
    """As many paragraphs as styles, each looked for among all of them."""
    named = "".join(
        f'<w:style w:type="paragraph" w:styleId="s{n}"><w:name w:val="s{n}"/></w:style>'
        for n in range(4_000)
    )
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="s{n}"/></w:pPr><w:r><w:t>{PAIR}</w:t></w:r></w:p>'
        for n in range(4_000)
    )
    with zipfile.ZipFile(io.BytesIO(word(body))) as archive:
        members: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return _zip(members | {"word/styles.xml": f'<w:styles xmlns:w="{main}">{named}</w:styles>'})


HEADER, PAIR = cells(1, "original", "simplification"), "Le preneur paie la prime."
_SPANNING = (
    '<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr>' + paragraph("Franchise") + "</w:tc>"
)

FILES: dict[str, Callable[[], bytes]] = {
    # A row numbered far away: the reader made up all rows up to it.
    "far-row.xlsx": lambda: sheet(HEADER + cells(1_048_576, PAIR, "Vous payez.")),
    "row-past-the-last.xlsx": lambda: sheet(HEADER + cells(400_000_000, PAIR, "Vous payez.")),
    "rows-without-end.xlsx": lambda: sheet(HEADER + "<row/>" * 150_000),
    "cells-without-end.xlsx": lambda: sheet(HEADER + "<row>" + "<c/>" * 22_000_000 + "</row>"),
    # A leader of dots that no page number ends.
    "leaders.pdf": lambda: pdf([". " * 100_000 + "x", PAIR]),
    "one-paragraph.pdf": lambda: pdf(
        *[["sont couverts les frais que le preneur engage"] * 400] * 30
    ),
    # No line breaks.
    "one-line.txt": lambda: b"Le preneur paie la prime. " * 50_000,
    "parentheses.txt": lambda: PAIR.encode() + b"(" * 300_000 + b")" * 300_000,
    "bars.txt": lambda: b"quai | " * 150_000,
    "cells.txt": lambda: b"Le quai est couvert par le contrat du preneur. | " * 10_000,
    "blanks.txt": lambda: b"Nom : ____ " * 45_000,
    "one-word.txt": lambda: b"a" * 500_000 + b", b. C",
    "dots.txt": lambda: PAIR.encode() + b" " + b"." * 500_000,
    "spaces.txt": lambda: b"Article 1" + b" " * 1_000_000 + b"x",
    "nested-lists.txt": lambda: b"sont couverts :\n" * 10_000,
    "bullets.txt": lambda: "•".encode() * 300_000 + b" le chalet.",
    "item-without-end.txt": lambda: (
        b"A. Le chalet.\n" + b"il est couvert.\n" * 15_000 + b"B. Le quai.\n"
    ),
    "long-title.txt": lambda: (
        "\n".join(["CHAPITRE DES BIENS ET DES PERSONNES"] * 20_000)
    ).encode(),
    "long-introduction.txt": lambda: (
        b"Sont couverts " + b"les biens " * 25_000 + b":\n" + b"- le chalet;\n" * 25_000
    ),
    "one-sentence.txt": lambda: b"mot " * 250_000 + b".",
    "syllables.txt": lambda: (
        b"Le " + b"ebe" * 200_000 + b" est couvert par la police du preneur. Le chalet aussi."
    ),
    "punycode.txt": lambda: b"a-" + b"b" * 2_000_000,
    # One object of many keys, the last of them twice.
    "keys.jsonl": lambda: (
        "{" + ", ".join(f'"k{number}": 1' for number in range(200_000)) + ', "k199999": 1}\n'
    ).encode(),
    "bad-lines.jsonl": lambda: b"x\n" * 5_000_000,
    "nested.jsonl": lambda: b'{"original": ' + b"[" * 1_000_000 + b"\n",
    "columns.csv": lambda: (
        b";".join(b"c%d" % number for number in range(300_000)) + b"\n" + b"x;" * 300_000
    ),
    "accents.csv": lambda: (
        "original;simplification\n" + (";".join(["e" + "\u0301\u0316" * 9_000] * 2) + "\n") * 50
    ).encode(),
    "accents-in-the-header.csv": lambda: (
        "o" + "\u0301\u0316" * 60_000 + ";simplification\na;b\n"
    ).encode(),
    "spaces.csv": lambda: (
        "original;simplification\n"
        + "".join(f"a{' ' * 9_900}b{n};a{' ' * 9_901}b{n}\n" for n in range(300))
    ).encode(),
    # A cell that says to span millions of columns.
    "spanning.docx": lambda: word(
        "<w:tbl><w:tr>" + _SPANNING.format(span=2_000_000_000) + "</w:tr></w:tbl>"
    ),
    "paragraphs.docx": lambda: word("<w:p/>" * 30_000_000),
    "styles.docx": _styles,
}
