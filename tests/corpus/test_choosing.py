"""Which blocks a decision on many reaches, and that finding them takes one walk, however many are
named."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.choosing import Reach, reached
from annotation.corpus.funnel import Verdict, funnel
from annotation.corpus.segmentation import Block, BlockKind

HEADINGS = st.lists(st.sampled_from("ab"), max_size=3).map(tuple)


class Counted(Sequence[Verdict]):
    """Verdicts that count how often one is looked at."""

    def __init__(self, verdicts):
        self.verdicts, self.looks = verdicts, 0

    def __len__(self):
        return len(self.verdicts)

    def __getitem__(self, place):
        self.looks += 1
        return self.verdicts[place]


class Listed(list):
    """Keys as a form sends them: looked through from the start each time."""

    def __contains__(self, key):
        raise AssertionError("a list was searched for each block")


def verdicts(paths):
    blocks = [
        Block(number, BlockKind.TEXT, 0, 1, f"Le quai {number}.", (), (), headings=path)
        for number, path in enumerate(paths)
    ]
    return funnel(blocks).verdicts


def by_hand(all_verdicts, keys, depth):
    """Every block that a run of blocks under the same heading joins to one that is named."""
    heads = [verdict.block.headings[: depth + 1] for verdict in all_verdicts]
    wanted = {place for place, verdict in enumerate(all_verdicts) if verdict.key in keys}
    for places in (range(1, len(all_verdicts)), range(len(all_verdicts) - 2, -1, -1)):
        step = places.step
        for place in places:
            if place - step in wanted and heads[place] == heads[place - step]:
                wanted.add(place)
    return [place for place in sorted(wanted) if len(heads[place]) > depth]


@given(st.lists(HEADINGS, max_size=12), st.sets(st.integers(0, 11)), st.integers(0, 3))
def test_everything_under_a_heading_each_once(paths, chosen, depth):
    all_verdicts = verdicts(paths)
    keys = [verdict.key for place, verdict in enumerate(all_verdicts) if place in chosen]
    reach = reached(all_verdicts, keys, Reach.HEADING, depth)
    assert [verdict.block.number for verdict in reach] == by_hand(all_verdicts, keys, depth)


def test_a_heading_is_walked_through_once_however_many_blocks_of_it_are_named():
    counted = Counted(verdicts([("a",)] * 300))
    keys = [verdict.key for verdict in counted.verdicts]
    assert len(reached(counted, keys, Reach.HEADING)) == 300
    assert counted.looks < 5 * 300


def test_keys_are_looked_up_and_not_searched():
    all_verdicts = verdicts([("a",)] * 3)
    keys = Listed(verdict.key for verdict in all_verdicts)
    for reach in Reach:
        assert len(reached(all_verdicts, keys, reach)) == 3
