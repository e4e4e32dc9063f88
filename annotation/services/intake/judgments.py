"""Judgments made elsewhere, sent by a program: read and stored at once, or left to a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.corpus.judged import JudgedFile
from annotation.corpus.judging import judging_options
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.table_files import check_workbook
from annotation.errors import RuleError
from annotation.models import Job, Study, User
from annotation.protocols.description import NOT_INSTALLED
from annotation.reading import Pace, ReadLater, pairs_file_read, refused_file
from annotation.services.intake.readings import IMPORT, reading_request, takes_long_to_store
from annotation.services.items.items import ImportOutcome
from annotation.services.items.judged import judged_import


def judgments_bring(
    *, actor: User, study: Study, name: str, content: bytes, choices: Mapping[str, Any]
) -> ImportOutcome | Job:
    """The judgments of a file; where reading or storing them may take long, the job of a worker
    that does. ``choices``: see ``judging``.

    Raises what ``judged_import`` raises, ``TableError``, and ``ReadingBusy`` while another file of
    theirs waits.
    """
    check_workbook(name, content)
    wanted = judging(study, name, choices)
    later = {"what": IMPORT, "judging": wanted, "name": name}
    try:
        read = pairs_file_read(
            content, person=actor.pk, pace=Pace.AT_ONCE, take_released=False, judging=wanted
        )
    except ReadLater:
        return reading_request(actor, study, later, content)
    judged = judged_of(read)
    if takes_long_to_store(len(judged.rows)) and not judged.problems:
        return reading_request(actor, study, later, content)
    return judged_import(actor=actor, study=study, judged=judged, name=name)


def judging(study: Study, name: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """How a file of this name is read for a study. ``choices``: ``names`` (columns by field),
    ``values`` (what those of a column become) and ``same_scale``. Raises ``RuleError`` for a study
    whose protocol is gone."""
    if not study.protocol.is_installed:
        raise RuleError([NOT_INSTALLED])
    return judging_options(study.protocol, study.rulings, take=True, name=name, **choices)


def judged_of(read: PairsFile) -> JudgedFile:
    """The judgments that were read. Raises ``TableError`` where there are none to be had."""
    if read.judged is None or read.fatal is not None:
        raise refused_file(read.fatal)
    return read.judged
