"""Who has which part."""

from django.urls import path

from api.people import views

urlpatterns = [
    path("studies/<slug:study>/annotators/", views.Annotators.as_view(), name="annotators"),
    path(
        "studies/<slug:study>/annotators/<str:pseudonym>/",
        views.AnnotatorDetail.as_view(),
        name="annotator",
    ),
    path(
        "studies/<slug:study>/annotators/<str:pseudonym>/withdrawal/",
        views.Withdrawal.as_view(),
        name="withdrawal",
    ),
    path(
        "studies/<slug:study>/annotators/<str:pseudonym>/release/",
        views.Release.as_view(),
        name="release",
    ),
    path("studies/<slug:study>/leads/", views.Leads.as_view(), name="leads"),
    path("studies/<slug:study>/leads/<int:lead>/", views.LeadDetail.as_view(), name="lead"),
    path("studies/<slug:study>/invitations/", views.Invitations.as_view(), name="invitations"),
    path(
        "studies/<slug:study>/invitations/<int:invitation>/",
        views.InvitationDetail.as_view(),
        name="invitation",
    ),
    path("people/", views.Accounts.as_view(), name="people"),
    path("people/<int:person>/", views.AccountDetail.as_view(), name="person"),
]
