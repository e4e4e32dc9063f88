"""Who judges what."""

from django.urls import path

from api.planning import views

urlpatterns = [
    path("studies/<slug:study>/plan/", views.Plan.as_view(), name="plan"),
    path("studies/<slug:study>/plan/part/", views.PlanPart.as_view(), name="plan_part"),
    path("studies/<slug:study>/plan/preview/", views.PlanPreview.as_view(), name="plan_preview"),
]
