"""What pages say of a number of edits, which ends at no scale."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse
from django.utils.translation import override

from annotation.models import text_digest
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems import systems_figures
from annotation.web.agreement.systems.words import comparison_words
from tests.protocols.judged import judged
from tests.protocols.samples.everything import PROTOCOL

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    """Two systems that wrote of one text."""
    made = judged(PROTOCOL)
    original = "Le preneur paie la prime à l'échéance."
    made.study.items.filter(round="main").update(
        original=original, original_digest=text_digest(original)
    )
    return made


def page(made, name: str) -> str:
    answer = made.client(made.lead).get(reverse(name, args=[made.study.key]))
    return unescape(answer.content.decode())


def test_ac2_is_given_of_scales_alone(made):
    assert page(made, "study_agreement").count("Un nombre sans borne n'a pas d'échelle fermée") == 1


def test_only_the_numbers_that_somebody_gave_are_answers(made):
    """Three people marked two, three and four edits in both outputs; up to 500 may be marked."""
    shown = page(made, "study_systems")
    assert len(shown) < 600_000
    figures = systems_figures(made.study, Filters())
    edits, share = figures.dimensions["edits_number"], figures.dimensions["share"]
    assert edits.scale == (2, 3, 4)
    assert [len(profile.shares) for profile in edits.profiles] == [3, 3]
    assert edits.as_dict()["scale"] == [2, 3, 4]
    # A line has an end, and each of its values can be an answer that nobody gave.
    assert (share.scale[0], share.scale[-1], len(share.scale)) == (0, 100, 101)
    client, address = made.client(made.lead), "study_systems_table"
    for key in ("shares", "share-differences"):
        table = client.get(
            reverse(address, args=[made.study.key, key]),
            {"format": "csv", "dimension": "edits_number"},
        )
        assert len(table.content.decode().splitlines()) == 1 + 3 * (2 if key == "shares" else 1)


def test_no_sentence_speaks_of_a_scale(made):
    figures = systems_figures(made.study, Filters())
    for name, has_scale in (("edits_number", False), ("share", True)):
        dimension = figures.dimensions[name]
        (comparison,) = dimension.comparisons
        with override("en"):
            assert ("on the scale from" in comparison_words(comparison, dimension)) is has_scale
