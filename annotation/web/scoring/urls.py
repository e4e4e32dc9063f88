"""Scorers: training, reports, promotion, use."""

from django.urls import path

from annotation.web.scoring.views import schedule, scorers, scores, study_scores

urlpatterns = [
    path("scorers/", scorers.scorers, name="scorers"),
    path("scorers/schedule/", schedule.schedule, name="training_schedule"),
    path("scorers/runs/<uuid:training>/", scorers.run, name="training_run"),
    path("scorers/runs/<uuid:training>/report/", scorers.report, name="training_report"),
    path(
        "scorers/runs/<uuid:training>/files/<str:filename>/",
        scorers.stored_file,
        name="training_file",
    ),
    path("scorers/v<int:version>/promotion/", scorers.promotion, name="scorer_promotion"),
    path("scorers/v<int:version>/score/", scores.score, name="scorer_score"),
    path("scorers/scores/<uuid:scoring>/", scores.scoring_job, name="scoring_job"),
    path("studies/<slug:study>/scores/", study_scores.scores, name="study_scores"),
]
