"""What the scorers' commands share. Their files may be larger than an upload."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandError

from annotation.errors import RuleError


def read_bytes(name: str) -> bytes:
    """The file's bytes. Raises ``CommandError`` where it cannot be read."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.") from error


def refused(error: RuleError) -> CommandError:
    """The refusal as a command's end."""
    return CommandError("\n".join(problem.message.en for problem in error.problems))
