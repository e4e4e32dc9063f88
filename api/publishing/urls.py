"""Exports, snapshots and releases."""

from django.urls import path

from api.publishing.views import exports, snapshots

urlpatterns = [
    path("studies/<slug:study>/exports/", exports.Exports.as_view(), name="exports"),
    path("studies/<slug:study>/exports/<uuid:job>/", exports.ExportDetail.as_view(), name="export"),
    path(
        "studies/<slug:study>/exports/<uuid:job>/file/",
        exports.ExportDownload.as_view(),
        name="export_file",
    ),
    path("studies/<slug:study>/snapshots/", snapshots.Snapshots.as_view(), name="snapshots"),
    path(
        "studies/<slug:study>/snapshots/<int:number>/",
        snapshots.SnapshotDetail.as_view(),
        name="snapshot",
    ),
    path(
        "studies/<slug:study>/snapshots/<int:number>/files/<str:name>/",
        snapshots.SnapshotFile.as_view(),
        name="snapshot_file",
    ),
    path(
        "studies/<slug:study>/snapshots/<int:number>/bundle/",
        snapshots.SnapshotBundle.as_view(),
        name="snapshot_bundle",
    ),
    path(
        "studies/<slug:study>/publications/<uuid:job>/",
        snapshots.PublicationDetail.as_view(),
        name="publication",
    ),
]
