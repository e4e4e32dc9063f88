"""Runs, outputs and calls as their pages show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.generation.review import CLEANABLE, EMPTY, FLAGS
from annotation.generation.services import SERVICES, service_at
from annotation.models import Generation, GenerationRun, Output
from annotation.selectors.generation.progress import Progress, flag_counts, run_progress
from annotation.web.base.presenters import text

BADGES = {
    "draft": "",
    "running": "badge--accent",
    "paused": "badge--warn",
    "cancelled": "badge--bad",
    "finished": "badge--ok",
}
PROBLEMS = {
    "rate_limited": gettext_lazy("the service's limit was reached again and again"),
    "server_error": gettext_lazy("the service had trouble again and again"),
    "timeout": gettext_lazy("no answer in time"),
    "cut": gettext_lazy("the connection was cut"),
    "unreachable": gettext_lazy("the service could not be reached"),
    "malformed": gettext_lazy("the answer could not be read"),
    "bad_request": gettext_lazy("the service refused the request (400)"),
    "unauthorized": gettext_lazy("the service refused the key (401)"),
    "forbidden": gettext_lazy("the key may not use this model (403)"),
    "not_found": gettext_lazy("the service does not know this model (404)"),
    "content_refused": gettext_lazy("the service refused the content"),
    "quota": gettext_lazy("the account has no credit left"),
    "no_key": gettext_lazy("the worker has no key for this service"),
    "no_endpoint": gettext_lazy("the worker does not know this service"),
    "rules": gettext_lazy("the model's answer broke the rules"),
    "empty_text": gettext_lazy("the text holds no words: nothing was asked"),
    "too_long": gettext_lazy("the text is longer than the window: nothing was asked"),
    "worker_lost": gettext_lazy("its worker died again and again"),
    "batch_expired": gettext_lazy("the batch ended before its turn"),
    "batch_failed": gettext_lazy("the batch failed"),
    "batch_cancelled": gettext_lazy("the batch was cancelled"),
    "batch_completed": gettext_lazy("the batch ended without an answer to it"),
    "batch_error": gettext_lazy("the batch could not ask for it"),
    "refused": gettext_lazy("the service refused the request"),
}
# What a worker noted beside the outcome, where it is no word of the service's own. Class names
# stand in rows of former versions.
DETAILS = {
    "not_json": gettext_lazy("what came is no JSON, or half of it"),
    "no_choice": gettext_lazy("it holds no output"),
    "no_text": gettext_lazy("the output in it is no text"),
    "JSONDecodeError": gettext_lazy("what came is no JSON, or half of it"),
    "APIResponseValidationError": gettext_lazy("what came is no JSON, or half of it"),
    "no choice": gettext_lazy("it holds no output"),
    "no text": gettext_lazy("the output in it is no text"),
    "ConnectError": gettext_lazy("nothing answers at its address"),
    "ConnectTimeout": gettext_lazy("nothing answers at its address"),
    "UnsupportedProtocol": gettext_lazy("its address is none"),
    "PoolTimeout": gettext_lazy("too many calls were under way"),
    "ReadError": gettext_lazy("it hung up before its answer was there"),
    "RemoteProtocolError": gettext_lazy("it hung up before its answer was there"),
    "WriteError": gettext_lazy("it hung up before it had the request"),
}
# Of these the detail is the service's own words, in whatever language it speaks.
_SAID_BY_SERVICE = frozenset(
    (
        *("rate_limited", "server_error", "bad_request", "unauthorized", "forbidden"),
        *("not_found", "content_refused", "quota", "refused", "batch_error"),
    )
)
STOPPED_REMEDIES = {
    "budget": gettext_lazy("Raise the ceiling below, then go on."),
    "refused": gettext_lazy(
        "See the failures below for what it said; then go on, and retry the failed."
    ),
    "quota": gettext_lazy("Top the account up, then go on."),
    "no_key": gettext_lazy(
        "Set the key in the environment of the workers and restart them, then go on."
    ),
    "left": gettext_lazy("Look at what it may still cost; then go on, in your own name."),
}


def problem_words(code: str) -> str:
    """Why it failed. What has no words of ours (a code of a service) is called the service's."""
    if code in PROBLEMS:
        return str(PROBLEMS[code])
    return _("the service says: “%(words)s”") % {"words": code}


def detail_words(problem: str, detail: str) -> str:
    """What more is known of a failure: in our words, or quoted as the service's own."""
    if problem in _SAID_BY_SERVICE and detail:
        return _("the service says: “%(words)s”") % {"words": detail}
    if problem in ("cut", "unreachable", "malformed"):
        return str(DETAILS.get(detail, ""))
    return detail


def duration(seconds: int) -> str:
    """As people say it, to the minute from two minutes on."""
    if seconds < 120:
        return _("%(number)s s") % {"number": seconds}
    minutes = round(seconds / 60)
    if minutes < 120:
        return _("%(number)s min") % {"number": minutes}
    return _("%(hours)s h %(minutes)s min") % {"hours": minutes // 60, "minutes": minutes % 60}


def run_row(run: GenerationRun) -> dict[str, Any]:
    """One run in the list."""
    return {
        "number": run.number,
        "purpose": run.get_purpose_display(),
        "label": run.get_state_display(),
        "badge": BADGES[run.state],
        "systems": ", ".join(system.name for system in run.systems.all()),
        "spent": run.spent,
        "ceiling": run.ceiling,
        "created_at": run.created_at,
        "url": reverse("generation_run", args=[run.study.key, run.number]),
    }


def run_state(run: GenerationRun) -> dict[str, Any]:
    """What the live part of a run's page shows."""
    progress = run_progress(run)
    return {
        "run": run,
        "progress": progress,
        "badge": BADGES[run.state],
        "live": run.state == GenerationRun.State.RUNNING,
        "percent": round(100 * (progress.done + progress.failed) / progress.total)
        if progress.total
        else 0,
        "remaining": duration(progress.remaining_seconds) if progress.remaining_seconds else "",
        "rate": round(progress.rate, 1) if progress.rate else None,
        "stopped": run.get_stopped_display() if run.stopped else "",
        "remedy": STOPPED_REMEDIES.get(run.stopped, ""),
        "failures": failures(run, progress),
        "batches": [
            (batch, problem_words(batch.problem_detail) if batch.problem_detail else "")
            for batch in run.batches.all()
        ],
        "finish_reasons": _finish_reasons(run),
    }


def _finish_reasons(run: GenerationRun) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for reason in Output.objects.filter(generation__run=run).values_list(
        "finish_reason", flat=True
    ):
        counts[reason or "—"] = counts.get(reason or "—", 0) + 1
    return sorted(counts.items())


def failures(run: GenerationRun, progress: Progress, most: int = 100) -> list[dict[str, Any]]:
    """What failed and why, by item."""
    if not progress.failed:
        return []
    rows = run.generations.filter(state=Generation.State.FAILED).select_related(
        "item", "system", "question", "simplification"
    )
    return [
        {
            "item": generation.item.key,
            "question": generation.question.text if generation.question else "",
            "text_of": _text_of(generation),
            "system": generation.system.name,
            "problem": problem_words(generation.problem),
            "detail": detail_words(generation.problem, generation.problem_detail),
            "tries": generation.tries + 1,
        }
        for generation in rows.order_by("item__position", "pk")[:most]
    ]


def _text_of(generation: Generation) -> str:
    """Whose text was asked about, by its key where no system is named; "" where none was."""
    simplification = generation.simplification
    if simplification is None:
        return ""
    return simplification.system or f"{generation.item.key}/{simplification.position}"


def flag_rows(run: GenerationRun) -> list[dict[str, Any]]:
    """Each flag with its counts by decision and the decisions that make sense for it."""
    counts = flag_counts(run)
    url = reverse("generation_outputs", args=[run.study.key, run.number])
    return [
        {
            "key": key,
            "label": text(FLAGS[key]),
            "total": sum(counts[key].values()),
            "undecided": counts[key].get("none", 0),
            "decided": [
                (str(Output.Decision(decision).label), number)
                for decision, number in sorted(counts[key].items())
                if decision != "none"
            ],
            "may_keep": key != EMPTY,
            "may_clean": key in CLEANABLE,
            "url": f"{url}?flag={key}",
        }
        for key in FLAGS
        if key in counts
    ]


def output_rows(outputs: Iterable[Output]) -> list[dict[str, Any]]:
    """Outputs with their passages, for reading and deciding."""
    return [
        {
            "pk": output.pk,
            "item": output.generation.item.key,
            "system": output.generation.system.name,
            "number": output.number,
            "original": output.generation.item.original,
            "text": output.text,
            "raw": output.raw if output.raw != output.text else "",
            "finish_reason": output.finish_reason,
            "flags": [text(FLAGS[flag]) for flag in output.flags if flag in FLAGS],
            "decision": output.get_decision_display() if output.decision else "",
            "adopted": output.simplification_id is not None,
            "may_keep": EMPTY not in output.flags,
            "may_clean": bool(CLEANABLE.intersection(output.flags)),
        }
        for output in outputs
    ]


def endpoint_note(name: str) -> str:
    """What a lead should know of a service before a start."""
    endpoint = settings.LLM_ENDPOINTS.get(name)
    if endpoint is None:
        return _("This service is not configured any more.")
    if endpoint.lacks_key:
        return _(
            "This server sees no key for the service. The workers need one; an admin sets it in "
            "the environment."
        )
    if endpoint.is_free:
        return _(
            "This service is asked without a key, and its price is 0 unless you give one: so it is "
            "with a machine of one's own."
        )
    return ""


def services() -> list[dict[str, Any]]:
    """The services whose ways are known, for whoever sets a system up: what each needs, and under
    which name it can be chosen here."""
    here: dict[str, list[str]] = {}
    for endpoint in settings.LLM_ENDPOINTS.values():
        if (known := service_at(endpoint.base_url)) is not None and endpoint.key:
            here.setdefault(known.name, []).append(endpoint.name)
    return [
        {
            "name": service.name,
            "title": service.title,
            "address": service.address,
            "note": text(service.note),
            "key": _key_setting(service.name) if service.is_keyed else "",
            "here": ", ".join(here.get(service.name, ())),
            "is_built_in": service.name == "openai",
        }
        for service in SERVICES
    ]


def _key_setting(name: str) -> str:
    return "OPENAI_API_KEY" if name == "openai" else f"BAREME_LLM_KEY_{name.upper()}"
