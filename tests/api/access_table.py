"""Who gets what from each operation. Read by ``test_access``, which fails where one is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.cast import ROLES

Outcomes = dict[str, int]


@dataclass(frozen=True)
class Rule:
    """The status for each role, and the body that is sent: one that changes nothing another role's
    turn needs."""

    outcomes: Outcomes
    body: Any = None
    query: str = ""


def members(status: int) -> Outcomes:
    """Whoever has a token."""
    return dict.fromkeys(ROLES, status) | {"anonymous": 401}


def only(*insiders: str, gets: int) -> Outcomes:
    """The insiders; for anybody else there is nothing here."""
    return members(404) | dict.fromkeys(insiders, gets)


def leads(status: int) -> Outcomes:
    return only("lead", "admin", gets=status)


def judge(status: int) -> Outcomes:
    """The study's own annotators: not its leads, no admin, nobody who has left."""
    return only("annotator", gets=status)


def admins(status: int) -> Outcomes:
    return only("admin", gets=status)


NOBODY = {"email": "nobody@example.org"}
TABLE: dict[tuple[str, str], Rule] = {
    # --- you
    ("me", "get"): Rule(members(200)),
    ("protocols", "get"): Rule(members(200)),
    ("protocols", "post"): Rule(only("other_lead", "lead", "admin", gets=422), {}),
    ("protocol", "get"): Rule(members(200)),
    # It is nobody's: it came with Barème.
    ("protocol", "delete"): Rule(members(404)),
    # Its rules are code.
    ("protocol_file", "get"): Rule(only("other_lead", "lead", "admin", gets=422)),
    # --- annotators
    ("my_studies", "get"): Rule(members(200)),
    ("my_study", "get"): Rule(judge(200)),
    ("my_guide", "get"): Rule(judge(200)),
    ("my_glossary", "get"): Rule(judge(200)),
    ("my_acknowledgement", "put"): Rule(judge(422), {"number": 99}),
    ("my_next", "get"): Rule(judge(200)),
    ("my_assignments", "get"): Rule(judge(200)),
    ("my_assignment", "get"): Rule(judge(200)),
    ("my_draft", "put"): Rule(judge(400), {"answers": {}}),
    ("my_judgment", "put"): Rule(judge(422), {"answers": {}, "base_revision": 0}),
    ("my_later", "put"): Rule(judge(200)),
    ("my_later", "delete"): Rule(judge(200)),
    ("my_hours", "get"): Rule(judge(200)),
    ("my_history", "get"): Rule(judge(200)),
    ("my_history_restoration", "post"): Rule(judge(404)),
    ("my_versions", "get"): Rule(judge(200)),
    ("my_version", "get"): Rule(judge(200)),
    ("my_version_restoration", "post"): Rule(judge(200)),
    ("my_taking_back", "post"): Rule(judge(422), {"number": 1}),
    # --- leads
    ("studies", "get"): Rule(members(200)),
    ("studies", "post"): Rule(
        only("other_lead", "lead", "admin", gets=422), {"key": "alpha", "title": "Again"}
    ),
    ("study", "get"): Rule(leads(200)),
    ("study", "patch"): Rule(leads(400), {"title": ""}),
    ("study", "delete"): Rule(leads(422), {"key": "another"}),
    ("contents", "get"): Rule(leads(200)),
    ("copies", "post"): Rule(leads(422), {"key": "alpha", "title": "Again"}),
    ("archive", "put"): Rule(leads(400), {"reason": ""}),
    ("archive", "delete"): Rule(leads(200)),
    ("deleted_studies", "get"): Rule(admins(200)),
    ("deleted_study_events", "get"): Rule(admins(200)),
    ("installation_events", "get"): Rule(admins(200)),
    ("study_state", "get"): Rule(leads(200)),
    ("study_state", "post"): Rule(leads(422), {"to": "practice"}),
    ("readiness", "get"): Rule(leads(200), query="?to=closed"),
    ("assignments", "post"): Rule(leads(200)),
    ("guides", "get"): Rule(leads(200)),
    ("guides", "post"): Rule(leads(400), {"body_fr": ""}),
    ("glossary", "get"): Rule(leads(200)),
    ("glossary", "put"): Rule(leads(400), {"terms": [{"term": "", "definition": "x"}]}),
    ("events", "get"): Rule(leads(200)),
    ("items", "get"): Rule(leads(200)),
    ("item", "get"): Rule(leads(200)),
    ("item_removal", "get"): Rule(leads(200)),
    ("item_removal", "delete"): Rule(leads(422)),
    ("simplification_removal", "get"): Rule(leads(200)),
    ("simplification_removal", "delete"): Rule(leads(422)),
    ("imports", "get"): Rule(leads(200)),
    ("import", "get"): Rule(leads(200)),
    ("import", "delete"): Rule(leads(422)),
    ("import_removal", "get"): Rule(leads(200)),
    ("annotator", "delete"): Rule(leads(422)),
    ("pairs", "post"): Rule(leads(422), {"pairs": [{"original": ""}]}),
    ("pairs_file", "post"): Rule(leads(415), {}),
    ("judgments_file", "post"): Rule(leads(415), {}),
    ("progress", "get"): Rule(leads(200)),
    ("agreement", "get"): Rule(leads(200), query="?draws=0"),
    ("marks", "get"): Rule(leads(200), query="?draws=0"),
    ("marks", "post"): Rule(leads(202), query="?draws=0"),
    ("models", "get"): Rule(leads(200)),
    ("models", "post"): Rule(leads(422)),
    ("precision", "get"): Rule(leads(400), query="?texts=20&annotators=3&learn_from=none:at_all"),
    ("beside", "get"): Rule(leads(200), query="?other=alpha&other_round=practice&draws=0"),
    ("systems", "get"): Rule(leads(200), query="?draws=0"),
    # --- people
    ("annotators", "get"): Rule(leads(200)),
    ("annotators", "post"): Rule(leads(422), NOBODY),
    ("withdrawal", "put"): Rule(leads(400), {"reason": " "}),
    ("withdrawal", "delete"): Rule(leads(422)),
    ("leads", "get"): Rule(leads(200)),
    ("leads", "post"): Rule(leads(422), NOBODY),
    ("lead", "delete"): Rule(leads(422)),
    ("invitations", "get"): Rule(leads(200)),
    ("invitations", "post"): Rule(leads(400), {"email": "none", "role": "annotator"}),
    ("invitation", "delete"): Rule(only("lead", gets=204)),
    ("release", "post"): Rule(leads(422), {"reason": "away"}),
    ("people", "get"): Rule(admins(200)),
    ("person", "get"): Rule(admins(200)),
    ("person", "patch"): Rule(admins(422), {"is_active": False, "reason": "mine"}),
    # --- who judges what, and while they do
    ("plan", "get"): Rule(leads(200)),
    ("plan", "patch"): Rule(leads(422), {"per_item": 99}),
    ("plan_preview", "get"): Rule(leads(200), query="?per_item=&control_identical=1"),
    ("plan_part", "get"): Rule(leads(404)),
    ("plan_part", "put"): Rule(leads(422), {"passages": 9999}),
    ("plan_part", "delete"): Rule(leads(422)),
    ("steadiness", "get"): Rule(leads(200)),
    ("watch", "get"): Rule(leads(200)),
    ("watch_items", "get"): Rule(leads(200), query="?order=oldest"),
    ("pay", "get"): Rule(leads(200), query="?first=2026-01-01"),
    ("remarks", "get"): Rule(leads(200), query="?state=open"),
    ("remark_answers", "post"): Rule(leads(422), {"text": " "}),
    ("remark_settled", "put"): Rule(leads(200)),
    ("remark_settled", "delete"): Rule(leads(200)),
    ("reminders", "get"): Rule(leads(200)),
    ("reminders", "post"): Rule(leads(400), {"annotators": []}),
    # --- files out
    ("exports", "get"): Rule(leads(200)),
    ("exports", "post"): Rule(leads(400), {"layout": "none"}),
    ("export", "get"): Rule(leads(200)),
    ("export", "delete"): Rule(only("lead", gets=204)),
    ("export_file", "get"): Rule(leads(200)),
    # --- files that a worker reads
    ("reading", "get"): Rule(leads(200)),
    # --- source documents
    ("documents", "get"): Rule(leads(200)),
    ("documents", "post"): Rule(leads(415), {}),
    ("document", "get"): Rule(leads(200)),
    ("document", "delete"): Rule(only("lead", gets=204)),
    ("document_criteria", "get"): Rule(leads(200)),
    ("document_criteria", "put"): Rule(leads(400), {"fewest_sentences": 0}),
    ("document_blocks", "get"): Rule(leads(200), query="?show=all&limit=1"),
    ("document_block", "put"): Rule(leads(422), {"keep": True, "reason": ""}),
    ("document_block", "delete"): Rule(leads(422)),
    ("document_decisions", "post"): Rule(leads(422), {"keys": ["0"], "keep": False, "reason": ""}),
    ("document_decision", "delete"): Rule(leads(422)),
    ("document_draw", "get"): Rule(leads(200), query="?practice=0&main=1&seed=1"),
    ("document_draw", "post"): Rule(leads(400), {"seed": -1}),
    ("document_draw", "delete"): Rule(leads(422)),
    # --- practice
    ("practice", "get"): Rule(leads(200)),
    ("practice_meeting", "post"): Rule(leads(422), {"reason": ""}),
    ("practice_meeting", "patch"): Rule(leads(422), {"shows_names": True}),
    ("practice_meeting", "delete"): Rule(leads(422)),
    ("practice_feedback", "post"): Rule(leads(422)),
    ("practice_pair", "get"): Rule(leads(200)),
    ("practice_note", "get"): Rule(leads(200)),
    ("practice_note", "put"): Rule(leads(422), {"note": "", "reference": {}}),
    ("practice_reference", "put"): Rule(leads(422), {"judgment": 0}),
    # --- rulings, and judgments sent back
    ("rejudging", "get"): Rule(leads(200)),
    ("rejudging", "post"): Rule(leads(422), {"items": [], "reason": ""}),
    ("rejudging", "delete"): Rule(leads(200)),
    ("adjudication", "get"): Rule(leads(200), query="?state=open"),
    ("adjudication_rules", "get"): Rule(leads(200)),
    ("adjudication_rules", "put"): Rule(
        leads(422), {"majority_share": 0.1, "score_range": 3, "fewest_ratings": 2}
    ),
    ("adjudication_case", "get"): Rule(leads(200), query="?names=1"),
    ("adjudication_case", "put"): Rule(leads(422), {"outcome": "settled", "reasons": ""}),
    ("adjudication_case", "delete"): Rule(leads(404)),
    # --- frozen and published
    ("snapshots", "get"): Rule(leads(200)),
    ("snapshots", "post"): Rule(leads(422), {}),
    ("publication", "get"): Rule(leads(200)),
    ("snapshot", "get"): Rule(leads(200)),
    ("snapshot_file", "get"): Rule(leads(200)),
    ("snapshot_bundle", "get"): Rule(leads(409)),
    ("snapshot_bundle", "post"): Rule(leads(202)),
    # --- scorers
    ("scorers", "get"): Rule(admins(200)),
    ("scorer", "get"): Rule(admins(200)),
    ("promotion", "put"): Rule(admins(400), {"reason": ""}),
    ("reversions", "post"): Rule(admins(422), {"target": "none", "reason": "It errs."}),
    ("scorings", "post"): Rule(admins(400), {"pairs": []}),
    ("scoring", "get"): Rule(admins(200)),
    ("trainings", "get"): Rule(admins(200)),
    ("trainings", "post"): Rule(admins(400), {"study": "alpha"}),
    ("training", "get"): Rule(admins(200)),
    ("training", "delete"): Rule(admins(202)),
    # The study is open: it has no scores, and the answer says why.
    ("study_scores", "get"): Rule(leads(422)),
    ("study_scores", "post"): Rule(leads(422)),
    # --- metrics
    ("score_tables", "get"): Rule(only("other_lead", "lead", "admin", gets=200)),
    ("score_tables", "post"): Rule(only("other_lead", "lead", "admin", gets=415), {}),
    ("score_table", "get"): Rule(only("lead", gets=200)),
    ("score_table", "delete"): Rule(only("lead", gets=204)),
    ("study_metrics", "get"): Rule(leads(200)),
    ("study_metrics", "post"): Rule(leads(422), {"dimension": "none"}),
    ("study_metric_scores", "get"): Rule(leads(200)),
    ("study_metric_scores", "post"): Rule(leads(400), {"scores": []}),
    # --- models
    ("runs", "get"): Rule(leads(200)),
    ("runs", "post"): Rule(leads(400), {"ceiling": -1}),
    ("run", "get"): Rule(leads(200)),
    ("run", "patch"): Rule(leads(422), {"endpoint": "none"}),
    ("run_systems", "post"): Rule(leads(422), {"name": "a", "prompt": "nothing"}),
    ("run_system", "delete"): Rule(only("lead", gets=204)),
    ("run_estimate", "get"): Rule(leads(200)),
    ("run_progress", "get"): Rule(leads(200)),
    ("run_step", "post"): Rule(leads(422)),
    ("run_outputs", "get"): Rule(leads(200), query="?undecided=1"),
    ("run_decisions", "post"): Rule(leads(422), {"decision": "keep"}),
    ("run_adoption", "post"): Rule(leads(200)),
    ("question_report", "get"): Rule(leads(200), query="?draws=0"),
    ("question_report_rows", "get"): Rule(leads(200)),
    ("question_people", "post"): Rule(leads(400), {"key": ""}),
    ("question_shares", "post"): Rule(leads(400), {"run": 0}),
    ("run_questions", "get"): Rule(leads(200)),
    ("run_question", "patch"): Rule(leads(422), {"type": "none"}),
    ("run_answers", "get"): Rule(leads(200)),
}
