"""The audit trail in sentences. A verb without a sentence here is a defect that a test finds."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Event

SENTENCES = {
    "study_created": gettext_lazy("made the study"),
    "study_updated": gettext_lazy("changed settings"),
    "study_state_changed": gettext_lazy("moved the study on or back"),
    "guide_published": gettext_lazy("published a version of the guide"),
    "glossary_changed": gettext_lazy("changed the glossary"),
    "guide_acknowledged": gettext_lazy("confirmed having read the guide"),
    "rejudge_requested": gettext_lazy("sent judgments back to be made again"),
    "rejudge_cancelled": gettext_lazy("took back what was sent to be judged again"),
    "remark_answered": gettext_lazy("answered a remark"),
    "remark_settled": gettext_lazy("settled a remark"),
    "remark_reopened": gettext_lazy("opened a settled remark again"),
    "remarks_downloaded": gettext_lazy("downloaded the remarks"),
    "annotator_reminded": gettext_lazy("reminded an annotator"),
    "pay_sheet_downloaded": gettext_lazy("downloaded the pay sheet"),
    "deviation_explained": gettext_lazy("gave the reason of a deviation"),
    "meeting_opened": gettext_lazy("opened the practice meeting"),
    "meeting_names_set": gettext_lazy("chose names or pseudonyms for the meeting"),
    "meeting_closed": gettext_lazy("closed the practice meeting"),
    "practice_note_saved": gettext_lazy("wrote a note on a practice pair"),
    "practice_feedback_published": gettext_lazy("published the feedback on the practice round"),
    "reading_requested": gettext_lazy("left a file to a worker to read"),
    "reading_failed": gettext_lazy("a file could not be read"),
    "pairs_uploaded": gettext_lazy("sent a file of pairs"),
    "upload_discarded": gettext_lazy("discarded a file of pairs"),
    "pairs_imported": gettext_lazy("imported pairs"),
    "frjudge_imported": gettext_lazy("imported the FrJUDGE file"),
    "generation_run_created": gettext_lazy("prepared a run of models"),
    "generation_run_updated": gettext_lazy("changed a run of models"),
    "generation_system_added": gettext_lazy("added a system to a run"),
    "generation_system_removed": gettext_lazy("took a system out of a run"),
    "generation_run_started": gettext_lazy("started a run of models"),
    "generation_run_paused": gettext_lazy("paused a run of models"),
    "generation_run_resumed": gettext_lazy("let a run of models go on"),
    "generation_run_cancelled": gettext_lazy("cancelled a run of models"),
    "generation_run_stopped": gettext_lazy("stopped a run that could not go on"),
    "generation_run_finished": gettext_lazy("finished a run of models"),
    "generation_retried": gettext_lazy("asked for failed outputs again"),
    "generation_batch_prepared": gettext_lazy("prepared a batch"),
    "generation_batch_ended": gettext_lazy("fetched a batch"),
    "outputs_decided": gettext_lazy("decided on flagged outputs"),
    "outputs_adopted": gettext_lazy("added outputs as simplifications"),
    "adjudication_rules_set": gettext_lazy("set what counts as a disagreement"),
    "adjudicated": gettext_lazy("ruled on a disagreement"),
    "adjudication_withdrawn": gettext_lazy("took a ruling back"),
    "document_added": gettext_lazy("brought in a source document"),
    "document_criteria_set": gettext_lazy("changed the criteria of a source document"),
    "document_discarded": gettext_lazy("threw a source document away"),
    "block_rescued": gettext_lazy("rescued a block by hand"),
    "block_excluded": gettext_lazy("excluded a block by hand"),
    "block_left_to_criteria": gettext_lazy("left a block to the criteria again"),
    "items_drawn": gettext_lazy("drew items from a source document"),
    "draw_undone": gettext_lazy("took a draw of items back"),
    "publication_failed": gettext_lazy("could not freeze or release"),
    "release_downloaded": gettext_lazy("fetched a release"),
    "items_moved": gettext_lazy("moved items between rounds"),
    "practice_drawn": gettext_lazy("drew the practice items"),
    "assignments_filled": gettext_lazy("gave out assignments"),
    "plan_set": gettext_lazy("set the plan"),
    "pairs_released": gettext_lazy("offered an absent person's pairs to others"),
    "controls_made": gettext_lazy("made control pairs"),
    "repeats_offered": gettext_lazy("offered judged pairs again, silently"),
    "invitation_created": gettext_lazy("made an invitation"),
    "invitation_accepted": gettext_lazy("accepted an invitation"),
    "invitation_revoked": gettext_lazy("revoked an invitation"),
    "annotator_added": gettext_lazy("added an annotator"),
    "annotator_withdrawn": gettext_lazy("withdrew an annotator"),
    "lead_added": gettext_lazy("added a lead"),
    "lead_removed": gettext_lazy("removed a lead"),
    "admin_granted": gettext_lazy("made somebody an admin"),
    "admin_revoked": gettext_lazy("took the admin role from somebody"),
    "account_created": gettext_lazy("made an account"),
    "account_closed": gettext_lazy("closed an account"),
    "account_reopened": gettext_lazy("reopened an account"),
    "password_link_created": gettext_lazy("made a password link"),
    "password_changed": gettext_lazy("changed their password"),
    "password_reset": gettext_lazy("chose a new password by a link"),
    "second_factor_added": gettext_lazy("turned the second step of the log-in on"),
    "second_factor_removed": gettext_lazy("turned the second step of a log-in off"),
    "recovery_codes_renewed": gettext_lazy("made new recovery codes"),
    "recovery_code_used": gettext_lazy("logged in with a recovery code"),
    "sessions_ended": gettext_lazy("ended open log-ins"),
    "personal_data_downloaded": gettext_lazy("downloaded what is held about a person"),
    "erasure_requested": gettext_lazy("asked for an erasure"),
    "erasure_place_decided": gettext_lazy("decided on a mention in a request for erasure"),
    "erasure_cancelled": gettext_lazy("took a request for erasure back"),
    "erasure_refused": gettext_lazy("refused a request for erasure"),
    "erasure_granted": gettext_lazy("erased an account"),
    "token_created": gettext_lazy("made an API token"),
    "token_revoked": gettext_lazy("revoked an API token"),
    "backup_made": gettext_lazy("made a backup"),
    "backup_restored": gettext_lazy("put a backup in place"),
    "demo_removed": gettext_lazy("removed the demonstration"),
    "judgment_submitted": gettext_lazy("submitted a judgment"),
    "judgment_corrected": gettext_lazy("corrected a judgment"),
    "judgment_taken_back": gettext_lazy("took back a judgment that they had just submitted"),
    "study_frozen": gettext_lazy("froze the study"),
    "release_written": gettext_lazy("wrote a release"),
    "training_requested": gettext_lazy("asked for a training"),
    "training_stopped": gettext_lazy("stopped a training"),
    "training_resumed": gettext_lazy("let a training go on"),
    "training_failed": gettext_lazy("could not train"),
    "training_schedule_set": gettext_lazy("set when scorers are trained by themselves"),
    "training_due": gettext_lazy("found enough new judgments for a training"),
    "training_not_started": gettext_lazy("could not start a training that was due"),
    "training_finished": gettext_lazy("trained a scorer"),
    "scorer_promoted": gettext_lazy("put a scorer into service"),
    "scorer_reverted": gettext_lazy("went back to the former scorer"),
    "scoring_requested": gettext_lazy("asked for scores"),
    "export_requested": gettext_lazy("asked for an export"),
    "export_written": gettext_lazy("wrote an export"),
    "export_failed": gettext_lazy("failed to write an export"),
    "export_deleted": gettext_lazy("deleted an export"),
    "export_downloaded": gettext_lazy("downloaded an export"),
}


def sentence(event: Event) -> str:
    """What was done, with its particulars: who did it stands before it on the page."""
    done = str(SENTENCES.get(event.verb, event.verb))
    particulars = ", ".join(
        f"{name}: {_shown(value)}" for name, value in event.details.items() if value not in ("", {})
    )
    return f"{done} ({particulars})" if particulars else done


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_shown(inner)}" for name, inner in value.items())
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)
