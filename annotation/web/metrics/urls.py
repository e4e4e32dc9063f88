"""Metrics against people."""

from django.urls import path

from annotation.web.metrics.views import metrics, questions, score_tables

urlpatterns = [
    path("score-tables/", score_tables.score_tables, name="score_tables"),
    path("score-tables/<uuid:scored>/", score_tables.score_table, name="score_table"),
    path(
        "score-tables/<uuid:scored>/tables/<slug:sheet>/",
        score_tables.score_table_sheet,
        name="score_table_sheet",
    ),
    path(
        "score-tables/<uuid:scored>/charts/<slug:picture>/",
        score_tables.score_table_chart,
        name="score_table_chart",
    ),
    path("studies/<slug:study>/metrics/", metrics.study_metrics, name="study_metrics"),
    path(
        "studies/<slug:study>/metrics/pairs.csv", metrics.metrics_pairs, name="study_metrics_pairs"
    ),
    path(
        "studies/<slug:study>/metrics/tables/<slug:sheet>/",
        metrics.metrics_table,
        name="study_metrics_table",
    ),
    path(
        "studies/<slug:study>/metrics/charts/<slug:picture>/",
        metrics.metrics_chart,
        name="study_metrics_chart",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/report/",
        questions.question_report,
        name="question_report",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/report/figures/",
        questions.question_figures,
        name="question_report_figures",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/report/tables/<slug:sheet>/",
        questions.question_table,
        name="question_report_table",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/report/charts/<slug:picture>/",
        questions.question_chart,
        name="question_report_chart",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/report.csv",
        questions.question_file,
        {"file_format": "csv"},
        name="question_report_csv",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/report.json",
        questions.question_file,
        {"file_format": "json"},
        name="question_report_json",
    ),
    path(
        "studies/<slug:study>/generation/<int:asking>/people/",
        questions.question_people,
        name="question_people",
    ),
]
