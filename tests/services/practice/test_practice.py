"""The practice meeting, its notes and its feedback: what is refused, what is recorded, what stays
hidden."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError
from annotation.models import Event, Judgment, PracticeNote, Simplification, Study
from annotation.selectors.practice.practice import (
    everybody_submitted,
    own_feedback,
    practice_done,
    practice_voices,
)
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.people.people import annotator_add
from annotation.services.practice.practice import (
    LONGEST_NOTE,
    meeting_close,
    meeting_open,
    meeting_set_names,
    practice_feedback_publish,
    practice_note_save,
    practice_reference_adopt,
)
from tests.factories import answers, make_pair, make_study, make_user
from tests.practising import everybody_submits, pairs, people, practice_study, reference_of, submit
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db

REFERENCE = answers(
    errors=[{"type": "omission", "note": "manque", "original_start": 0, "original_end": 6}]
)


@pytest.fixture
def study() -> Study:
    return practice_study()


@pytest.fixture
def lead():
    return make_user("responsable")


class TestHidden:
    def test_answers_are_hidden_until_everybody_has_submitted(self, study):
        first, second = people(study)
        first_pair, second_pair = pairs(study)
        for annotator, pair in ((first, first_pair), (first, second_pair), (second, first_pair)):
            submit(annotator, pair)
            assert not study.practice_answers_open
            assert practice_voices(study, first_pair) == []
        submit(second, second_pair)
        assert [voice.name for voice in practice_voices(study, first_pair)] == ["A", "B"]

    def test_the_lead_may_open_the_meeting_before_with_a_reason(self, study, lead):
        submit(people(study)[0], pairs(study)[0])
        with pytest.raises(RuleError) as refused:
            meeting_open(actor=lead, study=study)
        assert code(refused) == "required"
        meeting_open(actor=lead, study=study, reason=" B est en retard ")
        event = Event.objects.get(verb="meeting_opened")
        assert (event.details["reason"], event.details["early"]) == ("B est en retard", True)
        assert len(practice_voices(study, pairs(study)[0])) == 1

    def test_nobody_is_waited_for_who_comes_after_the_round(self, study, lead):
        everybody_submits(study)
        Study.objects.update(state="main")
        study.refresh_from_db()
        annotator_add(actor=lead, study=study, user=make_user("tard"))
        *_, late = practice_done(study)
        assert (late.done, late.total, late.is_late) == (0, 2, True)
        assert everybody_submitted(study)
        # What everybody answered stays before the lead's eyes, and the meeting needs no reason.
        assert len(practice_voices(study, pairs(study)[0])) == 2
        meeting_open(actor=lead, study=study)
        assert "early" not in Event.objects.get(verb="meeting_opened").details
        assert own_feedback(late.annotator) == []

    def test_whoever_had_begun_it_is_still_not_done(self, study, lead):
        first_pair, second_pair = pairs(study)
        for annotator, pair in zip(people(study), (first_pair, second_pair), strict=True):
            submit(annotator, pair)
        Study.objects.update(state="main")
        study.refresh_from_db()
        assert [part.is_late for part in practice_done(study)] == [False, False]
        assert not everybody_submitted(study)
        assert len(practice_voices(study, first_pair)) == 1, "nobody can answer more of it"

    def test_nobody_is_everybody(self):
        assert not make_study(state="practice").practice_answers_open


class TestMeeting:
    def test_names_or_pseudonyms_as_the_lead_decides(self, study, lead):
        everybody_submits(study)
        meeting = meeting_open(actor=lead, study=study, shows_names=True)
        assert "early" not in Event.objects.get(verb="meeting_opened").details
        assert [voice.name for voice in practice_voices(study, pairs(study)[0])] == [
            "Anne Gagnon",
            "Brice Tremblay",
        ]
        for _ in range(2):
            meeting_set_names(actor=lead, study=study, shows_names=False)
        assert Event.objects.filter(verb="meeting_names_set").count() == 1
        assert [voice.name for voice in practice_voices(study, pairs(study)[0])] == ["A", "B"]
        assert meeting_close(actor=lead, study=study).pk == meeting.pk

    def test_one_at_a_time_and_another_later(self, study, lead):
        everybody_submits(study)
        meeting_open(actor=lead, study=study)
        with pytest.raises(RuleError) as refused:
            meeting_open(actor=lead, study=study)
        assert code(refused) == "open"
        meeting_close(actor=lead, study=study)
        for refuse in (meeting_close, lambda **who: meeting_set_names(**who, shows_names=True)):
            with pytest.raises(RuleError) as refused:
                refuse(actor=lead, study=study)
            assert code(refused) == "closed"
        meeting_open(actor=lead, study=study)
        assert study.meetings.count() == 2

    @pytest.mark.parametrize("state", ["draft", "main"])
    def test_it_needs_a_practice_round(self, lead, state):
        with pytest.raises(RuleError) as refused:
            meeting_open(actor=lead, study=make_study(state=state), reason="déjà")
        assert code(refused) == "no_practice"

    def test_an_answer_that_was_changed_after_it_says_so(self, study, lead):
        everybody_submits(study)
        meeting_open(actor=lead, study=study)
        submit(people(study)[0], pairs(study)[0], bracket=2)
        assert [voice.late for voice in practice_voices(study, pairs(study)[0])] == [True, False]


class TestNotes:
    def test_a_note_with_a_reference_that_passes_the_rules(self, study, lead):
        pair = pairs(study)[0]
        note = practice_note_save(
            actor=lead, study=study, pair=pair, note=" À retenir ", reference=REFERENCE
        )
        assert (note.note, reference_of(pair)["characterization"]) == ("À retenir", 7)
        practice_note_save(
            actor=lead, study=study, pair=pair, note="À retenir", reference=REFERENCE
        )
        assert Event.objects.filter(verb="practice_note_saved").count() == 1
        practice_note_save(actor=lead, study=study, pair=pair, note="À retenir")
        assert PracticeNote.objects.get().reference is None

    @pytest.mark.parametrize(
        ("reference", "field"),
        [
            (answers(characterization=18, errors=[]), "explanation"),
            (answers(bracket=None, errors=[]), "bracket"),
            (
                answers(errors=[{"type": "omission", "original_start": 0, "original_end": 900}]),
                "errors.0.original",
            ),
            ({"bracket": "x"}, "bracket"),
        ],
    )
    def test_a_reference_that_breaks_them_is_refused(self, study, lead, reference, field):
        with pytest.raises(RuleError) as refused:
            practice_note_save(
                actor=lead, study=study, pair=pairs(study)[0], note="", reference=reference
            )
        assert refused.value.problems[0].field.startswith(field)
        assert not PracticeNote.objects.exists()

    def test_only_on_practice_pairs_and_not_too_long(self, study, lead):
        main = Simplification.objects.get(item__study=study, item__round="main")
        other = make_pair(make_study(), round="practice")
        for pair in (main, other):
            with pytest.raises(RuleError) as refused:
                practice_note_save(actor=lead, study=study, pair=pair, note="x")
            assert code(refused) == "unknown"
        with pytest.raises(RuleError) as refused:
            practice_note_save(
                actor=lead, study=study, pair=pairs(study)[0], note="x" * (LONGEST_NOTE + 1)
            )
        assert code(refused) == "too_long"

    def test_somebody_s_judgment_becomes_the_reference_without_their_own_words(self, study, lead):
        everybody_submits(study)
        pair = pairs(study)[0]
        judgment = Judgment.objects.get(
            assignment__simplification=pair, assignment__annotator__pseudonym="A"
        )
        practice_note_save(actor=lead, study=study, pair=pair, note="gardée")
        note = practice_reference_adopt(actor=lead, study=study, pair=pair, judgment=judgment.pk)
        assert (note.note, reference_of(pair)["comment"]) == ("gardée", "")
        assert reference_of(pair)["errors"][0]["original_end"] == 6
        other = practice_reference_adopt(
            actor=lead,
            study=study,
            pair=pairs(study)[1],
            judgment=Judgment.objects.filter(assignment__simplification=pairs(study)[1])[0].pk,
        )
        assert other.note == ""

    def test_no_word_of_theirs_comes_along_wherever_they_typed_it(self, study, lead):
        theirs = [{"type": "omission", "note": "NOTEPAIRE", "original_start": 0, "original_end": 6}]
        for annotator in people(study):
            for pair in pairs(study):
                submit(annotator, pair, comment="par moi", errors=theirs)
        pair = pairs(study)[0]
        judgment = Judgment.objects.filter(assignment__simplification=pair)[0]
        practice_reference_adopt(actor=lead, study=study, pair=pair, judgment=judgment.pk)
        assert study.protocol.typed(reference_of(pair)) == []
        assert reference_of(pair)["errors"][0]["note"] == ""
        # Words of the lead's own, written into it afterwards, stay.
        practice_note_save(actor=lead, study=study, pair=pair, note="", reference=REFERENCE)
        practice_feedback_publish(actor=lead, study=study)
        (own,) = own_feedback(people(study)[0])
        assert own.reference is not None
        assert own.reference["errors"][0]["note"] == "manque"

    def test_a_text_that_the_protocol_asks_for_is_the_lead_s_to_write(self, study, lead):
        for annotator in people(study):
            for pair in pairs(study):
                submit(annotator, pair, characterization=18, explanation="MOTS")
        pair = pairs(study)[0]
        judgment = Judgment.objects.filter(assignment__simplification=pair)[0]
        with pytest.raises(RuleError) as refused:
            practice_reference_adopt(actor=lead, study=study, pair=pair, judgment=judgment.pk)
        (problem,) = refused.value.problems
        assert (problem.field, problem.code) == ("explanation", "required")
        assert "écrivez les vôtres" in problem.message.fr
        assert not PracticeNote.objects.exists()

    def test_not_while_answers_are_hidden_nor_from_another_pair(self, study, lead):
        submit(people(study)[0], pairs(study)[0])
        judgment = Judgment.objects.get()
        for pair in pairs(study):
            with pytest.raises(RuleError) as refused:
                practice_reference_adopt(actor=lead, study=study, pair=pair, judgment=judgment.pk)
            assert code(refused) == "unknown"


class TestFeedback:
    def test_it_is_read_beside_one_s_own_answer_and_nobody_else_s(self, study, lead):
        everybody_submits(study)
        practice_note_save(
            actor=lead, study=study, pair=pairs(study)[0], note="Lisez.", reference=REFERENCE
        )
        first = people(study)[0]
        assert own_feedback(first) == [], "nothing is read before it is published"
        assert practice_feedback_publish(actor=lead, study=study) == 1
        (own,) = own_feedback(first)
        assert (own.note, own.answers["comment"], own.reference) == (
            "Lisez.",
            "par A",
            reference_of(pairs(study)[0]),
        )
        practice_note_save(actor=lead, study=study, pair=pairs(study)[0], note="Relisez.")
        assert own_feedback(first)[0].note == "Relisez."

    def test_a_pair_that_one_has_not_judged_keeps_its_answer_secret(self, study, lead):
        first, second = people(study)
        submit(first, pairs(study)[0])
        meeting_open(actor=lead, study=study, reason="B manque")
        practice_note_save(actor=lead, study=study, pair=pairs(study)[0], note="Lisez.")
        practice_feedback_publish(actor=lead, study=study)
        assert len(own_feedback(first)) == 1
        assert own_feedback(second) == []

    def test_too_early_or_with_nothing_to_read_it_is_refused(self, study, lead):
        with pytest.raises(RuleError) as refused:
            practice_feedback_publish(actor=lead, study=study)
        assert code(refused) == "too_early"
        everybody_submits(study)
        with pytest.raises(RuleError) as refused:
            practice_feedback_publish(actor=lead, study=study)
        assert code(refused) == "nothing"


def test_practice_is_not_in_the_data(study):
    everybody_submits(study)
    written = "".join(chunk.text for chunk in export_chunks(study, export_spec("long", "jsonl")))
    assert "Clause de pratique" not in written
