"""How far the annotators agree, and the rulings on what they do not."""

from django.urls import path

from annotation.web.agreement.views import adjudication, agreement, consistency

urlpatterns = [
    path(
        "studies/<slug:study>/adjudication/",
        adjudication.study_adjudication,
        name="study_adjudication",
    ),
    path(
        "studies/<slug:study>/adjudication/<int:simplification>/<slug:dimension>/",
        adjudication.adjudication_case,
        name="adjudication_case",
    ),
    path("studies/<slug:study>/agreement/", agreement.study_agreement, name="study_agreement"),
    path(
        "studies/<slug:study>/agreement/figures/",
        agreement.figures_part,
        name="study_agreement_figures",
    ),
    path(
        "studies/<slug:study>/agreement/charts/<slug:chart>/",
        agreement.chart_file,
        name="study_agreement_chart",
    ),
    path(
        "studies/<slug:study>/agreement/items/<str:item>/",
        agreement.item,
        name="study_agreement_item",
    ),
    path(
        "studies/<slug:study>/plan/steadiness/",
        consistency.study_consistency,
        name="study_consistency",
    ),
]
