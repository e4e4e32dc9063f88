"""Where a finished export lies on a machine without a bucket."""

from __future__ import annotations

from pathlib import Path

from annotation import sharing
from annotation.models import Job
from annotation.services.publishing.export_files import export_is_there


def export_file(job: Job) -> Path | None:
    """Its file; None while, or when no longer, there is one."""
    return sharing.here(job.result_path) if export_is_there(job) else None
