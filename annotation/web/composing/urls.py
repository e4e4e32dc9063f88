"""Pages of those who compose protocols."""

from django.urls import path

from annotation.web.composing import installing, trials, views

urlpatterns = [
    path("protocols/", views.protocols, name="protocols"),
    path("protocols/drafts/<uuid:draft>/", views.protocol_draft, name="protocol_draft"),
    path("protocols/drafts/<uuid:draft>/file/", views.protocol_file, name="protocol_file"),
    path(
        "protocols/drafts/<uuid:draft>/install/",
        installing.protocol_install_page,
        name="protocol_install",
    ),
    # ``installed``: «key-version».
    path(
        "protocols/installed/<str:installed>/remove/",
        installing.protocol_remove_page,
        name="protocol_remove",
    ),
    # ``tried``: a draft by its number, or an installed protocol as «key-version».
    path("protocols/trials/<str:tried>/", trials.trial, name="protocol_trial"),
    path("protocols/trials/<str:tried>/guide/", trials.guide, name="protocol_trial_guide"),
    path(
        "protocols/trials/<str:tried>/options/<str:field>/",
        trials.options,
        name="protocol_trial_options",
    ),
]
