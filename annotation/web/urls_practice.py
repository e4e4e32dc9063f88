"""A study's life beside its rounds: practice and its meeting, the guide read and amended, deviations."""

from django.urls import path

from annotation.web.views import acknowledgement, deviations, practice, rejudging

urlpatterns = [
    path("annotate/<slug:study>/guide/read/", acknowledgement.guide_read, name="annotate_guide_read"),
    path("annotate/<slug:study>/feedback/", practice.feedback, name="annotate_feedback"),
    path("studies/<slug:study>/practice/", practice.study_practice, name="study_practice"),
    path("studies/<slug:study>/practice/<int:pair>/", practice.practice_item, name="practice_item"),
    path("studies/<slug:study>/guide/rejudge/", rejudging.study_rejudge, name="study_rejudge"),
    path("studies/<slug:study>/deviations/", deviations.study_deviations, name="study_deviations"),
]
