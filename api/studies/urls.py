"""A study's life."""

from django.urls import path

from api.studies import views

urlpatterns = [
    path("studies/", views.StudyList.as_view(), name="studies"),
    path("studies/<slug:study>/", views.StudyDetail.as_view(), name="study"),
    path("studies/<slug:study>/state/", views.StudyState.as_view(), name="study_state"),
    path("studies/<slug:study>/readiness/", views.StudyReadiness.as_view(), name="readiness"),
    path("studies/<slug:study>/assignments/", views.Assignments.as_view(), name="assignments"),
    path("studies/<slug:study>/guides/", views.GuideVersions.as_view(), name="guides"),
    path("studies/<slug:study>/events/", views.Events.as_view(), name="events"),
]
