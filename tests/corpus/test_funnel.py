"""The funnel and the draw. All examples are invented."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.drawing import DrawError, draw
from annotation.corpus.funnel import Criteria, Criterion, Override, block_keys, funnel, normalised
from annotation.corpus.readability import Syllables
from annotation.corpus.segmentation import segment
from tests.house.sizes import ROOT

REAL = ROOT.parent / "shared" / "data" / "fpq1_fr.txt"

HARD = (
    "L'indemnisation additionnelle est subordonnée à la communication préalable des documents "
    "justificatifs."
)
TEXT = f"""\
1. INDEMNISATION
{HARD}
Le feu est vif. Le vent est fort.
{HARD.replace("à la", "À LA")}
{HARD.replace(".", " ")} .
Un. Deux. Trois. Quatre. Cinq. Six mots de plus pour finir ici.
The insurer shall indemnify the policyholder for consequential deterioration of the property.
Les garanties complémentaires suivantes sont applicables :
2. FIN
"""


def verdicts(criteria: Criteria | None = None):
    return {
        verdict.block.text[:18]: verdict for verdict in funnel(segment(TEXT), criteria).verdicts
    }


def test_each_block_has_its_reasons():
    by_start = verdicts()
    reasons = {
        start: [reason.code for reason in verdict.reasons] for start, verdict in by_start.items()
    }
    assert reasons["1. INDEMNISATION"] == ["title"]
    assert reasons["Le feu est vif. Le"] == ["too_easy"]
    assert "too_long" in reasons["Un. Deux. Trois. Q"]
    assert "other_language" in reasons["The insurer shall "]
    assert reasons["Les garanties comp"] == ["introduction"]


def test_copies_are_dropped_but_the_first():
    result = funnel(segment(TEXT))
    copies = [
        verdict for verdict in result.verdicts if normalised(verdict.block.text) == normalised(HARD)
    ]
    assert [verdict.kept for verdict in copies] == [True] + [False] * (len(copies) - 1)
    assert len(copies) == 3
    assert copies[1].first_reason.criterion is Criterion.DUPLICATE
    assert str(copies[0].block.number) in copies[1].first_reason.message.fr


def test_the_counts_add_up():
    result = funnel(segment(TEXT))
    assert sum(result.dropped.values()) + len(result.kept) == len(result.verdicts)
    assert all(result.failed[criterion] >= result.dropped[criterion] for criterion in Criterion)


def test_the_criteria_are_settings():
    assert verdicts(Criteria(hardest_only=None))["Le feu est vif. Le"].kept
    assert not verdicts(Criteria(fewest_sentences=2, hardest_only=None))["L'indemnisation ad"].kept
    assert verdicts(Criteria(most_sentences=6, hardest_only=None))["Un. Deux. Trois. Q"].kept
    with pytest.raises(ValueError, match="keep nothing"):
        Criteria(fewest_sentences=4, most_sentences=2)


def test_a_person_rescues_and_excludes_with_a_reason():
    blocks = segment(TEXT)
    keys = {verdict.block.text: verdict.key for verdict in funnel(blocks).verdicts}
    chosen = {
        keys[HARD]: Override(keep=False, reason="hors sujet"),
        keys["Le feu est vif. Le vent est fort."]: Override(keep=True, reason="bon exemple"),
        "inconnue": Override(keep=True, reason="ancienne version"),
    }
    result = funnel(blocks, overrides=chosen)
    kept = [verdict.block.text for verdict in result.kept]
    assert HARD not in kept
    assert "Le feu est vif. Le vent est fort." in kept
    assert len(kept) == 1  # no copy of the excluded block takes its place
    assert (result.dropped[Criterion.MANUAL], result.rescued, result.unmatched) == (
        1,
        1,
        ("inconnue",),
    )
    excluded = next(verdict for verdict in result.verdicts if verdict.key == keys[HARD])
    assert "hors sujet" in excluded.first_reason.message.fr


def test_the_histogram_has_a_bar_at_the_threshold():
    bars = funnel(segment(TEXT)).histogram()
    assert all(first.high == second.low for first, second in pairwise(bars))
    assert all(bar.kept == 0 for bar in bars if bar.low >= 50)
    assert any(bar.high == 50 or bar.low == 50 for bar in bars)
    assert funnel([]).histogram() == []


def test_keys_tell_copies_apart_and_outlive_other_text():
    blocks = segment(TEXT)
    assert len(set(block_keys(blocks))) == len(blocks)
    later = block_keys(segment(f"{TEXT}\nUne phrase ajoutée à la fin du document.\n"))
    assert set(block_keys(blocks)) <= set(later)


def kept_blocks(count: int):
    text = "\n".join(f"{HARD[:-1]} numéro {number}." for number in range(count))
    return funnel(segment(text)).verdicts


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_a_draw_depends_on_the_seed_alone(seed, shuffler: random.Random):
    rows = list(KEPT)
    shuffler.shuffle(rows)
    drawn = draw(rows, 3, 10, seed=seed)
    assert drawn == draw(KEPT, 3, 10, seed=seed)
    assert (len(drawn.practice), len(drawn.main), len(drawn.spare)) == (3, 10, 7)
    keys = [verdict.key for part in (drawn.practice, drawn.main, drawn.spare) for verdict in part]
    assert sorted(keys) == sorted(verdict.key for verdict in KEPT)


KEPT = kept_blocks(20)


def test_seeds_differ_and_every_block_has_its_chance():
    drawn = {verdict.key for seed in range(40) for verdict in draw(KEPT, 0, 5, seed=seed).main}
    assert len(drawn) == 20


@pytest.mark.parametrize(
    ("rows", "practice", "main", "code"),
    [
        (KEPT, 15, 297, "too_few"),
        ((), 1, 1, "none_kept"),
        (KEPT, -1, 3, "not_positive"),
        (KEPT, 1, 0, "not_positive"),
    ],
)
def test_what_cannot_be_drawn_is_said(rows, practice, main, code):
    with pytest.raises(DrawError) as refused:
        draw(rows, practice, main, seed=1)
    assert refused.value.code == code
    assert refused.value.remedy.fr


def test_fewer_where_the_lead_agrees():
    drawn = draw(KEPT, 15, 297, seed="a", fewer=True)
    assert (len(drawn.practice), len(drawn.main)) == (15, 5)


@pytest.mark.skipif(not REAL.exists(), reason="the policy form is not at hand")
def test_the_policy_form():
    blocks = segment(REAL.read_text(encoding="utf-8"))
    result = funnel(blocks)
    dropped = {criterion.value: count for criterion, count in result.dropped.items() if count}
    assert (len(blocks), dropped, len(result.kept)) == (
        395,
        {"boilerplate": 134, "readability": 139, "duplicate": 3},
        119,
    )
    assert len(funnel(blocks, Criteria(syllables=Syllables.HYPHENATION)).kept) == 100
