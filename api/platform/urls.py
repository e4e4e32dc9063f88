"""What keeps Barème itself running."""

from django.urls import path

from api.platform.views import documentation, meta

urlpatterns = [
    path("schema/", documentation.SchemaView.as_view(), name="schema"),
    path("docs/", documentation.docs, name="docs"),
    path("me/", meta.Me.as_view(), name="me"),
]
