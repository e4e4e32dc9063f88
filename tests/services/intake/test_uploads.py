"""Files between upload and import: kept until confirmed, imported once, gone afterwards."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.corpus.pairs import PairRow, Pairs
from annotation.errors import RuleError
from annotation.models import Event, Item, Job, Judgment, PairsUpload, Study
from annotation.services.intake.uploads import (
    upload_choose,
    upload_discard,
    upload_import,
    upload_store,
    uploads_expire,
)
from annotation.services.items.items import RowsRefused
from tests.factories import make_study, make_user
from tests.services.items.test_frjudge import released

pytestmark = pytest.mark.django_db
PAIR = Pairs(rows=[PairRow(2, "a", "b")])


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def upload(study) -> PairsUpload:
    return upload_store(
        actor=make_user(), study=study, name="paires.csv", content=SimpleUploadedFile("x", b"a;b")
    )


def bring(upload, brought=PAIR, **options):
    return upload_import(
        actor=upload.uploaded_by, upload=upload, brought=brought, round="main", **options
    )


def test_the_file_is_kept_under_a_name_of_our_own(upload, settings):
    path = Path(upload.file.path)
    assert path.read_bytes() == b"a;b"
    assert path == settings.MEDIA_ROOT / "uploads" / str(upload.pk)
    assert (upload.name, upload.size) == ("paires.csv", 3)
    assert Event.objects.get().verb == "pairs_uploaded"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "../../etc/passwd"),
        ("a\x00\n\u202eb.csv", "ab.csv"),
        ("x" * 300, "x" * 200),
    ],
)
def test_a_name_is_only_shown(study, name, shown, settings):
    upload = upload_store(
        actor=make_user(), study=study, name=name, content=SimpleUploadedFile("x", b"a")
    )
    upload.refresh_from_db()
    assert upload.name == shown
    assert Path(upload.file.path).parent == settings.MEDIA_ROOT / "uploads"


def test_a_closed_study_keeps_no_file():
    with pytest.raises(RuleError):
        upload_store(
            actor=make_user(),
            study=make_study(state="closed"),
            name="x",
            content=SimpleUploadedFile("x", b"a"),
        )
    assert not PairsUpload.objects.exists()


def test_choices_are_kept(upload):
    upload_choose(upload=upload, choices={"encoding": "cp1252"})
    upload.refresh_from_db()
    assert upload.choices == {"encoding": "cp1252"}


def test_an_import_takes_the_file_away(upload, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        outcome = bring(upload)
    assert (outcome.items, Item.objects.count()) == (1, 1)
    assert not Path(upload.file.path).exists()
    upload.refresh_from_db()
    assert upload.consumed_at is not None


def test_a_second_click_adds_nothing(upload):
    bring(upload)
    with pytest.raises(RuleError) as caught:
        bring(upload, Pairs(rows=[PairRow(2, "c", "d")]))
    assert caught.value.problems[0].code == "consumed"
    assert Item.objects.count() == 1


def test_a_refused_import_leaves_the_file_to_be_tried_again(
    upload, django_capture_on_commit_callbacks
):
    Item.objects.create(
        study=upload.study, key="k", position=1, original="a"
    ).simplifications.create(text="b")
    with django_capture_on_commit_callbacks(execute=True), pytest.raises(RowsRefused):
        bring(upload)
    assert Path(upload.file.path).exists()
    assert bring(upload, skip_duplicates=True).skipped == 1


def test_released_ratings_come_with_their_judgments(upload):
    assert bring(upload, released("a", "a")).judgments == 2
    assert Judgment.objects.count() == 2


def test_throwing_away(upload, django_capture_on_commit_callbacks):
    path = Path(upload.file.path)
    with django_capture_on_commit_callbacks(execute=True):
        upload_discard(actor=upload.uploaded_by, upload=upload)
    assert not path.exists()
    assert not PairsUpload.objects.exists()
    assert Event.objects.first().verb == "upload_discarded"


def test_what_nobody_confirms_goes_after_a_week(upload, study, django_capture_on_commit_callbacks):
    assert uploads_expire() == 0
    PairsUpload.objects.update(created_at=timezone.now() - timedelta(days=8))
    path = Path(upload.file.path)
    with django_capture_on_commit_callbacks(execute=True):
        upload_store(
            actor=make_user(), study=study, name="new", content=SimpleUploadedFile("x", b"a")
        )
    assert not path.exists()
    assert [kept.name for kept in PairsUpload.objects.all()] == ["new"]


@pytest.mark.parametrize("state", ["queued", "running"])
def test_what_a_worker_was_asked_to_import_stays(upload, study, state):
    job = Job.objects.create(study=study, kind=Job.Kind.READING, state=state)
    upload.reading = job
    upload.save(update_fields=["reading"])
    PairsUpload.objects.update(created_at=timezone.now() - timedelta(days=8))
    assert uploads_expire() == 0
    Job.objects.update(state="failed")
    assert uploads_expire() == 1
