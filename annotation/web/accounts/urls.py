"""Logging in, one's own account, its keys."""

from django.contrib.auth import views as auth_views
from django.urls import path

from annotation.web.accounts.views import account, address, institution, security, tokens

urlpatterns = [
    path("account/login/", account.LoginView.as_view(), name="login"),
    path("account/institution/", institution.institution, name="institution"),
    path("account/institution/back/", institution.institution_back, name="institution_back"),
    path("account/institution/code/", institution.institution_code, name="institution_code"),
    path("account/logout/", account.LogoutView.as_view(), name="logout"),
    path("account/password/change/", account.PasswordChangeView.as_view(), name="password_change"),
    path("account/password/reset/", account.PasswordResetView.as_view(), name="password_reset"),
    path(
        "account/password/reset/sent/",
        auth_views.PasswordResetDoneView.as_view(template_name="accounts/password_reset_done.html"),
        name="password_reset_done",
    ),
    path(
        "account/password/reset/<uidb64>/<token>/",
        account.PasswordResetConfirmView.as_view(),
        name="password_reset_confirm",
    ),
    path("account/address/", address.address, name="address"),
    path("account/security/", security.security, name="security"),
    path("account/preferences/", account.preferences, name="preferences"),
    path("account/keys/", account.keys, name="keys"),
    path("account/columns/<slug:columns>/", account.table_columns, name="table_columns"),
    path("account/session/", account.session, name="session"),
    path("account/tokens/", tokens.tokens, name="tokens"),
]
