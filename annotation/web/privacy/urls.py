"""One's own data, and requests to be forgotten."""

from django.urls import path

from annotation.web.privacy import views

urlpatterns = [
    path("account/data/", views.own_data, name="own_data"),
    path("erasures/", views.erasures, name="erasures"),
    path("erasures/address/", views.address_erasure, name="address_erasure"),
    path("erasures/<int:asked>/", views.erasure, name="erasure"),
]
