"""Items and simplifications, and how they come in."""

from django.urls import path

from api.items.views import items, readings

urlpatterns = [
    path("studies/<slug:study>/items/", items.ItemList.as_view(), name="items"),
    path("studies/<slug:study>/items/<str:item>/", items.ItemDetail.as_view(), name="item"),
    path("studies/<slug:study>/pairs/", items.PairsRows.as_view(), name="pairs"),
    path("studies/<slug:study>/pairs/file/", items.PairsUploaded.as_view(), name="pairs_file"),
    path(
        "studies/<slug:study>/readings/<uuid:reading>/",
        readings.ReadingDetail.as_view(),
        name="reading",
    ),
]
