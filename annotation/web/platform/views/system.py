"""How this installation is doing, for admins."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import sharing
from annotation.access import require_admin
from annotation.selectors.platform.broker import broker_read
from annotation.selectors.platform.system import (
    database_state,
    databases_open_to_all,
    disk_use,
    last_backup,
    last_backup_run,
    owned_again,
    work_counts,
)
from annotation.web.platform.presenters import (
    backup_row,
    backups_due,
    bucket_row,
    disk_rows,
    queue_rows,
    versions,
    work_rows,
    worker_rows,
)
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_safe
def system(request: PersonRequest) -> HttpResponse:
    """Queues, workers, work, backup, disk, versions. A part that is away is said in words; the page
    opens."""
    require_admin(request.user)
    broker = broker_read()
    context = {
        "broker": broker,
        "queues": queue_rows(broker) if broker else [],
        "workers": worker_rows(broker) if broker else [],
        "work": work_rows(work_counts()),
        "backup": backup_row(last_backup()),
        "backups": backups_due(last_backup_run()),
        "disk": disk_rows(disk_use()),
        "bucket": bucket_row(sharing.bucket_refusal()),
        "database": database_state(),
        "readable": [(path, owned_again(path)) for path in databases_open_to_all()],
        "versions": versions(),
    }
    return render(request, "platform/system.html", context)
