"""What the scorers' commands share: files, larger than uploads may be, and what is named there."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from django.core.management.base import CommandError

from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import DatasetSnapshot, Scorer, Study
from annotation.services.publishing.releases import snapshot_named

_MOST_NAMED = 20


def read_bytes(name: str) -> bytes:
    """The file's bytes. Raises ``CommandError`` where it cannot be read."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.") from error


def refused(error: RuleError) -> CommandError:
    """The refusal as a command's end."""
    return CommandError("\n".join(problem.message.en for problem in error.problems))


def existing_study(key: str) -> Study:
    """The study with this key. Raises ``CommandError`` that names those there are."""
    study = Study.objects.filter(key=key).first()
    if study is None:
        raise _no_such("study", key, "Studies", Study.objects.values_list("key", flat=True))
    return study


def existing_snapshot(name: str) -> DatasetSnapshot:
    """The snapshot STUDY-NUMBER. Raises ``CommandError`` that names those there are."""
    snapshot = snapshot_named(name)
    if snapshot is None:
        known = DatasetSnapshot.objects.select_related("study")
        raise _no_such("snapshot", name, "Snapshots", (snapshot.name for snapshot in known))
    return snapshot


def existing_scorer(name: str) -> Scorer:
    """The scorer of this version, 7 or v7. Raises ``CommandError`` that names those there are."""
    scorer = Scorer.objects.filter(version=whole(name.removeprefix("v")) or 0).first()
    if scorer is None:
        known = Scorer.objects.values_list("version", flat=True)
        raise _no_such("scorer", name, "Scorers", (f"v{version}" for version in known))
    return scorer


def _no_such(kind: str, name: str, kinds: str, known: Iterable[str]) -> CommandError:
    names = ", ".join(islice(known, _MOST_NAMED)) or "none yet"
    return CommandError(f"There is no {kind} “{name}”. {kinds}: {names}.")
