"""Who has which part."""

from django.urls import path

from annotation.web.people.views import invitations, people, study_people

urlpatterns = [
    path("account/invitation/<str:token>/", invitations.invitation, name="invitation_accept"),
    path("people/", people.people, name="people"),
    path(
        "studies/<slug:study>/people.csv",
        study_people.study_people_file,
        name="study_people_file",
    ),
    path("studies/<slug:study>/people/", study_people.study_people, name="study_people"),
]
