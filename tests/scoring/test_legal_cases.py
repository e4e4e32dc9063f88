"""An edit changes what it says and nothing else, a twin is never an edit, and no rule is applied
where it does not hold."""

from __future__ import annotations

import csv
import io
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.scoring.errors import ScoringError
from annotation.scoring.legal.cases import (
    _RULES,
    COLUMNS,
    Written,
    cases_csv,
    changes,
    probe_cases,
)
from annotation.scoring.legal.kinds import CHANGE_WORDING, PLACE_WORDING, TWINS, Change, Place
from annotation.scoring.legal.spots import another, cased, grouped

FRENCH = {
    Change.NUMBER: ("L'assureur paie au plus 500 $ par an.", ("1 000 $", "1 500 $", "5 000 $")),
    Change.DEADLINE: ("L'avis est envoyé dans les 30 jours.", ("60 jours", "90 jours", "300 jours",
                                                               "30 mois")),
    Change.NEGATION: ("L'assureur ne couvre pas les bris de glace.", ("L'assureur couvre les",)),
    Change.PARTY: ("La prime revient à l'assuré.", ("à l'assureur",)),
    Change.MODAL: ("L'assuré doit avertir la police.", ("L'assuré peut avertir",)),
    Change.AND_OR: ("L'assuré doit appeler la police et son courtier.", ("la police ou son",)),
    Change.ONLY: ("L'assureur ne paie que les frais raisonnables.", ("L'assureur paie les frais",)),
    Change.NONE: ("Aucune indemnité n'est versée après ce délai.", ("Toute indemnité est versée",)),
    Change.EXCEPTION: ("Le vol du véhicule est couvert, sauf si la clé est restée.",
                       ("Le vol du véhicule est couvert.",)),
    Change.OBJECT: ("Il conserve son véhicule au garage.", ("bâtiment", "bateau", "logement")),
    Change.UNIT: ("Le contrat prend fin après 24 mois.", ("2 ans", "vingt-quatre mois")),
    Change.SYNONYM: ("Toutefois, la garantie est suspendue.", ("Cependant, la",)),
    Change.VOICE: ("Il paie les dommages causés par le conducteur.",
                   ("les dommages que le conducteur a causés.",)),
    Change.ORDER: ("Si le véhicule est volé, l'assureur paie la franchise.",
                   ("L'assureur paie la franchise si le véhicule est volé.",)),
    Change.PUNCTUATION: ("La garantie est suspendue.", ("La garantie est suspendue",)),
}  # fmt: skip
ENGLISH = {
    Change.NUMBER: "The insurer pays at most $500 for each loss.",
    Change.DEADLINE: "The notice is sent within 30 days.",
    Change.NEGATION: "The tenant must not sublet the flat.",
    Change.PARTY: "The premium goes back to the insured.",
    Change.MODAL: "The tenant must pay the rent.",
    Change.AND_OR: "The tenant must call the police and the owner.",
    Change.ONLY: "The insurer pays only for repairs.",
    Change.NONE: "No person may enter the building.",
    Change.EXCEPTION: "The loss is covered unless the key was left inside.",
    Change.OBJECT: "He keeps his vehicle in a garage.",
    Change.UNIT: "The contract ends after 24 months.",
    Change.SYNONYM: "Payment is due prior to delivery.",
    Change.VOICE: "He pays for damage caused by the driver.",
    Change.ORDER: "If the car is stolen, the insurer pays the owner.",
    Change.PUNCTUATION: "The cover is suspended.",
}
NOT_APPLIED = {
    Change.NUMBER: ["Voir l'article 12 ans après.", "Le 3 mars, il est parti.", "Depuis 1990 il."],
    Change.NEGATION: ["Il ne doit que la franchise du véhicule.", "Il n'y a jamais que lui."],
    Change.MODAL: ["L'assuré ne peut céder ce droit.", "Le dommage peut être grave."],
    Change.AND_OR: ["Le vol et l'incendie sont couverts.", "S'il ne paie pas le vol et l'eau."],
    Change.EXCEPTION: ["Il paie tout, sauf le vol, le feu et l'eau.", "Tout va, sauf si : ceci."],
    Change.PARTY: ["Le véhicule est assuré.", "L'assuré désigné."],
    Change.ORDER: ["S'il paie, il reçoit un avis écrit.", "Il demande si la police est venue."],
    Change.VOICE: ["Les dommages sont causés par le conducteur.", "Causés par le feu seul."],
    Change.UNIT: ["Il a reçu 13 certificats neufs."],
    Change.SYNONYM: ["La porte doit fermer à clé."],
}
WORDS = [*sorted({word for text, _ in FRENCH.values() for word in text.split()}), "…", "«", "\n"]
texts = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


@pytest.mark.parametrize("kind", Change)
def test_each_rule_makes_its_change(kind):
    text, expected = FRENCH[kind]
    for seed in range(6):
        made = {change.kind: change.text for change in changes(text, "fr", seed)}[kind]
        assert any(phrase in made for phrase in expected), made
    assert kind in {change.kind for change in changes(ENGLISH[kind], "en", 1)}


@pytest.mark.parametrize("kind", NOT_APPLIED)
def test_no_rule_is_applied_where_it_does_not_hold(kind):
    for text in NOT_APPLIED[kind]:
        assert kind not in {change.kind for change in changes(text, "fr", 1)}, text


@given(texts, st.sampled_from(["fr", "en"]), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_one_stretch_changes_and_a_twin_is_never_an_edit(text, language, seed):
    rng = np.random.default_rng([seed, zlib.crc32(text.encode())])
    for rule in _RULES[language].values():
        for spot in rule(text, rng):
            made = spot.made_in(text)
            assert 0 <= spot.start <= spot.end <= len(text)
            assert made.startswith(text[: spot.start])
            assert made.endswith(text[spot.end :])
    all_changes = changes(text, language, seed)
    assert len({change.kind for change in all_changes}) == len(all_changes)
    edits = {change.text for change in all_changes if not change.kind.is_twin}
    assert text not in {change.text for change in all_changes}
    assert not edits & {change.text for change in all_changes if change.kind.is_twin}
    assert all_changes == changes(text, language, seed)


def test_cases_of_both_places_are_drawn_with_the_seed_and_can_be_read():
    pairs = [
        Written(str(number), text, f"En bref : {text}")
        for number, (text, _) in enumerate(FRENCH.values())
    ]
    pairs += [pairs[0], Written("copy", pairs[1].original, pairs[1].original)]
    cases = probe_cases(pairs, "fr", 3)
    assert cases == probe_cases(pairs, "fr", 3)
    assert {case.place for case in cases} == set(Place)
    assert all(
        (case.unchanged == case.original) == (case.place is Place.IDENTICAL) for case in cases
    )
    few = probe_cases(pairs, "fr", 3, most=1)
    assert len({(case.place, case.kind) for case in few}) == len(few)
    assert len(probe_cases(pairs, "fr", 3, most=None)) == len(cases)
    rows = list(csv.DictReader(io.StringIO(cases_csv(few).decode())))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == len(few)
    scored = cases_csv(few, {"bleu": [[1.0, None]] * len(few)}).decode()
    assert scored.splitlines()[0].endswith("bleu_before,bleu_after")
    assert all(case.source for case in cases)


def test_a_language_without_rules_is_refused_and_every_kind_has_words():
    with pytest.raises(ScoringError) as refusal:
        changes("La prime", "ja", 1)
    assert refusal.value.code == "other_language"
    assert set(CHANGE_WORDING) == set(Change)
    assert set(PLACE_WORDING) == set(Place)
    assert {kind for kind in Change if kind.is_twin} == TWINS


def test_numbers_keep_their_shape():
    rng = np.random.default_rng(1)
    assert another(0, rng) == 5
    assert another(80, rng, most=100) == 40
    assert another(1, rng, most=1) == 2
    assert grouped(12_000, "6 000") == "12 000"
    assert grouped(4000, "2000") == "4000"
    assert cased("NE COUVRE PAS", "couvre") == "COUVRE"
    assert cased("Aucun", "tout") == "Tout"
