"""What tokens cost, and what a run will: before it (at most, and as expected) and after it (as
billed)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from typing import Any

from annotation.generation.presets import SystemSpec, filled, output_cap

MILLION = 1_000_000
# Of the API's batch mode: half the price for an answer within a day.
BATCH_SHARE = Decimal("0.5")
# Tokens per character of French in the tokenizers of current models: about 1 to 3.6; the estimate
# is meant to be a little too high, because a ceiling is held against it.
_CHARACTERS_PER_TOKEN = 3.0
# Role and separators of a chat message, and the start of the answer.
_FRAME_TOKENS = 12
# Where nothing limits the answer, no more than this is reserved for it.
_UNLIMITED_OUTPUT = 4096
_CENT_OF_A_CENT = Decimal("0.000001")

# What a ceiling may be, wherever it is given: as fine as costs are counted.
CEILING_DECIMALS = 6
LEAST_CEILING = _CENT_OF_A_CENT
MOST_CEILING = Decimal("9999999.999999")


def is_ceiling(amount: Decimal) -> bool:
    """Whether a run may have this as its ceiling, in USD, to the last digit."""
    return (
        amount.is_finite()
        and LEAST_CEILING <= amount <= MOST_CEILING
        and amount == amount.quantize(_CENT_OF_A_CENT)
    )


def amount_written(amount: Decimal) -> str:
    """An amount with every digit that it has, two at least: 5 is 5.00, 0.004 stays 0.004."""
    whole, _, cents = f"{amount:.{CEILING_DECIMALS}f}".partition(".")
    return f"{whole}.{cents.rstrip('0').ljust(2, '0')}"


@dataclass(frozen=True)
class Price:
    """USD per million tokens."""

    prompt: Decimal
    completion: Decimal

    def of(self, prompt_tokens: int, completion_tokens: int, *, batch: bool = False) -> Decimal:
        """What so many tokens cost, in USD, rounded up to a millionth."""
        whole = (self.prompt * prompt_tokens + self.completion * completion_tokens) / MILLION
        return (whole * BATCH_SHARE if batch else whole).quantize(
            _CENT_OF_A_CENT, rounding=ROUND_UP
        )


@dataclass(frozen=True)
class Tokens:
    """Of one call: ``expected`` if the answer is as long as the passage, ``at_most`` if it fills
    its cap."""

    prompt: int
    expected: int
    at_most: int


@dataclass(frozen=True)
class Estimate:
    """Of a whole run or of one of its systems. ``over_cap``: how many answers would be cut off if
    they were as long as their passages."""

    calls: int
    prompt_tokens: int
    expected_completion_tokens: int
    most_completion_tokens: int
    expected: Decimal
    at_most: Decimal
    over_cap: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "expected_completion_tokens": self.expected_completion_tokens,
            "most_completion_tokens": self.most_completion_tokens,
            "over_cap": self.over_cap,
            "expected_usd": str(self.expected),
            "at_most_usd": str(self.at_most),
        }


def count_tokens(text: str) -> int:
    """About how many tokens a text has; rather too many than too few. No tokenizer is on every
    machine."""
    return math.ceil(len(text) / _CHARACTERS_PER_TOKEN)


def call_tokens(
    prompt: str, passage: str, parameters: Mapping[str, Any], *, system_message: str = ""
) -> Tokens:
    """Tokens of the call that asks about one passage."""
    cap = output_cap(parameters)
    most = _UNLIMITED_OUTPUT if cap is None else cap
    prompt_tokens = count_tokens(filled(prompt, passage)) + (
        count_tokens(system_message) if system_message else 0
    )
    return Tokens(
        prompt=prompt_tokens + _FRAME_TOKENS,
        expected=min(most, count_tokens(passage)),
        at_most=most,
    )


def estimate(
    spec: SystemSpec, passages: Iterable[str], price: Price, *, batch: bool = False
) -> Estimate:
    """What it costs to ask one system about every passage."""
    calls = prompt = expected = most = over = 0
    cap = output_cap(spec.parameters)
    for passage in passages:
        tokens = call_tokens(spec.prompt, passage, spec.parameters)
        calls += 1
        over += cap is not None and count_tokens(passage) > cap
        prompt += tokens.prompt
        expected += tokens.expected
        most += tokens.at_most
    return Estimate(
        calls=calls,
        prompt_tokens=prompt,
        expected_completion_tokens=expected,
        most_completion_tokens=most,
        over_cap=over,
        expected=price.of(prompt, expected, batch=batch),
        at_most=price.of(prompt, most, batch=batch),
    )


def together(estimates: Iterable[Estimate]) -> Estimate:
    """The sum of several systems' estimates."""
    every = list(estimates)
    return Estimate(
        calls=sum(each.calls for each in every),
        prompt_tokens=sum(each.prompt_tokens for each in every),
        expected_completion_tokens=sum(each.expected_completion_tokens for each in every),
        most_completion_tokens=sum(each.most_completion_tokens for each in every),
        over_cap=sum(each.over_cap for each in every),
        expected=sum((each.expected for each in every), Decimal(0)),
        at_most=sum((each.at_most for each in every), Decimal(0)),
    )
