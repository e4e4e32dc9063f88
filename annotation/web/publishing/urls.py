"""Getting data out: exports, snapshots, releases."""

from django.urls import path

from annotation.web.publishing.views import exports, releases

urlpatterns = [
    path("studies/<slug:study>/exports/", exports.study_exports, name="study_exports"),
    path("studies/<slug:study>/exports/<uuid:job>/", exports.status, name="export_status"),
    path(
        "studies/<slug:study>/exports/<uuid:job>/download/",
        exports.download,
        name="export_download",
    ),
    path("studies/<slug:study>/releases/", releases.study_releases, name="study_releases"),
    path(
        "studies/<slug:study>/releases/<int:number>.zip",
        releases.release_download,
        name="release_download",
    ),
]
