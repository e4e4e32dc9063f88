"""``manage.py compile_translations``: what `serve` does at its start, for an image or a service
that reads its code only."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from annotation.management.translations import compile_translations


class Command(BaseCommand):
    help = "Compile locale/*/LC_MESSAGES/django.po where it is newer than what was compiled."
    requires_system_checks: list[str] = []  # noqa: RUF012  (Django declares it so)

    def handle(self, *args: Any, **options: Any) -> None:
        for folder in settings.LOCALE_PATHS:
            for path in compile_translations(folder):
                self.stdout.write(f"{path}")
