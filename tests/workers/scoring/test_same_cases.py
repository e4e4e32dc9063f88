"""Two scorers' false accepts are compared on the same cases at the same place, or not at all."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from workers.scoring import probing as module


def probed(simplification: float | None, identical: float | None) -> dict:
    shares = {"simplification": simplification, "identical": identical}
    return {"rates": {place: {"false_accept": {"value": one}} for place, one in shares.items()}}


@pytest.mark.parametrize(
    ("current", "kept", "both"),
    [
        ((0.7, 0.1), (0.6, 0.2), (0.7, 0.6)),
        ((None, 0.1), (0.6, 0.2), (0.1, 0.2)),
        ((0.7, 0.1), (None, 0.2), (0.1, 0.2)),
        ((0.0, None), (0.0, 0.2), (0.0, 0.0)),
        ((None, 0.1), (0.6, None), (None, None)),
        ((None, None), (0.6, 0.2), (None, None)),
    ],
)
def test_the_first_place_where_both_have_a_share(monkeypatch, current, kept, both):
    told = {"current": probed(*current), "kept": probed(*kept), "served": probed(*kept)}
    asked = []

    def measured(one, _data, cases, _seed):
        asked.append((one, [case.source for case in cases]))
        return told[one]

    monkeypatch.setattr(module, "_measured", measured)
    training = SimpleNamespace(current="current", seen=frozenset({"learned"}), data=None)
    cases = [SimpleNamespace(source="learned"), SimpleNamespace(source="new")]
    assert module.both_probed(training, "kept", "served", cases, 42) == both
    assert asked == [("current", ["new"]), ("kept", ["new"])]
    asked.clear()
    assert module.both_probed(training, "kept", "served", cases[:1], 42) == both
    assert asked == [("current", ["learned"]), ("served", ["learned"])], "both have learned from it"
    assert module.both_probed(training, "kept", "served", [], 42) == (None, None)
