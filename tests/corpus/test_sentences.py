"""Sentence ends in French legal text. All examples are invented."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.sentences import is_ended, split

WHOLE = [
    "Voir l'art. 12 du règlement et l'al. 3 de la loi.",
    "Le N° 4 et le formulaire F.P.Q. N° 9 sont annexés.",
    "La personne désignée dans un F.A.Q. N 2 est assurée.",
    "Les biens, p. ex. un vélo, sont couverts.",
    "Le preneur, c.-à-d. la personne qui signe, paie.",
    "M. Roy et Mme Côté ont signé devant Me Dubé.",
    "Le Dr. Gagnon et J.-P. Roy témoignent.",
    "La Loi sur les abris (L.R.Q., c. A-25) s'applique.",
    "Le montant de 1 000 000 $ (ou 2.5 millions) est un plafond.",
    "Depuis le 1er janv. 2024, le taux est de 3.5 %.",
    "Les articles 940 à 951.2 s'appliquent.",
    "Il a répondu « Je refuse. Allez-vous-en. » sans hésiter.",
    "Sont couverts le feu, le vent, etc. dans les limites prévues.",
    "A. Toute perte est exclue.",
    "Le chalet… même vide est assuré.",
    "Il retire de l'exclusion 6 I. du chapitre deux les usages permis.",
    "Les règles suivantes s'appliquent : 1. Au départ, rien n'est dû.",
]

CUT = [
    ("Le feu est couvert. Le vent ne l'est pas.", 2),
    ("Il relève du chapitre A. Il peut donc être payé.", 2),
    ("Le droit est perdu.Elle ne peut le reprendre.", 2),
    ("Voir le F.P.Q. L'assureur paie ensuite.", 2),
    ("On couvre le feu, le vent, etc. Toutefois, la crue est exclue.", 2),
    ("Est-ce assuré? Oui! Mais à quel prix…  Nul ne le sait.", 4),
    ("Il est dit « nul ne paie ». Cela suffit.", 2),
    ("Le plafond est de 500 $. Par contre, la franchise reste due.", 2),
    ("Rien n'est dû. a) Sauf le feu. b) Sauf le vent.", 3),
]


@pytest.mark.parametrize("text", WHOLE)
def test_one_sentence(text):
    assert split(text) == [(0, len(text))]


@pytest.mark.parametrize(("text", "count"), CUT)
def test_several_sentences(text, count):
    assert len(split(text)) == count


def test_offsets_are_those_of_the_whole_text():
    text = "Titre\n  Un abri. Un toit.  \nSuite"
    assert [text[start:end] for start, end in split(text, 6, 27)] == ["Un abri.", "Un toit."]


@pytest.mark.parametrize(
    ("line", "ended"), [("Fin.", True), ("Fin. »", True), ("voir art.", False), ("Fin;", False)]
)
def test_whether_a_line_is_ended(line, ended):
    assert is_ended(line) is ended


ALPHABET = "aéL'« »().!?…;: \t123\u00a0ABart"


@given(st.text(ALPHABET, max_size=120) | st.text(max_size=120))
def test_sentences_hold_all_that_is_not_white_space(text):
    spans = split(text)
    assert all(start < end for start, end in spans)
    assert all(first.end <= second.start for first, second in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(
        text.split()
    )
