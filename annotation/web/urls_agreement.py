"""How far the annotators agree."""

from django.urls import path

from annotation.web.views import agreement

urlpatterns = [
    path("studies/<slug:study>/agreement/", agreement.study_agreement, name="study_agreement"),
    path("studies/<slug:study>/agreement/figures/", agreement.figures_part, name="study_agreement_figures"),
    path("studies/<slug:study>/agreement/charts/<slug:chart>/", agreement.chart_file, name="study_agreement_chart"),
    path("studies/<slug:study>/agreement/items/<str:item>/", agreement.item, name="study_agreement_item"),
]
