"""Metrics against people."""

from django.urls import path

from api.metrics import question_views, table_views, views

urlpatterns = [
    path("score-tables/", table_views.ScoreTables.as_view(), name="score_tables"),
    path("score-tables/<uuid:scored>/", table_views.ScoreTable.as_view(), name="score_table"),
    path("studies/<slug:study>/metrics/", views.StudyMetrics.as_view(), name="study_metrics"),
    path(
        "studies/<slug:study>/metrics/scores/",
        views.StudyMetricScores.as_view(),
        name="study_metric_scores",
    ),
    path(
        "studies/<slug:study>/metrics/questions/",
        question_views.QuestionShares.as_view(),
        name="question_shares",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/report/",
        question_views.QuestionReport.as_view(),
        name="question_report",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/report/rows/",
        question_views.QuestionReportRows.as_view(),
        name="question_report_rows",
    ),
    path(
        "studies/<slug:study>/generation/<int:asking>/people/",
        question_views.QuestionPeople.as_view(),
        name="question_people",
    ),
]
