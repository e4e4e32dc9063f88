"""The protocol in a snapshot and in its bundle: whoever has the data has what was asked, and can
ask it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.models import Assignment, DatasetSnapshot, PublishedProtocol
from annotation.protocols.files import protocol_read
from annotation.protocols.registry import UnknownProtocol, protocol, published
from annotation.release.bundle import SUMS, write_bundle
from annotation.release.frozen import PROTOCOL, Frozen
from annotation.services.publishing.snapshots import (
    snapshot_damage,
    snapshot_folder,
    study_freeze,
)
from annotation.services.studies.studies import study_change_state, study_create
from tests.composing import composed, installed
from tests.factories import make_annotator, make_pair, make_user
from tests.protocols.judged import answer
from tests.services.publishing.test_snapshots import every_byte, judged_study

pytestmark = pytest.mark.django_db
ABOUT = {"score": {"fr": "Plus haut est plus clair.", "en": "Higher is clearer."}}


@pytest.fixture
def frozen() -> DatasetSnapshot:
    """Of a study by a protocol that its lead composed."""
    lead = make_user("leading")
    own = installed(lead, about=ABOUT)
    study = study_create(
        actor=lead,
        key="own",
        title="Une étude",
        protocol_key=own.key,
        protocol_version=own.version,
    )
    make_pair(study)
    make_annotator(study, make_user("judging"))
    study = study_change_state(actor=lead, study=study, to="main", reason="essai")
    answer(Assignment.objects.get(), {"clarity": 3})
    return study_freeze(actor=lead, study=study, reason="essai")


def bundle_of(frozen: DatasetSnapshot, target: Path) -> Path:
    target.mkdir()
    write_bundle(snapshot_folder(frozen), target)
    return target


def test_it_is_there_as_it_was_installed_and_is_a_protocol(frozen, tmp_path):
    bundle = bundle_of(frozen, tmp_path / "bundle")
    content = (bundle / PROTOCOL).read_text("utf-8")
    assert content == composed(about=ABOUT)
    assert protocol_read(content) == protocol("clarity", "1")
    assert f"  {PROTOCOL}\n" in (bundle / SUMS).read_text("utf-8")
    readme = (bundle / "README.md").read_text("utf-8")
    assert "`protocol.json`: what was asked, word for word" in readme
    assert PROTOCOL in frozen.manifest["files"]


def test_it_is_watched_like_every_frozen_file(frozen):
    (snapshot_folder(frozen) / PROTOCOL).write_text(composed(), "utf-8")
    assert snapshot_damage(frozen) == [PROTOCOL]


def test_where_it_is_not_installed_the_release_says_the_same(frozen, tmp_path):
    here = bundle_of(frozen, tmp_path / "here")
    PublishedProtocol.objects.all().delete()
    published()
    with pytest.raises(UnknownProtocol):
        protocol("clarity", "1")
    elsewhere = bundle_of(frozen, tmp_path / "elsewhere")
    assert every_byte(elsewhere) == every_byte(here)
    assert "Higher is clearer." in (elsewhere / "README.md").read_text("utf-8")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"key": "clarity"}'])
def test_of_one_that_this_version_cannot_read_the_names_stand(frozen, content):
    folder = snapshot_folder(frozen)
    (folder / PROTOCOL).write_text(content, "utf-8")
    PublishedProtocol.objects.all().delete()
    published()
    assert Frozen(folder).protocol is None
    assert Frozen(folder).label("clarity", "fr") == "clarity"


def test_of_one_that_is_code_there_is_no_file(tmp_path):
    made = study_freeze(actor=None, study=judged_study())
    bundle = bundle_of(made, tmp_path / "bundle")
    assert not (bundle / PROTOCOL).exists()
    assert "protocol.json" not in (bundle / "README.md").read_text("utf-8")
