"""Snapshots and what was published of them."""

from django.urls import path

from annotation.web.views import releases

urlpatterns = [
    path("studies/<slug:study>/releases/", releases.study_releases, name="study_releases"),
    path("studies/<slug:study>/releases/<int:number>.zip", releases.release_download, name="release_download"),
]
