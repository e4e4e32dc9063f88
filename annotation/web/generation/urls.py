"""Runs of models and what came back."""

from django.urls import path

from annotation.web.generation.views import outputs, runs

urlpatterns = [
    path("studies/<slug:study>/generation/", runs.generation_runs, name="generation_runs"),
    path(
        "studies/<slug:study>/generation/<int:number>/", runs.generation_run, name="generation_run"
    ),
    path(
        "studies/<slug:study>/generation/<int:number>/outputs/",
        outputs.generation_outputs,
        name="generation_outputs",
    ),
    path(
        "studies/<slug:study>/generation/<int:number>/calls.csv",
        outputs.generation_calls,
        name="generation_calls",
    ),
]
