"""Runs of models and what came back."""

from django.urls import path

from annotation.web.generation.views import outputs, questions, runs

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
        "studies/<slug:study>/generation/<int:number>/outputs.csv",
        outputs.outputs_file,
        name="generation_outputs_file",
    ),
    path(
        "studies/<slug:study>/generation/<int:number>/calls.csv",
        outputs.generation_calls,
        name="generation_calls",
    ),
    path(
        "studies/<slug:study>/generation/<int:asking>/questions/",
        questions.generation_questions,
        name="generation_questions",
    ),
    path(
        "studies/<slug:study>/generation/<int:asking>/questions/<int:question>/",
        questions.generation_question,
        name="generation_question",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/answers/",
        questions.generation_answers,
        name="generation_answers",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/answers.csv",
        questions.generation_rows,
        {"file_format": "csv"},
        name="generation_rows_csv",
    ),
    path(
        "studies/<slug:study>/generation/<int:answering>/answers.jsonl",
        questions.generation_rows,
        {"file_format": "jsonl"},
        name="generation_rows_jsonl",
    ),
]
