"""Items, getting pairs in, and how far files are that a worker reads."""

from django.urls import path

from annotation.web.items.views import imports, items, readings, removal

urlpatterns = [
    path("studies/<slug:study>/readings/<uuid:reading>/", readings.status, name="reading"),
    path("studies/<slug:study>/import/", imports.upload, name="pairs_upload"),
    path("studies/<slug:study>/import/<uuid:upload>/", imports.mapping, name="pairs_mapping"),
    path(
        "studies/<slug:study>/import/<uuid:upload>/problems.csv",
        imports.problems,
        name="pairs_problems",
    ),
    path("studies/<slug:study>/imports/", removal.imports, name="pairs_imports"),
    path("studies/<slug:study>/imports/<int:brought>/", removal.import_detail, name="pairs_import"),
    path("studies/<slug:study>/items.csv", items.items_file, name="study_items_file"),
    path("studies/<slug:study>/items/", items.study_items, name="study_items"),
    path("studies/<slug:study>/items/<str:item>/", items.study_item, name="study_item"),
]
