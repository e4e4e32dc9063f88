"""Agreement on marks by the API: the package's figures, groups, what cannot be asked."""

from __future__ import annotations

import pytest

from annotation.agreement.marks.figure import Drawn
from annotation.models import Study
from annotation.protocols.registry import protocol
from annotation.selectors.agreement import marks_kept
from annotation.selectors.agreement.marked import MarksRequest, marks_figures
from annotation.selectors.agreement.marks_kept import marks_state
from tests.api.conftest import bearer
from tests.factories import make_study
from tests.protocols.judged import judged

pytestmark = pytest.mark.django_db
MERGED = (("deletions", ("delprop", "delmod", "delcst", "deloth")), ("word", ("synonym", "pron")))


@pytest.fixture
def marked():
    return judged(protocol("assetann", "1"))


def asked(marked, query: str = "", status: int = 200):
    response = bearer(marked.lead).get(
        f"/api/v1/studies/{marked.study.key}/agreement/marks/?draws=20{query}"
    )
    assert response.status_code == status, response.content
    return response.json()


def test_the_figures_of_the_package(marked):
    figures = asked(marked, "&merge=deletions&groups=word%3Dsynonym,pron&seed=7")
    wanted = marks_figures(marked.study, MarksRequest("edits", groups=MERGED), Drawn(20, 7))
    assert figures["report"] == wanted.report.as_dict()
    assert (figures["field"], figures["round"], figures["again"]) == ("edits", "main", [])
    practice = asked(marked, "&round=practice")["report"]
    assert practice["shared_pairs"] == 1


def test_drawn_as_the_page_draws_it_is_computed_once(marked, monkeypatch):
    first = asked(marked, "&draws=1000&seed=42")
    monkeypatch.setattr(marks_kept, "marks_figures", None)
    assert asked(marked, "&draws=1000&seed=42") == first
    assert marks_state(marked.study, MarksRequest("edits")).is_current, "the page has it too"


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("&field=comment", "field", "Questions that mark: edits."),
        ("&merge=words", "merge", "“words” is none of: insertions, deletions"),
        ("&without=x", "without", "“x” is none of: inprop"),
        ("&groups=word%3Dx", "groups", "“x” is no operation"),
        ("&groups=a%3Dpron;b%3Dpron", "groups", "“pron” stands in two groups"),
        ("&groups=deletions%3Dpron&merge=deletions", "groups", "“deletions” stands in two"),
    ],
)
def test_what_cannot_be_asked(marked, query, field, words):
    refusal = str(asked(marked, query, 400))
    assert words in refusal
    assert field in refusal


def test_not_where_nothing_is_marked_nor_while_answers_are_hidden(marked):
    make_study("slides", lead=marked.lead, protocol_key="direct_assessment", state="closed")
    lead = bearer(marked.lead)
    assert lead.get("/api/v1/studies/slides/agreement/marks/").status_code == 404
    Study.objects.filter(pk=marked.study.pk).update(state="main", is_blind=True)
    asked(marked, status=403)
