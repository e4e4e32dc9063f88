"""Exports as their list shows them, and what was replaced in a snapshot."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import DatasetSnapshot, Job, Study
from annotation.selectors.publishing.exports import LAYOUTS, ExportSpec
from annotation.services.publishing.export_files import KEPT, export_is_there
from annotation.services.publishing.exports import spec_of
from annotation.services.publishing.replacements import snapshot_replacements
from annotation.web.base.presenters import text

_BADGES = {
    Job.State.DONE: "badge--ok",
    Job.State.FAILED: "badge--bad",
    Job.State.RUNNING: "badge--accent",
}


def _format(key: str) -> str:
    return _("CSV for a spreadsheet in French") if key == "csv-fr" else key.upper()


def export_row(study: Study, job: Job) -> dict[str, Any]:
    """One export with its progress, its file or the reason why there is none."""
    spec = spec_of(job)
    unfinished = job.state in (Job.State.QUEUED, Job.State.RUNNING)
    return {
        "id": job.public_id,
        "title": f"{text(LAYOUTS[spec.layout].title_for(study.protocol))} · {_format(spec.format)}",
        "options": _options(spec),
        "state": job.state,
        "label": job.get_state_display(),
        "badge": _BADGES.get(Job.State(job.state), ""),
        "unfinished": unfinished,
        "done": job.done,
        "total": job.total,
        "problem": _problem(job.problem) if job.state == Job.State.FAILED else "",
        "name": job.result_name,
        # A document has none.
        "rows": None if spec.format == "json" else job.result.get("rows", job.done),
        "size": job.result.get("size"),
        "sha256": job.result.get("sha256", ""),
        "there": export_is_there(job),
        "kept_days": KEPT.days,
        "requested_by": job.requested_by,
        "created_at": job.created_at,
        "finished_at": job.finished_at,
        "url": reverse("export_status", args=[study.key, job.public_id]),
        "download_url": reverse("export_download", args=[study.key, job.public_id]),
    }


def replaced_texts(frozen: DatasetSnapshot) -> dict[str, Any]:
    """The texts in which something was replaced, by where they stand, and how many there are."""
    titles = {
        "answers": _("In judgments"),
        "rulings": _("In the reasons of rulings"),
        "guides": _("In the guides"),
        "glossary": _("In the glossary"),
        "protocol": _("In the protocol's words"),
        "deviations": _("In what departed from the plan"),
        "metrics": _("In the names of metrics"),
    }
    parts = snapshot_replacements(frozen)
    return {
        "number": sum(map(len, parts.values())),
        "parts": [{"title": titles[part], "texts": texts} for part, texts in parts.items()],
    }


def _options(spec: ExportSpec) -> str:
    """What differs from the usual, in words."""
    options = spec.options
    said = {
        _("practice round"): options.round == "practice",
        _("both rounds"): options.round == "all",
        _("control pairs"): options.round == "control",
        _("silent repeats"): options.round == "repeat",
        _("models only"): options.round == "machine",
        _("surplus answers"): options.round == "surplus",
        _("without systems"): not options.systems,
        _("without withdrawn annotators"): not options.withdrawn,
        _("without models that judge"): not options.machines,
        _("days only"): options.coarse_times,
        _("for Excel"): options.bom,
    }
    return ", ".join(words for words, chosen in said.items() if chosen)


def _problem(code: str) -> str:
    """Why an export failed, and what to do."""
    return {
        "asker_left": _("Whoever asked for it does not lead this study any more: ask again."),
        "disk_full": _("The disk is full: make room, then ask again."),
        "disk": _("The file could not be written: check the data folder, then ask again."),
        "storage": _("The storage does not answer: an admin has to look at it, then ask again."),
        "too_many_rows": _(
            "A workbook holds 1,048,575 rows, and there are more: ask for CSV instead."
        ),
        "cell_too_long": _(
            "A text is longer than the 32,767 characters that a cell of a workbook holds: ask for "
            "CSV instead."
        ),
        "worker_lost": _("The worker was stopped several times: see its log, then ask again."),
    }.get(
        code,
        _(
            "Something unforeseen happened: it is in the worker's log. Nothing of your data is "
            "lost."
        ),
    )
