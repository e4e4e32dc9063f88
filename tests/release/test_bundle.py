"""The bundle of the released FrJUDGE ratings, read as strangers read it."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
import zipfile
from datetime import UTC
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
import yaml
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone
from django.utils.translation import override

from annotation.corpus.jades import read_jades
from annotation.models import Annotator, DatasetSnapshot, Lead, Simplification, Study
from annotation.release import card, croissant, front_matter
from annotation.release.bundle import SUMS, write_bundle
from annotation.release.deviations import NOT_RECORDED, deviation_lines
from annotation.release.frozen import Frozen
from annotation.selectors.planning.deviations import CHANGES, deviations
from annotation.selectors.publishing.deviation_words import STATES, UNDONE, WORDS
from annotation.selectors.studies.readiness import CHECKS, NEEDED
from annotation.services.items.released import released_import
from annotation.services.people.people import annotator_withdraw
from annotation.services.planning.deviations import deviation_explain
from annotation.services.publishing.releases import release_write, release_zip
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.studies.studies import study_change_state, study_create, study_update
from annotation.web.studies.presenters import CHECKS as CHECK_LABELS
from annotation.web.studies.presenters import STAGE_LABELS
from tests.factories import make_user
from tests.house.sizes import ROOT
from tests.services.publishing.test_snapshots import every_byte, judged_study
from tests.worlds import world

RELEASED = ROOT.parent / "shared" / "data" / "frjudge" / "FrJUDGE.jsonl"
pytestmark = pytest.mark.django_db
needs_frjudge = pytest.mark.skipif(not RELEASED.exists(), reason="the released file is not at hand")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A small study with errors, comments, a tie, and people who have names."""
    make_user("Lucie Lavoie", email="lucie@uni.example")
    study = judged_study()
    Simplification.objects.update(language="fr")
    study_freeze(actor=None, study=study)
    call_command(
        "release",
        "etude-1",
        output=str(tmp_path / "out"),
        verbosity=0,
        stderr=StringIO(),
        stdout=StringIO(),
    )
    return tmp_path / "out"


@world
def frjudge_released() -> Study:
    """The released ratings, imported, closed, frozen, and released into the data folder."""
    call_command("import_frjudge", str(RELEASED), study="frjudge", verbosity=0, stdout=StringIO())
    Study.objects.update(state="closed")
    call_command("freeze", "frjudge", stdout=StringIO(), stderr=StringIO())
    output = str(settings.DATA_DIR / "out")
    call_command("release", "frjudge-1", output=output, stdout=StringIO(), stderr=StringIO())
    return Study.objects.get()


@pytest.fixture
def frjudge(frjudge_released: Study) -> Path:
    return Path(settings.DATA_DIR / "out")


def jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def tables(bundle: Path) -> list[str]:
    return sorted(path.stem for path in (bundle / "data").glob("*.jsonl"))


class TestTheThreeFormats:
    def test_every_table_is_there_three_times(self, bundle):
        assert {path.name for path in (bundle / "data").iterdir()} == {
            f"{name}.{form}" for name in tables(bundle) for form in ("jsonl", "csv", "parquet")
        }
        assert set(tables(bundle)) == {
            *(
                "aggregated",
                "drawn",
                "errors",
                "frjudge",
                "items",
                "labels",
                "long",
                "ratings",
                "simplifications",
            ),
            *("timings", "wide"),
        }

    def test_they_say_the_same(self, bundle):
        for name in tables(bundle):
            lines = jsonl(bundle / "data" / f"{name}.jsonl")
            columns = pq.read_table(bundle / "data" / f"{name}.parquet").to_pylist()
            with (bundle / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
                cells = list(csv.DictReader(file, strict=True))
            assert len(lines) == len(columns) == len(cells)
            for line, column, cell in zip(lines, columns, cells, strict=True):
                assert list(line) == list(column) == list(cell)
                for key, value in line.items():
                    nested = isinstance(value, dict | list)
                    assert (json.loads(column[key]) if nested else column[key]) == value
                    assert same_cell(cell[key], value), (name, key)


def same_cell(cell: str, value: Any) -> bool:
    if value is None or value == "":
        return cell == ""
    if isinstance(value, bool):
        return cell == ("true" if value else "false")
    if isinstance(value, int | float):
        return float(cell) == value
    if isinstance(value, dict | list):
        return json.loads(cell) == value
    return value in (cell, cell.removeprefix("'"))


class TestWhatIsInIt:
    def test_checksums_cover_every_file(self, bundle):
        listed: dict[str, str] = dict(
            reversed(line.split("  ")) for line in (bundle / SUMS).read_text().splitlines()
        )
        files = every_byte(bundle)
        files.pop(SUMS)
        assert listed == {
            name: hashlib.sha256(content).hexdigest() for name, content in files.items()
        }

    def test_final_labels_stand_beside_their_distribution(self, bundle):
        rows = {
            row["simplification_key"]: row for row in jsonl(bundle / "data" / "aggregated.jsonl")
        }
        row = rows["item-0001/0"]
        assert (row["simplicity"], row["simplicity_fr"]) == (1, "Plus simple à lire")
        assert row["simplicity_distribution"] == {"1": 2, "2": 1}
        assert row["legal_meaning"] == row["legal_meaning_mean"]
        assert [row["dimension"] for row in jsonl(bundle / "data" / "drawn.jsonl")] == [
            "simplicity",
            "characterization",
        ]

    def test_nobody_is_named_in_any_byte(self, bundle):
        for content in every_byte(bundle).values():
            for name in ("Gagnon", "Tremblay", "Chlo", "Lavoie", "uni.example"):
                assert name.encode() not in content
        # Parquet compresses: what it holds has to be read.
        for path in (bundle / "data").glob("*.parquet"):
            assert "Tremblay" not in str(pq.read_table(path).to_pylist())

    @pytest.mark.parametrize(
        ("words", "written"),
        [
            ("legal", "legal"),
            ("health insurance", "health insurance"),
            ('insurance: "home" law', '"insurance: \\"home\\" law"'),
            ("yes", '"yes"'),
            ("- a", '"- a"'),
            ("#a", '"#a"'),
            ("médical", '"m\\u00e9dical"'),
        ],
    )
    def test_a_kind_of_texts_is_read_back_as_it_was_composed(self, words, written):
        assert front_matter._tag(words) == written
        assert yaml.safe_load(f"tags:\n- {written}") == {"tags": [words]}

    def test_what_is_composed_makes_no_heading(self):
        assert card._in_line("# A\n\n## B") == "\\# A ## B"

    def test_the_card_has_its_front_matter(self, bundle):
        front = yaml.safe_load((bundle / "README.md").read_text("utf-8").split("---")[1])
        assert front["language"] == ["fr"]
        # Nobody stated a licence, nor that the judges were experts.
        assert (front["license"], front["license_name"]) == ("other", "none stated")
        assert "annotations_creators" not in front
        assert "No licence is stated" in (bundle / "LICENSE").read_text("utf-8")
        assert front["size_categories"] == ["n<1K"]
        configs = {
            config["config_name"]: config["data_files"][0]["path"] for config in front["configs"]
        }
        assert configs["long"] == "data/long.parquet"
        assert all((bundle / path).exists() for path in configs.values())

    def test_the_card_says_which_snapshot_it_follows(self):
        study = judged_study()
        recipes: tuple[dict[str, Any], ...] = ({}, {}, {"systems": False})
        made = [study_freeze(actor=None, study=study, recipe=recipe) for recipe in recipes]
        files = [Frozen(snapshot_folder(snapshot)) for snapshot in made]
        long = [front_matter.Released(front_matter.DEFAULT_CONFIG, "", 1)]
        first, same, other = (card.card(own, long) for own in files)
        assert "follows" not in first
        assert " It holds the same data under the same recipe as `etude-1`, which it" in same
        assert f" It follows `etude-2` (content SHA-256 `{made[0].content_digest}`)." in other
        del files[2].manifest["follows"]
        assert "It follows" not in card.card(files[2], long), "as snapshots of before have it"

    def test_the_datasheet_says_what_is_left_to_the_lead(self, bundle):
        sheet = json.loads((bundle / "heds_answers.json").read_text("utf-8"))
        answers = {(a["number"], a["criterion"]): a for a in sheet["answers"]}
        assert answers["3.2.1", None]["answer"] == "3"
        assert "précision légale" in answers["4.3.7", "legal_meaning"]["answer"]
        assert answers["5.1", None]["status"] == "to be completed"
        assert "5.1" in sheet["to_be_completed"]
        assert "TO BE COMPLETED BY THE LEAD" in (bundle / "heds.md").read_text("utf-8")

    def test_card_and_datasheet_list_what_departed_from_the_plan(self, tmp_path):
        study = judged_study()
        lead = make_user("Lucie Lavoie", email="lucie@uni.example")
        Lead.objects.create(study=study, user=lead)
        study.state = "draft"
        study.save()
        study_change_state(actor=lead, study=study, to="main", reason="essai")
        study_update(actor=lead, study=study, hours_budget=40, title="Autre")
        explained = deviations(study)[-1].event
        deviation_explain(
            actor=lead, study=study, event=explained.pk, reason="Lucie Lavoie\nl'a demandé."
        )
        annotator_withdraw(
            actor=lead, annotator=study.annotators.get(pseudonym="C"), reason="a déménagé"
        )
        study_change_state(actor=lead, study=study, to="closed", reason="fini")
        call_command("freeze", "etude", stdout=StringIO(), stderr=StringIO())
        call_command(
            "release", "etude-1", output=str(tmp_path / "out"), stdout=StringIO(), stderr=StringIO()
        )
        day = explained.created_at.astimezone(UTC).date().isoformat()
        sheet = json.loads((tmp_path / "out" / "heds_answers.json").read_text("utf-8"))
        by_event = {deviation["event"]: deviation for deviation in sheet["deviations"]}
        assert by_event["study_updated"]["settings"] == {"hours_budget": [30, 40]}
        assert by_event["study_updated"]["explained_later"] is True
        assert (
            by_event["annotator_withdrawn"]["reason"],
            by_event["annotator_withdrawn"]["withheld"],
            by_event["annotator_withdrawn"]["date"],
        ) == (
            "",
            True,
            day,
        )
        secret = "The reason is about a person, and is not published."
        withdrawn = f"- {day} (UTC): Annotator withdrawn. {secret}"
        line = (
            f"- {day} (UTC): Settings changed (`hours_budget` from 30 to 40). "
            "Reason (given later): […] l'a demandé."
        )
        for file in ("heds.md", "README.md"):
            text = (tmp_path / "out" / file).read_text("utf-8")
            assert line in text.splitlines()
            assert withdrawn in text.splitlines()
            assert "Lavoie" not in text
            assert "déménagé" not in text

    def test_what_a_lead_says_of_somebody_afterwards_is_written_for_it(self):
        study = judged_study()
        lead = make_user("lead")
        Lead.objects.create(study=study, user=lead)
        study.state = "draft"
        study.save()
        study_change_state(actor=lead, study=study, to="main", reason="essai")
        annotator_withdraw(actor=lead, annotator=study.annotators.first(), reason="malade")
        *_, departure = deviations(study)
        deviation_explain(actor=lead, study=study, event=departure.event.pk, reason="convenu")
        made = study_freeze(actor=lead, study=study, reason="essai")
        *_, stated = Frozen(snapshot_folder(made)).study["deviations"]
        assert (stated["reason"], stated["withheld"]) == ("convenu", False)

    def test_a_step_says_what_it_passed_over(self, tmp_path):
        study = judged_study()
        lead = make_user("Lucie Lavoie", email="lucie@uni.example")
        Lead.objects.create(study=study, user=lead)
        study.state = "draft"
        study.save()
        study_change_state(actor=lead, study=study, to="main", reason="go")
        study_change_state(actor=lead, study=study, to="closed", reason="fini")
        made = study_freeze(actor=lead, study=study)
        (stated,) = Frozen(snapshot_folder(made)).study["deviations"]
        assert stated["step"] == {
            "before": {"state": "draft", "fr": "en préparation", "en": "in preparation"},
            "after": {"state": "main", "fr": "ronde principale", "en": "main round"},
            "undone": [
                {
                    "key": "practice",
                    "fr": "Une ronde d'essai a eu lieu",
                    "en": "A practice round was held",
                }
            ],
        }
        write_bundle(snapshot_folder(made), tmp_path)
        line = (
            f"- {stated['date']} (UTC): Step taken otherwise than planned (from in preparation to "
            "main round; not done: A practice round was held). Reason: go"
        )
        for file in ("heds.md", "README.md"):
            assert line in (tmp_path / file).read_text("utf-8").splitlines()
        card = (tmp_path / "README.md").read_text("utf-8")
        assert f"frozen on {made.created_at:%Y-%m-%d} (UTC);" in card
        # As snapshots of before have it.
        old = Frozen(snapshot_folder(made))
        del old.study["deviations"][0]["step"]
        assert list(deviation_lines(old)) == [
            f"{line.partition(' (from')[0]}. Reason: go",
        ]

    def test_the_words_of_a_step_are_those_of_its_page(self):
        asked = {key for checks in CHECKS.values() for key in checks}
        assert set(UNDONE) == asked - NEEDED - {"deviations"}, "no release follows a freezing"
        for words, shown in (
            (UNDONE, {key: label for key, (label, _page) in CHECK_LABELS.items()}),
            (STATES, STAGE_LABELS),
        ):
            for key, wording in words.items():
                for language in ("fr", "en"):
                    with override(language):
                        assert wording.get(language) == str(shown[key])

    def test_whom_annotators_ask_is_told_to_nobody_who_reads_the_release(self, tmp_path):
        """It is a name with an address, which a change of settings repeats; a licence may hold
        one."""
        study = judged_study()
        lead = make_user("Lucie Lavoie", email="lucie@uni.example")
        Lead.objects.create(study=study, user=lead)
        study.state = "draft"
        study.save()
        study_change_state(actor=lead, study=study, to="main", reason="essai")
        study_update(
            actor=lead,
            study=study,
            contact="Odile Persillier, 514 555-0134, odile@uni.example",
            licence="© Lucie Lavoie",
            is_blind=False,
        )
        study_update(actor=lead, study=study, contact="Odile", licence="CC-BY-4.0")
        study_change_state(actor=lead, study=study, to="closed", reason="fini")
        call_command("freeze", "etude", stdout=StringIO(), stderr=StringIO())
        out = tmp_path / "out"
        call_command("release", "etude-1", output=str(out), stdout=StringIO(), stderr=StringIO())
        sheet = json.loads((out / "heds_answers.json").read_text("utf-8"))
        changes = [
            deviation["settings"] for deviation in sheet["deviations"] if deviation["settings"]
        ]
        assert changes[0]["licence"] == ["", "© […]"]
        assert changes[1] == {"licence": ["© […]", "CC-BY-4.0"]}
        for name in ("Odile", "Persillier", "555-0134", "Lavoie"):
            assert [
                str(path)
                for path in out.rglob("*")
                if path.is_file() and name.encode() in path.read_bytes()
            ] == []

    def test_no_departure_and_none_recorded_are_two_things(self, bundle):
        assert "None: nothing was changed" in (bundle / "README.md").read_text("utf-8")
        old = Frozen(bundle)
        old.__dict__["study"] = {}
        assert list(deviation_lines(old)) == [NOT_RECORDED]

    def test_each_departure_has_words(self):
        assert set(WORDS) == CHANGES | {"meeting_opened"}

    def test_croissant_is_valid_and_reads_the_records(self, bundle):
        croissant = pytest.importorskip("mlcroissant")
        dataset = croissant.Dataset(jsonld=bundle / "croissant.json")
        assert dataset.metadata.issues.errors == set()
        assert dataset.metadata.issues.warnings == set()
        records = list(dataset.records("ratings"))
        assert len(records) == 18
        assert {record["ratings/value"] for record in records} == {
            row["value"] for row in jsonl(bundle / "data" / "ratings.jsonl")
        }

    def test_croissant_says_by_how_many_each_was_judged(self):
        """It said up to how many annotators there are, of teams of three of six as well."""
        files = Frozen(snapshot_folder(study_freeze(actor=None, study=judged_study())))
        said = "; see the column “ratings” of the table “labels”"
        assert croissant.croissant(files, [], {})["rai:annotationsPerItem"] == f"3{said}"
        files.__dict__["answers_each"] = [2, 3, 3]
        assert croissant.croissant(files, [], {})["rai:annotationsPerItem"] == f"2 to 3{said}"

    def test_the_card_says_what_csv_alone_has(self, tmp_path):
        """Whoever compared a text with that of the other formats was told that all say the same."""
        study = judged_study()
        pair = Simplification.objects.filter(item__study=study)
        pair.update(text="=1+1; puis autre chose")
        write_bundle(snapshot_folder(study_freeze(actor=None, study=study)), tmp_path)
        (text,) = {row["simplification"] for row in jsonl(tmp_path / "data/long.jsonl")}
        with (tmp_path / "data/long.csv").open(encoding="utf-8", newline="") as file:
            (written,) = {row["simplification"] for row in csv.DictReader(file)}
        assert written == f"'{text}"
        card_text = (tmp_path / "README.md").read_text("utf-8")
        assert "In CSV alone, an apostrophe that is no part of a text stands before" in card_text

    def test_datasets_loads_it(self, bundle, tmp_path):
        datasets = pytest.importorskip("datasets")
        loaded = datasets.load_dataset(
            str(bundle), "long", split="train", cache_dir=str(tmp_path / "cache")
        )
        assert loaded.num_rows == 6


class TestWhatIsSaidOfTheTexts:
    """Their languages and their field: what is known of them and nothing else."""

    @pytest.mark.parametrize(
        ("texts", "said", "summary", "front", "written"),
        [
            (
                ("Oui.", "Non."),
                "2 simplifications (language not recorded) of 2 passages",
                "de simplifications de textes (",
                {},
                "TO BE COMPLETED BY THE LEAD",
            ),
            (
                ("犬は庭で遊びました。", "猫は家で寝ました。"),
                "2 Japanese simplifications of 2 passages",
                "de simplifications de textes japonais (",
                {"language": ["ja"], "multilinguality": ["monolingual"]},
                "Other (please describe); Japanese",
            ),
            (
                ("The dog played in the garden.", "Le chien joue avec les enfants dans la cour."),
                "2 English and French simplifications of 2 passages",
                "de simplifications de textes anglais et français (",
                {"language": ["en", "fr"], "multilinguality": ["multilingual"]},
                "English; French",
            ),
        ],
    )
    def test_of_a_protocol_for_any_texts(self, tmp_path, texts, said, summary, front, written):
        rows = [
            {
                "idx_scores": number,
                "idx_sentence": number,
                "system": "BART",
                "sentence_origin": text,
                "sentence_reference": text,
                "sentence_hypothesis": text,
            }
            | {f"idx_annotator_{place}": place for place in (1, 2, 3)}
            | {
                f"score_{name}_{place}": float(1 + (number + place) % 4)
                for name in ("fluency", "meaning", "simplicity")
                for place in (1, 2, 3)
            }
            for number, text in enumerate(texts)
        ]
        study = study_create(actor=None, key="news", title="News", protocol_key="jades")
        content = json.dumps(rows, ensure_ascii=False).encode()
        released_import(actor=None, study=study, released=read_jades(content))
        snapshot = study_freeze(actor=None, study=study, reason="a test", recipe={"draws": 100})
        write_bundle(snapshot_folder(snapshot), tmp_path)
        card = (tmp_path / "README.md").read_text("utf-8")
        assert f"Human judgments of {said}: " in card
        assert summary in card
        head = yaml.safe_load(card.split("---")[1])
        assert {k: head[k] for k in ("language", "multilinguality") if k in head} == front
        assert head["tags"] == ["text-simplification", "human-evaluation"]
        croissant = json.loads((tmp_path / "croissant.json").read_text("utf-8"))
        assert said in croissant["description"]
        languages = front.get("language", [])
        assert croissant.get("inLanguage") == (
            languages if languages[1:] else next(iter(languages), None)
        )
        assert "legal" not in croissant["keywords"]
        assert croissant["rai:dataUseCases"][0] == "Evaluating text simplification"
        sheet = json.loads((tmp_path / "heds_answers.json").read_text("utf-8"))
        answers = {answer["number"]: answer["answer"] for answer in sheet["answers"]}
        # The references, which nobody was asked about, are in the data and were not judged.
        assert len(jsonl(tmp_path / "data" / "simplifications.jsonl")) == 4
        assert answers["3.1.1"] == ("2 simplifications of 2 distinct passages in all; 1 system(s).")
        assert "| texts | 2 | 2 |" in card
        assert "- 2 simplifications have no judgment." in card
        assert "jugé 2 simplifications" in (tmp_path / "METHODS.md").read_text("utf-8")
        assert answers["2.3"] == "Paraphrasing/lossless simplification"
        assert answers["2.4"] == answers["2.5"] == written

    @needs_frjudge
    def test_of_frjudge(self, frjudge):
        card = (frjudge / "README.md").read_text("utf-8")
        assert card.startswith("---\nlanguage:\n- fr\nlicense: ")
        assert "\nmultilinguality:\n- monolingual\n" in card
        assert "\ntags:\n- legal\n- text-simplification\n- human-evaluation\n" in card
        assert "of 297 French simplifications of 295 legal passages: 1485 judgments" in card
        assert "de simplifications de textes juridiques français (" in card
        croissant = json.loads((frjudge / "croissant.json").read_text("utf-8"))
        assert croissant["inLanguage"] == "fr"
        assert croissant["keywords"] == [
            "legal",
            "text simplification",
            "human evaluation",
            "French",
        ]
        assert croissant["rai:dataUseCases"][0] == "Evaluating legal text simplification"
        assert croissant["description"].startswith(
            "1485 human judgments of 297 French simplifications of 295 legal passages: "
        )
        sheet = json.loads((frjudge / "heds_answers.json").read_text("utf-8"))
        answers = {answer["number"]: answer["answer"] for answer in sheet["answers"]}
        assert answers["2.3"] == "Paraphrasing/lossless simplification; Of legal text."
        assert answers["2.4"] == answers["2.5"] == "French"
        assert answers["3.1.1"].startswith("297 simplifications of 295 distinct passages")


class TestSameBytes:
    def test_twice_and_elsewhere(self, bundle, tmp_path):
        again = tmp_path / "again"
        again.mkdir()
        write_bundle(snapshot_folder(DatasetSnapshot.objects.get()), again)
        assert every_byte(again) == every_byte(bundle)

    def test_of_the_zip(self, tmp_path, bundle):
        snapshot = DatasetSnapshot.objects.get()
        first = release_zip(actor=None, snapshot=snapshot)
        second = release_zip(actor=None, snapshot=snapshot, path=tmp_path / "b.zip")
        assert first.path.read_bytes() == second.path.read_bytes()
        assert release_zip(actor=None, snapshot=snapshot) == first
        with zipfile.ZipFile(second.path) as archive:
            assert {name.removeprefix("etude-1/") for name in archive.namelist()} == set(
                every_byte(bundle)
            )


class TestWhereItGoes:
    def test_into_the_zip_that_is_named_or_into_a_folder(self, bundle, tmp_path):
        out = tmp_path / "zips"
        for output in (out / "r.zip", out):
            said = StringIO()
            call_command(
                *("release", "etude-1", "--zip", "--output", str(output)),
                stdout=said,
                stderr=StringIO(),
            )
            assert zipfile.is_zipfile(said.getvalue().split()[0])
        assert sorted(path.name for path in out.iterdir()) == ["etude-1.zip", "r.zip"]

    def test_a_file_that_is_there_stays(self, bundle, tmp_path):
        path = tmp_path / "r.zip"
        path.write_text("mine")
        with pytest.raises(CommandError, match="exists already"):
            call_command("release", "etude-1", "--zip", "--output", str(path))
        assert path.read_text() == "mine"

    def test_no_folder_is_called_a_zip(self, bundle, tmp_path):
        with pytest.raises(CommandError, match="add --zip"):
            call_command("release", "etude-1", "--output", str(tmp_path / "r.zip"))
        assert not (tmp_path / "r.zip").exists()


class TestRefusals:
    def test_a_folder_with_something_in_it(self, bundle):
        with pytest.raises(CommandError, match="no empty folder"):
            call_command("release", "etude-1", output=str(bundle))

    def test_a_damaged_snapshot(self, tmp_path):
        made = study_freeze(actor=None, study=judged_study())
        (snapshot_folder(made) / "labels.jsonl").write_text("{}\n")
        with pytest.raises(CommandError, match=r"have changed: labels\.jsonl"):
            call_command("release", str(made.pk), output=str(tmp_path / "out"))
        assert not (tmp_path / "out").exists()

    def test_one_that_holds_somebody_who_has_withdrawn_since(self, tmp_path):
        made = study_freeze(actor=None, study=judged_study())
        Annotator.objects.filter(pseudonym="C").update(withdrawn_at=timezone.now())
        with pytest.raises(CommandError, match=r"withdrawn since \(C\)"):
            call_command("release", made.name, output=str(tmp_path / "out"))
        again = release_write(
            actor=None, snapshot=made, folder=tmp_path / "out", despite_withdrawal=True
        )
        assert "C" in {row["annotator"] for row in jsonl(again.path / "data" / "ratings.jsonl")}
        (tmp_path / "later").mkdir()  # an empty one may be there
        later = release_write(
            actor=None,
            snapshot=study_freeze(actor=None, study=made.study),
            folder=tmp_path / "later",
        )
        for name in ("ratings", "long", "timings", "errors"):
            assert {row["annotator"] for row in jsonl(later.path / "data" / f"{name}.jsonl")} <= {
                "A",
                "B",
            }

    def test_a_snapshot_that_there_is_not(self, tmp_path):
        with pytest.raises(CommandError, match="Snapshots: none yet"):
            call_command("release", "nothing-1", output=str(tmp_path / "out"))


@needs_frjudge
class TestFrjudge:
    """Published values: Beauchemin et al. (2025), table 2; the other levels:
    ``shared/data/README.md``."""

    def test_a_stranger_recomputes_the_published_numbers(self, frjudge):
        done = subprocess.run(
            [sys.executable, str(frjudge / "recompute_agreement.py")],
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        shape = "(297 items, 5 annotators, 1485 ratings)"
        simplicity, classes, meaning, title, *left_out, verdict = done.stdout.splitlines()
        assert simplicity.startswith("simplicity: percent_agreement 57.17 %, ac2 ")
        assert "alpha.nominal 0.1827" in simplicity
        assert classes.startswith("characterization: percent_agreement 60.24 %, ")
        assert "alpha.nominal 0.5515" in classes
        assert meaning.startswith("legal_meaning: percent_agreement 25.96 %, within_one ")
        assert "alpha.nominal 0.1042, alpha.ordinal 0.3252, alpha.interval 0.3149" in meaning
        assert all(line.endswith(shape) for line in (simplicity, classes, meaning))
        assert title.startswith("NOT recomputed; `sha256sum --check SHA256SUMS` alone tells")
        # Nothing of systems, metrics, marks or questions is in this bundle.
        named = [line.partition(": ")[0] for line in left_out]
        assert named == [
            "- README.md, METHODS.md, croissant.json, heds.md, heds*.json",
            "- study.json",
            "- data/",
        ]
        assert verdict.startswith("All ")
        assert verdict.endswith(" numbers are as published.")
        card = (frjudge / "README.md").read_text("utf-8")
        assert "| legal_meaning | alpha.ordinal (fits this scale) | 0.3252 |" in card

    def test_the_released_layout_is_the_released_file(self, frjudge):
        assert (frjudge / "data" / "frjudge.jsonl").read_bytes() == RELEASED.read_bytes()

    def test_final_labels_average_to_the_known_mean(self, frjudge):
        rows = jsonl(frjudge / "data" / "aggregated.jsonl")
        assert len(rows) == 297
        assert sum(row["legal_meaning"] for row in rows) / 297 == pytest.approx(6.30, abs=0.01)
