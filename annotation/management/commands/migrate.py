"""``manage.py migrate``: Django's own, which is not held up by the lack of rules that it mends."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate

from annotation.checks import rules_are_made


class Command(migrate.Command):
    def check(self, *args: Any, **options: Any) -> None:
        with rules_are_made():
            super().check(*args, **options)
