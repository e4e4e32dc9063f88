"""How a call to a service ended: with a reply or with a typed failure. Whoever asks says it in these words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reply:
    """What the service answered."""

    text: str
    finish_reason: str
    model: str = ""
    response_id: str = ""
    request_id: str = ""
    fingerprint: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_ms: int | None = None


@dataclass(frozen=True)
class Failure:
    """How a call ended without an answer. ``maybe_billed``: it may have been worked on, and is counted as paid.

    ``again``: trying again can help. ``everywhere``: it would be the same for every other call of the run.
    """

    outcome: str
    again: bool
    everywhere: bool = False
    maybe_billed: bool = False
    http_status: int | None = None
    detail: str = ""
    request_id: str = ""
    retry_after: float | None = None
    latency_ms: int | None = None
