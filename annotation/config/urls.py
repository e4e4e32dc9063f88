"""Addresses: everything a person opens is in annotation.web, everything a program asks for in
api."""

from django.urls import include, path

handler404 = "annotation.web.platform.views.errors.not_found"
handler500 = "annotation.web.platform.views.errors.server_error"
urlpatterns = [path("api/v1/", include("api.urls")), path("", include("annotation.web.urls"))]
