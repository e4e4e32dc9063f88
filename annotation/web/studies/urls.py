"""Pages of leads, and the page that everybody lands on."""

from django.urls import path

from annotation.web.studies.views import copying, digests, ending, home, studies

urlpatterns = [
    path("", home.home, name="home"),
    path("studies/new/", studies.study_new, name="study_new"),
    path("studies/<slug:study>/", studies.study, name="study"),
    path("studies/<slug:study>/state/", studies.study_state, name="study_state"),
    path("studies/<slug:study>/settings/", studies.study_settings, name="study_settings"),
    path("studies/<slug:study>/guide/", studies.study_guide, name="study_guide"),
    path("studies/<slug:study>/ending/", ending.study_ending, name="study_ending"),
    path("studies/<slug:study>/copy/", copying.study_copying, name="study_copying"),
    path("digest/off/<str:digest>/", digests.digest_off, name="digest_off"),
    path("archive/", ending.studies_archived, name="studies_archived"),
    path("archive/deleted/<int:deleted>/", ending.deleted_trail, name="deleted_trail"),
    path("studies/<slug:study>/events/", studies.study_events, name="study_events"),
]
