"""Keys for programs."""

from django.urls import path

from annotation.web.views import tokens

urlpatterns = [path("account/tokens/", tokens.tokens, name="tokens")]
