"""Getting pairs in."""

from django.urls import path

from annotation.web.views import imports

urlpatterns = [
    path("studies/<slug:study>/import/", imports.upload, name="pairs_upload"),
    path("studies/<slug:study>/import/<uuid:upload>/", imports.mapping, name="pairs_mapping"),
    path("studies/<slug:study>/import/<uuid:upload>/problems.csv", imports.problems, name="pairs_problems"),
]
