"""The client of OpenAI-compatible services: an order in, a reply or a typed failure out. Touches no
database.

The client's own retries are off: how long to wait and whether to try again is decided where the
work is kept, and a worker that sleeps inside a call can be told nothing.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone

from annotation.generation.review import storable
from annotation.selectors.generation.orders import Order
from annotation.services.generation.calls import Failure, Reply

if TYPE_CHECKING:
    import openai

_SERVER_ERROR = 500
_TOO_LARGE = 413
_TOO_LONG = ("context_length_exceeded", "string_above_max_length")
_MOST_DETAIL = 300
# A longer wait than a day is no wait, and too long a one no date.
_MOST_SECONDS = 86_400.0
# What is said of a refused key quotes parts of it.
_KEY_START = 6
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key)-[\w*.…-]{4,}|\bBearer\s+\S+", re.IGNORECASE)


class CallFailed(Exception):
    """No usable answer."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.outcome)
        self.failure = failure


def client(endpoint: str) -> openai.OpenAI:
    """The client of a configured service, one for each process. Raises ``CallFailed`` where it
    lacks the key that it needs."""
    service = settings.LLM_ENDPOINTS.get(endpoint)
    if service is None:
        raise CallFailed(Failure("no_endpoint", again=False, everywhere=True, detail=endpoint))
    if service.lacks_key:
        raise CallFailed(Failure("no_key", again=False, everywhere=True, detail=endpoint))
    return _client(service.base_url, service.key, settings.LLM_TIMEOUT_SECONDS)


@cache
def _client(base_url: str, key: str, timeout: int) -> openai.OpenAI:
    import openai

    if key:
        return openai.OpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=timeout)
    # The client insists on a key and would take the environment's: something that is none stands in
    # for it, and leaves no trace in what is sent.
    return openai.OpenAI(
        api_key="none",
        base_url=base_url,
        max_retries=0,
        http_client=openai.DefaultHttpxClient(
            timeout=timeout, event_hooks={"request": [_without_key]}
        ),
        timeout=timeout,
    )


def _without_key(request: Any) -> None:
    request.headers.pop("Authorization", None)


def ask(order: Order) -> Reply:
    """One chat completion. Raises ``CallFailed``."""
    import openai

    service = client(order.endpoint)
    begun = time.monotonic()
    try:
        response = service.chat.completions.with_raw_response.create(
            model=order.model,
            messages=order.messages,  # type: ignore[arg-type]
            **order.parameters,
        )
        body = response.parse()
        request_id = response.headers.get("x-request-id", "")
    except openai.APIStatusError as error:
        raise CallFailed(_of_status(error, _since(begun))) from error
    except openai.APITimeoutError as error:
        raise CallFailed(
            Failure("timeout", again=True, maybe_billed=True, latency_ms=_since(begun))
        ) from error
    except openai.APIConnectionError as error:
        raise CallFailed(_of_connection(error, _since(begun))) from error
    except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
        # What came is no answer of this API: an HTML page of a proxy, half an object.
        raise CallFailed(_malformed("not_json", _since(begun))) from error
    return reply_of(body, request_id=request_id, latency_ms=_since(begun))


def reply_of(body: Any, *, request_id: str = "", latency_ms: int | None = None) -> Reply:
    """The parts of a chat completion that are kept. Raises ``CallFailed`` where they are not
    there."""
    try:
        choice = body.choices[0]
        message = choice.message
        text = message.content
        refusal = getattr(message, "refusal", None)
        finish_reason = choice.finish_reason or ""
        usage = body.usage
        counted = (
            (usage.prompt_tokens, usage.completion_tokens) if usage is not None else (None, None)
        )
    except (AttributeError, IndexError, TypeError) as error:
        raise CallFailed(_malformed("no_choice", latency_ms)) from error
    if text is not None and not isinstance(text, str):
        raise CallFailed(_malformed("no_text", latency_ms))
    if not text and (refusal or finish_reason == "content_filter"):
        raise CallFailed(
            Failure(
                "content_refused",
                again=False,
                maybe_billed=True,
                http_status=200,
                latency_ms=latency_ms,
            )
        )
    return Reply(
        text=text or "",
        finish_reason=storable(str(finish_reason)),
        model=storable(str(getattr(body, "model", None) or "")),
        response_id=storable(str(getattr(body, "id", None) or "")),
        request_id=request_id,
        fingerprint=storable(str(getattr(body, "system_fingerprint", None) or "")),
        prompt_tokens=_count(counted[0]),
        completion_tokens=_count(counted[1]),
        latency_ms=latency_ms,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the service asks to wait (a day at most), from any of the headers that say so,
    or None."""
    if (precise := _seconds(headers.get("retry-after-ms"))) is not None:
        return precise / 1000
    given = headers.get("retry-after")
    if (seconds := _seconds(given)) is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(given or "")
    except ValueError:
        return None
    return (
        min(max(0.0, (moment - timezone.now()).total_seconds()), _MOST_SECONDS)
        if moment.tzinfo
        else None
    )


def _of_status(error: openai.APIStatusError, latency_ms: int) -> Failure:
    status = error.status_code
    body = error.body if isinstance(error.body, Mapping) else {}
    code = str(error.code or body.get("type") or "")
    outcome, again, everywhere = meaning(status, code)
    return Failure(
        outcome,
        again=again,
        everywhere=everywhere,
        http_status=status,
        detail=service_words(str(body.get("message") or "")),
        request_id=str(error.request_id or ""),
        retry_after=retry_after(error.response.headers) if again else None,
        latency_ms=latency_ms,
    )


def meaning(status: int, code: str) -> tuple[str, bool, bool]:
    """What an error status says: outcome, whether trying again helps, whether every other call
    may end the same.

    A 400 says as little of the text as of a parameter that the model does not know: this text's
    alone is what the content filter refused, and what is longer than the model takes.
    """
    if status == 429:
        return (
            ("quota", False, True)
            if code == "insufficient_quota"
            else ("rate_limited", True, False)
        )
    if status in (408, 409, 425) or status >= _SERVER_ERROR:
        return "server_error", True, False
    if code in ("content_filter", "content_policy_violation"):
        return "content_refused", False, False
    is_too_long = status == _TOO_LARGE or code in _TOO_LONG
    names = {
        400: "bad_request",
        401: "unauthorized",
        403: "forbidden",
        404: "not_found",
        422: "bad_request",
    }
    return names.get(status, "refused"), False, not is_too_long


def _of_connection(error: openai.APIConnectionError, latency_ms: int) -> Failure:
    """A service that cannot be reached has billed nothing; one that hung up in the middle may
    have."""
    cause = type(error.__cause__).__name__
    reached = cause not in ("ConnectError", "ConnectTimeout", "UnsupportedProtocol", "PoolTimeout")
    return Failure(
        "cut" if reached else "unreachable",
        again=True,
        maybe_billed=reached,
        detail=cause,
        latency_ms=latency_ms,
    )


def _malformed(what: str, latency_ms: int | None) -> Failure:
    return Failure(
        "malformed",
        again=True,
        maybe_billed=True,
        http_status=200,
        detail=what,
        latency_ms=latency_ms,
    )


def service_words(message: str) -> str:
    """What the service said, on one line, without a key of ours, a masked one, or anything that
    looks like one."""
    line = " ".join(storable(message).split())
    for endpoint in settings.LLM_ENDPOINTS.values():
        if endpoint.key:
            # The start as well: services mask the rest of a key that they quote.
            line = re.sub(rf"{re.escape(endpoint.key[:_KEY_START])}\S*", "[…]", line)
    return _KEY_LIKE.sub("[…]", line)[:_MOST_DETAIL]


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)


def _count(value: Any) -> int | None:
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
        else None
    )


def _seconds(value: str | None) -> float | None:
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return min(seconds, _MOST_SECONDS) if math.isfinite(seconds) and seconds >= 0 else None
