"""The page that marks edits, open at a pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Page

from annotation.protocols.registry import PROTOCOLS
from annotation.services.planning.assignments import assignments_fill
from tests.browser.edits.driving import ORIGINAL, SIMPLIFIED, ready
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.protocols.samples.marked import PROTOCOL


@pytest.fixture
def marking(
    page: Page, live_server: Any, log_in: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Page]:
    """Opens a pair of a study whose protocol asks for edits alone."""

    def opened(original: str = ORIGINAL, text: str = SIMPLIFIED, protocol: Any = PROTOCOL) -> Page:
        monkeypatch.setitem(PROTOCOLS, ("marked", "1"), protocol)
        # Parts of pages are kept under a protocol's version, which nobody edits elsewhere.
        cache.clear()
        study = make_study("essai", state="main", protocol_key="marked", protocol_version="1")
        make_pair(study, original=original, text=text, language="fr")
        user = make_user("student")
        make_annotator(study, user)
        assignments_fill(actor=None, study=study)
        log_in(user)
        page.goto(f"{live_server.url}/annotate/essai/1/")
        ready(page)
        return page

    return opened
