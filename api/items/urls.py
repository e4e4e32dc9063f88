"""Items and simplifications, and how they come in."""

from django.urls import path

from api.items.views import items, judgments, readings, removal

urlpatterns = [
    path("studies/<slug:study>/items/", items.ItemList.as_view(), name="items"),
    path("studies/<slug:study>/items/<str:item>/", items.ItemDetail.as_view(), name="item"),
    path(
        "studies/<slug:study>/items/<str:item>/removal/",
        removal.ItemRemoval.as_view(),
        name="item_removal",
    ),
    path(
        "studies/<slug:study>/items/<str:item>/simplifications/<int:rank>/removal/",
        removal.SimplificationRemoval.as_view(),
        name="simplification_removal",
    ),
    path("studies/<slug:study>/imports/", removal.ImportList.as_view(), name="imports"),
    path(
        "studies/<slug:study>/imports/<int:brought>/",
        removal.ImportDetail.as_view(),
        name="import",
    ),
    path(
        "studies/<slug:study>/imports/<int:brought>/removal/",
        removal.ImportRemoval.as_view(),
        name="import_removal",
    ),
    path("studies/<slug:study>/pairs/", items.PairsRows.as_view(), name="pairs"),
    path("studies/<slug:study>/pairs/file/", items.PairsUploaded.as_view(), name="pairs_file"),
    path(
        "studies/<slug:study>/judgments/file/",
        judgments.JudgmentsUploaded.as_view(),
        name="judgments_file",
    ),
    path(
        "studies/<slug:study>/readings/<uuid:reading>/",
        readings.ReadingDetail.as_view(),
        name="reading",
    ),
]
