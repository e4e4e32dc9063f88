"""From a source document to items."""

from django.urls import path

from annotation.web.documents.views import blocks, documents, draws

urlpatterns = [
    path("studies/<slug:study>/documents/", documents.upload, name="document_upload"),
    path("studies/<slug:study>/documents/<uuid:document>/", documents.funnel, name="document"),
    path(
        "studies/<slug:study>/documents/<uuid:document>/blocks/",
        blocks.blocks,
        name="document_blocks",
    ),
    path("studies/<slug:study>/documents/<uuid:document>/draw/", draws.draw, name="document_draw"),
]
