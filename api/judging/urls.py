"""An annotator at their pairs."""

from django.urls import path

from api.judging.views import judging, own_versions

_STUDY = "my/studies/<slug:study>/"
_PAIR = f"{_STUDY}assignments/<int:position>/"

urlpatterns = [
    path("my/studies/", judging.OwnStudies.as_view(), name="my_studies"),
    path(_STUDY, judging.OwnStudyDetail.as_view(), name="my_study"),
    path(f"{_STUDY}guide/", judging.CurrentGuide.as_view(), name="my_guide"),
    path(
        f"{_STUDY}guide/acknowledgement/",
        judging.Acknowledgement.as_view(),
        name="my_acknowledgement",
    ),
    path(f"{_STUDY}next/", judging.NextPair.as_view(), name="my_next"),
    path(f"{_STUDY}assignments/", judging.OwnPairs.as_view(), name="my_assignments"),
    path(_PAIR, judging.OwnPair.as_view(), name="my_assignment"),
    path(f"{_PAIR}draft/", judging.OwnDraft.as_view(), name="my_draft"),
    path(f"{_PAIR}judgment/", judging.OwnJudgment.as_view(), name="my_judgment"),
    path(f"{_PAIR}later/", judging.OwnLater.as_view(), name="my_later"),
    path(f"{_PAIR}taking-back/", own_versions.OwnTakingBack.as_view(), name="my_taking_back"),
    path(f"{_PAIR}history/", own_versions.OwnHistory.as_view(), name="my_history"),
    path(
        f"{_PAIR}history/<int:number>/restoration/",
        own_versions.OwnRevisionRestoration.as_view(),
        name="my_history_restoration",
    ),
    path(f"{_PAIR}versions/", own_versions.OwnVersions.as_view(), name="my_versions"),
    path(
        f"{_PAIR}versions/<int:number>/", own_versions.OwnVersionDetail.as_view(), name="my_version"
    ),
    path(
        f"{_PAIR}versions/<int:number>/restoration/",
        own_versions.OwnVersionRestoration.as_view(),
        name="my_version_restoration",
    ),
    path(f"{_STUDY}hours/", judging.Hours.as_view(), name="my_hours"),
]
