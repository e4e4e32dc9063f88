"""Edits that people call errors are called so on the page, on its sheet of keys and in refusals."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from annotation.protocols.base import Better, PairFacts, Wording
from annotation.protocols.protocol import Protocol, Step
from annotation.protocols.registry import PROTOCOLS
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.protocols.samples.marked import SEVERITIES, asking

pytestmark = pytest.mark.django_db

MARKED = asking(severities=SEVERITIES)
EDITS: Any = MARKED.field("edits")


def called_errors() -> Protocol:
    # Their groups and types have words of their own.
    errors = replace(
        EDITS, label=Wording("Erreurs", "Errors"), better=Better.LOWER, are_errors=True
    )
    return replace(
        MARKED,
        title=Wording("Erreurs marquées", "Errors marked"),
        steps=(Step("edits", Wording("Qu'est-ce qui est faux?", "What is wrong?"), (errors,)),),
    )


def section(
    client: Client, monkeypatch: pytest.MonkeyPatch, protocol: Protocol, language: str
) -> str:
    """The field as its annotator gets it."""
    monkeypatch.setitem(PROTOCOLS, ("marked", "1"), protocol)
    # Parts of pages are kept under a protocol's version, which nobody edits elsewhere.
    cache.clear()
    study = make_study("essai", state="main", protocol_key="marked", protocol_version="1")
    make_pair(study)
    user = make_user("student")
    user.language = language
    user.save()
    make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    client.force_login(user)
    page = client.get(reverse("annotate", args=[study.key, 1])).content.decode()
    (field,) = re.findall(r'<section class="edits".*?</section>', page, re.DOTALL)
    return re.sub(r"\s+", " ", unescape(field))


@pytest.mark.parametrize(
    ("language", "never", "said"),
    [
        (
            "fr",
            r"\bopérations?\b",
            ("Erreurs : {count}", "Erreur {number} : {type}", "Aucune erreur marquée.",
             "Type d'erreur", "Tous les types d'erreur", "L'erreur en cours"),
        ),
        (
            "en",
            r"\b(?:edits?|operations?)\b",
            ("Errors: {count}", "Error {number}: {type}", "No error marked.", "Type of error",
             "All types of error", "The error in hand"),
        ),
    ],
)  # fmt: skip
def test_the_page_calls_them_errors(client, monkeypatch, language, never, said):
    shown = section(client, monkeypatch, called_errors(), language)
    for words in said:
        assert words in shown
    # What is read, and what is read out: names of classes and of attributes are neither.
    spoken = re.sub(r"<[^>]*>", " ", shown)
    spoken += " ".join(re.findall(r'(?:aria-label|placeholder|data-say-[\w-]+)="([^"]*)"', shown))
    assert not re.search(never, spoken, re.IGNORECASE)


def test_operations_are_called_as_before(client, monkeypatch):
    shown = section(client, monkeypatch, MARKED, "fr")
    assert "Opérations : {count}" in shown
    assert "Aucune opération marquée." in shown
    assert "rreur" not in shown.replace("simplification erronée", "")


def test_a_refusal_calls_them_errors(monkeypatch):
    (errors,) = called_errors().fields
    facts = PairFacts(10, 10, original="x" * 10, simplification="y" * 10)
    wrong = [{"type": ""}, {"type": "op5", "simplification": [[0, 2]]}, {"original": [[0, 99]]}]
    problems = errors.problems({"edits": errors.clean(wrong)}, facts, {})
    assert len(problems) > 3
    for problem in problems:
        assert "erreur" in problem.message.fr
        assert "error" in problem.message.en.casefold()
        assert "pération" not in problem.message.fr
        assert " edit " not in f" {problem.message.en.casefold()} "
