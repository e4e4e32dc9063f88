"""Which protocols there are, installed and taken away."""

from django.urls import path

from api.composing import views

urlpatterns = [
    path("protocols/", views.ProtocolList.as_view(), name="protocols"),
    path("protocols/<slug:key>/<str:version>/", views.ProtocolDetail.as_view(), name="protocol"),
    path(
        "protocols/<slug:key>/<str:version>/file/",
        views.ProtocolFile.as_view(),
        name="protocol_file",
    ),
]
