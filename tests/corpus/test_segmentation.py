"""Blocks of French legal text. All examples are invented."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.lines import Hint
from annotation.corpus.segmentation import Block, BlockKind, segment
from annotation.protocols.characters import shows_nothing
from tests.house.sizes import ROOT

REAL = ROOT.parent / "shared" / "data" / "fpq1_fr.txt"

CONTRACT = """\
CHAPITRE A :
GARANTIES POUR LES CHALETS
(FACULTATIVES)
1. BIENS COUVERTS
1.1 Règle générale
Le chalet est couvert contre le feu. La remise l'est aussi.
Sont exclus : a) le quai; b) la barque.
1.2 Frais remboursés
L'assureur rembourse les frais suivants :
• les frais d'hôtel;
• les frais de taxi; et
• les frais de garde.
Ces frais sont plafonnés.

2. EXCLUSIONS
Les exclusions suivantes s'appliquent :
A. Toute perte due au gel. Cette règle vaut en tout lieu.
B. Toute perte causée par :
- la moisissure;
- les rongeurs.
Cette exclusion ne vise pas le toit.
C. Toute perte survenue pendant une location.
D. Toute perte due à la guerre.
3. PRENEUR : personne qui signe la proposition.
"""


def texts(blocks: list[Block], kind: BlockKind = BlockKind.TEXT) -> list[str]:
    return [block.text for block in blocks if block.kind is kind]


def test_titles_paragraphs_and_lists():
    blocks = segment(CONTRACT)
    assert texts(blocks, BlockKind.HEADING)[:5] == [
        "CHAPITRE A :",
        "GARANTIES POUR LES CHALETS",
        "(FACULTATIVES)",
        "1. BIENS COUVERTS",
        "1.1 Règle générale",
    ]
    assert texts(blocks) == [
        "Le chalet est couvert contre le feu. La remise l'est aussi.",
        "Sont exclus : a) le quai; b) la barque.",
        (
            "L'assureur rembourse les frais suivants : les frais d'hôtel; les frais de taxi; et "
            "les frais de garde."
        ),
        "Ces frais sont plafonnés.",
        (
            "Les exclusions suivantes s'appliquent : Toute perte due au gel. Cette règle vaut en "
            "tout lieu."
        ),
        "Les exclusions suivantes s'appliquent : Toute perte causée par : la moisissure; les "
        "rongeurs. Cette exclusion ne vise pas le toit.",
        "Les exclusions suivantes s'appliquent : Toute perte survenue pendant une location.",
        "Les exclusions suivantes s'appliquent : Toute perte due à la guerre.",
        "PRENEUR : personne qui signe la proposition.",
    ]
    assert texts(blocks, BlockKind.STEM) == ["Les exclusions suivantes s'appliquent :"]


def test_each_block_knows_its_titles_its_label_and_its_neighbours():
    frais, plafond = [
        block
        for block in segment(CONTRACT)
        if "rais" in block.text and block.kind is BlockKind.TEXT
    ]
    chapter = "CHAPITRE A : GARANTIES POUR LES CHALETS (FACULTATIVES)"
    assert (
        frais.headings == plafond.headings == (chapter, "1. BIENS COUVERTS", "1.2 Frais remboursés")
    )
    assert (frais.after, plafond.before) == (plafond.text, frais.text)
    assert [block.label for block in segment(CONTRACT) if block.stems] == ["A.", "B.", "C.", "D."]


def test_a_list_within_five_sentences_stays_whole():
    kept = [
        block
        for block in segment(CONTRACT, most_sentences=20)
        if block.text.startswith("Les exclusions")
    ]
    assert len(kept) == 1
    assert len(kept[0].sentences) == 6
    assert "; les rongeurs. Cette exclusion" in kept[0].text
    assert " B. Toute perte" in kept[0].text


def test_a_sentence_that_goes_on_after_its_list_is_not_cut():
    text = "Si le toit :\n• fuit; ou\n• s'effondre;\nl'assureur paie la réparation.\nIl paie vite."
    assert texts(segment(text, most_sentences=1)) == [
        "Si le toit : fuit; ou s'effondre; l'assureur paie la réparation.",
        "Il paie vite.",
    ]


def test_a_paragraph_between_two_items_belongs_to_the_first():
    text = (
        "L'assureur peut :\n• offrir une prime.\nLe preneur l'accepte; ou\n• résilier le "
        "contrat.\nFin du délai ici."
    )
    assert texts(segment(text))[0].endswith(
        "une prime. Le preneur l'accepte; ou résilier le contrat."
    )


@pytest.mark.parametrize(
    "line",
    [
        "Article 3 – Objet",
        "SECTION B",
        "Chapitre II",
        "TITRE PREMIER",
        "3.2.1 Biens dont le preneur est locataire",
    ],
)
def test_titles(line):
    assert segment(f"{line}\nLe preneur paie la prime.")[0].kind is BlockKind.HEADING


@pytest.mark.parametrize(
    ("line", "label", "read"),
    [
        ("3.1. Tout preneur paie la prime.", "3.1.", "Tout preneur paie la prime."),
        ("Article 12. Le preneur paie la prime.", "Article 12.", "Le preneur paie la prime."),
        (
            "Article 3 du code s'applique aux chalets.",
            "",
            "Article 3 du code s'applique aux chalets.",
        ),
        ("1° Le preneur paie la prime.", "1°", "Le preneur paie la prime."),
        ("M. Roy paie la prime du chalet.", "", "M. Roy paie la prime du chalet."),
        ("F.P.Q. et avenants forment le contrat.", "", "F.P.Q. et avenants forment le contrat."),
    ],
)
def test_numbers_of_clauses(line, label, read):
    (block,) = segment(line)
    assert (block.kind, block.label, block.text) == (BlockKind.TEXT, label, read)


def test_what_the_file_knows_is_believed():
    text = "Les biens du preneur\nLe quai\nLa barque"
    hints = {0: Hint.TEXT, 1: Hint.HEADING, 2: Hint.ITEM}
    kinds = [block.kind for block in segment(text, hints)]
    assert kinds == [BlockKind.TEXT, BlockKind.HEADING, BlockKind.TEXT]


def test_a_line_that_shows_nothing_is_a_blank_one():
    made = segment("Le chalet est couvert.\n\u200b\nLa remise l'est aussi.\n\u2060 \u3164\n")
    assert [block.text for block in made] == ["Le chalet est couvert.", "La remise l'est aussi."]
    assert made[1].before == made[0].text


def test_nothing():
    assert segment("") == segment(" \n\t\n") == []


LINES = st.sampled_from(
    [*CONTRACT.split("\n"), "et", "", "\t a) le quai;", "1. Le chat dort.", "b) Le chien dort. Il rêve.", "Titre seul",  # noqa: E501
     "dans un cas :", "\t la barque", "• ", "  Fin.\t Autre.", "Article 4", "i) un", "ii) deux."]
)  # fmt: skip


@given(st.lists(LINES, max_size=25).map("\n".join) | st.text(max_size=200))
def test_blocks_partition_the_text(text):
    blocks = segment(text)
    covered = [False] * len(text)
    last = 0
    for number, block in enumerate(blocks, start=1):
        assert block.number == number
        assert last <= block.start < block.end <= len(text)
        last = block.end
        assert (block.start, block.end) == (block.pieces[0].start, block.pieces[-1].end)
        for start, end in block.pieces:
            covered[start:end] = [True] * (end - start)
        for start, end in block.sentences:
            assert block.start <= start < end <= block.end
    # What is left is white space, what shows nothing, bullets and labels ("a)", "3.2").
    left = "".join(
        " " if taken or shows_nothing(character) else character
        for character, taken in zip(text, covered, strict=True)
    )
    assert all(len(word) <= 12 for word in left.split()) or not blocks
    assert segment(text) == blocks


@given(st.lists(LINES, max_size=25).map("\n".join))
def test_what_is_read_is_what_stands_there(text):
    for block in segment(text):
        spans = (*block.stems, *block.pieces)
        assert " ".join(" ".join(text[start:end].split()) for start, end in spans).startswith(
            block.text
        )


@pytest.mark.skipif(not REAL.exists(), reason="the policy form is not at hand")
def test_the_policy_form():
    text = REAL.read_text(encoding="utf-8")
    blocks = segment(text)
    counts = Counter(block.kind for block in blocks)
    assert counts == {BlockKind.TEXT: 261, BlockKind.HEADING: 126, BlockKind.STEM: 8}
    assert all(
        block.text[0].isupper() or block.text[0] == "«"
        for block in blocks
        if block.kind is BlockKind.TEXT
    )
    assert max(len(block.sentences) for block in blocks) <= 5


def test_a_term_in_capitals_that_a_list_of_word_s_defines_stays_with_it():
    text = "REMORQUE :\nau chapitre A, tout engin tiré;\nau chapitre B, une roulotte.\n"
    hints = {1: Hint.ITEM, 2: Hint.ITEM}
    assert [block.text for block in segment(text, hints)] == [" ".join(text.split())]
    assert [block.text for block in segment(text.replace("\na", "\n\ta"))] == [
        " ".join(text.split())
    ]
