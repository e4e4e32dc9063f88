"""How far people agree, and what is ruled on where they do not."""

from django.urls import path

from api.agreement.views import agreement, consistency, marks, modelled, precision, studies, systems

urlpatterns = [
    path("studies/<slug:study>/agreement/", agreement.StudyAgreement.as_view(), name="agreement"),
    path("studies/<slug:study>/agreement/models/", modelled.StudyModels.as_view(), name="models"),
    path("studies/<slug:study>/agreement/marks/", marks.StudyMarks.as_view(), name="marks"),
    path("studies/<slug:study>/beside/", studies.StudiesSideBySide.as_view(), name="beside"),
    path("studies/<slug:study>/systems/", systems.StudySystems.as_view(), name="systems"),
    path(
        "studies/<slug:study>/adjudication/", agreement.Adjudications.as_view(), name="adjudication"
    ),
    path(
        "studies/<slug:study>/adjudication/rules/",
        agreement.AdjudicationThresholds.as_view(),
        name="adjudication_rules",
    ),
    path(
        "studies/<slug:study>/adjudication/<int:simplification>/<str:dimension>/",
        agreement.AdjudicationCase.as_view(),
        name="adjudication_case",
    ),
    path(
        "studies/<slug:study>/plan/precision/",
        precision.StudyPrecision.as_view(),
        name="precision",
    ),
    path(
        "studies/<slug:study>/plan/steadiness/",
        consistency.StudySteadiness.as_view(),
        name="steadiness",
    ),
]
