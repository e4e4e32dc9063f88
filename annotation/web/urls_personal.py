"""One's own data, and requests to be forgotten."""

from django.urls import path

from annotation.web.views import personal

urlpatterns = [
    path("account/data/", personal.own_data, name="own_data"),
    path("erasures/", personal.erasures, name="erasures"),
    path("erasures/<int:asked>/", personal.erasure, name="erasure"),
]
