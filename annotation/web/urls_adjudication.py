"""What disagrees, and the rulings on it."""

from django.urls import path

from annotation.web.views import adjudication

urlpatterns = [
    path("studies/<slug:study>/adjudication/", adjudication.study_adjudication, name="study_adjudication"),
    path(
        "studies/<slug:study>/adjudication/<int:simplification>/<slug:dimension>/",
        adjudication.adjudication_case,
        name="adjudication_case",
    ),
]
