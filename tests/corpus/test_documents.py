"""Source documents: text, Word, PDF, and what is refused. All examples are invented."""

from __future__ import annotations

import io
import zipfile

import docx
import pytest

from annotation.corpus import documents_pdf
from annotation.corpus.document_files import read_document
from annotation.corpus.documents import DocumentError, Place
from annotation.corpus.lines import Hint
from annotation.corpus.segmentation import segment
from tests.corpus.pdfs import encrypted, pdf

CLAUSE = "Le preneur déclare le dégât."


def refused(content: bytes, name: str = "police.pdf") -> DocumentError:
    with pytest.raises(DocumentError) as error:
        read_document(content, name)
    assert name in error.value.message.fr
    assert name in error.value.message.en
    assert error.value.remedy.fr
    assert error.value.remedy.en
    return error.value


def word() -> bytes:
    made = docx.Document()
    made.add_heading("Biens couverts", 1)
    made.add_paragraph("Sont couverts :")
    made.add_paragraph("le chalet;", style="List Bullet")
    made.add_paragraph("le quai.", style="List Bullet")
    table = made.add_table(rows=2, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Franchise", "500 $"
    table.cell(1, 0).merge(table.cell(1, 1)).text = "Par sinistre"
    made.add_paragraph("Première ligne.\nSeconde ligne.")
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_text_in_any_encoding(encoding):
    read = read_document(f"Titre\r\n{CLAUSE}\r\n".encode(encoding), "police.txt")
    assert (read.kind, read.text) == ("txt", f"Titre\n{CLAUSE}")
    assert bool(read.note.fr) is (encoding == "cp1252")


def test_a_chosen_encoding_that_is_wrong_is_refused():
    with pytest.raises(DocumentError) as error:
        read_document(CLAUSE.encode("cp1252"), "police.txt", encoding="utf-8")
    assert error.value.code == "wrong_encoding"


def test_word_in_its_order():
    read = read_document(word(), "police.docx")
    assert [(part.text, part.hint) for part in read.paragraphs] == [
        ("Biens couverts", Hint.HEADING),
        ("Sont couverts :", None),
        ("le chalet;", Hint.ITEM),
        ("le quai.", Hint.ITEM),
        ("Franchise | 500 $", Hint.ROW),
        ("Par sinistre", None),
        ("Première ligne.", None),
        ("Seconde ligne.", None),
    ]
    blocks = segment(read.text, read.hints)
    assert [block.text for block in blocks][:2] == [
        "Biens couverts",
        "Sont couverts : le chalet; le quai.",
    ]


PAGES = [
    [
        "Assurance Boréale - Police 12",
        "1. BIENS COUVERTS",
        "Le preneur déclare le dégât sans tarder à l'assu-",
        "reur.",
    ],
    [
        "Assurance Boréale - Police 12",
        "2. EXCLUSIONS",
        "Le gel est exclu du contrat, sauf si le chalet était",
        "2",
    ],
    [
        "Assurance Boréale - Police 12",
        "chauffé.",
        "Sont exclus :",
        "a) le quai;",
        "b) le semi-",
        "remorque.",
        "3",
    ],
]


def test_pdf_without_headers_and_with_its_lines_joined():
    read = read_document(pdf(*PAGES), "sans-nom")
    assert (read.kind, read.pages) == ("pdf", 3)
    assert [(part.text, part.page) for part in read.paragraphs] == [
        ("1. BIENS COUVERTS", 1),
        ("Le preneur déclare le dégât sans tarder à l'assureur.", 1),
        ("2. EXCLUSIONS", 2),
        ("Le gel est exclu du contrat, sauf si le chalet était chauffé.", 2),
        ("Sont exclus :", 3),
        ("a) le quai;", 3),
        ("b) le semi-remorque.", 3),
    ]


def test_places():
    read = read_document(pdf(*PAGES))
    place = read.text.index("chauffé")
    assert read.places([0, place]) == [Place(1, 1), Place(4, 2)]
    with pytest.raises(ValueError, match="outside"):
        read.places([len(read.text) + 1])


def test_a_page_without_text_is_named():
    assert "2" in read_document(pdf(["Le preneur paie."], [])).note.fr


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_a_protected_pdf(algorithm):
    if algorithm == "AES-256":
        pytest.importorskip("cryptography")
    assert refused(encrypted(pdf([CLAUSE]), "secret", algorithm)).code == "encrypted"
    # Protected against changes only: it opens without a password.
    assert read_document(encrypted(pdf([CLAUSE]), "", algorithm)).text == CLAUSE


def test_a_scanned_pdf():
    assert refused(pdf([], [])).code == "no_text"


def test_a_long_pdf(monkeypatch):
    monkeypatch.setattr(documents_pdf, "MAX_PAGES", 2)
    assert "3" in refused(pdf([CLAUSE], [CLAUSE], [CLAUSE])).message.fr


def archive(**members: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name.replace("__", "/"), content)
    return written.getvalue()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        ("\u200b\n\u2060\n".encode(), "empty"),
        (b"%PDF-1.4 nothing more", "broken"),
        (b"PK\x03\x04 nothing more", "broken"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "wrong_type"),
        (rb"{\rtf1 Bonjour}", "wrong_type"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "wrong_type"),
        (b"<!doctype html><p>Bonjour", "wrong_type"),
        (bytes(range(32)) * 40, "wrong_type"),
        (archive(content__xml=b"x"), "wrong_type"),
        (archive(word__document=b"x"), "wrong_type"),
        (archive(**{"word__document.xml": b"<broken"}), "broken"),
    ],
)
def test_what_is_refused(content, code):
    assert refused(content, "police.docx").code == code


def test_what_unpacks_too_large():
    bomb = archive(**{"word__document.xml": bytes(201 * 2**20)})
    assert len(bomb) < 2**20
    assert refused(bomb, "police.docx").code == "unpacks_too_large"


def test_what_is_too_large(monkeypatch):
    monkeypatch.setattr("annotation.corpus.document_files.MAX_BYTES", 10)
    assert refused(CLAUSE.encode(), "police.txt").code == "too_large"


def test_only_the_name_of_the_file_is_shown():
    with pytest.raises(DocumentError) as error:
        read_document(b"", "C:\\secret\\police.txt")
    assert error.value.name == "police.txt"
