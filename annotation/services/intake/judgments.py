"""Judgments made elsewhere, sent by a program: read and stored at once, or left to a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotation.corpus.frjudge import FrjudgeFile
from annotation.corpus.judged import JudgedFile
from annotation.corpus.judging import judging_options
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.released import ReleasedFile
from annotation.corpus.table_files import check_name
from annotation.corpus.tables import Layout
from annotation.errors import RuleError
from annotation.models import Job, Study, User
from annotation.protocols.description import NOT_INSTALLED
from annotation.reading import Pace, ReadLater, pairs_file_read, refused_file
from annotation.services.intake.pairs import brought_import, outcome_of, released_options
from annotation.services.intake.readings import IMPORT, reading_request, takes_long_to_store
from annotation.services.items.items import ImportOutcome


def judgments_bring(
    *,
    actor: User,
    study: Study,
    name: str,
    content: bytes,
    choices: Mapping[str, Any],
    layout: Layout | None = None,
) -> ImportOutcome | Job:
    """The judgments of a file, a released one among them where nothing is chosen; where reading or
    storing them may take long, the job of a worker that does. ``choices``: see ``judging``.

    Raises what ``brought_import`` raises, ``TableError``, and ``ReadingBusy`` while another file of
    theirs waits.
    """
    check_name(name, content)
    wanted = judging(study, name, choices)
    later = {
        "what": IMPORT,
        "judging": wanted,
        "name": name,
        "as_chosen": bool(choices),
        "layout": asdict(layout or Layout()),
    }
    try:
        read = judgments_read(content, study, later, person=actor.pk, pace=Pace.AT_ONCE)
    except ReadLater:
        return reading_request(actor, study, later, content)
    if takes_long_to_store(read.row_count) and not judgments_of(read).problems:
        return reading_request(actor, study, later, content)
    return judgments_read_import(actor=actor, study=study, read=read, name=name)


def judgments_read_import(
    *, actor: User, study: Study, read: PairsFile, name: str
) -> ImportOutcome:
    """Import what was read. Raises what ``brought_import`` raises, and ``TableError`` where there
    are no judgments to be had."""
    outcome = brought_import(actor=actor, study=study, brought=judgments_of(read), name=name)
    return outcome_of(outcome, read)


def judgments_read(
    content: bytes, study: Study, later: Mapping[str, Any], *, person: int | None, pace: Pace
) -> PairsFile:
    """A program's file, ``later`` being what is kept for a worker. What columns become can be
    chosen of a long table only. Raises as ``pairs_file_read`` does."""
    options = released_options(
        study, later.get("name", ""), pairs_only=later.get("as_chosen", True)
    )
    # What was ordered by an earlier version says nothing of the layout.
    layout = Layout(**later.get("layout", {}))
    return pairs_file_read(
        content, layout, person=person, pace=pace, judging=later["judging"], **options
    )


def judging(study: Study, name: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """How a file of this name is read for a study. ``choices``: ``names`` (columns by field),
    ``values`` (what those of a column become) and ``same_scale``. Raises ``RuleError`` for a study
    whose protocol is gone."""
    if not study.protocol.is_installed:
        raise RuleError([NOT_INSTALLED])
    return judging_options(study.protocol, study.rulings, take=True, name=name, **choices)


def judgments_of(read: PairsFile) -> FrjudgeFile | ReleasedFile | JudgedFile:
    """The judgments that were read. Raises ``TableError`` where there are none to be had."""
    return read.released or read.scores or judged_of(read)


def judged_of(read: PairsFile) -> JudgedFile:
    """Those of a long table. Raises ``TableError`` where there are none to be had."""
    if read.judged is None or read.fatal is not None:
        raise refused_file(read.fatal)
    return read.judged
