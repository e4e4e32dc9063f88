"""A source document whose blocks a worker finds, made so by lowering the measure."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.selectors.documents import blocks
from annotation.services.documents.blocks import blocks_carry_out


class Worker:
    """Takes the messages that ask for blocks, when it is told to."""

    def __init__(self) -> None:
        self.messages: list[tuple[Any, ...]] = []

    def work(self) -> list[bool]:
        """Carry out what was asked for."""
        waiting, self.messages = self.messages, []
        return [blocks_carry_out(*message) for message in waiting]


@pytest.fixture(name="blocks_worker")
def blocks_worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    """Every text is long; messages wait for ``work``."""
    worker = Worker()
    monkeypatch.setattr(blocks, "AT_ONCE", 10)
    monkeypatch.setattr(blocks, "_held", {})
    monkeypatch.setattr(
        "annotation.services.documents.blocks.request_blocks",
        lambda *message: worker.messages.append(message),
    )
    return worker
