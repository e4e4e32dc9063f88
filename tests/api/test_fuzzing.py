"""Whatever a program sends, the answer is one that the description announces, and never a defect of ours.

Schemathesis makes the requests from the description itself. A few for each operation: enough to meet the corners
(empty and enormous texts, foreign types, numbers beyond every column), short enough for each run of the suite.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotation.models import ApiToken
from annotation.services.tokens import token_create

# At module level: schemathesis.pytest.from_fixture breaks on pytest 9.2.
described = schemathesis.openapi.from_wsgi("/api/v1/schema/", get_wsgi_application())
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


# Whoever has something to find there; everybody else is told 404.
WHO = {"my/": "annotator", "people/": "admin", "scor": "admin", "training": "admin"}


@pytest.fixture
def _many_requests_in_one_test(settings) -> Iterator[None]:
    """As many as it takes, on the connection of the test, which a server would close after each."""
    settings.API_REQUESTS_PER_MINUTE = 10**6
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.slow
@pytest.mark.walk
@pytest.mark.usefixtures("_many_requests_in_one_test")
@described.parametrize()
@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_is_announced(case, cast):
    role = next((one for start, one in WHO.items() if case.path.startswith(f"/api/v1/{start}")), "lead")
    _token, secret = token_create(actor=getattr(cast, role), name="fuzz", scopes=ApiToken.Scope.values, days=1)
    ApiToken.objects.exclude(pk=_token.pk).delete()
    if "study" in case.path_parameters:
        case.path_parameters["study"] = "alpha"
    if "position" in case.path_parameters:
        case.path_parameters["position"] = 2
    headers = {"Authorization": f"Bearer {secret}", "Accept-Language": "en", "Accept-Encoding": "identity"}
    case.call_and_validate(headers=headers, checks=CHECKS)
