"""In which language the texts of a pair are said to be."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.corpus.language import detect_language
from annotation.selectors.judging.blinded import blinded_pair
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db

FRENCH = "Les usagers dont la carte est échue sont priés de se présenter au comptoir."
ENGLISH = "Patrons whose card has expired are asked to come to the desk of the library."


@pytest.mark.parametrize(
    ("protocol", "original", "simplification", "languages"),
    [
        ("legal_meaning", FRENCH, FRENCH, ("fr", "fr")),
        ("legal_meaning", FRENCH, ENGLISH, ("fr", "en")),
        ("legal_meaning", FRENCH, "Oui.", ("fr", "fr")),
        ("jades", FRENCH, FRENCH, ("fr", "fr")),
        ("jades", FRENCH, ENGLISH, ("fr", "en")),
        ("jades", ENGLISH, ENGLISH, ("en", "en")),
        ("jades", ENGLISH, FRENCH, ("", "fr")),
        ("jades", "Oui.", "Oui.", ("", "")),
    ],
)
def test_each_text_of_a_pair(
    protocol: str, original: str, simplification: str, languages: tuple[str, str]
) -> None:
    study = make_study("langues", state="main", protocol_key=protocol, protocol_version="1")
    make_pair(
        study, original=original, text=simplification, language=detect_language(simplification)
    )
    user = make_user("student")
    annotator = make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    [assignment] = annotator.assignments.all()
    shown = blinded_pair(assignment).languages
    assert (shown["original"], shown["simplification"]) == languages
    client = Client()
    client.force_login(user)
    page = client.get(f"/annotate/langues/{assignment.position}/").content.decode()
    for side, language in shown.items():
        [element] = [tag for tag in page.split("<") if f'id="text-{side}"' in tag]
        assert (f'lang="{language}"' in element) == bool(language)
        assert ("lang=" in element) == bool(language)
    own = client.get("/annotate/langues/mine/").content.decode()
    [opening] = own.split('class="own-opening"><')[1:]
    is_french = original == FRENCH or protocol == "legal_meaning"
    assert opening.split(">")[0].endswith('lang="fr"') == is_french
