"""Who judges what, and how steadily."""

from django.urls import path

from annotation.web.views import plan

urlpatterns = [
    path("studies/<slug:study>/plan/", plan.study_plan, name="study_plan"),
    path("studies/<slug:study>/plan/steadiness/", plan.study_steadiness, name="study_steadiness"),
]
