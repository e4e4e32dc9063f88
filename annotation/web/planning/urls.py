"""Who judges what, and where a study departed from its plan."""

from django.urls import path

from annotation.web.planning.views import deviations, parts, plan

urlpatterns = [
    path("studies/<slug:study>/plan/", plan.study_plan, name="study_plan"),
    path("studies/<slug:study>/plan/part/", parts.study_part, name="study_part"),
    path("studies/<slug:study>/deviations/", deviations.study_deviations, name="study_deviations"),
]
