"""``manage.py collectstatic``: Django's own, which names the setting where the folder cannot be
used."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.staticfiles.management.commands import collectstatic
from django.core.management.base import CommandError

from annotation.room import is_disk_full


class Command(collectstatic.Command):
    def handle(self, **options: Any) -> str | None:
        """As Django's. Raises ``CommandError`` where the folder cannot be made or written to."""
        try:
            return super().handle(**options)
        except OSError as error:
            if is_disk_full(error):
                raise
            raise CommandError(
                f"BAREME_STATIC_DIR names {str(settings.STATIC_ROOT)!r}, which cannot be used "
                f"({error.strerror or error}). Set it to a folder that the user of this process "
                "may write to."
            ) from error
