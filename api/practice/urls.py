"""The practice round and its meeting."""

from django.urls import path

from api.practice import views

urlpatterns = [
    path("studies/<slug:study>/practice/", views.Practice.as_view(), name="practice"),
    path(
        "studies/<slug:study>/practice/meeting/", views.Meeting.as_view(), name="practice_meeting"
    ),
    path(
        "studies/<slug:study>/practice/feedback/",
        views.Feedback.as_view(),
        name="practice_feedback",
    ),
    path(
        "studies/<slug:study>/practice/pairs/<int:pair>/",
        views.PracticePair.as_view(),
        name="practice_pair",
    ),
    path(
        "studies/<slug:study>/practice/pairs/<int:pair>/note/",
        views.Note.as_view(),
        name="practice_note",
    ),
    path(
        "studies/<slug:study>/practice/pairs/<int:pair>/reference/",
        views.Reference.as_view(),
        name="practice_reference",
    ),
]
