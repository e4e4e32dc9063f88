"""A metric is one file and one line; whatever is in the registry is walked."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest
from django.conf import settings

from annotation.metrics import registry
from annotation.metrics.metric import UNDEFINED, Direction, Family, TextMetric, pair
from annotation.protocols.base import Wording

# What a new file holds; its line is added to the registry below.
QUESTION_MARKS = Family(
    "question_marks",
    (
        TextMetric(
            "question_marks",
            Wording("Points d'interrogation", "Question marks"),
            Direction.NEITHER,
            None,
            (("unit", "character"),),
        ),
    ),
    lambda text_pair: {"question_marks": text_pair.simplification.count("?")},
)


@pytest.fixture(params=[False, True], ids=["as it is", "one more"])
def families(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(registry, "FAMILIES", (*registry.FAMILIES, QUESTION_MARKS))
    return registry.FAMILIES


def test_every_metric_says_what_it_is(families):
    metrics = registry.metrics()
    assert sum(len(family.metrics) for family in families) == len(metrics)
    for name, metric in metrics.items():
        assert metric.signature.startswith(f"{name}|")
        assert f"definition:{metric.definition}" in metric.signature
        assert metric.label.fr
        assert metric.label.en
        assert metric.direction in Direction
        assert metric.bounds is None or metric.bounds[0] < metric.bounds[1]
        if metric.library:
            assert f"|{metric.library}:" in metric.signature
    assert len({metric.signature for metric in metrics.values()}) == len(metrics)


def test_every_metric_is_explained():
    """A part of one, as ``rouge1_recall``, follows its name."""
    explained = (settings.BASE_DIR / "docs" / "metrics.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z0-9_+]+)`", explained))
    for name in registry.metrics():
        wholes = [whole for whole in named if name == whole or name.startswith(f"{whole}_")]
        assert wholes, f"{name} has no row in docs/metrics.md"


def test_every_metric_reads_every_pair_or_says_why_not(families):
    pairs = [
        pair("Une clause.", "Une phrase ?", ("Une phrase.",), "fr"),
        pair("Une clause.", "…", (), "fr"),
        pair("条項", "文", (), "ja"),
        pair("", "", (), ""),
    ]
    for text_pair in pairs:
        for family in families:
            for reading in family.readings(text_pair).values():
                assert isinstance(reading, float) or reading in UNDEFINED


def test_every_metric_gives_a_number_of_an_ordinary_pair(families):
    """Whatever a family raises is told as *failed* of its pair: here nothing fails."""
    text_pair = pair("Une clause du contrat.", "Une phrase courte.", ("Une phrase.",), "fr")
    for family in families:
        if family.languages and "fr" not in family.languages:
            continue
        for name, reading in family.readings(text_pair).items():
            assert isinstance(reading, float), (name, reading)


def test_a_reading_under_another_name_is_refused():
    misspelt = replace(QUESTION_MARKS, measure=lambda _pair: {"question_mark": 1.0})
    with pytest.raises(LookupError, match=r"has no metric question_mark$"):
        misspelt.readings(pair("Une clause.", "Une phrase ?"))


def test_two_metrics_of_one_name_are_refused():
    with pytest.raises(ValueError, match="question_marks"):
        registry.metrics((QUESTION_MARKS, QUESTION_MARKS))


def test_baselines_are_always_there():
    baselines = {name for name, metric in registry.metrics().items() if metric.is_baseline}
    assert baselines == {"length_ratio", "length_ratio_characters", "copy_rate"}


def test_the_libraries_wait_until_something_is_measured():
    """Pages import the registry: what only workers need is not loaded with it."""
    loaded = "import annotation.metrics.registry, sys; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"sacrebleu", "sacremoses", "rapidfuzz", "pyphen", "scipy"} & set(modules)
