"""Systems side by side where people mark errors and other things: only errors are counted as
such."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse

from annotation.models import ErrorDeduction, Study
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems import systems_figures
from tests.protocols.judged import judged
from tests.protocols.samples.everything import PROTOCOL

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return judged(PROTOCOL)


def per_judgment(study: Study, field: str) -> float:
    """How many marks of a list a judgment of the main round holds: all judge both systems alike."""
    marks = ErrorDeduction.objects.filter(
        field=field, judgment__assignment__simplification__item__round="main"
    )
    return marks.count() / 6


def test_errors_are_those_of_fields_that_are_errors(made):
    figures = systems_figures(made.study, Filters())
    (edits,) = figures.marks
    assert edits == "edits"
    for system in figures.errors:
        assert set(system.figures) == {"any", "typo", "gap"}
        assert system.figures["any"].value == pytest.approx(per_judgment(made.study, "flaws"))
    for system in figures.marks["edits"]:
        assert not {"typo", "gap"} & set(system.figures)
        assert system.figures["any"].value == pytest.approx(per_judgment(made.study, "edits"))
    facts = figures.as_dict()
    assert set(facts["error_rates"][0]["rates"]) == {"any", "typo", "gap"}
    assert set(facts["mark_rates"]) == {"edits"}


def test_the_page_has_a_table_for_each_list_of_other_marks(made):
    client = made.client(made.lead)
    shown = unescape(client.get(reverse("study_systems", args=[made.study.key])).content.decode())
    assert "Erreurs dans un jugement, par type et par système" in shown
    assert "Marques dans un jugement, par type et par système\u00a0: Opérations" in shown
    address = reverse("study_systems_table", args=[made.study.key, "marks"])
    (linked,) = set(re.findall(f'{address}[?][^"]*format=(?=csv)', shown))
    assert "field=edits" in linked
    table = client.get(address, {"field": "edits", "format": "csv"}).content.decode()
    assert "mot ôté" in table
    assert "coquille" not in table
    errors = reverse("study_systems_table", args=[made.study.key, "errors"])
    table = client.get(errors, {"format": "csv"}).content.decode()
    assert "mot ôté" not in table
    assert "coquille" in table


def test_of_errors_there_is_no_table_of_other_marks(made):
    address = reverse("study_systems_table", args=[made.study.key, "marks"])
    for field in ("", "flaws", "worth"):
        assert made.client(made.lead).get(address, {"field": field}).status_code == 404
