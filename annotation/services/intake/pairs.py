"""Files of pairs: which released layouts are known by themselves, what is done with what a file
brings, and files that a program sends, read and stored at once or left to a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from annotation.corpus.csmd import PROTOCOL as CSMD
from annotation.corpus.csmd import part_of
from annotation.corpus.frjudge import FrjudgeFile
from annotation.corpus.judged import JudgedFile
from annotation.corpus.judged_columns import guess_judged, is_judged
from annotation.corpus.pairs import Pairs
from annotation.corpus.pairs_file import Brought, PairsFile
from annotation.corpus.problems import RowProblem
from annotation.corpus.released import ReleasedFile
from annotation.corpus.table_files import check_name
from annotation.corpus.tables import Layout
from annotation.errors import RuleError
from annotation.models import Item, Job, Study, User
from annotation.protocols.base import Problem, Wording
from annotation.reading import Pace, ReadLater, pairs_file_read, refused_file
from annotation.services.intake.readings import IMPORT, reading_request, takes_long_to_store
from annotation.services.items.frjudge import frjudge_import
from annotation.services.items.items import ImportOutcome, RowsRefused, pairs_import
from annotation.services.items.judged import judged_import
from annotation.services.items.released import released_import


def released_options(study: Study, name: str, *, pairs_only: bool = False) -> dict[str, Any]:
    """How a file of this name is read so that a released one (FrJUDGE's, JADES's, in a study for
    it CSMD's) is known and comes with its judgments; none is where ``pairs_only``."""
    return {
        "take_released": not pairs_only,
        "part": part_of(name) if study.protocol_key == CSMD.key else "",
    }


def brought_import(
    *,
    actor: User | None,
    study: Study,
    brought: Brought,
    name: str,
    round: str = Item.Round.MAIN,  # noqa: A002 (the column's name)
    skip_duplicates: bool = False,
) -> ImportOutcome:
    """Import what was read from a file, whatever it is. ``round`` and ``skip_duplicates`` are for
    pairs. Raises what ``pairs_import``, ``frjudge_import``, ``released_import`` and
    ``judged_import`` raise."""
    if isinstance(brought, FrjudgeFile):
        return frjudge_import(actor=actor, study=study, released=brought, name=name)
    if isinstance(brought, ReleasedFile):
        return released_import(actor=actor, study=study, released=brought, name=name)
    if isinstance(brought, JudgedFile):
        return judged_import(actor=actor, study=study, judged=brought, name=name)
    return pairs_import(
        actor=actor,
        study=study,
        pairs=brought,
        round=round,
        skip_duplicates=skip_duplicates,
        name=name,
    )


def pairs_bring(
    *,
    actor: User,
    study: Study,
    content: bytes,
    names: Mapping[str, str | None] | None,
    choices: Mapping[str, Any],
    layout: Layout | None = None,
    name: str = "",
    pairs_only: bool = False,
) -> ImportOutcome | Job:
    """The pairs of a file, with its judgments where it is a released one and not ``pairs_only``;
    where reading or storing them may take long, the job of a worker that does. ``names``: as
    for ``read_pairs_file``. ``choices``: the round, and whether duplicates are left out.

    Raises what ``pairs_read_import`` raises, ``TableError``, and ``ReadingBusy`` while another file
    of theirs waits.
    """
    check_name(name, content)
    wanted = {
        "layout": asdict(layout or Layout()),
        "names": dict(names) if names is not None else None,
        "choices": dict(choices),
        "name": name,
        "pairs_only": pairs_only,
    }
    try:
        read = pairs_read(content, study, wanted, person=actor.pk, pace=Pace.AT_ONCE)
    except ReadLater:
        return reading_request(actor, study, {"what": IMPORT, **wanted}, content)
    if read.brought is not None and takes_long_to_store(read.row_count):
        return reading_request(actor, study, {"what": IMPORT, **wanted}, content)
    return pairs_read_import(actor=actor, study=study, read=read, wanted=wanted)


def pairs_read(
    content: bytes, study: Study, wanted: Mapping[str, Any], *, person: int | None, pace: Pace
) -> PairsFile:
    """A program's file as ``wanted`` (what ``pairs_bring`` keeps for a worker). Raises as
    ``pairs_file_read`` does."""
    options = released_options(
        study, wanted.get("name", ""), pairs_only=wanted.get("pairs_only", False)
    )
    # What was ordered by an earlier version says nothing of the layout.
    layout = Layout(**wanted.get("layout", {}))
    return pairs_file_read(
        content, layout, person=person, pace=pace, names=wanted["names"], **options
    )


def pairs_read_import(
    *, actor: User, study: Study, read: PairsFile, wanted: Mapping[str, Any]
) -> ImportOutcome:
    """Import what was read. Raises what ``brought_import`` raises, ``TableError`` where nothing
    could be read, and ``RuleError`` for judgments that were taken for pairs and for what cannot be
    chosen of a released file."""
    choices = wanted["choices"]
    if read.brought is None:
        raise refused_file(read.fatal)
    if not isinstance(read.brought, Pairs):
        _check_whole(wanted["names"], choices["round"])
    try:
        outcome = brought_import(
            actor=actor,
            study=study,
            brought=read.brought,
            name=wanted.get("name", ""),
            **choices,
        )
        return outcome_of(outcome, read)
    except RowsRefused as error:
        if repeats_by_judges(study, read, error.rows):
            raise RuleError([JUDGMENTS]) from error
        raise


def outcome_of(outcome: ImportOutcome, read: PairsFile) -> ImportOutcome:
    """What was added, with what a program is told of the file: a page shows it beforehand."""
    return replace(
        outcome,
        columns_left_out=read.columns_left_out,
        encoding_guessed=read.encoding_guessed,
        rows_hidden=read.rows_hidden,
    )


def repeats_by_judges(study: Study, read: PairsFile, problems: list[RowProblem]) -> bool:
    """Whether a table's pairs repeat because its rows are judgments: leaving repeats out, which
    helps against others, would lose all but one of each pair's."""
    if read.table is None or all(problem.code != IN_FILE for problem in problems):
        return False
    if read.peer:
        return True
    protocol = study.protocol
    return protocol.is_installed and is_judged(guess_judged(read.table.columns, protocol), protocol)


def _check_whole(names: Mapping[str, str | None] | None, round: str) -> None:  # noqa: A002
    """A released file goes in as it was released, into the main round."""
    if names is not None:
        raise RuleError([_NO_COLUMNS])
    if round != Item.Round.MAIN:
        raise RuleError([_NO_ROUND])


IN_FILE = "duplicate_in_file"
JUDGMENTS = Problem(
    "file",
    "judgments",
    Wording(
        "Ce fichier a une ligne par paire et par personne : ce sont des jugements. Apportez-le "
        "par judgments/file/, manage.py import_judgments ou la page d'import; ou ses paires "
        "seules, en laissant les doublons de côté.",
        "This file has a row for each pair and person: these are judgments. Bring it in by "
        "judgments/file/, manage.py import_judgments or the import page; or its pairs alone, "
        "leaving duplicates out.",
    ),
)
_NO_COLUMNS = Problem(
    "columns",
    "released",
    Wording(
        "C'est un fichier publié, avec ses jugements : ses colonnes sont connues. N'en nommez pas, "
        "ou demandez ses paires seules (pairs_only).",
        "This is a released file, with its judgments: its columns are known. Name none, or ask for "
        "its pairs alone (pairs_only).",
    ),
)
_NO_ROUND = Problem(
    "round",
    "released",
    Wording(
        "C'est un fichier publié, avec ses jugements : il va dans la ronde principale. Choisissez-"
        "la, ou demandez ses paires seules (pairs_only).",
        "This is a released file, with its judgments: it goes into the main round. Choose that, or "
        "ask for its pairs alone (pairs_only).",
    ),
)
