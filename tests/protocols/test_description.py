"""A protocol as data and back, and a study whose protocol is no longer installed."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from enum import Enum

import pytest

# As it is loaded it names a protocol that is uninstalled here.
import annotation.metrics.papers.registry  # noqa: F401
from annotation.errors import RuleError
from annotation.models import Draft, Judgment, PublishedProtocol
from annotation.protocols.base import PairFacts
from annotation.protocols.description import described, recovered
from annotation.protocols.protocol import Protocol, no_finding, no_rules
from annotation.protocols.registry import PROTOCOLS, UnknownProtocol
from annotation.selectors.privacy.free_text import answer_members
from annotation.selectors.publishing.exports import LAYOUTS, export_chunks, export_spec
from annotation.services.judging.judgments import judgment_submit
from tests.factories import make_assignment, make_pair, make_study, save


def no_hints(_rulings):
    return ()


def bare(protocol: Protocol) -> Protocol:
    """Without what a description does not keep."""
    judge = replace(protocol.judge, hints=no_hints)
    return replace(protocol, rules=no_rules, finding=no_finding, judge=judge, is_installed=True)


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_everything_but_its_functions_comes_back(protocol):
    back = recovered(json.loads(json.dumps(described(protocol))))
    assert not back.is_installed
    assert bare(back) == bare(protocol)


def test_what_came_back_refuses_every_judgment():
    for protocol in PROTOCOLS.values():
        back = recovered(described(protocol))
        refused = back.problems(back.empty_answers(), PairFacts(1, 1), back.clean_rulings({}))
        assert refused[-1].code == "not_installed"


def test_what_a_description_cannot_keep_is_refused():
    class Strange(Enum):
        ONE = 1

    with pytest.raises(TypeError, match="Strange in a protocol"):
        described(replace(PROTOCOLS["legal_meaning", "1"], predicted=Strange.ONE))


def test_what_is_no_description_is_refused():
    with pytest.raises(TypeError, match="no description"):
        recovered({"key": "x"})
    with pytest.raises(KeyError, match="Vanished"):
        recovered({"_class": "Protocol", "steps": [{"_class": "Vanished"}]})


@pytest.fixture
def uninstall():
    """Takes a protocol out for one test; afterwards all stand in their order again."""
    before = dict(PROTOCOLS)

    def taken(key: str) -> None:
        del PROTOCOLS[key, "1"]

    yield taken
    PROTOCOLS.clear()
    PROTOCOLS.update(before)


@pytest.mark.django_db
class TestUninstalled:
    @pytest.fixture
    def judged(self, cast):
        study = make_study("gone", lead=cast.lead, state="main")
        assignment = make_assignment(study)
        judgment_submit(
            actor=assignment.annotator.user, assignment=assignment, save=save(comment="Le délai ?")
        )
        make_pair(study)
        return study

    @staticmethod
    def files(study):
        return {
            name: "".join(
                chunk.text
                for chunk in export_chunks(
                    study, export_spec(name, "json" if name == "codebook" else "jsonl", {})
                )
            )
            for name in LAYOUTS
            if name in ("long", "wide", "errors", "frjudge", "codebook")
        }

    def test_its_data_can_be_read_and_exported_as_before(self, cast, judged, uninstall):
        before = self.files(judged)
        uninstall("legal_meaning")
        assert self.files(judged) == before
        lead = cast.client("lead")
        page = re.sub(r"\s+", " ", html.unescape(lead.get("/studies/gone/").content.decode()))
        assert "(legal_meaning, version 1) n'est plus installé ici" in page
        assert lead.get("/studies/gone/agreement/").status_code == 200
        assert lead.get("/studies/gone/settings/").status_code == 200

    def test_nothing_is_judged_by_it_and_what_was_typed_is_kept(self, judged, uninstall):
        uninstall("legal_meaning")
        other = make_assignment(judged)
        with pytest.raises(RuleError) as refused:
            judgment_submit(actor=other.annotator.user, assignment=other, save=save(comment="ici"))
        assert [problem.code for problem in refused.value.problems] == ["not_installed"]
        assert Draft.objects.get(assignment=other).answers["comment"] == "ici"
        assert Judgment.objects.count() == 1

    def test_what_people_wrote_under_it_is_still_found(self, judged, uninstall):
        before = answer_members()
        uninstall("everything")
        assert ("flaws", "*", "note") in before
        assert set(answer_members()) == set(before)

    def test_it_is_read_back_once_for_a_study(self, judged, uninstall, django_assert_num_queries):
        uninstall("legal_meaning")
        # Whether anybody has installed it meanwhile, and what is kept of it.
        with django_assert_num_queries(2):
            assert judged.protocol is judged.protocol

    def test_one_that_was_never_here_is_told_by_name(self, judged, uninstall):
        PublishedProtocol.objects.all().delete()
        uninstall("legal_meaning")
        with pytest.raises(UnknownProtocol, match="legal_meaning"):
            _ = judged.protocol
