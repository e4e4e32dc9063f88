"""The batch mode of the service: hand a file of requests over, look how far it is, fetch the
answers."""

from __future__ import annotations

import io
import json
import logging
from types import SimpleNamespace
from typing import Any

from annotation.models import GenerationBatch, GenerationRun
from annotation.reading import replies_read
from annotation.selectors.generation.orders import Order
from annotation.services.generation.batches import (
    batch_claim,
    batch_end,
    batch_note,
    batch_orders,
    batch_prepare,
    batch_release,
    batch_submitted,
    batches_due,
)
from annotation.services.generation.calls import Failure, generation_fail, generation_store
from annotation.services.generation.runs import run_stop
from workers.generation import llm

log = logging.getLogger(__name__)

ENDPOINT = "/v1/chat/completions"
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
# Anything else may pass: the next look tries again.
_REFUSED = frozenset({400, 401, 403, 404, 422})
# Upload and download of a large file included; a worker that dies is replaced after this.
_LOOK_SECONDS = 15 * 60
_FOUND_AMONG = 100


def batches_look(run: int | None = None) -> int:
    """Prepare a batch of what waits (in one run, or in all), and see to every batch that is due;
    how many."""
    runs = GenerationRun.objects.filter(
        mode=GenerationRun.Mode.BATCH, state=GenerationRun.State.RUNNING
    )
    for pk in (
        runs.filter(pk=run).values_list("pk", flat=True)
        if run
        else runs.values_list("pk", flat=True)
    ):
        batch_prepare(pk)
    seen = 0
    for batch in batches_due():
        if batch_claim(batch, _LOOK_SECONDS):
            _see_to(batch)
            seen += 1
    return seen


def _see_to(batch: GenerationBatch) -> None:
    import openai

    problem = ""
    try:
        service = llm.client(batch.run.endpoint)
        if batch.state == GenerationBatch.State.PREPARED:
            batch_submitted(batch, _find(service, batch) or _hand_over(service, batch))
        _look(service, batch)
    except llm.CallFailed as error:
        run_stop(run=batch.run_id, because=GenerationRun.Stopped.NO_KEY)
        problem = error.failure.outcome
    except openai.APIConnectionError:
        problem = "unreachable"
    except openai.OpenAIError as error:
        problem = llm.service_words(str(error)) or "server_error"
        if getattr(error, "status_code", None) in _REFUSED:
            run_stop(run=batch.run_id, because=GenerationRun.Stopped.REFUSED)
    if problem:
        log.warning("batch not seen to", extra={"batch": batch.pk, "problem": problem})
    batch_release(batch, problem=problem)


def _find(service: Any, batch: GenerationBatch) -> str | None:
    """The batch at the service, if a worker that died after handing it over left it there."""
    for number, remote_batch in enumerate(service.batches.list(limit=_FOUND_AMONG)):
        if (remote_batch.metadata or {}).get("bareme") == str(batch.key):
            return str(remote_batch.id)
        if number >= _FOUND_AMONG:
            break
    return None


def _hand_over(service: Any, batch: GenerationBatch) -> str:
    lines = (_line(name, order) for name, order in batch_orders(batch))
    file = io.BytesIO("".join(lines).encode())
    uploaded = service.files.create(file=("requests.jsonl", file), purpose="batch")
    created = service.batches.create(
        input_file_id=uploaded.id,
        endpoint=ENDPOINT,
        completion_window="24h",
        metadata={"bareme": str(batch.key)},
    )
    return str(created.id)


def _line(name: str, order: Order) -> str:
    body = {"model": order.model, "messages": order.messages, **order.parameters}
    request = {"custom_id": name, "method": "POST", "url": ENDPOINT, "body": body}
    return json.dumps(request, ensure_ascii=False) + "\n"


def _look(service: Any, batch: GenerationBatch) -> None:
    remote = service.batches.retrieve(batch.remote_id)
    state = str(remote.status)
    counts = getattr(remote, "request_counts", None)
    batch_note(batch, state, getattr(counts, "completed", 0) or 0)
    if state not in _ENDED:
        if batch.run.state == GenerationRun.State.CANCELLED and state != "cancelling":
            service.batches.cancel(batch.remote_id)
        return
    orders = dict(batch_orders(batch))
    for file_id in (remote.output_file_id, remote.error_file_id):
        if file_id:
            replies = replies_read(service.files.content(file_id).content)
            if replies.unreadable:
                log.warning(
                    "unreadable lines in a batch",
                    extra={"batch": batch.pk, "lines": replies.unreadable},
                )
            for line in replies.lines:
                _store(batch, orders, line)
    for order in orders.values():
        # Expired, cancelled, or left out: nothing was billed for it.
        generation_fail(order, batch.claim, Failure(f"batch_{state}"[:20], again=state != "failed"))
    batch_end(batch, state)


def _store(batch: GenerationBatch, orders: dict[str, Order], line: str) -> None:
    """One answer. An order leaves ``orders`` when something became of it."""
    try:
        answer = json.loads(line)
        order = orders.pop(str(answer["custom_id"]), None)
    except (ValueError, KeyError, TypeError):
        log.warning("unreadable line in a batch", extra={"batch": batch.pk})
        return
    if order is None:
        return
    response = answer.get("response") or {}
    try:
        if response.get("status_code") != 200:
            raise llm.CallFailed(_refusal(response, answer.get("error")))
        reply = llm.reply_of(
            _namespace(response.get("body")), request_id=str(response.get("request_id") or "")
        )
    except llm.CallFailed as error:
        generation_fail(order, batch.claim, error.failure)
    else:
        generation_store(order, batch.claim, reply)


def _refusal(response: dict[str, Any], error: Any) -> Failure:
    status = response.get("status_code") or None
    problem = error or (response.get("body") or {}).get("error") or {}
    code = str(problem.get("code") or "") if isinstance(problem, dict) else ""
    detail = (
        llm.service_words(str(problem.get("message") or "")) if isinstance(problem, dict) else ""
    )
    if status is None:
        return Failure(code[:20] or "batch_error", again=code == "batch_expired", detail=detail)
    outcome, again, _everywhere = llm.meaning(int(status), code)
    return Failure(outcome, again=again, http_status=int(status), detail=detail)


def _namespace(value: Any) -> Any:
    """JSON as objects with attributes, as the client gives single answers."""
    if isinstance(value, dict):
        return SimpleNamespace(**{str(name): _namespace(member) for name, member in value.items()})
    return [_namespace(member) for member in value] if isinstance(value, list) else value
