"""``manage.py plan``."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import StudyPlan, plan_of
from tests.planning import planned_study

pytestmark = pytest.mark.django_db


def plan(*args):
    out = StringIO()
    call_command("plan", *args, stdout=out, no_color=True)
    return out.getvalue()


def test_it_shows_what_a_plan_would_give_and_writes_nothing():
    study = planned_study(6, 20, opened=False)
    shown = plan(study.key, "--per-item", "3", "--seed", "1").splitlines()
    assert shown[0] == "3 answers per pair, seed 1"
    assert "A\t10" in shown
    assert "A-B\t4" in shown
    assert plan_of(study).per_item is None


def test_it_applies_what_it_showed_and_switches_off():
    study = planned_study(3, 3)
    said = plan(
        study.key,
        "--per-item",
        "2",
        "--repeat-percent",
        "10",
        "--redistribute",
        "--apply",
        "--reason",
        "essai",
    )
    assert said.startswith("Saved: ")
    assert StudyPlan.objects.get(study=study).repeat_percent == 10
    plan(study.key, "--everybody", "--repeat-percent", "0", "--apply")
    stored = StudyPlan.objects.get(study=study)
    assert (stored.per_item, stored.repeat_percent) == (None, None)


def test_what_cannot_be_is_said():
    study = planned_study(2, 1, opened=False)
    assert "too_few_pairs: pairs 1, wanted 1, idle 1" in plan(study.key, "--per-item", "1")
    for arguments, words in (
        (("--per-item", "9"), "per_item: 9 answers per pair"),
        (("--per-item", "2", "--everybody"), "not both"),
    ):
        with pytest.raises(CommandError, match=words):
            plan(study.key, *arguments)
    with pytest.raises(CommandError, match="no study"):
        plan("nowhere")
