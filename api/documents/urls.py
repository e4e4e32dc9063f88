"""From a source document to items."""

from django.urls import path

from api.documents import views

urlpatterns = [
    path("studies/<slug:study>/documents/", views.Documents.as_view(), name="documents"),
    path(
        "studies/<slug:study>/documents/<uuid:document>/",
        views.DocumentDetail.as_view(),
        name="document",
    ),
    path(
        "studies/<slug:study>/documents/<uuid:document>/criteria/",
        views.DocumentCriteria.as_view(),
        name="document_criteria",
    ),
    path(
        "studies/<slug:study>/documents/<uuid:document>/blocks/",
        views.DocumentBlocks.as_view(),
        name="document_blocks",
    ),
    path(
        "studies/<slug:study>/documents/<uuid:document>/blocks/<str:block>/",
        views.BlockRuling.as_view(),
        name="document_block",
    ),
    path(
        "studies/<slug:study>/documents/<uuid:document>/decisions/",
        views.ManyRulings.as_view(),
        name="document_decisions",
    ),
    path(
        "studies/<slug:study>/documents/<uuid:document>/decisions/<str:together>/",
        views.ManyRulingsTakenBack.as_view(),
        name="document_decision",
    ),
    path(
        "studies/<slug:study>/documents/<uuid:document>/draw/",
        views.DocumentDraw.as_view(),
        name="document_draw",
    ),
]
