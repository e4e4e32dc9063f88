"""Whatever a program sends, the answer is one that the description announces, and never a defect of
ours.

Schemathesis makes the requests from the description itself. A few for each operation: enough to
meet the corners (empty and enormous texts, foreign types, numbers beyond every column), short
enough for each run of the suite.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotation.models import ApiToken, User
from annotation.services.accounts.tokens import token_create
from api.platform.views.documentation import schema
from tests.api.described import DESCRIPTION

METHODS = ("get", "put", "post", "delete", "patch")
OPERATIONS = [
    pytest.param(method, path, id=f"{method.upper()} {path}")
    for path, operations in DESCRIPTION["paths"].items()
    for method in METHODS
    if method in operations
]
A_FEW = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


# Whose answers are sent to a study of the first.
TRIED = ("/LegalMeaning1Answers", "/Plain2.0Answers")

# Whoever has something to find there; everybody else is told 404.
WHO = {"my/": "annotator", "people/": "admin", "scor": "admin", "training": "admin"}


@contextmanager
def _connection_kept() -> Iterator[None]:
    """A server would close it after each request, with what stands in it between tests."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def _many_requests_in_one_test(settings) -> Iterator[None]:
    """As many as it takes, on the connection of the test."""
    settings.API_REQUESTS_PER_MINUTE = 10**6
    with _connection_kept():
        yield


class Keys:
    """A person's key, for as long as no request has taken it away."""

    def __init__(self) -> None:
        self._secret, self._token = "", ApiToken()

    def of(self, person: User) -> str:
        # As it was made: a request may have revoked it, or made others.
        there = set(ApiToken.objects.values_list("pk", "user", "revoked_at"))
        if there == {(self._token.pk, person.pk, None)}:
            return self._secret
        if (self._token.pk, person.pk, None) not in there:
            self._token, self._secret = token_create(
                actor=person, name="fuzz", scopes=ApiToken.Scope.values, days=1
            )
        ApiToken.objects.exclude(pk=self._token.pk).delete()
        return self._secret


@pytest.fixture(scope="module")
def described() -> Any:
    """The description as ``/api/v1/schema/`` sends it, without reading it from text again; there,
    tests/api/platform/test_schema.py has a look at it."""
    description = schemathesis.openapi.from_dict(_of_one_protocol(json.loads(json.dumps(schema()))))
    description.app, description.location = get_wsgi_application(), "/api/v1/schema/"
    return description


def _of_one_protocol(description: dict[str, Any]) -> dict[str, Any]:
    """What may be sent as answers: those of the study's own protocol, and of one other. Every
    further protocol is hundreds of requests more with names that this study does not know
    either. What is received is held against the whole description."""
    for name, component in description["components"]["schemas"].items():
        answers = component.get("properties", {}).get("answers", {})
        if name.endswith("Request") and len(answers.get("anyOf", ())) > len(TRIED):
            answers["anyOf"] = [
                alternative
                for alternative in answers["anyOf"]
                if alternative["$ref"].endswith(TRIED)
            ]
            assert len(answers["anyOf"]) == len(TRIED)
    return description


@pytest.fixture(scope="module")
def feedback(described) -> FeedbackSources:
    return FeedbackSources(constants_value_source=make_constants_value_source(described))


@pytest.fixture
def keys(cast) -> Keys:
    return Keys()


@pytest.mark.slow
@pytest.mark.walk
@pytest.mark.usefixtures("_many_requests_in_one_test")
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_answer_is_one_that_is_announced(method, path, described, feedback, cast, keys):
    start = path.removeprefix("/api/v1/")
    role = next((role for name, role in WHO.items() if start.startswith(name)), "lead")

    def answered(case: Any) -> None:
        if "study" in case.path_parameters:
            case.path_parameters["study"] = "alpha"
        if "position" in case.path_parameters:
            case.path_parameters["position"] = 2
        headers = {
            "Authorization": f"Bearer {keys.of(getattr(cast, role))}",
            "Accept-Language": "en",
            "Accept-Encoding": "identity",
        }
        case.call_and_validate(headers=headers, checks=CHECKS)

    # As `described.parametrize()` does, which makes the requests of all operations, five seconds'
    # work, in every process that collects this file. `schemathesis.pytest.from_fixture`, meant for
    # that, breaks on pytest 9.2.
    build_operation_test(
        config=described.config,
        operation=described[path][method],
        test_func=A_FEW(answered),
        given_kwargs={},
        feedback=feedback,
    )()


def test_every_operation_is_tried(described):
    tried = {
        (operation.ok().method, operation.ok().path) for operation in described.get_all_operations()
    }
    assert {tuple(operation.values) for operation in OPERATIONS} == tried
