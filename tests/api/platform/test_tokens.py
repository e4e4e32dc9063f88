"""Keys: stored as a digest only, narrowed by scopes, useless once revoked, expired or their owner's
account closed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.serializers import serialize
from django.test import Client
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import ApiToken, Event
from annotation.services.accounts.tokens import secret_digest, token_create, token_revoke, token_use
from tests.cast import Cast

ME = "/api/v1/me/"


def asked(secret: str, path: str = ME):
    return Client().get(path, headers={"authorization": f"Bearer {secret}"})


def test_the_secret_is_nowhere_in_the_database(cast: Cast):
    token, secret = token_create(actor=cast.lead, name="a script", scopes=["read"], days=30)
    assert len(secret) >= 50
    assert token.digest == secret_digest(secret)
    stored = serialize("json", [*ApiToken.objects.all(), *Event.objects.all()])
    assert secret not in stored
    assert secret[len(token.prefix) :] not in stored
    assert Event.objects.get(verb="token_created").details == {"scopes": "read", "days": 30}


def test_it_stands_for_its_owner_and_says_so(cast: Cast):
    _token, secret = token_create(
        actor=cast.lead, name="a script", scopes=["lead", "read"], days=30
    )
    facts = asked(secret).json()
    assert (facts["email"], facts["leads"], facts["annotates"]) == (cast.lead.email, ["alpha"], [])
    assert facts["token"]["scopes"] == ["read", "lead"]


@pytest.mark.parametrize("how", ["revoked", "expired", "closed", "changed", "empty"])
def test_what_is_not_valid_opens_nothing(cast: Cast, how: str):
    token, secret = token_create(actor=cast.lead, name="a script", scopes=["read"], days=30)
    if how == "revoked":
        token_revoke(actor=cast.lead, token=token)
        token_revoke(actor=cast.lead, token=token)
        assert Event.objects.filter(verb="token_revoked").count() == 1
    elif how == "expired":
        ApiToken.objects.update(expires_at=timezone.now())
    elif how == "closed":
        cast.lead.is_active = False
        cast.lead.save()
    else:
        secret = secret[:-1] + ("a" if secret[-1] != "a" else "b") if how == "changed" else ""
    answer = asked(secret)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["type"] == "login_required"


@pytest.mark.parametrize(
    ("scopes", "method", "path", "status"),
    [
        (["judge"], "get", ME, 403),
        (["read"], "get", ME, 200),
        (["read"], "post", "/api/v1/studies/", 403),
        (["read", "judge"], "patch", "/api/v1/studies/alpha/", 403),
        (["read", "lead"], "patch", "/api/v1/studies/alpha/", 200),
        (["read", "lead"], "put", "/api/v1/my/studies/alpha/assignments/1/draft/", 403),
        (["read", "lead"], "get", "/api/v1/people/", 403),
        (["admin"], "get", "/api/v1/people/", 404),
    ],
)
def test_its_scopes_narrow_what_it_may_do(cast: Cast, program, scopes, method, path, status):
    answer = program("lead", *scopes).generic(method.upper(), path, "{}", "application/json")
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["type"] == "missing_scope"
        assert answer.json()["scope"] in ApiToken.Scope.values


def test_its_use_is_noted_at_most_once_a_minute(cast: Cast):
    token, secret = token_create(actor=cast.lead, name="a script", scopes=["read"], days=30)
    asked(secret)
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    asked(secret)
    token.refresh_from_db()
    assert token.last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    asked(secret)
    token.refresh_from_db()
    assert token.last_used_at > first - timedelta(minutes=2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"scopes": []},
        {"scopes": ["root"]},
        {"days": 0},
        {"days": 366},
        {"name": "n" * 101},
    ],
)
def test_a_key_needs_a_name_scopes_and_an_end(cast: Cast, wrong):
    with pytest.raises(RuleError):
        token_create(actor=cast.lead, **({"name": "a", "scopes": ["read"], "days": 30} | wrong))


def test_nobody_heaps_up_keys(cast: Cast, monkeypatch):
    monkeypatch.setattr("annotation.services.accounts.tokens.MOST_TOKENS", 1)
    token_create(actor=cast.lead, name="a", scopes=["read"], days=30)
    with pytest.raises(RuleError, match="1 keys in force"):
        token_create(actor=cast.lead, name="b", scopes=["read"], days=30)


def test_what_is_no_key_is_not_looked_up(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert token_use("eyJhbGciOiJIUzI1NiJ9") is None


def test_the_page_shows_a_key_once_and_revokes_it(cast: Cast):
    browser = cast.client("lead")
    page = browser.post(
        "/account/tokens/", {"action": "create", "name": "nuit", "scopes": ["read"], "days": 30}
    )
    secret = page.context["secret"]
    assert secret in page.content.decode()
    assert asked(secret).status_code == 200
    listed = browser.get("/account/tokens/").content.decode()
    assert secret not in listed
    assert "nuit" in listed
    token = ApiToken.objects.get()
    assert (
        cast.client("other_lead")
        .post("/account/tokens/", {"action": "revoke", "token": token.pk})
        .status_code
        == 404
    )
    assert (
        browser.post("/account/tokens/", {"action": "revoke", "token": token.pk}).status_code == 302
    )
    assert asked(secret).status_code == 401


def test_only_admins_are_offered_the_admin_scope(cast: Cast):
    wanted = {"action": "create", "name": "n", "scopes": ["admin"], "days": 30}
    assert cast.client("lead").post("/account/tokens/", wanted).status_code == 422
    assert cast.client("admin").post("/account/tokens/", wanted).status_code == 200


def test_a_browser_s_session_reads_but_writes_only_with_a_csrf_token(cast: Cast):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(cast.lead)
    assert browser.get(ME).json()["token"] is None
    answer = browser.patch("/api/v1/studies/alpha/", data="{}", content_type="application/json")
    assert answer.status_code == 403
