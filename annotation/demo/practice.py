"""The demonstration's practice meeting: a note and a reference for each pair, read by everybody."""

from __future__ import annotations

from annotation.demo import Record, records
from annotation.demo.seed import intended
from annotation.models import Simplification, Study, User
from annotation.services.practice.practice import (
    meeting_close,
    meeting_open,
    practice_feedback_publish,
    practice_note_save,
)

NO_ERROR = "Rien d'essentiel ne manque : la fourchette 3 s'impose, même si le style change."
RECOPIED = "Le texte est recopié : « Pas de simplification », et la précision légale reste entière."


def practice_meeting(lead: User, study: Study) -> None:
    """Open the meeting, say something about every pair, publish it, close the meeting."""
    by_key = {record["key"]: record for record in records()}
    meeting_open(actor=lead, study=study)
    pairs = Simplification.objects.filter(item__study=study, item__round="practice").select_related(
        "item"
    )
    for pair in pairs.order_by("item__position"):
        record = by_key[pair.item.key]
        practice_note_save(
            actor=lead, study=study, pair=pair, note=_note(record), reference=intended(record)
        )
    practice_feedback_publish(actor=lead, study=study)
    meeting_close(actor=lead, study=study)


def _note(record: Record) -> str:
    errors = record["intended"]["errors"]
    if not errors:
        return RECOPIED if record["original"] == record["simplification"] else NO_ERROR
    listed = "\n".join(
        f"- **{error['type'].replace('incoherence', 'incohérence')}** : {error['note']}"
        for error in errors
    )
    return f"À retenir :\n\n{listed}"
