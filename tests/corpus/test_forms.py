"""Forms: what is told from clauses, how well, and in any format. All examples are invented."""

from __future__ import annotations

import io
import json
import textwrap
import unicodedata
from pathlib import Path

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus import forms
from annotation.corpus.document_files import read_document
from annotation.corpus.documents import Document
from annotation.corpus.funnel import BEFORE_FORMS, Criteria, Criterion, Override, funnel, normalised
from annotation.corpus.lines import Hint
from annotation.corpus.segmentation import Block, BlockKind, segment
from annotation.corpus.verbs import has_finite_verb
from bench.clauses import (
    FORMS,
    NOW,
    TUNED_ON,
    Score,
    document_score,
    form_score,
    labelled,
    labels,
    main,
    unmarked,
)
from tests.corpus.pdfs import pdf, placed
from tests.house.sizes import ROOT

SHARED = ROOT.parent / "shared" / "data"
PATHS = sorted(FORMS.glob("*.txt"))
CLOSING = "La présente page fait partie du contrat."
CLAUSE = "L'assureur rembourse les frais de remorquage de l'embarcation."


def marked(path: Path) -> tuple[str, list[str]]:
    return unmarked(path.read_text(encoding="utf-8"))


def reasons(text: str, criteria: Criteria = NOW) -> dict[str, list[str]]:
    return {
        verdict.block.text: [reason.code for reason in verdict.reasons]
        for verdict in funnel(segment(text), criteria).verdicts
    }


def word(text: str) -> bytes:
    """A text as Word has it: each row a row of a real table, no blank lines."""
    made, table = docx.Document(), None
    for line in filter(str.strip, text.split("\n")):
        cells = forms.cells(line)
        if not cells:
            made.add_paragraph(line)
            table = None
            continue
        if table is None or len(table.columns) != len(cells):
            table = made.add_table(rows=0, cols=len(cells))
        for cell, words in zip(table.add_row().cells, cells, strict=True):
            cell.text = words
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def printed(text: str) -> bytes:
    """A text as it is printed: lines of a page's width."""
    lines = [
        part
        for line in text.split("\n")
        for part in (
            [line]
            if forms.cells(line)
            else textwrap.wrap(line, 95, break_on_hyphens=False) or [" "]
        )
    ]
    shown = str.maketrans("☐", "□")
    lines = [line.translate(shown).replace("□", "[ ]") for line in lines]
    return pdf(*(lines[place : place + 45] for place in range(0, len(lines), 45)))


def drawn(text: str) -> bytes:
    """A text as a browser prints it: each cell of a table drawn at a place of its own."""
    place, lines = 0, []
    for line in text.replace("☐", "[ ]").split("\n"):
        cells = forms.cells(line)
        parts = [(50 + 130 * number, cell) for number, cell in enumerate(cells)]
        for part in (
            [parts]
            if cells
            else [[(50, piece)] for piece in textwrap.wrap(line, 95, break_on_hyphens=False)]
        ):
            lines += [(x, place, shown) for x, shown in part]
            place += 1
    return placed(*_pages(lines))


def _pages(lines: list[tuple[int, int, str]]) -> list[list[tuple[int, int, str]]]:
    pages: list[list[tuple[int, int, str]]] = []
    for x, place, shown in lines:
        if place // 45 >= len(pages):
            pages.append([])
        pages[-1].append((x, place % 45, shown))
    return pages


def clauses(document: Document) -> list[str]:
    funnelled = funnel(segment(document.text, document.hints), NOW)
    return [normalised(verdict.block.text) for verdict in funnelled.kept]


class TestHowWell:
    @pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
    def test_forms(self, path):
        score = form_score(path.read_text(encoding="utf-8"), NOW)
        assert (score.precision, score.recall) >= (0.97, 0.97)
        assert score.recall >= 0.97

    def test_before_it_was_not_so(self):
        before = Criteria(
            **{"hardest_only": None, "french_only": False, "drop_duplicates": False, **BEFORE_FORMS}
        )
        scores = [form_score(path.read_text("utf-8"), before) for path in PATHS]
        assert all(score.precision < 0.9 for score in scores)
        assert sum(scores, Score(0, 0, 0)).precision < 0.7

    def test_contracts_and_statutes(self):
        for name, by_hash in labels().items():
            path = SHARED / name
            if path.exists():
                score = document_score(path.read_text(encoding="utf-8-sig"), by_hash, NOW)
                assert min(score.precision, score.recall) >= 0.97, name

    def test_a_label_that_finds_no_block_counts_as_missed(self):
        by_hash = labelled([{"file": "x", "block": "0" * 16, "clause": "1"}])["x"]
        score = document_score(CLAUSE, by_hash, NOW)
        assert (score.kept, score.right, score.clauses) == (1, 0, 1)
        assert (score.precision, score.recall) == (0.0, 0.0)

    def test_the_table_of_all_is_printed(self, capsys, tmp_path):
        (tmp_path / "frjudge").mkdir()
        rows = [{"original": CLAUSE}, {"original": CLAUSE}, {"original": "Nom : Adresse :"}]
        written = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "frjudge" / "pairs.jsonl").write_text(written, encoding="utf-8")
        main(str(tmp_path))
        said = capsys.readouterr().out
        assert said.count("tuned on") == len(TUNED_ON) + 1  # and the released passages
        assert said.count("held out") == len(PATHS) - len(TUNED_ON)
        assert "(1 of 2)" in said


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize(("made", "name"), [(word, "f.docx"), (printed, "f.pdf"), (drawn, "f.pdf")])
def test_a_form_gives_the_same_clauses_in_any_format(path, made, name):
    text, _ = marked(path)
    plain = clauses(read_document(text.encode(), "f.txt"))
    assert clauses(read_document(made(text), name)) == plain


class TestPrintedTables:
    """Nothing but their places tells cells that are drawn one by one."""

    @staticmethod
    def read(*lines: tuple[int, int, str]) -> list[str]:
        return [part.text for part in read_document(placed(list(lines)), "f.pdf").paragraphs]

    def test_rows_of_two_cells_are_rows(self):
        rows = [("Durée", "Réduction"), ("Un an", "5 %"), ("Deux ans", "Aucune")]
        lines = [(50, 0, "La prime est réduite selon le tableau suivant :")]
        for place, (first, second) in enumerate(rows, start=1):
            lines += [(50, place, first), (300, place, second)]
        lines.append((50, 4, CLAUSE))
        assert self.read(*lines) == [
            "La prime est réduite selon le tableau suivant :",
            *(" | ".join(row) for row in rows),
            CLAUSE,
        ]

    def test_amounts_may_stand_to_the_right(self):
        lines = [(50, 0, "Vol"), (200, 0, "Option A"), (420, 0, "5 $")]
        lines += [(50, 1, "Incendie"), (200, 1, "B"), (300, 1, "12 000 $")]
        assert self.read(*lines) == ["Vol | Option A | 5 $", "Incendie | B | 12 000 $"]

    def test_a_number_that_stands_out_is_no_cell(self):
        lines = [(50, 0, "3.1"), (120, 0, "L'assureur paie les frais de remorquage.")]
        lines += [(50, 1, "3.2"), (120, 1, "L'assuré garde les reçus pendant un an.")]
        assert "|" not in "".join(self.read(*lines))

    def test_paragraphs_side_by_side_are_no_rows(self):
        left = ["Franchise", "", ""]
        right = ["Le montant des dommages que", "l'assuré doit garder toujours à", "sa charge."]
        lines = []
        for place, (first, second) in enumerate(zip(left, right, strict=True)):
            lines += [(50, place, first or "voir plus bas"), (300, place, second)]
        assert "|" not in "".join(self.read(*lines))

    def test_bars_of_the_text_are_left(self):
        lines = [(50, 0, "Oui | Non"), (300, 0, "Vol"), (50, 1, "Non"), (300, 1, "Incendie")]
        assert "Oui | Non" in self.read(*lines)[0]

    def test_one_line_with_a_gap_is_no_table(self):
        lines = [(50, 0, "Signature"), (300, 0, "Date"), (50, 1, CLAUSE)]
        assert "|" not in "".join(self.read(*lines))

    def test_what_has_no_places_is_read_in_its_order(self, monkeypatch):
        import pypdf

        plain = pypdf.PageObject.extract_text

        def broken(self, *args, extraction_mode="plain", **more):
            if extraction_mode == "layout":
                raise KeyError("/F1")
            return plain(self, *args, **more)

        monkeypatch.setattr(pypdf.PageObject, "extract_text", broken)
        assert self.read((50, 0, CLAUSE)) == [CLAUSE]

    def test_memory_that_ran_out_is_said(self, monkeypatch):
        import pypdf

        def greedy(self, *args, extraction_mode="plain", **more):
            if extraction_mode == "layout":
                raise MemoryError
            return CLAUSE

        monkeypatch.setattr(pypdf.PageObject, "extract_text", greedy)
        with pytest.raises(MemoryError):
            self.read((50, 0, CLAUSE))

    def test_letters_drawn_as_one_are_two(self, monkeypatch):
        import pypdf

        monkeypatch.setattr(
            pypdf.PageObject, "extract_text", lambda *_, **__: "L'oﬃcier déﬁnit les eﬀets."
        )
        assert self.read((50, 0, CLAUSE)) == ["L'officier définit les effets."]

    def test_a_line_that_ends_early_ends_its_sentence(self):
        wide = (
            "Nous couvrons la perte ou le dommage que votre véhicule subit directement à cause du "
            "feu ou d'un"
        )
        lines = [
            (50, 0, wide),
            (50, 1, "vol."),
            (50, 2, "Nous payons aussi la location."),
            (50, 3, wide),
        ]
        assert self.read(*lines)[:2] == [f"{wide} vol.", "Nous payons aussi la location."]

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (
                "12.1. L'assureur doit être mis en cause dans toute action où il faut déterminer",
                "si le dommage vient du feu.",
            ),
            ("Articles 4 et 5 de la proposition, tels que", "la personne assurée les a signés."),
        ],
    )
    def test_what_goes_on_in_small_letters_goes_on_though_it_is_numbered(self, first, second):
        assert self.read((50, 0, first), (50, 1, second)) == [f"{first} {second}"]

    def test_a_standing_sentence_goes_on_with_nothing(self):
        wide = (
            "L'omission de tenir un registre des clés permet à l'assureur de réduire l'indemnité "
            "relative au vol."
        )
        closing = "Les autres dispositions de la police demeurent en vigueur."
        assert self.read((50, 0, wide), (50, 1, closing)) == [wide, closing]


class TestNumberedEntries:
    LIST = (
        "Les conditions suivantes doivent être réunies :\n"
        "2.1 le véhicule est inutilisable;\n2.2 l'assureur en est avisé.\n"
    )

    def test_they_stay_with_what_introduces_them(self):
        blocks = segment(f"{self.LIST}2.3 L'assureur paie les frais.\n")
        assert [block.text for block in blocks] == [
            " ".join(self.LIST.split()), "L'assureur paie les frais.",
        ]  # fmt: skip

    def test_a_deeper_number_is_no_entry_of_the_list(self):
        blocks = segment(f"{self.LIST}2.2.1 sous réserve de ce qui suit.\n")
        assert len(blocks) == 2

    def test_before_forms_were_known_it_was_not_so(self):
        assert len(segment(self.LIST, as_form=False)) == 3

    def test_boxes_before_a_colon_introduce_nothing(self):
        text = f"Accès en tout temps [ ] Oui [ ] Non Si non, précisez les heures :\n{CLAUSE}"
        assert [block.text for block in segment(text)][1:] == [CLAUSE]
        assert reasons(text)[CLAUSE] == []


class TestTables:
    ROWS = "Garantie | Montant | Franchise\nVol | 5 000 $ | 250 $\n"

    def test_a_header_is_no_heading_of_what_follows(self):
        text = f"FORMULAIRE N° 4\n\nAVENANT DES CHALETS\n\n{self.ROWS}{CLAUSE}\n"
        *_, last = segment(text)
        assert last.headings == ("FORMULAIRE N° 4", "AVENANT DES CHALETS")
        assert [block.kind for block in segment(text)].count(BlockKind.ROW) == 2
        assert reasons(text)["Vol | 5 000 $ | 250 $"] == ["table"]
        assert [block.kind for block in segment(f" |  | \n{CLAUSE}")] == [
            BlockKind.ROW, BlockKind.TEXT,
        ]  # fmt: skip

    def test_fields_to_fill_in_are_no_heading_of_what_follows(self):
        fields = "Assuré : ________ Police : ________ Prime : ____ $"
        blocks = segment(f"AVENANT DES CHALETS\n\n{fields}\n{CLAUSE}\n")
        assert blocks[-1].headings == ("AVENANT DES CHALETS",)

    def test_the_number_of_a_form_stays_in_the_path(self):
        for number in ("F.P.Q. N° 5-12", "Avenant 27", "N° 12 – Bateaux", "Q.P.F. no 3"):
            text = f"{number}\n\nAVENANT DES CHALETS\n\n{CLAUSE}\n\nFIN DU CONTRAT\n\n{CLAUSE}\n"
            paths = [block.headings for block in segment(text) if block.kind is BlockKind.TEXT]
            assert paths == [(number, "AVENANT DES CHALETS"), (number, "FIN DU CONTRAT")]

    def test_a_sentence_that_begins_with_a_form_s_number_is_no_title(self):
        text = "L'avenant vaut.\nAvenant 27 modifie la garantie du chapitre A.\n"
        assert {block.kind for block in segment(text)} == {BlockKind.TEXT}

    def test_a_clause_before_a_table_is_one(self):
        text = f"L'indemnité est réduite selon le tableau suivant :\n{self.ROWS}"
        assert reasons(text)["L'indemnité est réduite selon le tableau suivant :"] == []
        assert reasons(text.partition("\n")[0])[text.partition("\n")[0]] == ["introduction"]

    def test_a_cell_may_hold_a_clause(self):
        text = f"1. | {CLAUSE} | Oui\n"
        blocks = segment(text)
        assert [block.text for block in blocks if block.kind is BlockKind.TEXT] == [CLAUSE]
        assert [text[block.start : block.end] for block in blocks] == ["1.", CLAUSE, "Oui"]

    def test_columns_by_gaps(self):
        assert forms.cells("Vol simple   500 $   1 000 $") == ["Vol simple", "500 $", "1 000 $"]
        assert forms.cells("Vol\t500 $\t1 000 $") == ["Vol", "500 $", "1 000 $"]
        assert forms.cells("Le vol   est   exclu.") == []
        assert forms.cells("Le vol   est exclu") == []

    def test_a_justified_sentence_is_no_row_and_keeps_its_beginning(self):
        text = (
            "Le   locataire   cautionne   l'entretien\ndu    quai    et    de    la    barque\n"
            "pendant toute la saison."
        )
        assert {block.kind for block in segment(text)} == {BlockKind.TEXT}
        assert [normalised(block.text) for block in segment(text)] == [normalised(text)]

    def test_a_gap_after_the_mark_of_an_item_parts_no_cells(self):
        blocks = segment("Sont exclus :\na)\tle quai\tflottant;\nb)\tla barque.\n")
        assert [block.text for block in blocks] == [
            "Sont exclus : a) le quai flottant; b) la barque."
        ]

    def test_a_frame_of_one_cell_is_read_as_paragraphs(self):
        made = docx.Document()
        cell = made.add_table(rows=1, cols=1).cell(0, 0)
        cell.text = CLAUSE
        cell.add_paragraph("le quai;", style="List Bullet")
        row = made.add_table(rows=1, cols=2)
        row.cell(0, 0).text, row.cell(0, 1).text = "Quai | ponton", "5 $"
        written = io.BytesIO()
        made.save(written)
        read = read_document(written.getvalue(), "f.docx")
        assert [(part.text, part.hint) for part in read.paragraphs] == [
            (CLAUSE, None),
            ("le quai;", Hint.ITEM),
            ("Quai / ponton | 5 $", Hint.ROW),
        ]


class TestFields:
    def test_dots_in_a_row_are_one_blank(self):
        text = "Le remboursement est limité à ……… $ par jour et à ……… $ par sinistre."
        assert reasons(text)[text] == []

    def test_that_a_form_must_be_filled_in_is_no_clause(self):
        for text in (
            "Toutes les sections doivent être remplies.",
            "Le présent formulaire doit être dûment complété.",
        ):
            assert reasons(text)[text] == ["instruction"]
        text = "Le formulaire doit être rempli par le médecin traitant."
        assert reasons(text)[text] == []

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("Nom du preneur : Adresse du risque assuré : , en contrepartie de la prime", "field"),
            ("Prime annuelle ________ $ Franchise ________ $ Surprime ________ $", "field"),
            ("… $ par événement et par personne assurée au contrat.", "after_blank"),
            ("Lorsque le bien assuré est un quai, la franchise est portée à la", "before_blank"),
            ("Case réservée à l'usage exclusif de l'assureur et de son représentant", "no_verb"),
            ("Toutes les autres conditions du contrat demeurent inchangées.", "closing"),
            ("Avez-vous déjà subi un vol ou un incendie dans ce chalet?", "question"),
            ("Note : veuillez cocher la case qui correspond à votre quai.", "instruction"),
            ("Remplir le formulaire qui est joint au contrat de location du quai.", "instruction"),
            ("Cocher la case si l'assuré habite le chalet toute l'année.", "instruction"),
            ("Toutes les autres dispositions du contrat s'appliquent.", "closing"),
            ("Les autres garanties demeurent pleinement en vigueur.", "closing"),
            ("Nom : Ville : le preneur demeure au ______ du chemin du quai.", "field"),
            ("Le chalet que vous assurez est-il loué à des tiers en saison Oui ☐ Non ☐", "field"),
        ],
    )  # fmt: skip
    def test_is_dropped(self, text, code):
        block = Block(1, BlockKind.TEXT, 0, len(text), text, (), ())
        assert code in [reason.code for reason in funnel([block], NOW).verdicts[0].reasons]

    @pytest.mark.parametrize(
        "text",
        [
            CLAUSE,
            "L'indemnité est limitée à ______ $ par sinistre et par période d'assurance.",
            "PRENEUR : personne qui signe la proposition.",
            "BATEAU ÉQUIVALENT : bateau neuf qui a les mêmes équipements : celui de l'année.",
            "Les autres conditions que l'assureur impose sont écrites à la proposition.",
            "Toute perte due au gel.",
            "Remplir ses obligations ne libère pas le loueur de la garantie du quai.",
            "Indiquer un faux renseignement entraîne la nullité de la location.",
            "Remplir le formulaire qui est joint ne libère pas le loueur du quai.",
            "Les autres dispositions du présent contrat s'appliquent aux quais visés au premier "
            "alinéa, compte tenu des adaptations nécessaires.",
            "Les autres dispositions du contrat entrent en vigueur à la signature.",
            "Les autres garanties couvrent les mêmes bateaux que la première.",
            "Les autres garanties en vigueur au jour du sinistre contribuent en proportion.",
            "Définitions : Loueur : la personne qui loue un quai à une autre.",
            "Définitions : Loyer : le plaisancier paie 900 $ au début de la saison.",
            "L'assuré indique à l'assureur qui garde le quai. Qui paie? Celui qui le loue.",
        ],
    )
    def test_is_a_clause(self, text):
        assert reasons(text) == {text: []}

    def test_a_blank_goes_on_with_what_precedes_it(self):
        text = "L'assureur rembourse les frais jusqu'à concurrence de\n… $ par sinistre déclaré."
        assert list(reasons(text)) == [text.replace("\n", " ")]
        assert reasons(text.replace("de\n", "de …\n"))[text.replace("de\n", "de … ")] == []


class TestStanding:
    def test_a_text_that_comes_again_and_again_is_a_mention(self):
        text = "\n".join(f"{CLOSING}\nLe bien numéro {n} est assuré au contrat." for n in range(5))
        reasons_of = reasons(text)
        assert reasons_of[CLOSING] == ["standing"]
        four = reasons(text.replace(CLOSING, CLAUSE, 1))
        assert four[CLOSING] == []
        anything_goes = Criteria(standing_from=None, hardest_only=None)
        assert "standing" not in reasons(text, anything_goes)[CLOSING]

    def test_it_is_not_glued_to_an_empty_list(self):
        text = f"Les biens suivants sont visés :\n{CLOSING}\n" * 5
        assert reasons(text) == {
            "Les biens suivants sont visés :": ["introduction"],
            CLOSING: ["standing"],
        }

    def test_once_is_not_often(self):
        with pytest.raises(ValueError, match="comes once"):
            Criteria(standing_from=1)


class TestLists:
    def test_a_quotation_that_ends_an_entry_does_not_swallow_the_next(self):
        text = (
            "1. remettre l'avis qui porte :\n« défense de piloter; »\n"
            "2. conserver cet avis au dossier.\n"
        )
        assert [block.text for block in segment(text)] == [
            "remettre l'avis qui porte : « défense de piloter; »",
            "conserver cet avis au dossier.",
        ]

    def test_a_list_does_not_end_in_the_next_title(self):
        text = f"Sont exclus :\nle quai;\nla barque;\nEntretien du moteur\n{CLAUSE}\n"
        blocks = segment(text)
        assert [block.text for block in blocks] == [
            "Sont exclus : le quai; la barque;",
            "Entretien du moteur",
            CLAUSE,
        ]
        assert blocks[2].headings == ("Entretien du moteur",)


class TestVerbs:
    @pytest.mark.parametrize(
        "text",
        [
            "L'assureur paie.", "Le règlement fixe la prime", "Nous couvrons le quai",
            "Vous signez ici", "Les frais s'appliquent", "Le contrat prendra fin",
            "La police l'exige", "Il existe",
            "Les biens demeurent assurés", "Le quai n'a pas de toit",
            "La caution cautionne le plaisancier", "Le plaisancier hypothèque le quai",
            "Le loueur cède son droit", "La commune loge le gardien", "Une servitude grève le quai",
            "Le loueur installe les bouées", "Le juge assigne les parties",
            "Le plaisancier choisit sa place", "Le débiteur nantit son bateau",
            "Le club mandate un courtier", "L'assureur dédommage le club",
            "Le club vérifie les amarres", "L'expert calcule la perte", "L'expert estime la perte",
            "La banque finance le bateau", "Le vendeur livre le bateau",
            "Le loueur démolit le quai", "Le loueur rénove le quai",
            "La banque prélève les frais", "Le contrat plafonne les frais",
            "Le club facture les frais", "Les vendeurs livrent et facturent les bateaux",
            "L'assureur inspecte le quai", "Le vendeur rembourse et remorque le bateau",
        ],
    )  # fmt: skip
    def test_sentences(self, text):
        assert has_finite_verb(text)
        assert has_finite_verb(unicodedata.normalize("NFD", text))

    @pytest.mark.parametrize(
        "text",
        [
            "Limite de garantie par essai", "Prime fixe la plus élevée", "EXTENSION À L'EST",
            "Annexe A – Biens", "Annexe a", "Biens assurés et biens exclus",
            "Trait de côte et retrait",
            "Paiement de la prime chez l'assureur", "Offre de renouvellement", "",
            "Hypothèque maritime", "Facture de remorque", "Livre de bord", "Visite du quai",
            "Prix de vente conforme au registre", "Agent négligent", "Remorque vide",
        ],
    )  # fmt: skip
    def test_titles(self, text):
        assert not has_finite_verb(text)

    @given(st.text(max_size=200))
    def test_any_text_is_read(self, text):
        assert has_finite_verb(text) in (True, False)
        assert forms.is_filled_in(text) in (True, False)
        assert all(cell.strip() for cell in forms.cells(text))


class TestWhatWasThereBefore:
    def test_a_document_of_before_is_cut_as_it_was(self):
        before = Criteria(**BEFORE_FORMS)
        text = f"Garantie | Montant | Franchise\n{CLAUSE}\n"
        blocks = segment(text, as_form=before.as_form)
        assert blocks[0].kind is BlockKind.HEADING
        assert blocks[1].headings == ("Garantie | Montant | Franchise",)

    def test_its_exclusions_let_the_next_copy_through_as_they_did(self):
        text = f"{CLAUSE}\nLe quai est assuré au contrat.\n{CLAUSE}\n"
        now = Criteria(hardest_only=None)
        for criteria, left in ((now, 1), (Criteria(hardest_only=None, **BEFORE_FORMS), 2)):
            blocks = segment(text, as_form=criteria.as_form)
            key = funnel(blocks, criteria).verdicts[0].key
            funnelled = funnel(blocks, criteria, {key: Override(keep=False, reason="non")})
            assert len(funnelled.kept) == left

    def test_every_reason_is_counted(self):
        text, _ = marked(PATHS[0])
        funnelled = funnel(segment(text), NOW)
        assert all(
            funnelled.dropped[criterion]
            for criterion in (Criterion.TABLE, Criterion.FIELD, Criterion.STANDING)
        )
        assert sum(funnelled.dropped.values()) + len(funnelled.kept) == len(funnelled.verdicts)
