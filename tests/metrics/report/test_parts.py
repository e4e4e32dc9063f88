"""What the outputs are, all of them and each system's."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.metrics.metric import pair
from annotation.metrics.report import parts as module
from annotation.metrics.report.parts import parts
from annotation.metrics.report.people import Output, People
from tests.metrics.report.test_report import candidate

TEXTS = (("Le chat, le chien.", "Le chat."), ("Un chat dort.", "Il dort."), ("Rien.", "Rien."))


def found(systems=("a", "a", "b"), language="fr", texts=TEXTS):
    outputs = tuple(
        Output(str(place), original, simplification, system)
        for place, ((original, simplification), system) in enumerate(
            zip(texts, systems, strict=True)
        )
    )
    people = People(outputs, np.array([[1.0, 3.0], [4.0, 4.0], [9.0, np.nan]]), 1, 10)
    pairs = [pair(original, simplification, (), language) for original, simplification in texts]
    lines = [candidate("m", [10, 20, np.nan])]
    made = parts(people, pairs, lines)
    json.dumps(made, allow_nan=False)
    return {part["system"]: part for part in made}


def test_by_system_and_of_all():
    made = found()
    assert list(made) == ["", "a", "b"]
    assert [(part["n"], part["sources"]) for part in made.values()] == [(3, 3), (2, 2), (1, 1)]
    assert made[""]["means"] == {"m": 15}
    assert made["b"]["means"] == {"m": None}
    spread = {"min": 2, "low": 3, "median": 4, "mean": 5, "high": 6.5, "max": 9}
    assert {name: made[""]["people"][name] for name in spread} == spread
    assert made[""]["people"]["sd"] == pytest.approx(np.std([2, 4, 9], ddof=1))
    assert made["b"]["people"]["sd"] is None


def test_texts():
    of_all = found()[""]["original"]
    # le chat le chien | un chat dort | rien
    assert (of_all["vocabulary"], of_all["words"]) == (6, pytest.approx(8 / 3))
    assert of_all["richness"] == 6 / 8
    assert of_all["richness_of_texts"] == pytest.approx(100 * (3 + 3 + 1) / 3 / 6)
    japanese = (("保険者は三十日以内に支払う。", "保険者は支払う。"),) * 3
    assert set(found(language="", texts=japanese)["a"]["original"].values()) == {None}
    nothing = found(texts=(("…", "!"),) * 3)[""]
    assert set(nothing["simplification"].values()) == {None}


def test_too_many_systems_and_none_named(monkeypatch):
    assert list(found(systems=("", "", ""))) == [""]
    monkeypatch.setattr(module, "MOST_VALUES", 1)
    assert list(found()) == [""]
