"""A study's life."""

from django.urls import path

from api.studies import views

urlpatterns = [
    path("studies/", views.StudyList.as_view(), name="studies"),
    path("studies/<slug:study>/", views.StudyDetail.as_view(), name="study"),
    path("studies/<slug:study>/contents/", views.StudyHoldings.as_view(), name="contents"),
    path("studies/<slug:study>/copies/", views.Copies.as_view(), name="copies"),
    path("studies/<slug:study>/archive/", views.Archive.as_view(), name="archive"),
    path("deleted-studies/", views.DeletedStudies.as_view(), name="deleted_studies"),
    path(
        "deleted-studies/<int:deleted>/events/",
        views.DeletedStudyEvents.as_view(),
        name="deleted_study_events",
    ),
    path("events/", views.InstallationEvents.as_view(), name="installation_events"),
    path("studies/<slug:study>/state/", views.StudyState.as_view(), name="study_state"),
    path("studies/<slug:study>/readiness/", views.StudyReadiness.as_view(), name="readiness"),
    path("studies/<slug:study>/assignments/", views.Assignments.as_view(), name="assignments"),
    path("studies/<slug:study>/guides/", views.GuideVersions.as_view(), name="guides"),
    path("studies/<slug:study>/events/", views.Events.as_view(), name="events"),
]
