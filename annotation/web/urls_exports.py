"""Getting data out."""

from django.urls import path

from annotation.web.views import exports

urlpatterns = [
    path("studies/<slug:study>/exports/", exports.study_exports, name="study_exports"),
    path("studies/<slug:study>/exports/<uuid:job>/", exports.status, name="export_status"),
    path("studies/<slug:study>/exports/<uuid:job>/download/", exports.download, name="export_download"),
]
