"""Freezing a study: its data files written, hashed, made durable, and numbered; all of it or
nothing."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation import sharing
from annotation.agreement.signature import VERSION
from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    DatasetSnapshot,
    Judgment,
    JudgmentRevision,
    Study,
    User,
    standing,
)
from annotation.release.recipe import SnapshotRecipe, recipe_problems, snapshot_recipe
from annotation.selectors.agreement.adjudication import rulings_of
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.base.redaction import MARK, redaction
from annotation.selectors.publishing.frozen import FrozenFile, Rulings, frozen_files, levels
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock

FORMAT = "bareme-snapshot/1"
MANIFEST = "manifest.json"
_FOLDER = "snapshots"


@dataclass(frozen=True)
class FileFacts:
    """A data file as it was written; ``rows`` are lines, ``redacted`` how many names and addresses
    it lost."""

    sha256: str
    size: int
    rows: int
    redacted: int


@dataclass(frozen=True)
class SnapshotBefore:
    """The snapshot that another one follows: equal digests are equal data under an equal recipe."""

    number: int
    content_digest: str


@dataclass(frozen=True)
class SnapshotStanding:
    """A snapshot as it stands now. ``withdrawn_since``: pseudonyms in it of annotators who have
    withdrawn since it was made."""

    frozen: DatasetSnapshot
    follows: SnapshotBefore | None
    withdrawn_since: list[str]


def study_freeze(
    *,
    actor: User | None,
    study: Study,
    recipe: Mapping[str, Any] | None = None,
    reason: str = "",
    rulings: Rulings | None = None,
) -> DatasetSnapshot:
    """A new snapshot of the study's main round.

    ``recipe``: what differs from ``release.recipe.default_recipe``. ``reason``: why now, where the
    study is not closed. ``rulings``: adjudications by (simplification id, dimension); None for the
    study's own. Who has withdrawn is left out.

    Raises ``RuleError`` for a recipe that is none, an open study without a reason, and one without
    judgments; ``OSError`` where the files cannot be written. Nothing is left behind then.
    """
    chosen = recipe_of(study, recipe or {})
    folder = snapshots_folder() / f".{uuid.uuid4().hex}.part"
    folder.mkdir(mode=0o700, parents=True)
    try:
        with one_moment():
            # Of the moment that is written, not of one before: the last answer may just be taken
            # back.
            freeze_problem(study, reason)
            taken_back = _taken_back(study)
            files = {
                file.name: _write(folder, file)
                for file in frozen_files(
                    study, chosen, rulings_of(study) if rulings is None else rulings
                )
            }
            reason = redaction(study).text(reason.strip())
        return _number(actor, study, chosen, reason, folder, files, taken_back)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def snapshots_folder() -> Path:
    """Where all snapshots lie."""
    return sharing.here(_FOLDER)


def snapshot_folder(frozen: DatasetSnapshot) -> Path:
    """Where this snapshot's files lie on this machine, fetched first where another one made them.
    Raises ``OSError`` where the bucket does not answer."""
    digests = {name: facts["sha256"] for name, facts in frozen.manifest["files"].items()}
    return sharing.folder_here(frozen.path, digests | {MANIFEST: ""})


def snapshot_damage(frozen: DatasetSnapshot) -> list[str]:
    """Names of files that are missing or not as they were frozen, in order; empty where all is
    well."""
    folder = snapshot_folder(frozen)
    damaged = [
        name
        for name, facts in frozen.manifest["files"].items()
        if _digest(folder / name) != facts["sha256"]
    ]
    return sorted(
        damaged if _stored(folder / MANIFEST) == frozen.manifest else [*damaged, MANIFEST]
    )


def snapshot_withdrawals(frozen: DatasetSnapshot) -> list[str]:
    """Pseudonyms in this snapshot of annotators who have withdrawn since it was made."""
    return withdrawals_of([frozen])[frozen.pk]


def withdrawals_of(snapshots: Sequence[DatasetSnapshot]) -> dict[int, list[str]]:
    """The same of several snapshots, by their keys; one query."""
    studies = {frozen.study_id for frozen in snapshots}
    gone = set(
        Annotator.objects.filter(study__in=studies, withdrawn_at__isnull=False).values_list(
            "study_id", "pseudonym"
        )
    )
    return {
        frozen.pk: sorted(
            name
            # Files are read, and fetched where another machine made them, only if they may matter.
            for name in (snapshot_pseudonyms(frozen) if gone else ())
            if (frozen.study_id, name) in gone
        )
        for frozen in snapshots
    }


def snapshots_standing(snapshots: Sequence[DatasetSnapshot]) -> list[SnapshotStanding]:
    """What a program is told of each; two queries."""
    withdrawn, before = withdrawals_of(snapshots), _before(snapshots)
    return [
        SnapshotStanding(frozen, before[frozen.pk], withdrawn[frozen.pk]) for frozen in snapshots
    ]


def _before(snapshots: Sequence[DatasetSnapshot]) -> dict[int | None, SnapshotBefore | None]:
    """Which one each follows, by their keys; of one that is not stored yet by None."""
    numbered = {
        (study, number): SnapshotBefore(number, digest)
        for study, number, digest in DatasetSnapshot.objects.filter(
            study__in={frozen.study_id for frozen in snapshots}
        ).values_list("study_id", "number", "content_digest")
    }
    # None is ever deleted, so that each number but the first has one before it.
    return {frozen.pk: numbered.get((frozen.study_id, frozen.number - 1)) for frozen in snapshots}


def snapshot_pseudonyms(frozen: DatasetSnapshot) -> set[str]:
    """Whose judgments this snapshot holds, by pseudonym."""
    held = (_stored(snapshot_folder(frozen) / "study.json") or {}).get("annotators", [])
    return {row["annotator"] for row in held}


def content_digest(files: Mapping[str, FileFacts], recipe: Mapping[str, Any]) -> str:
    """SHA-256 over "digest  name" of each data file in order of name, and the recipe: when and
    where do not count."""
    listed = [f"{facts.sha256}  {name}\n" for name, facts in sorted(files.items())]
    return hashlib.sha256(
        "".join([*listed, json.dumps(recipe, sort_keys=True)]).encode()
    ).hexdigest()


def recipe_of(study: Study, given: Mapping[str, Any]) -> SnapshotRecipe:
    """The recipe that ``given`` asks for in this study. Raises ``RuleError`` for one that is
    none."""
    known = levels(study.protocol)
    if problems := recipe_problems(given, known, study.seed):
        raise RuleError(problems)
    return snapshot_recipe(given, known, study.seed)


def freeze_problem(study: Study, reason: str) -> None:
    """Raise ``RuleError`` where the study cannot be frozen: open without a reason, blind and open,
    or without a judgment."""
    study.refresh_from_db(fields=["state", "is_blind"])
    if study.hides_answers():
        raise RuleError.single(
            "study",
            "blind",
            (
                "L'étude ne montre aucune réponse avant la clôture de la ronde principale : "
                "fermez-la d'abord."
            ),
            "The study shows no answers before its main round is closed: close it first.",
        )
    if study.state != Study.State.CLOSED and not reason.strip():
        raise RuleError.single(
            "reason",
            "required",
            "L'étude n'est pas fermée : fermez-la, ou dites pourquoi vous la figez maintenant.",
            "The study is not closed: close it, or say why you freeze it now.",
        )
    judged = Judgment.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__withdrawn_at__isnull=True,
        assignment__annotator__kind__in=["person", "imported"],
        assignment__simplification__item__round="main",
        submitted_at__isnull=False,
        surplus=False,
    )
    if not judged.exists():
        raise RuleError.single(
            "study",
            "nothing_to_freeze",
            "La ronde principale n'a aucun jugement : il n'y a rien à figer.",
            "The main round has no judgment: there is nothing to freeze.",
        )


def _write(folder: Path, file: FrozenFile) -> FileFacts:
    digest, size, rows, redacted = hashlib.sha256(), 0, 0, 0
    with (folder / file.name).open("xb") as out, _ended(file.pieces) as pieces:
        for piece in pieces:
            content = piece.encode()
            out.write(content)
            digest.update(content)
            size, rows = size + len(content), rows + content.count(b"\n")
            redacted += piece.count(MARK)
        out.flush()
        os.fsync(out.fileno())
    return FileFacts(digest.hexdigest(), size, rows, redacted)


@contextmanager
def _ended(pieces: Iterator[str]) -> Iterator[Iterator[str]]:
    """However it comes out: a query that is half read would end after its connection, and say so
    beside the reason."""
    try:
        yield pieces
    finally:
        if isinstance(pieces, Generator):
            pieces.close()


def _number(
    actor: User | None,
    study: Study,
    recipe: SnapshotRecipe,
    reason: str,
    folder: Path,
    files: dict[str, FileFacts],
    taken_back: int,
) -> DatasetSnapshot:
    """Give the written files their number and their name, and record them; in one transaction."""
    with transaction.atomic():
        study = study_row_lock(study.pk)
        # From here on nobody takes back what was frozen: they share the study's row, and find the
        # snapshot.
        if _taken_back(study) != taken_back:
            raise RuleError.single(
                "study",
                "moved",
                "Une réponse a été reprise pendant que l'étude était figée : figez-la de nouveau.",
                "An answer was taken back while the study was being frozen: freeze it again.",
            )
        made = DatasetSnapshot(
            study=study,
            number=_last_number(study) + 1,
            created_at=timezone.now().replace(microsecond=0),
            created_by=actor,
            reason=reason,
            protocol_key=study.protocol_key,
            protocol_version=study.protocol_version,
            recipe=recipe.as_dict(),
            content_digest=content_digest(files, recipe.as_dict()),
        )
        made.path = f"{_FOLDER}/{made.name}"
        made.manifest = _manifest(made, files, _before([made])[None])
        (folder / MANIFEST).write_text(
            json.dumps(made.manifest, ensure_ascii=False, indent=2) + "\n", "utf-8"
        )
        _make_durable([folder / MANIFEST, folder])
        with _moved(folder, sharing.here(made.path)):
            # Before the row: whoever reads it finds the files. What a crash leaves there without a
            # row is written over by the next of this number.
            sharing.folder_share(made.path)
            made.save()
            event_record(
                actor=actor,
                study=study,
                verb="study_frozen",
                target=made,
                number=made.number,
                content_digest=made.content_digest,
                reason=reason,
            )
    return made


def _taken_back(study: Study) -> int:
    """How many submissions of the study were taken back so far."""
    return JudgmentRevision.objects.filter(~standing(), assignment__annotator__study=study).count()


def _last_number(study: Study) -> int:
    return DatasetSnapshot.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0


def _manifest(
    made: DatasetSnapshot, files: Mapping[str, FileFacts], follows: SnapshotBefore | None
) -> dict[str, Any]:
    study = made.study
    return {
        "format": FORMAT,
        "snapshot": made.name,
        "study": study.key,
        "number": made.number,
        "follows": follows and asdict(follows),
        "created_at": made.created_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "study_closed": study.state == Study.State.CLOSED,
        "reason": made.reason,
        "protocol": {"key": made.protocol_key, "version": made.protocol_version},
        "guide_versions": sorted(study.guides.values_list("number", flat=True)),
        "agreement_version": VERSION,
        "recipe": made.recipe,
        "content_digest": made.content_digest,
        "files": {name: asdict(facts) for name, facts in sorted(files.items())},
    }


@contextmanager
def _moved(folder: Path, target: Path) -> Any:
    """The folder under its final name, unless what is done meanwhile fails."""
    # A folder of this number without a row is what a crash left; the study's lock keeps others
    # away.
    shutil.rmtree(target, ignore_errors=True)
    folder.rename(target)
    try:
        _make_durable([target.parent])
        yield
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def _make_durable(paths: Iterable[Path]) -> None:
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _stored(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
