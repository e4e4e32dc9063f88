"""A refusal is told from a clause, in both languages and however it begins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.generation.refusals import is_refusal
from annotation.generation.review import flags
from tests.generation.test_review import CLAUSES, FINE, ORIGINAL

REFUSALS = (
    "Je suis désolé, mais je ne peux pas simplifier ce texte juridique.",
    "Je suis désolée, je ne peux pas vous aider.",
    "Désolé, je ne peux pas répondre à cette demande.",
    "Je suis vraiment navré, mais cette phrase est incomplète.",
    "Je m'excuse, mais je ne suis pas en mesure de répondre à votre question.",
    "Toutes mes excuses, il me manque la phrase.",
    "Je ne peux pas fournir de conseils juridiques.",
    "Je ne suis pas en mesure de réécrire cette phrase.",
    "Je ne suis malheureusement pas capable de traiter cette demande.",
    "Malheureusement, je ne peux pas réécrire ce passage.",
    "Il m'est impossible de reformuler ce passage.",
    "Je refuse de réécrire cette clause.",
    "En tant que modèle de langage, je n'interprète pas le droit.",
    "En tant qu'IA, je n'ai pas d'avis.",
    "Bien sûr! Pourriez-vous me fournir la phrase à simplifier?",
    "Veuillez fournir le texte que vous souhaitez que je simplifie.",
    "I'm sorry, but I can't help with that.",
    "I’m sorry, but I can’t assist with that request.",
    "Sorry, I cannot do this.",
    "I apologize, but this is not something I do.",
    "I cannot simplify this legal text.",
    "I can't assist with that.",
    "I am unable to rewrite this sentence.",
    "Unfortunately, I cannot provide legal advice.",
    "As an AI language model, I have no opinion.",
    "Please provide the sentence to simplify.",
)
# In the first person, forbidding, impossible, polite: a clause all the same.
ORDINARY = (
    FINE,
    ORIGINAL,
    "Je ne peux pas céder mon bail sans l'accord du locateur.",
    "Je ne peux pas donner mon logement en sous-location.",
    "Je ne peux pas fournir de faux renseignements à l'assureur.",
    "Je ne suis pas en mesure de payer : je dois en aviser l'assureur.",
    "Je refuse de payer si le logement est impropre à l'habitation.",
    "Il est impossible de répondre à la demande après 30 jours.",
    "L'assureur ne peut pas répondre à votre demande avant 30 jours.",
    "Nous ne pouvons pas vous aider si vous mentez.",
    "Veuillez fournir le texte du contrat à votre assureur.",
    "Pourriez-vous devoir rembourser? Oui, si vous avez menti.",
    "Si vous êtes désolé de votre faute, la peine peut être réduite.",
    "L'assuré présente ses excuses à la victime.",
    "En tant que modèle de conduite, le tuteur agit avec prudence.",
    "En tant qu'assuré, vous avisez l'assureur.",
    "La personne qui aide un enfant à traverser est assurée.",
    "I cannot sublet without the landlord's consent.",
    "The tenant must apologize to the neighbours.",
)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal(text):
    assert is_refusal(text, ORIGINAL)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_none(text):
    assert not is_refusal(text, ORIGINAL)


def test_it_is_flagged_for_a_lead_and_never_taken_for_clean():
    raised_flags = flags(
        original=ORIGINAL,
        raw="Je suis désolé, mais je ne peux pas simplifier ce texte juridique.",
        finish_reason="stop",
    )
    assert raised_flags == ["refusal"]


def test_what_the_source_says_is_none():
    said = "Je suis désolé, mais je ne peux pas vous aider."
    assert not is_refusal(said, said)


@given(st.sampled_from(REFUSALS), CLAUSES, st.sampled_from((str, str.upper, str.lower)))
def test_however_it_is_written_and_whatever_follows(refusal, clause, spelled):
    assert is_refusal(f"  {spelled(refusal)} {clause}", ORIGINAL)


@given(st.lists(CLAUSES | st.sampled_from(ORDINARY), min_size=1, max_size=5).map(" ".join))
def test_ordinary_clauses_raise_no_false_alarm(text):
    assert not is_refusal(text, ORIGINAL)


@given(st.text(max_size=200))
def test_any_text_is_told_at_once(text):
    assert is_refusal(text, text) is False
