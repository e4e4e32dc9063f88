"""The protocol in a snapshot and in its bundle: whoever has the data has what was asked, and can
ask it again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from annotation.models import Assignment, DatasetSnapshot, PublishedProtocol, Study, User
from annotation.protocols.base import Answers
from annotation.protocols.files import protocol_read, protocol_text
from annotation.protocols.registry import UnknownProtocol, protocol, published
from annotation.release.bundle import SUMS, write_bundle
from annotation.release.frozen import PROTOCOL, Frozen
from annotation.selectors.base.redaction import MARK
from annotation.services.publishing.replacements import snapshot_replacements
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
    return frozen_by(lead, installed(lead, about=ABOUT), {"clarity": 3})


def frozen_by(lead: User, own: PublishedProtocol, answers: Answers) -> DatasetSnapshot:
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
    answer(Assignment.objects.get(), answers)
    return study_freeze(actor=lead, study=study, reason="essai")


def bundle_of(frozen: DatasetSnapshot, target: Path) -> Path:
    target.mkdir()
    write_bundle(snapshot_folder(frozen), target)
    return target


def test_it_is_there_as_it_was_installed_and_is_a_protocol(frozen, tmp_path):
    bundle = bundle_of(frozen, tmp_path / "bundle")
    content = (bundle / PROTOCOL).read_text("utf-8")
    assert protocol_read(content) == protocol("clarity", "1")
    assert content == protocol_text(protocol("clarity", "1")), "however its own file is laid out"
    assert f"  {PROTOCOL}\n" in (bundle / SUMS).read_text("utf-8")
    readme = (bundle / "README.md").read_text("utf-8")
    assert "`protocol.json`: the protocol: questions" in readme
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


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"key": "clarity"}', b"\xff", composed(version="2").encode(), None],
    ids=["empty", "list", "nothing", "part", "bytes", "another", "gone"],
)
def test_of_one_that_this_version_cannot_read_the_names_stand(frozen, content):
    folder = snapshot_folder(frozen)
    (folder / PROTOCOL).unlink()
    if content is not None:
        (folder / PROTOCOL).write_bytes(content)
    PublishedProtocol.objects.all().delete()
    published()
    assert Frozen(folder).protocol is None
    assert Frozen(folder).label("clarity", "fr") == "clarity"


def test_of_one_that_is_code_there_is_no_file(tmp_path):
    made = study_freeze(actor=None, study=judged_study())
    bundle = bundle_of(made, tmp_path / "bundle")
    assert not (bundle / PROTOCOL).exists()
    assert "protocol.json" not in (bundle / "README.md").read_text("utf-8")


def test_words_lose_names_and_parts_keep_what_they_are_called_by(tmp_path):
    lead = User.objects.create_user("marie@univ.example", name="Marie Dupont")
    mark = {"key": "dupont", "label": {"fr": "Marie Dupont", "en": "Dupont"}}
    question = {
        "kind": "choice",
        "name": "marie",
        "label": {"fr": "Avis", "en": "Opinion"},
        "help": {"fr": "Écrivez à Marie Dupont, marie.dupont@univ.example.", "en": "Ask."},
        "options": [
            {"value": 1} | mark,
            {"value": 2, "key": "none", "label": {"fr": "aucun", "en": "none"}},
        ],
    }
    source = "Marie Dupont, Une étude"
    own = installed(
        lead,
        **{"$schema": "file:///home/mdupont/x"},
        fields=[question],
        about=ABOUT | {"source": source},
    )
    made = frozen_by(lead, own, {"clarity": 3, "marie": 1})
    content = (snapshot_folder(made) / PROTOCOL).read_text("utf-8")
    assert content.count("Marie Dupont") == 1, "in what published data are to say"
    assert "marie.dupont" not in content
    assert "mdupont" not in content
    assert protocol_read(content).about.source == source
    asked = protocol_read(content).field("marie")
    assert (asked.help.fr, asked.help.en) == (f"Écrivez à {MARK}, {MARK}.", "Ask.")
    first = json.loads(content)["steps"][0]["fields"][1]["options"][0]
    assert first == {"value": 1, "key": "dupont", "label": {"fr": MARK, "en": "Dupont"}}
    assert snapshot_replacements(made)["protocol"] == [asked.help.fr, MARK]
    bundle = bundle_of(made, tmp_path / "bundle")
    assert re.search(r"\d in the protocol", (bundle / "README.md").read_text("utf-8"))


def test_no_other_file_of_the_release_says_a_name_that_its_protocol_says(tmp_path):
    """What was asked, as the card, the codebook and the facts repeat it."""
    lead = User.objects.create_user("marie@univ.example", name="Marie Dupont")
    named = {"fr": "Marie Dupont", "en": "Marie Dupont"}
    own = installed(
        lead,
        title=named,
        fields=[
            {
                "kind": "choice",
                "name": "opinion",
                "label": named,
                "options": [
                    {"value": 1, "key": "one", "label": named},
                    {"value": 2, "key": "none", "label": {"fr": "aucun", "en": "none"}},
                ],
            }
        ],
    )
    made = frozen_by(lead, own, {"clarity": 3, "opinion": 1})
    folder = snapshot_folder(made)
    for path in [*folder.iterdir(), *bundle_of(made, tmp_path / "bundle").rglob("*")]:
        if path.is_file():
            assert b"Dupont" not in path.read_bytes(), path
    judged = json.loads((folder / "judgments.jsonl").read_text("utf-8"))
    assert (judged["opinion_key"], judged["opinion_fr"], judged["clarity_fr"]) == (
        "one",
        MARK,
        "claire",
    )
    codebook = json.loads((folder / "codebook.json").read_text("utf-8"))
    assert codebook["protocol"]["title"] == {"fr": MARK, "en": MARK}
    assert codebook["protocol"]["key"] == own.key


def test_one_that_is_taken_away_before_it_is_frozen_is_kept_by_the_database(frozen):
    PublishedProtocol.objects.update(installed_at=None)
    published()
    study = Study.objects.get()
    assert not study.protocol.is_installed
    again = study_freeze(actor=None, study=study, reason="essai")
    assert again.manifest["files"][PROTOCOL] == frozen.manifest["files"][PROTOCOL]
    PublishedProtocol.objects.update(file="")
    without = study_freeze(actor=None, study=Study.objects.get(), reason="essai")
    assert PROTOCOL not in without.manifest["files"]


def test_the_one_that_was_frozen_speaks_and_not_the_installed_one(frozen):
    """Its words are without names, and are watched like every file of the snapshot."""
    folder = snapshot_folder(frozen)
    content = (folder / PROTOCOL).read_text("utf-8")
    (folder / PROTOCOL).write_text(content.replace("Higher is clearer", "Other words"), "utf-8")
    assert Frozen(folder).about.score.en == "Other words."


def test_a_snapshot_of_before_has_none(frozen):
    PublishedProtocol.objects.all().delete()
    published()
    before = Frozen(snapshot_folder(frozen))
    del before.manifest["files"][PROTOCOL]
    assert before.protocol is None
