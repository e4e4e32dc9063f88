"""Metrics against people."""

from django.urls import path

from annotation.web.metrics.views import metrics

urlpatterns = [
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
]
