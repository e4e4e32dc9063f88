"""A study's glossary, for those who write it and those who look into it."""

from django.urls import path

from annotation.web.views import glossary

urlpatterns = [
    path("studies/<slug:study>/glossary/", glossary.study_glossary, name="study_glossary"),
    path("studies/<slug:study>/glossary.csv", glossary.study_glossary_file, name="study_glossary_file"),
    path("annotate/<slug:study>/glossary/", glossary.glossary, name="annotate_glossary"),
    path("annotate/<slug:study>/aids/", glossary.aids, name="annotate_aids"),
]
