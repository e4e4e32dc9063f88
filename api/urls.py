"""Version 1: what is here is added to and never changes its meaning.

Under ``my/`` is what an annotator may see, under ``studies/`` what those see who run a study.
"""

from django.urls import path, re_path

from api.views import (
    documentation,
    documents,
    exports,
    generation,
    items,
    judging,
    meta,
    people,
    practice,
    progress,
    scorers,
    snapshots,
    steering,
    studies,
    study_scores,
)

app_name = "api"

_MINE = "my/studies/<slug:study>/"
_STUDY = "studies/<slug:study>/"
_RUN = f"{_STUDY}generation-runs/<int:number>/"
_DOCUMENT = f"{_STUDY}documents/<uuid:document>/"
_PRACTICE = f"{_STUDY}practice/"

urlpatterns = [
    path("schema/", documentation.SchemaView.as_view(), name="schema"),
    path("docs/", documentation.docs, name="docs"),
    path("me/", meta.Me.as_view(), name="me"),
    path("protocols/", meta.ProtocolList.as_view(), name="protocols"),
    path("protocols/<slug:key>/<str:version>/", meta.ProtocolDetail.as_view(), name="protocol"),
    # --- annotators
    path("my/studies/", judging.OwnStudies.as_view(), name="my_studies"),
    path(_MINE, judging.OwnStudyDetail.as_view(), name="my_study"),
    path(f"{_MINE}guide/", judging.CurrentGuide.as_view(), name="my_guide"),
    path(f"{_MINE}guide/acknowledgement/", judging.Acknowledgement.as_view(), name="my_acknowledgement"),
    path(f"{_MINE}next/", judging.NextPair.as_view(), name="my_next"),
    path(f"{_MINE}assignments/", judging.OwnPairs.as_view(), name="my_assignments"),
    path(f"{_MINE}assignments/<int:position>/", judging.OwnPair.as_view(), name="my_assignment"),
    path(f"{_MINE}assignments/<int:position>/draft/", judging.OwnDraft.as_view(), name="my_draft"),
    path(f"{_MINE}assignments/<int:position>/judgment/", judging.OwnJudgment.as_view(), name="my_judgment"),
    path(f"{_MINE}assignments/<int:position>/history/", judging.OwnHistory.as_view(), name="my_history"),
    # --- leads
    path("studies/", studies.StudyList.as_view(), name="studies"),
    path(_STUDY, studies.StudyDetail.as_view(), name="study"),
    path(f"{_STUDY}state/", studies.StudyState.as_view(), name="study_state"),
    path(f"{_STUDY}readiness/", studies.StudyReadiness.as_view(), name="readiness"),
    path(f"{_STUDY}assignments/", studies.Assignments.as_view(), name="assignments"),
    path(f"{_STUDY}guides/", studies.GuideVersions.as_view(), name="guides"),
    path(f"{_STUDY}events/", studies.Events.as_view(), name="events"),
    path(f"{_STUDY}items/", items.ItemList.as_view(), name="items"),
    path(f"{_STUDY}items/<str:item>/", items.ItemDetail.as_view(), name="item"),
    path(f"{_STUDY}pairs/", items.PairsRows.as_view(), name="pairs"),
    path(f"{_STUDY}pairs/file/", items.PairsUploaded.as_view(), name="pairs_file"),
    path(f"{_STUDY}progress/", progress.StudyProgress.as_view(), name="progress"),
    path(f"{_STUDY}agreement/", progress.StudyAgreement.as_view(), name="agreement"),
    path(f"{_STUDY}scores/", study_scores.StudyScorings.as_view(), name="study_scores"),
    path(f"{_STUDY}annotators/", people.Annotators.as_view(), name="annotators"),
    path(f"{_STUDY}annotators/<str:pseudonym>/withdrawal/", people.Withdrawal.as_view(), name="withdrawal"),
    path(f"{_STUDY}leads/", people.Leads.as_view(), name="leads"),
    path(f"{_STUDY}leads/<int:lead>/", people.LeadDetail.as_view(), name="lead"),
    path(f"{_STUDY}invitations/", people.Invitations.as_view(), name="invitations"),
    path(f"{_STUDY}invitations/<int:invitation>/", people.InvitationDetail.as_view(), name="invitation"),
    path(f"{_STUDY}exports/", exports.Exports.as_view(), name="exports"),
    path(f"{_STUDY}exports/<uuid:job>/", exports.ExportDetail.as_view(), name="export"),
    path(f"{_STUDY}exports/<uuid:job>/file/", exports.ExportDownload.as_view(), name="export_file"),
    path(f"{_STUDY}generation-runs/", generation.Runs.as_view(), name="runs"),
    path(_RUN, generation.RunDetail.as_view(), name="run"),
    path(f"{_RUN}systems/", generation.RunSystems.as_view(), name="run_systems"),
    path(f"{_RUN}systems/<str:name>/", generation.RunSystem.as_view(), name="run_system"),
    path(f"{_RUN}estimate/", generation.RunEstimate.as_view(), name="run_estimate"),
    path(f"{_RUN}progress/", generation.RunProgressDetail.as_view(), name="run_progress"),
    path(f"{_RUN}steps/<str:step>/", generation.RunStep.as_view(), name="run_step"),
    path(f"{_RUN}outputs/", steering.RunOutputs.as_view(), name="run_outputs"),
    path(f"{_RUN}decisions/", steering.RunDecisions.as_view(), name="run_decisions"),
    path(f"{_RUN}adoption/", steering.RunAdoption.as_view(), name="run_adoption"),
    path(f"{_STUDY}documents/", documents.Documents.as_view(), name="documents"),
    path(_DOCUMENT, documents.DocumentDetail.as_view(), name="document"),
    path(f"{_DOCUMENT}criteria/", documents.DocumentCriteria.as_view(), name="document_criteria"),
    path(f"{_DOCUMENT}blocks/", documents.DocumentBlocks.as_view(), name="document_blocks"),
    path(f"{_DOCUMENT}blocks/<str:block>/", documents.BlockRuling.as_view(), name="document_block"),
    path(f"{_DOCUMENT}draw/", documents.DocumentDraw.as_view(), name="document_draw"),
    path(_PRACTICE, practice.Practice.as_view(), name="practice"),
    path(f"{_PRACTICE}meeting/", practice.Meeting.as_view(), name="practice_meeting"),
    path(f"{_PRACTICE}feedback/", practice.Feedback.as_view(), name="practice_feedback"),
    path(f"{_PRACTICE}pairs/<int:pair>/", practice.PracticePair.as_view(), name="practice_pair"),
    path(f"{_PRACTICE}pairs/<int:pair>/note/", practice.Note.as_view(), name="practice_note"),
    path(f"{_PRACTICE}pairs/<int:pair>/reference/", practice.Reference.as_view(), name="practice_reference"),
    path(f"{_STUDY}rejudging/", steering.Rejudging.as_view(), name="rejudging"),
    path(f"{_STUDY}adjudication/", steering.Adjudications.as_view(), name="adjudication"),
    path(f"{_STUDY}adjudication/rules/", steering.AdjudicationThresholds.as_view(), name="adjudication_rules"),
    path(
        f"{_STUDY}adjudication/<int:simplification>/<str:dimension>/",
        steering.AdjudicationCase.as_view(),
        name="adjudication_case",
    ),
    path(f"{_STUDY}snapshots/", snapshots.Snapshots.as_view(), name="snapshots"),
    path(f"{_STUDY}snapshots/<int:number>/", snapshots.SnapshotDetail.as_view(), name="snapshot"),
    path(f"{_STUDY}snapshots/<int:number>/files/<str:name>/", snapshots.SnapshotFile.as_view(), name="snapshot_file"),
    path(f"{_STUDY}snapshots/<int:number>/bundle/", snapshots.SnapshotBundle.as_view(), name="snapshot_bundle"),
    path(f"{_STUDY}publications/<uuid:job>/", snapshots.PublicationDetail.as_view(), name="publication"),
    # --- admins
    path("people/", people.Accounts.as_view(), name="people"),
    path("people/<int:person>/", people.AccountDetail.as_view(), name="person"),
    path("scorers/", scorers.Scorers.as_view(), name="scorers"),
    path("scorers/reversions/", scorers.Reversions.as_view(), name="reversions"),
    path("scorers/<int:version>/", scorers.ScorerDetail.as_view(), name="scorer"),
    path("scorers/<int:version>/promotion/", scorers.Promotion.as_view(), name="promotion"),
    path("scorers/<int:version>/scorings/", scorers.Scorings.as_view(), name="scorings"),
    path("scorings/<uuid:scoring>/", scorers.ScoringDetail.as_view(), name="scoring"),
    path("training-runs/", scorers.TrainingRuns.as_view(), name="trainings"),
    path("training-runs/<uuid:training>/", scorers.TrainingRunDetail.as_view(), name="training"),
    re_path(r"", meta.NothingHere.as_view(), name="nothing_here"),
]
