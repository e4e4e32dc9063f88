"""The guide and the glossary: written, read, amended."""

from django.urls import path

from annotation.web.guides.views import acknowledgement, glossary, rejudging

urlpatterns = [
    path("studies/<slug:study>/glossary/", glossary.study_glossary, name="study_glossary"),
    path(
        "studies/<slug:study>/glossary.csv",
        glossary.study_glossary_file,
        name="study_glossary_file",
    ),
    path("annotate/<slug:study>/glossary/", glossary.glossary, name="annotate_glossary"),
    path("annotate/<slug:study>/aids/", glossary.aids, name="annotate_aids"),
    path(
        "annotate/<slug:study>/guide/read/", acknowledgement.guide_read, name="annotate_guide_read"
    ),
    path("studies/<slug:study>/guide/rejudge/", rejudging.study_rejudge, name="study_rejudge"),
]
