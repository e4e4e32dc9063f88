"""A protocol tried at start on sample answers: what it stores, gives back, exports and refuses is
seen before anybody's answers meet it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from annotation.protocols.base import Wording
from annotation.protocols.fault_words import of_field
from annotation.protocols.protocol import Protocol
from annotation.protocols.shapes import tried
from annotation.protocols.trials.answers import kind_faults
from annotation.protocols.trials.free_text import free_faults
from annotation.protocols.trials.functions import function_faults
from annotation.protocols.trials.samples import sample_faults, untried

__all__ = ["trial_faults"]


def trial_faults(protocol: Protocol) -> Iterator[Wording]:
    """What goes wrong with answers by this protocol, which is sound otherwise."""
    samples: dict[str, list[Any]] = {}
    for f in protocol.fields:
        yield from tried(partial(sample_faults, f, samples), partial(untried, f.name))
    if len(samples) < len(protocol.fields):
        return
    base = {name: values[0] for name, values in samples.items()}
    faults = [
        fault
        for f in protocol.fields
        for value in (*samples[f.name], f.empty)
        for fault in kind_faults(protocol, f, base | {f.name: value})
    ]
    for f in protocol.fields:
        faults += [of_field(f.name, fault) for fault in free_faults(protocol, f, base)]
    faults += function_faults(protocol, samples)
    yield from dict.fromkeys(faults)
