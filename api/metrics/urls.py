"""Metrics against people."""

from django.urls import path

from api.metrics import views

urlpatterns = [
    path("studies/<slug:study>/metrics/", views.StudyMetrics.as_view(), name="study_metrics"),
    path(
        "studies/<slug:study>/metrics/scores/",
        views.StudyMetricScores.as_view(),
        name="study_metric_scores",
    ),
]
