"""What is kept of who judged elsewhere: codes, pseudonyms, and no file's name that is a judge's."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.corpus.judging import judging_options
from annotation.models import Annotator, PairsImport
from annotation.reading import pairs_file_read
from annotation.selectors.items.judged import file_name_kept, is_code, pseudonyms
from annotation.services.intake.uploads import upload_import, upload_store
from annotation.services.items.judged import judged_import
from tests.factories import make_annotator, make_study, make_user

HEAD = "original;simplification;system;juge;fluency;meaning;simplicity\n"


def read_of(study, clause, *judges):
    rows = "".join(f"{clause};Payez.;s1;{who};4;4;4\n" for who in judges)
    judging = judging_options(study.protocol, study.rulings, take=True)
    return pairs_file_read((HEAD + rows).encode(), person=None, judging=judging)


def bring(study, clause, *judges, name=""):
    read = read_of(study, clause, *judges)
    return judged_import(actor=None, study=study, judged=read.judged, name=name)


@pytest.mark.parametrize(
    "name",
    [
        "A",
        "3",
        "A1",
        "J12",
        "LT-4",
        "annotator_2",
        "Annotatrice 1",
        "JADES-0",
        "juge1234",
        "user.7",
    ],
)
def test_codes(name):
    assert is_code(name)


@pytest.mark.parametrize(
    "name",
    ["mtremblay2", "Tremblay 1", "marie1985", "jean.2", "LUC", "Luc", "a", "12345", "-3", "JADES",
     "MTR-1", "A1\n"],
)  # fmt: skip
def test_what_may_be_a_name(name):
    assert not is_code(name)


@pytest.mark.parametrize(
    ("name", "judges"),
    [
        ("Marie-Tremblay.csv", ["tremblay", "Luc"]),
        ("export_mtremblay2.json", ["mtremblay2@example.org", "luc@example.org"]),
        ("hélène.jsonl", ["Helene", "A"]),
        ("x" * 180 + "helene", ["Hélène", "A"]),
        ("Ελένη.csv", ["Ελένη", "A"]),
        ("marie.jsonl", ["A"]),
    ],
)
def test_a_files_name_that_may_be_a_judges_is_not_kept(name, judges):
    assert file_name_kept(name, judges) == ""


def test_any_other_is():
    assert file_name_kept("jugements.csv", ["A", "B1", "luc@example.org"]) == "jugements.csv"


@pytest.mark.django_db
class TestStored:
    @pytest.fixture
    def study(self):
        return make_study("gamma", protocol_key="jades")

    def test_the_record_of_an_import(self, study):
        bring(study, "La prime est due.", "marie@example.org", "Luc", name="luc.csv")
        bring(study, "Le contrat finit.", "A", "B", name="lot.csv")
        assert set(PairsImport.objects.values_list("name", flat=True)) == {"", "lot.csv"}

    @pytest.mark.parametrize("files", [(["A1", "Bob"], ["A1"]), (["A1"], ["A1", "Bob"])])
    def test_one_code_is_one_judge_in_every_file(self, study, files):
        for clause, judges in zip(("Une clause.", "Une autre."), files, strict=True):
            bring(study, clause, *judges)
        assert Annotator.objects.filter(study=study, kind="imported").count() == 2

    @pytest.mark.parametrize(
        "spelled",
        [
            ("Ève Roy", "ève  roy", "ÈVE ROY"),
            ("eve@example.org", "Eve@Example.org", "EVE@example.org"),
            ("annotator_2", "Annotator_2", "ANNOTATOR_2"),
            ("A", "a", "A"),
        ],
    )
    def test_one_name_is_one_judge_whatever_its_capitals(self, study, spelled):
        for number, name in enumerate(spelled):
            bring(study, f"Une clause {number}.", name)
        assert Annotator.objects.filter(study=study, kind="imported").count() == 1

    def test_whom_an_earlier_version_brought_under_a_name_to_the_letter(self, study, monkeypatch):
        with monkeypatch.context() as before:
            before.setattr("annotation.selectors.items.judged.folded", lambda name: name)
            bring(study, "Une clause.", "Ève Roy")
        bring(study, "Une autre.", "Ève Roy")
        assert Annotator.objects.filter(study=study, kind="imported").count() == 1

    def test_a_code_that_somebody_else_has(self, study):
        make_annotator(study, pseudonym="A1")
        assert pseudonyms(study=study, names=["A1"])["A1"].startswith("J-")

    def test_the_upload_of_an_import(self, study):
        content = SimpleUploadedFile("x", b"a;b")
        upload = upload_store(actor=make_user(), study=study, name="luc.csv", content=content)
        judged = read_of(study, "La prime est due.", "marie@example.org", "Luc").judged
        upload_import(actor=upload.uploaded_by, upload=upload, brought=judged, round="main")
        upload.refresh_from_db()
        assert upload.name == PairsImport.objects.get().name == ""
