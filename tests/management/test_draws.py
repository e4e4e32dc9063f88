"""How many draws commands take: enough for an interval, or none at all."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.bulk import fill_study
from tests.factories import make_study

pytestmark = pytest.mark.django_db


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as refused:
        call_command(*arguments, stdout=StringIO(), stderr=StringIO())
    return str(refused.value)


@pytest.mark.parametrize(
    "command",
    [
        ["agreement", "jugee"],
        ["systems", "jugee"],
        ["metrics", "jugee"],
        ["edits", "--study", "jugee", "--field", "errors"],
        ["questions", "jugee", "--run", "1"],
        ["question_report", "rows.csv"],
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("draws", ["1", "5", "99", "-1", "100001"])
def test_from_a_few_no_interval_is_told(command, draws):
    make_study("jugee", state="closed")
    why = refusal(*command, "--draws", draws)
    assert why.startswith("--draws takes 100–")
    assert "or 0 for no intervals" in why


def test_a_frozen_recipe_has_enough_for_its_intervals(tmp_path):
    fill_study(make_study("jugee", state="closed"), pairs=3, annotators=2)
    for draws in (0, 5, 99):
        recipe = tmp_path / "recipe.json"
        recipe.write_text(json.dumps({"draws": draws}), encoding="utf-8")
        assert "“draws”: expected 100–" in refusal("freeze", "jugee", "--recipe", str(recipe))
