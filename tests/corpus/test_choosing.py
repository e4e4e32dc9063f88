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


def by_hand(found, keys, depth):
    """Every block that a run of blocks under the same heading joins to one that is named."""
    heads = [verdict.block.headings[: depth + 1] for verdict in found]
    wanted = {place for place, one in enumerate(found) if one.key in keys}
    for places in (range(1, len(found)), range(len(found) - 2, -1, -1)):
        step = places.step
        for place in places:
            if place - step in wanted and heads[place] == heads[place - step]:
                wanted.add(place)
    return [place for place in sorted(wanted) if len(heads[place]) > depth]


@given(st.lists(HEADINGS, max_size=12), st.sets(st.integers(0, 11)), st.integers(0, 3))
def test_everything_under_a_heading_each_once(paths, chosen, depth):
    found = verdicts(paths)
    keys = [one.key for place, one in enumerate(found) if place in chosen]
    reach = reached(found, keys, Reach.HEADING, depth)
    assert [one.block.number for one in reach] == by_hand(found, keys, depth)


def test_a_heading_is_walked_through_once_however_many_blocks_of_it_are_named():
    found = Counted(verdicts([("a",)] * 300))
    keys = [one.key for one in found.verdicts]
    assert len(reached(found, keys, Reach.HEADING)) == 300
    assert found.looks < 5 * 300


def test_keys_are_looked_up_and_not_searched():
    found = verdicts([("a",)] * 3)
    keys = Listed(one.key for one in found)
    for reach in Reach:
        assert len(reached(found, keys, reach)) == 3
