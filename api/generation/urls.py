"""Runs of models, and what came back."""

from django.urls import path

from api.generation.views import outputs, questions, runs

urlpatterns = [
    path("studies/<slug:study>/generation-runs/", runs.Runs.as_view(), name="runs"),
    path(
        "studies/<slug:study>/generation-runs/<int:number>/", runs.RunDetail.as_view(), name="run"
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:number>/systems/",
        runs.RunSystems.as_view(),
        name="run_systems",
    ),
    path(
        # A name may hold slashes, as those of models do: “org/model”.
        "studies/<slug:study>/generation-runs/<int:number>/systems/<path:name>/",
        runs.RunSystem.as_view(),
        name="run_system",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:number>/estimate/",
        runs.RunEstimate.as_view(),
        name="run_estimate",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:number>/progress/",
        runs.RunProgressDetail.as_view(),
        name="run_progress",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:number>/steps/<str:step>/",
        runs.RunStep.as_view(),
        name="run_step",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:number>/outputs/",
        outputs.RunOutputs.as_view(),
        name="run_outputs",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:number>/decisions/",
        outputs.RunDecisions.as_view(),
        name="run_decisions",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:number>/adoption/",
        outputs.RunAdoption.as_view(),
        name="run_adoption",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:asking>/questions/",
        questions.RunQuestions.as_view(),
        name="run_questions",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:asking>/questions/<int:question>/",
        questions.RunQuestion.as_view(),
        name="run_question",
    ),
    path(
        "studies/<slug:study>/generation-runs/<int:answering>/answers/",
        questions.RunAnswers.as_view(),
        name="run_answers",
    ),
]
