"""Scorers: trained, compared, promoted, used."""

from django.urls import path

from api.scoring.views import scorers, study_scores

urlpatterns = [
    path("studies/<slug:study>/scores/", study_scores.StudyScorings.as_view(), name="study_scores"),
    path("scorers/", scorers.Scorers.as_view(), name="scorers"),
    path("scorers/reversions/", scorers.Reversions.as_view(), name="reversions"),
    path("scorers/<int:version>/", scorers.ScorerDetail.as_view(), name="scorer"),
    path("scorers/<int:version>/promotion/", scorers.Promotion.as_view(), name="promotion"),
    path("scorers/<int:version>/scorings/", scorers.Scorings.as_view(), name="scorings"),
    path("scorings/<uuid:scoring>/", scorers.ScoringDetail.as_view(), name="scoring"),
    path("training-runs/", scorers.TrainingRuns.as_view(), name="trainings"),
    path("training-runs/<uuid:training>/", scorers.TrainingRunDetail.as_view(), name="training"),
]
