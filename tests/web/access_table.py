"""Who gets what at each address, by its name. Read by ``test_access_matrix``, which fails where one
is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.cast import ROLES

LOGIN = "login"
"""Sent to log in first."""
Outcome = int | str
Outcomes = dict[str, Outcome]


@dataclass(frozen=True)
class Rule:
    """The outcome for each role of a GET and of a POST with ``form``, which changes nothing that
    another role's turn needs (most are refused for what they say, once it is clear who says it)."""

    get: Outcomes
    post: Outcomes
    form: Mapping[str, Any] = field(default_factory=dict)


def everybody(outcome: Outcome, **others: Outcome) -> Outcomes:
    return dict.fromkeys(ROLES, outcome) | others


def members(outcome: Outcome) -> Outcomes:
    """Whoever is logged in."""
    return everybody(outcome, anonymous=LOGIN)


def only(*insiders: str, gets: Outcome, anonymous: Outcome = LOGIN) -> Outcomes:
    """The insiders; for anybody else there is nothing here."""
    return everybody(404, anonymous=anonymous) | dict.fromkeys(insiders, gets)


def leads(outcome: Outcome) -> Outcomes:
    return only("lead", "admin", gets=outcome)


def judge(outcome: Outcome, anonymous: Outcome = LOGIN) -> Outcomes:
    """The study's own annotators: not its leads, no admin, nobody who has left."""
    return only("annotator", gets=outcome, anonymous=anonymous)


NO_METHOD = everybody(405)
NO_METHOD_BEHIND_LOGIN = members(405)

TABLE: dict[str, Rule] = {
    "livez": Rule(everybody(200), NO_METHOD),
    "servez": Rule(everybody(200), NO_METHOD),
    "healthz": Rule(everybody(200), NO_METHOD),
    "readyz": Rule(everybody(200), NO_METHOD),
    "metrics": Rule(everybody(404), NO_METHOD),
    "system": Rule(only("admin", gets=200), NO_METHOD_BEHIND_LOGIN),
    "trail": Rule(only("admin", gets=200), NO_METHOD_BEHIND_LOGIN),
    "home": Rule(members(200), NO_METHOD_BEHIND_LOGIN),
    # --- accounts
    "login": Rule(everybody(200), everybody(200)),
    "institution": Rule(everybody(404), NO_METHOD),
    "institution_back": Rule(everybody(404), NO_METHOD),
    "institution_code": Rule(everybody(404), everybody(404)),
    "logout": Rule(NO_METHOD, everybody(LOGIN)),
    "password_change": Rule(members(200), members(200)),
    "password_reset": Rule(everybody(200), everybody(200)),
    "password_reset_done": Rule(everybody(200), NO_METHOD),
    "password_reset_confirm": Rule(everybody(200), everybody(200)),
    "invitation_accept": Rule(everybody(200), everybody(422)),
    "preferences": Rule(members(200), everybody(303)),
    "keys": Rule(members(200), members(400), {"keys": '{"undo": 1}'}),
    "digest_off": Rule(everybody(200), everybody(200)),
    "table_columns": Rule(NO_METHOD_BEHIND_LOGIN, members(303), {"column": "round"}),
    "session": Rule(everybody(200, anonymous=401), everybody(200, anonymous=401)),
    "tokens": Rule(members(200), members(422), {"name": ""}),
    "security": Rule(members(200), members(422), {"action": "begin", "password": "wrong"}),
    "own_data": Rule(members(200), members(422), {"action": "download"}),
    "address": Rule(members(200), members(422), {"action": "take", "code": ""}),
    "erasures": Rule(only("other_lead", "lead", "admin", gets=200), NO_METHOD_BEHIND_LOGIN),
    "address_erasure": Rule(
        only("admin", gets=200), only("admin", gets=422), {"email": "", "action": "erase"}
    ),
    "erasure": Rule(leads(200), leads(422), {"action": "refuse"}),
    # --- people
    "people": Rule(only("admin", gets=200), only("admin", gets=422), {"action": "invite"}),
    "study_people": Rule(leads(200), leads(422), {"action": "invite"}),
    # --- annotators
    "annotate_resume": Rule(judge(302), NO_METHOD_BEHIND_LOGIN),
    "annotate_mine": Rule(judge(200), NO_METHOD_BEHIND_LOGIN),
    "annotate_options": Rule(judge(200), NO_METHOD_BEHIND_LOGIN),
    "annotate_guide": Rule(judge(200), NO_METHOD_BEHIND_LOGIN),
    "annotate_aids": Rule(judge(200), NO_METHOD_BEHIND_LOGIN),
    "annotate_glossary": Rule(judge(200), NO_METHOD_BEHIND_LOGIN),
    "annotate": Rule(judge(200), judge(422), {"action": "submit"}),
    "annotate_draft": Rule(NO_METHOD, judge(400, anonymous=401)),
    "annotate_submit": Rule(NO_METHOD, judge(400, anonymous=401)),
    # Refused where the page that asks does not say whose it is.
    "annotate_ahead": Rule(judge(403, anonymous=401), judge(400, anonymous=401)),
    "annotate_keeping": Rule(everybody(200), NO_METHOD),
    "annotate_take_back": Rule(NO_METHOD, judge(400, anonymous=401)),
    "annotate_compare": Rule(NO_METHOD, judge(400, anonymous=401)),
    "annotate_restore": Rule(NO_METHOD_BEHIND_LOGIN, judge(302), {"number": "none"}),
    "annotate_later": Rule(NO_METHOD_BEHIND_LOGIN, judge(302)),
    "annotate_note": Rule(judge(403), judge(400, anonymous=401)),
    "annotate_leave": Rule(judge(200), judge(422)),
    "annotate_work": Rule(judge(200), NO_METHOD_BEHIND_LOGIN),
    "annotate_history": Rule(judge(200), NO_METHOD_BEHIND_LOGIN),
    "annotate_guide_read": Rule(judge(200), judge(422), {"number": "9"}),
    "annotate_feedback": Rule(judge(200), NO_METHOD_BEHIND_LOGIN),
    # --- leads
    "study_new": Rule(
        only("other_lead", "lead", "admin", gets=200),
        only("other_lead", "lead", "admin", gets=422),
        {"title": ""},
    ),
    "study": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_state": Rule(NO_METHOD_BEHIND_LOGIN, leads(422), {"to": "nowhere"}),
    "study_ending": Rule(leads(200), leads(422), {"action": "archive", "reason": ""}),
    "study_copying": Rule(leads(200), leads(422), {"key": "alpha", "title": "Again"}),
    "studies_archived": Rule(only("other_lead", "lead", "admin", gets=200), NO_METHOD_BEHIND_LOGIN),
    "deleted_trail": Rule(only("admin", gets=200), NO_METHOD_BEHIND_LOGIN),
    "study_settings": Rule(leads(200), leads(422), {"title": ""}),
    "study_guide": Rule(leads(200), leads(422), {"body_fr": ""}),
    "study_glossary": Rule(leads(200), leads(422), {"action": "none"}),
    "study_glossary_file": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_practice": Rule(leads(200), leads(422), {"action": "none"}),
    "practice_item": Rule(leads(200), leads(422), {"action": "none"}),
    "study_rejudge": Rule(leads(200), leads(422), {"reason": ""}),
    "study_deviations": Rule(leads(200), leads(422), {"event": "none"}),
    "study_items_file": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_items": Rule(leads(200), leads(422), {"action": "nothing"}),
    "study_item": Rule(leads(200), leads(422), {"action": "none"}),
    "pairs_imports": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "pairs_import": Rule(leads(200), leads(422), {"action": "none"}),
    "study_events": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    # --- watching
    "study_watch": Rule(leads(200), leads(422)),
    "study_remarks": Rule(leads(200), leads(422), {"action": "none"}),
    "study_people_file": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_remarks_file": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_pay": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_pay_file": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    # --- plan
    "study_part": Rule(NO_METHOD_BEHIND_LOGIN, leads(422), {"passages": "none"}),
    "study_plan": Rule(leads(200), leads(422), {"mode": "none"}),
    "study_consistency": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    # --- models
    "generation_runs": Rule(leads(200), leads(422), {"purpose": "none"}),
    "generation_run": Rule(leads(200), leads(422), {"action": "none"}),
    "generation_outputs": Rule(leads(200), leads(422), {"decision": "none"}),
    "generation_calls": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "generation_outputs_file": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "generation_questions": Rule(leads(200), leads(422), {"action": "none"}),
    "generation_question": Rule(leads(200), leads(422), {"text": ""}),
    "question_report": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "question_report_figures": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "question_report_table": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    "question_report_chart": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    "question_report_csv": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "question_report_json": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "question_people": Rule(leads(200), leads(422), {"key": ""}),
    "generation_answers": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "generation_rows_csv": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "generation_rows_jsonl": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    # --- rulings
    "study_adjudication": Rule(leads(200), leads(422), {"majority_share": "9"}),
    "adjudication_case": Rule(leads(200), leads(422), {"outcome": "none"}),
    # --- releases
    "study_releases": Rule(leads(200), leads(422), {"action": "none"}),
    "release_download": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    # --- files in and out
    "pairs_upload": Rule(leads(200), leads(422)),
    "pairs_mapping": Rule(leads(200), leads(422), {"mapping": "nothing"}),
    "pairs_problems": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "reading": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "document_upload": Rule(leads(200), leads(422)),
    "document": Rule(leads(200), leads(422), {"action": "none"}),
    "document_blocks": Rule(leads(200), leads(422), {"action": "none"}),
    "document_draw": Rule(leads(200), leads(422), {"practice": "none"}),
    "study_exports": Rule(leads(200), leads(422), {"layout": "none"}),
    "export_status": Rule(leads(200), leads(302)),
    "export_download": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    # --- agreement
    "study_agreement_table": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    # Nothing is known there that a choice could be recorded of.
    "study_precision": Rule(leads(200), leads(422)),
    "study_precision_table": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    "study_marks": Rule(leads(200), leads(302)),
    "study_marks_table": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    "study_marks_file": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    # No model was computed; asking for it is refused, as there is no answer.
    "study_models": Rule(leads(200), leads(422)),
    "study_models_table": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    "study_beside": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_beside_figures": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    "study_beside_chart": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    "study_beside_table": Rule(leads(404), NO_METHOD_BEHIND_LOGIN),
    "study_systems": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_systems_figures": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_systems_chart": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_systems_table": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_agreement": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_agreement_figures": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_agreement_chart": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_agreement_item": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    # --- scorers
    "scorers": Rule(only("admin", gets=200), only("admin", gets=422), {"backend": "none"}),
    "training_schedule": Rule(only("admin", gets=200), only("admin", gets=422), {"threshold": "0"}),
    "training_run": Rule(only("admin", gets=200), only("admin", gets=302)),
    "training_report": Rule(only("admin", gets=200), NO_METHOD_BEHIND_LOGIN),
    "training_file": Rule(only("admin", gets=200), NO_METHOD_BEHIND_LOGIN),
    "scorer_promotion": Rule(only("admin", gets=200), only("admin", gets=422), {"reason": ""}),
    "scorer_score": Rule(only("admin", gets=200), only("admin", gets=422), {"original": ""}),
    "scoring_job": Rule(only("admin", gets=200), NO_METHOD_BEHIND_LOGIN),
    # The study is open: the page says why there are no scores, and asking for them is refused.
    "study_scores": Rule(leads(200), leads(422)),
    # Whoever may create studies, each their own reports.
    "score_tables": Rule(
        only("other_lead", "lead", "admin", gets=200),
        only("other_lead", "lead", "admin", gets=422),
        {"human": ""},
    ),
    "score_table": Rule(only("lead", gets=200), only("lead", gets=422), {"action": ""}),
    "score_table_sheet": Rule(only("lead", gets=200), NO_METHOD_BEHIND_LOGIN),
    "score_table_chart": Rule(only("lead", gets=200), NO_METHOD_BEHIND_LOGIN),
    # Whoever may create studies, each their own drafts.
    "protocols": Rule(
        only("other_lead", "lead", "admin", gets=200),
        only("other_lead", "lead", "admin", gets=422),
        {"beginning": "none"},
    ),
    "protocol_draft": Rule(
        only("lead", gets=200), only("lead", gets=422), {"text": "{}", "builds_on": "none"}
    ),
    # A draft that says nothing yet cannot be installed: its owner is sent back to it, and refused.
    "protocol_install": Rule(only("lead", gets=302), only("lead", gets=422), {"seen": "1"}),
    # Whoever installed it, and admins; a study follows it.
    "protocol_remove": Rule(leads(200), leads(422)),
    "protocol_file": Rule(only("lead", gets=200), NO_METHOD_BEHIND_LOGIN),
    "protocol_trial": Rule(
        only("other_lead", "lead", "admin", gets=200),
        only("other_lead", "lead", "admin", gets=422),
        {"action": "submit"},
    ),
    "protocol_trial_guide": Rule(
        only("other_lead", "lead", "admin", gets=200), NO_METHOD_BEHIND_LOGIN
    ),
    "protocol_trial_options": Rule(
        only("other_lead", "lead", "admin", gets=200), NO_METHOD_BEHIND_LOGIN
    ),
    "study_metrics": Rule(leads(200), leads(422), {"dimension": "none"}),
    "study_metrics_pairs": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_metrics_chart": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
    "study_metrics_table": Rule(leads(200), NO_METHOD_BEHIND_LOGIN),
}
