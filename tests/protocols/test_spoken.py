"""Every page of a study whose texts are English, its reader's interface French: what is English
says so (WCAG 3.1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.core.cache import cache

from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from tests.protocols.answered import JUDGES
from tests.protocols.judged import Judged, judged
from tests.protocols.test_walk import OF_A_STUDY, dimensioned, texts_of, values_of
from tests.services.generation.generating import broker
from tests.web import access_table
from tests.web.test_access_matrix import URLS, whole
from tests.web.test_access_matrix import address as page_address

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.walk]

ORIGINAL = (
    "The insurer shall indemnify whoever owns the building at the moment of the loss, save where "
    "the policyholder concealed what would have changed the premium."
)
SIMPLIFICATION = (
    "The insurer pays the owner of the house when something happens, unless the client hid a "
    "fact that makes the price higher."
)
# Each stands in one of the two, and survives that a page shows how a text begins.
SAID = ("The insurer shall indemnify", "The insurer pays the owner")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
# What cannot say a language of its own parts, or is no text of the page.
SILENT = {"title", "script", "style", "option", "textarea", "template"}
IN_ANY_LANGUAGE = [
    protocol
    for protocol in PROTOCOLS.values()
    if all(not panel.language for panel in protocol.panels) and len(protocol.panels) > 1
]


class Spoken(HTMLParser):
    """The texts of a page, each with the language that the nearest element around it says."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            around = self.open[-1][1] if self.open else ""
            self.open.append((tag, dict(attrs).get("lang") or around))

    def handle_endtag(self, tag: str) -> None:
        names = [name for name, _ in self.open]
        if tag in names:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if not any(name in SILENT for name, _ in self.open):
            self.found.append((" ".join(data.split()), self.open[-1][1] if self.open else ""))


def pages(judged_study: Judged) -> Iterator[tuple[str, str]]:
    """Every page of the study that its lead, and that one of its annotators, can open."""
    values = values_of(judged_study)
    lead, judge = (
        judged_study.client(judged_study.lead),
        judged_study.client(judged_study.judges[0]),
    )
    for name in OF_A_STUDY:
        rule = access_table.TABLE[name]
        for who, client in (("lead", lead), ("annotator", judge)):
            if rule.get[who] != 200:
                continue
            for own in dimensioned(
                name, judged_study.study.protocol, URLS[name].pattern.converters
            ):
                url = page_address(name, values, **own)
                answer = client.get(url)
                if answer.status_code == 200 and "html" in answer.get("Content-Type", ""):
                    yield url, whole(answer).decode()


@pytest.mark.parametrize("protocol", IN_ANY_LANGUAGE, ids=lambda protocol: protocol.key)
def test_every_english_text_says_that_it_is(protocol: Protocol) -> None:
    cache.clear()
    judged_study = judged(
        protocol, closed=False, language="en", original=ORIGINAL, text=SIMPLIFICATION
    )
    typed = [text for who in JUDGES for text in texts_of(protocol, who)]
    seen: set[str] = set()
    silent: set[tuple[str, str, str]] = set()
    for url, page in pages(judged_study):
        spoken = Spoken()
        spoken.feed(page)
        for text, language in spoken.found:
            said = [phrase for phrase in (*SAID, *typed) if phrase in text]
            seen |= set(said)
            if said and language != "en":
                silent.add((url, language, text[:80]))
    assert silent == set()
    # It looked at something: both texts, and what people typed.
    assert seen >= {*SAID, *typed}
