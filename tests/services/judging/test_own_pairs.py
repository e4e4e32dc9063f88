"""A pair kept for later, a note for oneself, an answer that was read: nobody else's concern, and
nothing is lost."""

from __future__ import annotations

import io
import zipfile
from importlib import import_module

import pytest
from django.db import connection

from annotation.access import assignment_for
from annotation.errors import RuleError, StaleNote, StudyClosed
from annotation.models import Assignment, Draft, Event, PrivateNote, Study
from annotation.selectors.judging.own import WholeList, own_judgments, own_recent
from annotation.selectors.judging.queue import first_open, place, waiting_of
from annotation.selectors.privacy.personal import personal_data
from annotation.selectors.publishing.exports import export_chunks, export_spec, layouts_of
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.own_pairs import (
    answers_read,
    note_save,
    pair_set_aside,
    pair_take_up,
)
from annotation.services.planning.assignments import assignments_fill
from annotation.services.privacy.erasure import belongings_remove
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.watching.remarks import remark_answer
from tests.factories import make_annotator, make_pair, make_study, save
from tests.planning import seen, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    study = make_study(state="main")
    for _ in range(4):
        make_pair(study)
    make_pair(study, round="practice")
    make_annotator(study)
    assignments_fill(actor=None, study=study)
    return study


def unpacked(content: bytes) -> bytes:
    """The members of a workbook, which is an archive; any other file as it is."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def main(study: Study) -> list[Assignment]:
    return [row for row in seen(study.annotators.get()) if row.simplification.item.round == "main"]


def fresh(assignment: Assignment) -> Assignment:
    return Assignment.objects.get(pk=assignment.pk)


class TestLater:
    def test_what_was_set_aside_comes_last(self, study):
        first, second, third, fourth = main(study)
        annotator = first.annotator
        pair_set_aside(assignment=first)
        pair_set_aside(assignment=third)
        assert first_open(annotator) == second.position
        assert place(fresh(second)).next_open == fourth.position
        assert place(fresh(fourth)).next_open == second.position
        submit(second)
        submit(fourth)
        assert first_open(annotator) == first.position
        assert place(fresh(first)).next_open == third.position
        assert place(fresh(fourth)).next_open == first.position
        assert waiting_of([annotator])[annotator.pk].aside == 2

    def test_taken_up_it_is_in_its_place_again(self, study):
        assignment = main(study)[0]
        pair_set_aside(assignment=assignment)
        pair_take_up(assignment=assignment)
        assert first_open(assignment.annotator) == assignment.position
        assert waiting_of([assignment.annotator])[assignment.annotator.pk].aside == 0

    def test_a_judgment_ends_it(self, study):
        assignment = main(study)[0]
        pair_set_aside(assignment=assignment)
        submit(assignment)
        assignment.refresh_from_db()
        assert assignment.set_aside_at is None
        assert waiting_of([assignment.annotator])[assignment.annotator.pk].aside == 0

    def test_a_correction_ends_what_was_set_aside_since_it_was_read(self, study):
        """In another window, between the correction's reading and its lock."""
        assignment = main(study)[0]
        submit(assignment)
        read = assignment_for(assignment.annotator.user, study.key, assignment.position)
        pair_set_aside(assignment=fresh(assignment))
        judgment_submit(actor=read.annotator.user, assignment=read, save=save(1))
        assert fresh(assignment).set_aside_at is None

    def test_a_round_that_takes_no_answers_keeps_nothing_for_later(self, study):
        practice = seen(study.annotators.get())[0]
        with pytest.raises(StudyClosed):
            pair_set_aside(assignment=practice)

    def test_nobody_is_told(self, study):
        before = Event.objects.count()
        pair_set_aside(assignment=main(study)[0])
        note_save(assignment=main(study)[0], text="rien", base_revision=0)
        assert Event.objects.count() == before


class TestNote:
    def test_it_is_written_and_written_anew(self, study):
        pair = main(study)[0]
        first = note_save(assignment=pair, text="Voir la clause 4.", base_revision=0)
        second = note_save(assignment=pair, text="", base_revision=first.revision)
        assert (first.revision, second.revision, PrivateNote.objects.get().text) == (1, 2, "")

    def test_the_same_again_is_the_same(self, study):
        pair = main(study)[0]
        note_save(assignment=pair, text="Une fois.", base_revision=0)
        again = note_save(assignment=pair, text="Une fois.", base_revision=0)
        assert again.revision == 1
        assert note_save(assignment=main(study)[1], text="", base_revision=0).pk is None

    def test_another_window_s_words_are_not_overwritten(self, study):
        pair = main(study)[0]
        note_save(assignment=pair, text="Ici.", base_revision=0)
        with pytest.raises(StaleNote) as caught:
            note_save(assignment=pair, text="Là.", base_revision=0)
        assert caught.value.current.text == "Ici."
        assert PrivateNote.objects.get().text == "Ici."

    def test_it_has_an_end(self, study):
        with pytest.raises(RuleError) as caught:
            note_save(assignment=main(study)[0], text="x" * 20_001, base_revision=0)
        assert caught.value.problems[0].code == "too_long"


def test_an_answer_is_unread_until_its_pair_was_shown(study):
    pair = main(study)[0]
    submit(pair, comment="Une question?")
    remark_answer(actor=study.annotators.get().user, study=study, assignment=pair.pk, text="Oui.")
    assert waiting_of([pair.annotator])[pair.annotator.pk].unread == 1
    answers_read(assignment=pair)
    assert waiting_of([pair.annotator])[pair.annotator.pk].unread == 0
    first = pair.remark_answers.get().read_at
    answers_read(assignment=pair)
    assert pair.remark_answers.get().read_at == first


class TestSecrecy:
    NOTE = "zzprivatezz"

    @pytest.fixture
    def noted(self, study) -> Assignment:
        pair = main(study)[0]
        for assignment in main(study):
            submit(assignment)
        note_save(assignment=pair, text=self.NOTE, base_revision=0)
        return pair

    def test_no_export_holds_it(self, study, noted):
        for layout in layouts_of(study.protocol).values():
            for format in layout.formats:
                chunks = export_chunks(study, export_spec(layout.key, format, {}))
                content = unpacked(b"".join(chunk.content for chunk in chunks))
                assert self.NOTE.encode() not in content, (layout.key, format)

    def test_no_snapshot_holds_it(self, study, noted):
        snapshot = study_freeze(actor=study.annotators.get().user, study=study, reason="essai")
        files = [path for path in snapshot_folder(snapshot).rglob("*") if path.is_file()]
        assert files
        assert not [path for path in files if self.NOTE.encode() in path.read_bytes()]

    def test_its_writer_takes_it_along(self, study, noted):
        pairs = personal_data(noted.annotator.user)["annotates"][0]["pairs"]
        assert [pair["private_note"]["text"] for pair in pairs if pair["private_note"]] == [
            self.NOTE
        ]

    def test_it_goes_with_its_writer(self, study, noted):
        belongings_remove(noted.annotator.user)
        assert PrivateNote.objects.count() == 0


def test_the_whole_list_is_cut_as_its_rows_are_counted(study):
    annotator = study.annotators.get()
    whole = WholeList(annotator)
    every = [row.pk for row in own_judgments(annotator)]
    assert whole.count() == len(every) == 5
    assert [row.pk for row in whole[0:100]] == every, "practice first"
    assert [[row.pk for row in whole[at : at + 2]] for at in (0, 2, 4)] == [
        every[0:2],
        every[2:4],
        every[4:],
    ]
    annotator.study.state = "practice"
    assert [row.pk for row in WholeList(annotator)[0:100]] == every[:1]


def test_what_was_worked_on_last_comes_first_and_knows_drafts_of_before(study):
    """A version of Barème without the column stores drafts that say nothing of their annotator."""
    first, second, third, _ = main(study)
    for pair in (first, second, third):
        submit(pair)
    annotator = study.annotators.get()
    assert own_recent(annotator) == [third, second, first]
    Draft.objects.update(annotator=None)
    assert own_recent(annotator) == []
    submit(first, comment="Encore.")
    assert own_recent(annotator) == [first]
    migration = import_module("annotation.migrations.0018_draft_annotators")
    with connection.cursor() as cursor:
        cursor.execute(migration.WHOSE)
    assert own_recent(annotator) == [first, third, second]


def test_in_practice_only_pairs_of_practice_were_worked_on(study):
    submit(main(study)[0])
    study.state = "practice"
    assert own_recent(study.annotators.get()) == []
