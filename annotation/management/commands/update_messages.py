"""``manage.py update_messages``: bring the French catalog up to date with the code."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from annotation.management.messages import merge, untranslated, write


class Command(BaseCommand):
    help = "Collect the interface's messages into locale/fr and list those without a translation."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        catalog = merge(settings.BASE_DIR, "fr")
        write(settings.BASE_DIR, "fr", catalog)
        missing = untranslated(catalog)
        for message in missing:
            self.stdout.write(f"untranslated: {message}")
        self.stdout.write(f"{len(catalog)} messages, {len(missing)} without a translation")
