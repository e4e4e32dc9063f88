"""Every file of the fuzzers' corpus, and what was broken before, in the ordinary suite."""

from __future__ import annotations

import re

import pytest

from annotation.corpus.reader import READERS
from tests.fuzz.targets import KEPT, READ_BY, TARGETS
from tests.house.sizes import ROOT

SEEDS = sorted(path for name in TARGETS for path in (KEPT / name).iterdir())


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_seed_breaks_no_promise(path):
    TARGETS[path.parent.name](path.read_bytes())


def test_each_target_has_seeds():
    assert {path.parent.name for path in SEEDS} == set(TARGETS)


def test_each_reader_of_foreign_bytes_has_a_target():
    assert set(READ_BY) == set(READERS), "what is read of strangers has no target in READ_BY"
    assert all(READ_BY.values())
    assert {name for names in READ_BY.values() for name in names} <= set(TARGETS)


def test_the_chore_tries_every_target():
    chore = (ROOT / "Makefile").read_text(encoding="utf-8")
    (named,) = re.findall(r"^fuzz:.*\n.*\n\t@for what in ([a-z_ ]+);", chore, re.MULTILINE)
    assert sorted(named.split()) == sorted(TARGETS)
