"""How far the annotators agree, and the rulings on what they do not."""

from django.urls import path

from annotation.web.agreement.views import (
    adjudication,
    agreement,
    consistency,
    marks,
    modelled,
    precision,
    studies,
    systems,
)

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
        "studies/<slug:study>/agreement/tables/<slug:table>/",
        agreement.table_file,
        name="study_agreement_table",
    ),
    path(
        "studies/<slug:study>/agreement/items/<str:item>/",
        agreement.item,
        name="study_agreement_item",
    ),
    path("studies/<slug:study>/agreement/marks/", marks.study_marks, name="study_marks"),
    path(
        "studies/<slug:study>/agreement/marks/tables/<slug:table>/",
        marks.table_file,
        name="study_marks_table",
    ),
    path(
        "studies/<slug:study>/agreement/marks/files/<slug:table>/",
        marks.marks_file,
        name="study_marks_file",
    ),
    path("studies/<slug:study>/agreement/models/", modelled.study_models, name="study_models"),
    path(
        "studies/<slug:study>/agreement/models/tables/<slug:table>/",
        modelled.table_file,
        name="study_models_table",
    ),
    path("studies/<slug:study>/systems/", systems.study_systems, name="study_systems"),
    path(
        "studies/<slug:study>/systems/figures/",
        systems.figures_part,
        name="study_systems_figures",
    ),
    path(
        "studies/<slug:study>/systems/charts/<slug:drawing>/",
        systems.chart_file,
        name="study_systems_chart",
    ),
    path(
        "studies/<slug:study>/systems/tables/<slug:table>/",
        systems.table_file,
        name="study_systems_table",
    ),
    path("studies/<slug:study>/beside/", studies.study_beside, name="study_beside"),
    path(
        "studies/<slug:study>/beside/figures/",
        studies.figures_part,
        name="study_beside_figures",
    ),
    path(
        "studies/<slug:study>/beside/charts/<slug:drawing>/",
        studies.chart_file,
        name="study_beside_chart",
    ),
    path(
        "studies/<slug:study>/beside/tables/<slug:table>/",
        studies.table_file,
        name="study_beside_table",
    ),
    path("studies/<slug:study>/plan/precision/", precision.study_precision, name="study_precision"),
    path(
        "studies/<slug:study>/plan/precision/tables/<slug:table>/",
        precision.precision_table,
        name="study_precision_table",
    ),
    path(
        "studies/<slug:study>/plan/steadiness/",
        consistency.study_consistency,
        name="study_consistency",
    ),
]
