"""Protocols that people install themselves: whatever process is asked, and whatever the database
had rules for before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.http import Http404
from django.test import Client
from django.utils import timezone

from annotation import checks
from annotation.access import composed_protocol_for
from annotation.apps import publish
from annotation.corpus.judging import judging_handed_on, judging_of, judging_options
from annotation.errors import RuleError, StaleProtocolDraft
from annotation.models import (
    Event,
    Judgment,
    PublishedProtocol,
    Rating,
    Study,
    User,
    triggers,
)
from annotation.models.composed import composed_refused, former_moment
from annotation.models.descriptions import descriptions_keep, files_expect
from annotation.privacy.names import Person
from annotation.protocols.files import protocol_read
from annotation.protocols.registry import (
    COMPOSED,
    CONTENTS,
    PROTOCOLS,
    SOURCES,
    UnknownProtocol,
    latest_versions,
    protocol,
    publish_composed,
    published,
    withdraw_composed,
)
from annotation.selectors.composing.drafts import examined
from annotation.selectors.composing.installed import composed_by, followed
from annotation.selectors.privacy.erasure_places import places
from annotation.selectors.privacy.free_text import answer_members
from annotation.selectors.privacy.identity import Identity, program_words, words_in_use
from annotation.services.composing import installing as module
from annotation.services.composing.drafts import Composed, protocol_draft_save
from annotation.services.composing.installing import draft_install, protocol_remove
from annotation.services.privacy.erasure import belongings_remove
from annotation.services.studies.studies import study_create
from annotation.web.accounts.keys import keys_are_allowed
from tests.composing import composed, draft_of, installed
from tests.factories import make_assignment, make_study, make_user
from tests.protocols.judged import judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user("lead")


def another_process() -> None:
    """One that has not looked yet."""
    for identity in list(COMPOSED):
        withdraw_composed(*identity)


def refusal(of: pytest.ExceptionInfo[RuleError]) -> str:
    return of.value.problems[0].message.en


class TestInstalled:
    def test_every_process_knows_it_once_it_is_asked(self, owner: User) -> None:
        installed(owner)
        for _process in range(2):
            assert protocol("clarity", "1").title.en == "Clarity"
            another_process()
            assert latest_versions()["clarity"].version == "1"
            another_process()
            assert "clarity 1" in {each.name for each in published()}
            another_process()
            assert ("clarity", "1") not in PROTOCOLS

    def test_it_is_judged_closed_and_exported_by_processes_that_began_before(
        self, owner: User
    ) -> None:
        installed(owner)
        another_process()
        study = judged(protocol("clarity", "1")).study
        another_process()
        again = Study.objects.get(pk=study.pk)
        assert again.protocol.name == "clarity 1"
        assert again.protocol is PROTOCOLS["clarity", "1"], "not read back of a description"
        assert Rating.objects.filter(judgment__protocol="clarity 1").count() == 9

    def test_the_database_refuses_what_it_does_not_ask(self, owner: User) -> None:
        installed(owner)
        row = make_assignment(make_study(protocol_key="clarity", state="main"))
        judgment = Judgment.objects.create(assignment=row, protocol="clarity 1")
        judgment.submitted_at = timezone.now()
        with pytest.raises(DatabaseError, match="judgment_incomplete"), transaction.atomic():
            judgment.save()
        Rating.objects.create(judgment=judgment, dimension="clarity", value=9)
        with pytest.raises(DatabaseError, match="on_its_scale"), transaction.atomic():
            judgment.save()

    @pytest.mark.parametrize(
        ("topics", "why", "refused"),
        [
            ((1, 0, 0), "", True),
            ((0, 0, 1), "", True),
            ((0, 1, 0), "", False),
            ((1, 0, 1), "oui", False),
            ((0, 1, 0), "un", True),
            ((0, 1, 0), "deux", True),
            ((0, 1, 0), "trois", False),
        ],
    )
    def test_a_condition_on_any_of_several_answers(
        self, owner: User, topics: tuple[int, ...], why: str, refused: bool
    ) -> None:
        """Of several dimensions, and of several words of one answer."""
        label = {"fr": "Sujets", "en": "Topics"}
        options = [
            {"value": value, "key": key, "label": {"fr": key, "en": key}}
            for value, key in enumerate("abc", 1)
        ]
        asked_of = [
            {"kind": "choices", "name": "topics", "label": label, "options": options},
            {"kind": "text", "name": "why", "label": label}
            | {"required_when": {"field": "topics", "values": [1, 3]}},
            {"kind": "text", "name": "more", "label": label}
            | {"required_when": {"field": "why", "values": ["un", "deux"]}},
        ]
        installed(owner, fields=asked_of)
        row = make_assignment(make_study(protocol_key="clarity", state="main"))
        judgment = Judgment.objects.create(assignment=row, protocol="clarity 1")
        rated = {"clarity": 1, **{f"topics_{key}": n for key, n in zip("abc", topics, strict=True)}}
        for dimension, value in rated.items():
            Rating.objects.create(judgment=judgment, dimension=dimension, value=value)
        if why:
            judgment.sides.create(field="why", value=why)
        judgment.submitted_at = timezone.now()
        if not refused:
            judgment.save()
            return
        with pytest.raises(DatabaseError, match="judgment_explanation"), transaction.atomic():
            judgment.save()

    def test_its_rules_are_those_that_a_migration_makes(self, owner: User) -> None:
        installed(owner)
        assert triggers.missing(connection) == set()
        another_process()
        assert triggers.missing(connection) == set()
        triggers.drop()
        another_process()
        triggers.create()
        assert any("'clarity 1'" in text for text in triggers.installed(connection).values())

    def test_what_a_condition_asks_for_ends_no_function(self, owner: User) -> None:
        """Who composes a protocol is not who runs the database."""
        words = "$bareme$ $$ $bareme1$ '; DROP TABLE annotation_judgment; --"
        price = {"kind": "text", "name": "price", "label": {"fr": "Prix", "en": "Price"}}
        reason = price | {"name": "reason", "required_when": {"field": "price", "values": [words]}}
        installed(owner, fields=[price, reason])
        assert triggers.missing(connection) == set()
        assert not Judgment.objects.exists()

    def test_a_migration_keeps_it(self, owner: User) -> None:
        kept = installed(owner)
        another_process()
        call_command("migrate", verbosity=0)
        again = PublishedProtocol.objects.get(pk=kept.pk)
        assert (again.file, again.installed_at) == (kept.file, kept.installed_at)
        assert triggers.missing(connection) == set()

    def test_it_is_written_down_without_a_word_of_it(self, owner: User) -> None:
        kept = installed(owner)
        event = Event.objects.get(verb="protocol_installed")
        assert (event.actor, event.target_id) == (owner, str(kept.pk))
        assert event.details == {"protocol": "clarity 1"}

    def test_where_people_write_under_it_is_known(self, owner: User) -> None:
        identity = Identity(Person("Zoé Lavigne"))
        assert ("thought",) not in answer_members()
        thought = {"kind": "text", "name": "thought", "label": {"fr": "Idée", "en": "Thought"}}
        installed(owner, fields=[thought])
        another_process()
        places(identity)
        assert ("thought",) in answer_members()

    def test_what_comes_back_under_its_name_is_read_as_it_says_now(self, owner: User) -> None:
        """This process knew another of that name, which nobody had judged by."""
        publish_composed(composed(), since=timezone.now())
        assert ("thought",) not in answer_members()
        another_process()
        thought = {"kind": "text", "name": "thought", "label": {"fr": "Idée", "en": "Thought"}}
        installed(owner, fields=[thought])
        published()
        assert ("thought",) in answer_members()

    def test_its_words_are_words_where_a_study_follows_it_alone(self, owner: User) -> None:
        """Else whoever composes could name somebody who is then not found any more."""
        installed(owner, title={"fr": "Tremblante", "en": "Shaky"})
        person = Person("Zoé Tremblante")
        other = make_study()
        program_words.cache_clear()
        assert "tremblante" not in words_in_use(person, frozenset({other.pk}))
        follows = make_study(protocol_key="clarity")
        another_process()
        assert "tremblante" in words_in_use(person, frozenset({follows.pk}))


class TestRefused:
    def test_what_nobody_could_judge_by(self, owner: User) -> None:
        draft = draft_of(owner, composed(fields=[]).replace('"scale"', '"scala"'))
        with pytest.raises(RuleError) as error:
            draft_install(actor=owner, draft=draft, seen=1)
        assert refusal(error).startswith("steps[reading].fields[clarity].kind: “scala”")
        assert not PublishedProtocol.objects.filter(key="clarity").exists()

    def test_what_can_be_read_and_asks_for_nothing(self, owner: User) -> None:
        steps = json.loads(composed())["steps"]
        steps[0]["fields"][0]["name"] = "Clarity"
        with pytest.raises(RuleError) as error:
            installed(owner, steps=steps)
        assert "is no name" in refusal(error)

    def test_what_was_not_looked_through(self, owner: User) -> None:
        draft = draft_of(owner, composed())
        protocol_draft_save(draft=draft, composed=Composed(composed() + " "), builds_on=1)
        with pytest.raises(StaleProtocolDraft):
            draft_install(actor=owner, draft=draft, seen=1)

    def test_twice(self, owner: User) -> None:
        installed(owner)
        with pytest.raises(RuleError) as error:
            installed(owner)
        assert "installed already" in refusal(error)

    def test_the_same_name_with_another_word(self, owner: User) -> None:
        installed(owner)
        with pytest.raises(RuleError) as error:
            installed(owner, title={"fr": "Autre", "en": "Other"})
        assert "another key or another version" in refusal(error)
        assert protocol("clarity", "1").title.en == "Clarity"

    @pytest.mark.parametrize("key", ["jades", "legal_meaning", "bracketed"])
    def test_a_further_version_of_what_somebody_else_published(self, owner: User, key: str) -> None:
        """Else new studies would get it in the place of that."""
        with pytest.raises(RuleError) as error:
            installed(owner, key=key, version="99")
        assert "of whoever runs it: give yours another" in refusal(error)
        assert latest_versions()[key].version != "99"

    def test_a_further_version_is_whose_first_it_is(self, owner: User) -> None:
        first, admin = installed(owner), make_user("admin", is_admin=True)
        with pytest.raises(RuleError) as error:
            installed(make_user("other"), version="2")
        assert "Somebody else has installed" in refusal(error)
        installed(owner, version="10")
        installed(admin, version="9")
        assert latest_versions()["clarity"].version == "10"
        # An admin who installs another, or brings one back, does not make the key theirs.
        protocol_remove(actor=owner, installed=first)
        assert installed(admin).installed_by == owner
        installed(owner, version="11")

    def test_a_version_that_is_another_written_otherwise(self, owner: User) -> None:
        """Else nobody knows which of the two new studies get."""
        installed(owner, version="2")
        with pytest.raises(RuleError) as error:
            installed(owner, version="02")
        assert "Its version is that of “clarity 2”" in refusal(error)

    def test_a_name_of_whoever_runs_bareme_that_is_not_installed_now(self, owner: User) -> None:
        """A study may follow it, and new ones get its highest version once it is back."""
        kept = PublishedProtocol(key="clarity", version="1", description={}, file=composed())
        kept.save()
        for version in ("1", "99"):
            with pytest.raises(RuleError) as error:
                installed(make_user(is_admin=True), version=version)
            assert "of whoever runs it" in refusal(error)
        kept.refresh_from_db()
        assert (kept.installed_at, kept.file) == (None, composed())

    def test_a_key_stays_claimed_when_what_was_installed_is_removed(self, owner: User) -> None:
        protocol_remove(actor=owner, installed=installed(owner))
        with pytest.raises(RuleError) as error:
            installed(make_user(), version="2")
        assert "Somebody else has installed" in refusal(error)

    def test_what_this_process_knew_and_another_removed(self, owner: User) -> None:
        kept = installed(owner)
        PublishedProtocol.objects.filter(pk=kept.pk).update(removed_at=kept.installed_at)
        assert installed(owner).removed_at is None

    def test_what_was_rolled_back_is_known_to_nobody(self, owner: User) -> None:
        with transaction.atomic():
            installed(owner)
            transaction.set_rollback(True)
        with pytest.raises(RuleError):
            study_create(
                actor=owner, key="a", title="A", protocol_key="clarity", protocol_version="1"
            )
        assert examined(composed(), owner).may_be_installed
        installed(owner, title={"fr": "Autre", "en": "Other"})
        assert protocol("clarity", "1").title.en == "Other"

    def test_one_too_many(self, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MOST_INSTALLED", 1)
        kept = installed(owner)
        with pytest.raises(RuleError) as error:
            installed(owner, version="2")
        assert "remove one that nobody uses" in refusal(error)
        protocol_remove(actor=owner, installed=kept)
        installed(owner, version="2")

    def test_what_would_hold_up_everybody_s_judgments(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        words = [f"mot {number}" for number in range(200)]
        asked_of = {"kind": "text", "name": "thought", "label": {"fr": "Idée", "en": "Thought"}}
        asking = [
            asked_of
            | {"name": f"why{place}", "required_when": {"field": "thought", "values": words}}
            for place in range(40)
        ]
        with pytest.raises(RuleError) as error:
            installed(owner, fields=[asked_of, *asking])
        assert "on fewer values" in refusal(error)
        installed(owner)
        monkeypatch.setattr(module, "LARGEST_RULES_TOGETHER", 1_000)
        with pytest.raises(RuleError) as error:
            installed(owner, version="2")
        assert "ask too many checks" in refusal(error)

    def test_what_the_database_cannot_hold_leaves_everything_as_it_was(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = triggers.installed(connection)
        monkeypatch.setattr("annotation.models.seals._incomplete", lambda _protocol: "no (sql")
        with pytest.raises(RuleError) as error:
            installed(owner)
        assert "The database refuses the rules" in refusal(error)
        assert triggers.installed(connection) == before
        assert "clarity" not in latest_versions()
        assert not Event.objects.filter(verb="protocol_installed").exists()


class TestRemoved:
    def test_new_studies_cannot_choose_it(self, owner: User) -> None:
        kept = installed(owner)
        with transaction.atomic():
            protocol_remove(actor=owner, installed=kept)
        assert Event.objects.filter(verb="protocol_removed").count() == 1
        with pytest.raises(UnknownProtocol):
            protocol("clarity", "1")
        with pytest.raises(RuleError):
            study_create(actor=owner, key="a", title="A", protocol_key="clarity")
        assert triggers.missing(connection) == set()
        assert composed_by(owner) == {}
        protocol_remove(actor=owner, installed=kept)
        assert Event.objects.filter(verb="protocol_removed").count() == 1

    def test_a_process_that_still_knows_it_makes_no_study_by_it(self, owner: User) -> None:
        kept = installed(owner)
        PublishedProtocol.objects.filter(pk=kept.pk).update(removed_at=kept.installed_at)
        assert ("clarity", "1") in PROTOCOLS
        with pytest.raises(RuleError) as error:
            study_create(
                actor=owner, key="a", title="A", protocol_key="clarity", protocol_version="1"
            )
        assert "has just been removed" in refusal(error)
        assert not Study.objects.exists()

    def test_not_while_a_study_follows_it(self, owner: User) -> None:
        kept = installed(owner)
        study = study_create(actor=owner, key="a", title="A", protocol_key="clarity")
        assert ("clarity", "1") in followed()
        with pytest.raises(RuleError) as error:
            protocol_remove(actor=owner, installed=kept)
        assert "A study follows" in refusal(error)
        # Of another version nobody's study knows.
        protocol_remove(actor=owner, installed=installed(owner, version="2"))
        Study.objects.filter(pk=study.pk).delete()
        protocol_remove(actor=owner, installed=kept)

    def test_its_name_is_given_to_no_other(self, owner: User) -> None:
        """What processes keep of pages goes by it."""
        protocol_remove(actor=owner, installed=installed(owner))
        with pytest.raises(RuleError) as error:
            installed(owner, title={"fr": "Autre", "en": "Other"})
        assert "said something else: give another version" in refusal(error)
        again = installed(owner)
        assert (again.removed_at, protocol("clarity", "1").title.en) == (None, "Clarity")

    def test_whoever_leaves_takes_no_protocol_along(self, owner: User) -> None:
        kept = installed(owner)
        belongings_remove(owner)
        kept.refresh_from_db()
        assert (kept.installed_by, protocol("clarity", "1").version) == (None, "1")


def test_what_is_read_of_one_moment_withdraws_nothing(owner: User) -> None:
    kept = installed(owner)
    PublishedProtocol.objects.filter(pk=kept.pk).update(installed_at=None)
    with former_moment():
        published()
        assert ("clarity", "1") in COMPOSED
    published()
    assert ("clarity", "1") not in COMPOSED


def test_two_protocols_may_call_types_of_marks_alike(owner: User) -> None:
    """What one lead composes takes nobody's own keys away."""

    def marking(*types: str) -> dict[str, Any]:
        named = [
            {"value": number, "key": key, "label": {"fr": key, "en": key}}
            for number, key in enumerate(types)
        ]
        label = {"fr": "Marques", "en": "Marks"}
        return {"kind": "marks", "name": "slips", "label": label, "types": named}

    installed(owner, key="one", fields=[marking("missing", "misread", "moved")])
    keys = {"type_moved": "z"}
    assert keys_are_allowed(keys)
    two = installed(owner, key="two", fields=[marking("misread")])
    assert keys_are_allowed(keys)
    assert not keys_are_allowed({"type_moved": "m"}), "that is another's, of the same step"
    one = PublishedProtocol.objects.get(key="one")
    for each in (one, two):
        protocol_remove(actor=owner, installed=each)
    assert keys_are_allowed(keys | {"undo": "x"}), "a key of what is gone hinders no other"


def test_the_public_description_of_the_api_does_not_tell_of_it(owner: User) -> None:
    thought = {"kind": "text", "name": "thought", "label": {"fr": "Idée", "en": "Thought"}}
    installed(owner, fields=[thought])
    cache.clear()
    assert "thought" not in Client().get("/api/v1/schema/").content.decode()


class TestAnotherVersionOfBareme:
    def test_what_it_cannot_judge_by_is_told_and_its_studies_are_read(
        self, owner: User, caplog: pytest.LogCaptureFixture
    ) -> None:
        kept = installed(owner)
        study = judged(protocol("clarity", "1")).study
        file = json.loads(kept.file)
        file["steps"][0]["fields"][0]["tone"] = "x"
        PublishedProtocol.objects.filter(pk=kept.pk).update(file=json.dumps(file))
        another_process()
        assert "clarity" not in latest_versions()
        assert "cannot be judged by" in caplog.text
        said = [str(message.msg) for message in checks.protocols_missing(databases=["default"])]
        assert len(said) == 1
        assert "'clarity 1', which somebody has installed on a page" in said[0]
        assert "tone" in said[0]
        again = Study.objects.get(pk=study.pk)
        assert again.protocol.title.en == "Clarity", "as it was described"
        caplog.clear()
        published()
        assert caplog.text == "", "said once"

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"key": "other"}, "its file calls it 'other 1'"),
            ({"version": ".."}, "its version '..' is none"),
        ],
    )
    def test_what_its_rules_refuse_now(self, owner: User, change: dict[str, str], why: str) -> None:
        kept = installed(owner)
        kept.file = composed(**change)
        kept.version = change.get("version", kept.version)
        kept.save()
        assert why in "; ".join(composed_refused(kept))
        another_process()
        assert not {each.key for each in published()} & {"clarity", "other"}

    def test_studies_that_follow_one_are_not_said_to_wait_for_it(self, owner: User) -> None:
        installed(owner)
        make_study(protocol_key="clarity", state="main")
        another_process()
        assert checks.protocols_missing(databases=["default"]) == []


def test_the_command_lists_it(owner: User, capsys: pytest.CaptureFixture[str]) -> None:
    installed(owner)
    make_study(protocol_key="clarity")
    another_process()
    call_command("protocol", "list")
    lines = capsys.readouterr().out.splitlines()
    assert f"by {owner.email}; 1 study" in lines[-1]
    assert lines[-1].startswith("clarity 1, Clarté / Clarity: installed on a page on 2")
    assert "jades/definition.py; no studies" in next(
        line for line in lines if line.startswith("jades 1")
    )


def test_whoever_runs_bareme_does_not_take_its_name(
    owner: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = installed(owner)
    file = tmp_path / "clarity.json"
    file.write_text(kept.file, encoding="utf-8")
    call_command("protocol", "check", str(file))
    capsys.readouterr()
    file.write_text(composed(title={"fr": "Autre", "en": "Other"}), encoding="utf-8")
    with pytest.raises(Exception, match="1 of 1 cannot be used"):
        call_command("protocol", "check", str(file))
    refused = capsys.readouterr().err
    assert "somebody has installed 'clarity 1' on a page here, and it said something" in refused
    call_command("protocol", "write", "clarity")
    assert json.loads(capsys.readouterr().out) == json.loads(kept.file)


class TestWhoeverRunsBareme:
    """Has a file of the same name in the setting."""

    @pytest.fixture
    def file(self, owner: User, tmp_path: Path) -> Iterator[Path]:
        kept = installed(owner)
        file = tmp_path / "clarity.json"
        file.write_text(kept.file, encoding="utf-8")
        another_process()
        yield file
        for known in (PROTOCOLS, SOURCES, CONTENTS):
            known.pop(("clarity", "1"), None)

    def test_it_is_chosen_as_any_other_and_not_removed_on_a_page(
        self, owner: User, file: Path
    ) -> None:
        kept = PublishedProtocol.objects.get(key="clarity")
        protocol_remove(actor=owner, installed=kept)
        publish([str(file)])
        assert ("clarity", "1") not in COMPOSED
        assert study_create(actor=owner, key="a", title="A", protocol_key="clarity").pk
        assert composed_by(owner) == {}
        with pytest.raises(Http404):
            composed_protocol_for(make_user("admin", is_admin=True), "clarity-1")

    def test_what_a_lead_installed_is_not_written_over(self, owner: User, file: Path) -> None:
        file.write_text(composed(title={"fr": "Autre", "en": "Other"}), encoding="utf-8")
        publish([str(file)])
        for refuse in (files_expect, descriptions_keep):
            with pytest.raises(ImproperlyConfigured, match="somebody has installed on a page"):
                refuse()
        assert json.loads(PublishedProtocol.objects.get(key="clarity").file) == json.loads(
            composed()
        )

    def test_a_module_does_not_take_its_place(self, owner: User, file: Path) -> None:
        other = protocol_read(composed(title={"fr": "Autre", "en": "Other"}))
        PROTOCOLS["clarity", "1"], SOURCES["clarity", "1"] = other, "tests.composing"
        with pytest.raises(ImproperlyConfigured, match="somebody has installed on a page"):
            descriptions_keep()


def test_judgments_that_come_are_read_by_it_wherever_nobody_has_looked(owner: User) -> None:
    """A worker hands on what it says to the process that reads a file."""
    installed(owner)
    options = judging_options(protocol("clarity", "1"), {})
    another_process()
    judging = judging_of(judging_handed_on(options))
    assert judging is not None
    assert judging.protocol.name == "clarity 1"


def test_who_leads_no_more_removes_nothing(owner: User) -> None:
    installed(owner)
    with pytest.raises(Http404):
        composed_protocol_for(owner, "clarity-1")
    make_study(lead=owner)
    assert composed_protocol_for(owner, "clarity-1").installed_by == owner
