"""What a run costs, against values computed by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.generation.presets import PAPER, SystemSpec
from annotation.generation.prices import (
    Estimate,
    Price,
    call_tokens,
    count_tokens,
    estimate,
    together,
)

TURBO = Price(Decimal(10), Decimal(30))


class TestPrice:
    def test_of_a_call(self):
        # 100 x 10 / 1,000,000 + 20 x 30 / 1,000,000
        assert TURBO.of(100, 20) == Decimal("0.0016")

    def test_a_batch_is_half_the_price(self):
        assert TURBO.of(100, 20, batch=True) == Decimal("0.0008")

    def test_a_fraction_of_a_millionth_is_rounded_up(self):
        nano = Price(Decimal("0.10"), Decimal("0.40"))
        assert nano.of(1, 0) == Decimal("0.000001")
        assert nano.of(11, 1) == Decimal("0.000002")  # 1.5 millionths
        assert nano.of(3, 0, batch=True) == Decimal("0.000001")

    def test_what_is_free_costs_nothing(self):
        assert Price(Decimal(0), Decimal(0)).of(10**6, 10**6) == 0

    @given(st.integers(0, 10**7), st.integers(0, 10**6))
    def test_never_less_than_exactly(self, read, written):
        price = Price(Decimal("0.15"), Decimal("0.60"))
        exact = (price.prompt * read + price.completion * written) / 1_000_000
        assert 0 <= price.of(read, written) - exact < Decimal("0.000001")


class TestTokens:
    @pytest.mark.parametrize(
        ("text", "tokens"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("é" * 300, 100)]
    )
    def test_a_token_for_three_characters(self, text, tokens):
        assert count_tokens(text) == tokens

    def test_of_a_call(self):
        passage = "x" * 30
        tokens = call_tokens("Simplifie: {input}", passage, {"max_tokens": 100})
        # 41 characters are 14 tokens, and 12 for the frame.
        assert (tokens.prompt, tokens.expected, tokens.at_most) == (26, 10, 100)

    def test_a_system_message_is_read_too(self):
        with_it = call_tokens("{input}", "abc", {"max_tokens": 5}, system_message="s" * 30)
        assert (with_it.prompt, with_it.expected, with_it.at_most) == (1 + 10 + 12, 1, 5)

    def test_no_answer_is_expected_to_pass_its_cap(self):
        tokens = call_tokens("{input}", "x" * 3000, {"max_completion_tokens": 400, "max_tokens": 9})
        assert (tokens.expected, tokens.at_most) == (400, 400)

    def test_without_a_cap_much_is_set_aside(self):
        assert call_tokens("{input}", "abc", {}).at_most == 4096


class TestEstimate:
    SPEC = SystemSpec("s", "m", "Dis: {input}", {"max_tokens": 100})

    def test_by_hand(self):
        cost = estimate(self.SPEC, ["x" * 25, "x" * 55], TURBO)
        # Read: 30 characters are 10 tokens and 60 are 20, and twice 12. Expected: 9 + 19.
        assert (cost.calls, cost.prompt_tokens) == (2, 54)
        assert (cost.expected_completion_tokens, cost.most_completion_tokens) == (28, 200)
        assert cost.expected == Decimal("0.00138")
        assert cost.at_most == Decimal("0.00654")

    def test_as_a_batch(self):
        cost = estimate(self.SPEC, iter(["x" * 25]), TURBO, batch=True)
        assert cost.at_most == Decimal("0.00161")  # (22 x 10 + 100 x 30) / 2

    def test_nothing_costs_nothing(self):
        cost = estimate(self.SPEC, [], TURBO)
        assert cost == Estimate(0, 0, 0, 0, Decimal(0), Decimal(0)) == together([])

    def test_several_systems_are_summed(self):
        cost = estimate(self.SPEC, ["x" * 25], TURBO)
        assert together([cost, cost]) == Estimate(
            2, 44, 18, 200, cost.expected * 2, cost.at_most * 2
        )  # fmt: skip

    def test_as_it_is_stored(self):
        assert estimate(self.SPEC, ["x" * 25], TURBO).as_dict() == {
            "calls": 1,
            "prompt_tokens": 22,
            "expected_completion_tokens": 9,
            "most_completion_tokens": 100,
            "over_cap": 0,
            "expected_usd": "0.000490",
            "at_most_usd": "0.003220",
        }

    @given(st.lists(st.text(max_size=200), max_size=5))
    def test_expected_is_never_above_the_most(self, passages):
        cost = estimate(PAPER, passages, TURBO)
        assert cost.expected <= cost.at_most
