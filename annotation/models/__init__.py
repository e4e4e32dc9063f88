"""One file per aggregate."""

from annotation.models.adjudication import Adjudication, AdjudicationRules, default_rules
from annotation.models.backup import BackupRun
from annotation.models.document import SourceDocument
from annotation.models.draft_version import DraftVersion
from annotation.models.erasure import ErasureRequest
from annotation.models.event import Event
from annotation.models.generation import (
    BatchEntry,
    Generation,
    GenerationBatch,
    GenerationCall,
    GenerationRun,
    GenerationSystem,
    Output,
)
from annotation.models.glossary import GlossaryEntry
from annotation.models.guide import (
    GuideAcknowledgement,
    GuideStanding,
    RejudgeRequest,
    guide_standing,
    with_guide,
)
from annotation.models.institution import InstitutionAccount
from annotation.models.item import (
    LONG_AGO,
    OFFERED_ASIDE,
    PARKED,
    Assignment,
    Item,
    Simplification,
    offered_again,
    offered_with,
    out_of_sight,
    round_shown,
    text_digest,
)
from annotation.models.job import Job
from annotation.models.judgment import (
    Draft,
    ErrorDeduction,
    Judgment,
    JudgmentRevision,
    Rating,
    SaveReceipt,
    SideAnswer,
    standing,
    submission_name,
)
from annotation.models.metrics import BroughtMetric, BroughtScore, KeptReadings, TableReport
from annotation.models.note import PrivateNote
from annotation.models.pairs_import import PairsImport
from annotation.models.people import (
    AddressChange,
    Annotator,
    FormerName,
    Invitation,
    Lead,
    LeadDigest,
    User,
)
from annotation.models.plan import PeoplePart, StudyPlan, plan_of
from annotation.models.practice import PracticeMeeting, PracticeNote
from annotation.models.protocol import ProtocolDraft, PublishedProtocol
from annotation.models.questions import HIGHEST_GRADE, Question, QuestionAnswer, QuestionGrade
from annotation.models.scorer import (
    Backend,
    Scorer,
    ScorerPromotion,
    ScoringJob,
    TrainingRun,
    TrainingSchedule,
    WorkState,
)
from annotation.models.snapshot import DatasetSnapshot
from annotation.models.study import MOST_SEED, GuideVersion, Study, new_seed
from annotation.models.tally import StudySize, Tally
from annotation.models.token import ApiToken, IdempotencyRecord
from annotation.models.upload import PairsUpload
from annotation.models.watching import ListedRemark, RemarkAnswer, RemarkSettlement, Reminder
from annotation.models.work import DAY_SECONDS, WorkedDay

__all__ = [
    "DAY_SECONDS",
    "HIGHEST_GRADE",
    "LONG_AGO",
    "MOST_SEED",
    "OFFERED_ASIDE",
    "PARKED",
    "AddressChange",
    "Adjudication",
    "AdjudicationRules",
    "Annotator",
    "ApiToken",
    "Assignment",
    "Backend",
    "BackupRun",
    "BatchEntry",
    "BroughtMetric",
    "BroughtScore",
    "DatasetSnapshot",
    "Draft",
    "DraftVersion",
    "ErasureRequest",
    "ErrorDeduction",
    "Event",
    "FormerName",
    "Generation",
    "GenerationBatch",
    "GenerationCall",
    "GenerationRun",
    "GenerationSystem",
    "GlossaryEntry",
    "GuideAcknowledgement",
    "GuideStanding",
    "GuideVersion",
    "IdempotencyRecord",
    "InstitutionAccount",
    "Invitation",
    "Item",
    "Job",
    "Judgment",
    "JudgmentRevision",
    "KeptReadings",
    "Lead",
    "LeadDigest",
    "ListedRemark",
    "Output",
    "PairsImport",
    "PairsUpload",
    "PeoplePart",
    "PracticeMeeting",
    "PracticeNote",
    "PrivateNote",
    "ProtocolDraft",
    "PublishedProtocol",
    "Question",
    "QuestionAnswer",
    "QuestionGrade",
    "Rating",
    "RejudgeRequest",
    "RemarkAnswer",
    "RemarkSettlement",
    "Reminder",
    "SaveReceipt",
    "Scorer",
    "ScorerPromotion",
    "ScoringJob",
    "SideAnswer",
    "Simplification",
    "SourceDocument",
    "Study",
    "StudyPlan",
    "StudySize",
    "TableReport",
    "Tally",
    "TrainingRun",
    "TrainingSchedule",
    "User",
    "WorkState",
    "WorkedDay",
    "default_rules",
    "guide_standing",
    "new_seed",
    "offered_again",
    "offered_with",
    "out_of_sight",
    "plan_of",
    "round_shown",
    "standing",
    "submission_name",
    "text_digest",
    "with_guide",
]
