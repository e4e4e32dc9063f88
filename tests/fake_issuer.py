"""An issuer of OpenID Connect over real HTTP: it describes itself, signs, and checks what a client
sends as the specification asks."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

_WAYS = "token_endpoint_auth_methods_supported"
CLIENT, SECRET = "bareme", "a-secret-of-the-client"


@dataclass
class Issuer:
    """``person``: who logs in there, as claims. The rest is what a test bends: ``described`` and
    ``token`` overwrite what it says of itself and signs, ``signs_by`` is an algorithm, ``heard``
    the requests for a token and ``looked`` all other paths that were asked; ``raw`` is what it
    answers at a path instead; ``is_broken`` lets it answer with 500."""

    person: dict[str, Any] = field(default_factory=lambda: {"sub": "u-1"})
    described: dict[str, Any] = field(default_factory=dict)
    token: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    signs_by: str = "RS256"
    refuses: str = ""
    is_broken: bool = False
    raw: dict[str, str] = field(default_factory=dict)
    looked: list[str] = field(default_factory=list)
    heard: list[dict[str, str]] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    url: str = ""
    keys: list[RSAKey] = field(
        default_factory=lambda: [RSAKey.generate_key(2048, {"kid": "one"}, auto_kid=False)]
    )

    def description(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "none", "HS256"],
        } | self.described

    def authorized(self, asked: str) -> str:
        """Where it sends a browser that came with this address, once the person has logged in."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(asked).query).items()}
        assert query["client_id"] == CLIENT
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        back = {"state": query["state"]}
        if self.refuses:
            return f"{query['redirect_uri']}?{urlencode(back | {'error': self.refuses})}"
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode(back | {'code': code})}"

    def token_for(self, sent: dict[str, str]) -> dict[str, Any]:
        """The answer for a code, which serves once."""
        query = self.codes.pop(sent["code"])
        digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == query["code_challenge"]
        assert sent["redirect_uri"] == query["redirect_uri"]
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": query["nonce"],
        }
        claims |= self.person | self.token
        return {
            "access_token": "access",
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": self.signed({name: v for name, v in claims.items() if v is not None}),
        }

    def signed(self, claims: dict[str, Any]) -> str:
        header = {"alg": self.signs_by, "kid": self.keys[0].kid}
        if self.signs_by == "none":
            parts = [json.dumps({"alg": "none"}), json.dumps(claims)]
            return (
                ".".join(base64.urlsafe_b64encode(p.encode()).rstrip(b"=").decode() for p in parts)
                + "."
            )
        if self.signs_by == "HS256":
            return jwt.encode(header, claims, OctKey.import_key(SECRET), algorithms=["HS256"])
        return jwt.encode(header, claims, self.keys[0], algorithms=[self.signs_by])


@contextmanager
def issuing() -> Iterator[Issuer]:
    issuer = Issuer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(issuer))
    issuer.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(issuer: Issuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            issuer.looked.append(path)
            if path in issuer.raw:
                self._send(issuer.raw[path].encode())
                return
            if path == "/authorize":
                self.send_response(302)
                self.send_header("Location", issuer.authorized(self.path))
                self.end_headers()
                return
            answers = {
                "/.well-known/openid-configuration": issuer.description,
                "/keys": lambda: KeySet(issuer.keys).as_dict(private=False),
                "/userinfo": lambda: {"sub": issuer.person["sub"]} | issuer.userinfo,
            }
            self._answer(answers[path]())

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = parse_qs(self.rfile.read(length).decode())
            sent = {name: values[0] for name, values in body.items()}
            basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
            if "client_secret_post" in issuer.description().get(_WAYS, ()):
                assert (sent["client_id"], sent.pop("client_secret")) == (CLIENT, SECRET)
            else:
                assert self.headers["Authorization"] == f"Basic {basic}"
            issuer.heard.append(sent)
            if "/token" in issuer.raw:
                self._send(issuer.raw["/token"].encode())
            else:
                self._answer(issuer.token_for(sent))

        def _answer(self, said: dict[str, Any]) -> None:
            self._send(json.dumps(said).encode())

        def _send(self, body: bytes) -> None:
            self.send_response(500 if issuer.is_broken else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: Any) -> None:
            """Quiet."""

    return Handler
