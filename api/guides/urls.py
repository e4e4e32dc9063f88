"""The guide and the glossary: written, read, amended."""

from django.urls import path

from api.guides.views import glossary, rejudging

urlpatterns = [
    path("my/studies/<slug:study>/glossary/", glossary.OwnGlossary.as_view(), name="my_glossary"),
    path("studies/<slug:study>/glossary/", glossary.StudyGlossary.as_view(), name="glossary"),
    path("studies/<slug:study>/rejudging/", rejudging.Rejudging.as_view(), name="rejudging"),
]
