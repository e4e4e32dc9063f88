"""Syllables on published examples, and the formula against textstat's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.corpus.readability import Syllables, kandel_moles, readability, words_of
from annotation.corpus.syllables import hyphenation, phonetic

# Counts that these pages state, heard syllables where they tell heard from written ones: OQLF,
# Banque de dépannage linguistique, "Syllabe" (bdl.oqlf.gouv.qc.ca, id 2135); SchoolMouv, "Des
# syllabes, des mots"; Université de Montpellier 3 (UOH), "Les syllabes"; B. Boutin, "Règles de
# division des mots en syllabes" (bertrandboutin.ca); Riegel, Pellat and Rioul, by way of
# languefr.net.
PUBLISHED = """
passerelle 2 une 1 belle 1 chanson 2 eau 1 or 1 tout 1 baume 1 harpe 1 gras 1 branche 1 tracte 1 splendide 2
strophe 1 stricte 1 cas 1 nid 1 long 1 cinéma 3 pyjama 3 inédit 3 écarter 3 escargot 3 venteux 2 conter 2 printemps 2
tunnel 2 achat 2 téléphoner 4 marathon 3 oignons 2 ébranlé 3 attablé 3 retrait 2 tanière 2 punaise 2 canne 1 pomme 1
lionne 1 homme 1 opérationnel 5 concernant 3 banal 2 nucléaires 3 numéro 3 parité 3 spéculer 3 garantie 3 important 3
argent 2 expert 2 informer 3 adjoint 2 compter 2 installer 3 obstacle 2 mère 1 discret 2 étudiante 3 ennemi 3
"""  # noqa: E501
# Legal vocabulary, counted by hand from the pronunciation.
LEGAL = """
assureur 3 assuré 3 indemnité 4 véhicule 3 avarie 3 théâtre 2 aéronef 4 obligation 4 propriétaire 4 situation 3
évaluation 4 influence 3 construire 2 juillet 2 accueil 2 œuvre 1 coefficient 4 client 2 doivent 1 appliquent 2
document 3 notamment 3 affirment 2 évident 3 renouvellement 4 remboursement 4 paiement 2 règlement 3 recevoir 3
employeur 3 créancier 3 réel 2 coopérer 4 varient 2 contient 2 soient 1 priorité 4 février 3 responsabilité 6
c'est-à-dire 3 l'assureur 3 lorsqu'un 2 qu'il 1 aujourd'hui 3 guerre 1 voyage 2 essuyer 3 cruel 2 bruit 1
"""  # noqa: E501


def pairs(listed: str) -> list[tuple[str, int]]:
    parts = listed.split()
    return [(word, int(count)) for word, count in zip(parts[::2], parts[1::2], strict=True)]


def test_published_syllables():
    """One of 60 differs: SchoolMouv sounds the e of "ennemi", which the law of three consonants
    drops."""
    assert [word for word, count in pairs(PUBLISHED) if phonetic(word) != count] == ["ennemi"]


def test_legal_words():
    assert {word: phonetic(word) for word, _ in pairs(LEGAL)} == dict(pairs(LEGAL))


def test_the_phonetic_count_is_nearer_than_the_hyphenation():
    listed = pairs(PUBLISHED)
    wrong = {
        counter: sum(counter(word) != count for word, count in listed)
        for counter in (phonetic, hyphenation)
    }
    assert wrong[phonetic] * 5 < wrong[hyphenation]


@given(st.text(max_size=30))
def test_every_word_has_a_syllable(word):
    assert phonetic(word) >= 1
    assert hyphenation(word) >= 1


def test_the_formula_by_hand():
    # 20 words, 2 sentences, 36 syllables: 207 - 1.015 · 10 - 73.6 · 1.8
    assert kandel_moles(20, 2, 36) == pytest.approx(64.37)


WORDS = st.sampled_from(
    ["assureur", "perte", "l'avis", "feu", "véhicule", "juge", "montant", "obligation", "d'un"]
)


@settings(deadline=None)  # the library takes seconds to load
@given(st.lists(st.lists(WORDS, min_size=3, max_size=12), min_size=1, max_size=5))
def test_it_is_textstats_formula(sentences):
    """Same syllables, words and sentences, same score as the library, on texts whose sentences both
    see alike."""
    textstat = pytest.importorskip("textstat")
    textstat.set_lang("fr")
    text = " ".join(" ".join(words).capitalize() + "." for words in sentences)
    ours = readability(text, sentences=len(sentences), counter=Syllables.HYPHENATION)
    assert ours.words == textstat.lexicon_count(text)
    assert ours.syllables == textstat.syllable_count(text)
    assert ours.score == pytest.approx(textstat.flesch_reading_ease(text))


@pytest.mark.parametrize("text", ["", "   ", "… — ;", "\u00a0"])
def test_without_words_there_is_a_reason_and_no_number(text):
    undefined = readability(text)
    assert (undefined.score, undefined.words) == (None, 0)
    assert undefined.reason.fr
    assert undefined.reason.en


def test_the_formula_refuses_nothing():
    for counts in ((0, 1, 0), (3, 0, 3), (3, 1, -1)):
        with pytest.raises(ValueError, match="undefined"):
            kandel_moles(*counts)


@given(st.text(max_size=200))
def test_never_nan(text):
    ease = readability(text)
    assert (ease.score is None) == bool(ease.reason.fr)
    assert ease.score is None or math.isfinite(ease.score)


def test_words():
    assert words_of("« L’assureur » paie 1 200 $ — celui-ci, etc.") == [
        "L'assureur",
        "paie",
        "1",
        "200",
        "celui-ci",
        "etc",
    ]


def test_a_longer_word_and_a_longer_sentence_are_harder():
    texts = [
        "Le juge lit. Le juge part.",
        "Le juge lit et le juge part.",
        "Le magistrat examine. Le magistrat démissionne.",
    ]
    scores = [readability(text).score or 0.0 for text in texts]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3
