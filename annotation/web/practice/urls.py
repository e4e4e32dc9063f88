"""The practice round and its meeting."""

from django.urls import path

from annotation.web.practice import views

urlpatterns = [
    path("annotate/<slug:study>/feedback/", views.feedback, name="annotate_feedback"),
    path("studies/<slug:study>/practice/", views.study_practice, name="study_practice"),
    path("studies/<slug:study>/practice/<int:pair>/", views.practice_item, name="practice_item"),
]
