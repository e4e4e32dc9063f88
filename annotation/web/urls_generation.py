"""Runs of models and what came back."""

from django.urls import path

from annotation.web.views import generation, generation_outputs

urlpatterns = [
    path("studies/<slug:study>/generation/", generation.generation_runs, name="generation_runs"),
    path("studies/<slug:study>/generation/<int:number>/", generation.generation_run, name="generation_run"),
    path(
        "studies/<slug:study>/generation/<int:number>/outputs/",
        generation_outputs.generation_outputs,
        name="generation_outputs",
    ),
    path(
        "studies/<slug:study>/generation/<int:number>/calls.csv",
        generation_outputs.generation_calls,
        name="generation_calls",
    ),
]
