"""Pages of leads, and the page that everybody lands on."""

from django.urls import path

from annotation.web.studies.views import home, studies

urlpatterns = [
    path("", home.home, name="home"),
    path("studies/new/", studies.study_new, name="study_new"),
    path("studies/<slug:study>/", studies.study, name="study"),
    path("studies/<slug:study>/state/", studies.study_state, name="study_state"),
    path("studies/<slug:study>/settings/", studies.study_settings, name="study_settings"),
    path("studies/<slug:study>/guide/", studies.study_guide, name="study_guide"),
    path("studies/<slug:study>/events/", studies.study_events, name="study_events"),
]
