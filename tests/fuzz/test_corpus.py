"""Every file of the fuzzers' corpus, and what was broken before, in the ordinary suite."""

from __future__ import annotations

import pytest

from tests.fuzz.targets import KEPT, TARGETS

SEEDS = sorted(path for name in TARGETS for path in (KEPT / name).iterdir())


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_seed_breaks_no_promise(path):
    TARGETS[path.parent.name](path.read_bytes())


def test_each_target_has_seeds():
    assert {path.parent.name for path in SEEDS} == set(TARGETS)
