"""No step of judging reads more rows because its annotator has more pairs.

SQLite says how many instructions a statement took, PostgreSQL how many rows each part of a plan
gave or threw away.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from annotation.access import annotator_for, assignment_for
from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    GuideVersion,
    Item,
    Judgment,
    JudgmentRevision,
    ListedRemark,
    PracticeNote,
    Rating,
    RejudgeRequest,
    RemarkAnswer,
    RemarkSettlement,
    SideAnswer,
    Simplification,
    Study,
    StudyPlan,
    StudySize,
    Tally,
    WorkedDay,
    text_digest,
)
from annotation.selectors.agreement.consistency import study_controls, study_repeats
from annotation.selectors.agreement.sent_back import sent_back_by
from annotation.selectors.agreement.studies import guide_numbers
from annotation.selectors.guides.rejudging import candidates
from annotation.selectors.items.listing import ItemFilter
from annotation.selectors.judging.own import RECENT, WholeList, own_recent
from annotation.selectors.judging.own import own_list as listed
from annotation.selectors.judging.queue import (
    counts_of,
    first_open,
    first_open_pair,
    place,
    waiting_of,
)
from annotation.selectors.planning.repeats import repeats_left
from annotation.selectors.practice.practice import own_feedback
from annotation.selectors.studies.due import study_due
from annotation.selectors.studies.readiness import readiness
from annotation.selectors.watching.latest import LATEST, PACE_DAYS
from annotation.selectors.watching.own_work import own_work, submitted
from annotation.selectors.watching.pay import Period, pay_lines
from annotation.selectors.watching.progress import annotators_progress, study_counts, with_sizes
from annotation.selectors.watching.remarks import (
    as_remarks,
    open_remarks,
    remarks,
    remarks_number,
)
from annotation.selectors.watching.reminders import remindables
from annotation.selectors.watching.watching import ORDERS, items_number, items_watch, study_watch
from annotation.services.base.standings import standings_recount
from annotation.services.judging.drafts import assignment_open, draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.own_pairs import pair_set_aside, pair_take_up
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.row_counts import row_counts_refresh
from annotation.web.items.views.items import PAGE_SIZE as ITEMS_PAGE
from annotation.web.items.views.items import item_pages
from annotation.web.watching.views.remarks import PAGE_SIZE as REMARKS
from annotation.web.watching.views.watching import PAGE_SIZE as WATCHED
from bench.multiplied import studies_multiply
from tests.bulk import fill_study, judge_assignments
from tests.factories import kept_anew, make_annotator, make_pair, make_study, make_user, save
from tests.reading_rows import reading

pytestmark = pytest.mark.django_db

SMALL, LARGE = 100, 10_000


def filled(key: str, pairs: int) -> Study:
    """A study in its main round, its annotator somewhere in the middle."""
    study = make_study(key, state="main")
    texts = [f"Clause numéro {number}." for number in range(1, pairs + 1)]
    items = Item.objects.bulk_create(
        Item(study=study, key=f"i{n}", position=n, original=text, original_digest=text_digest(text))
        for n, text in enumerate(texts, start=1)
    )
    Simplification.objects.bulk_create(
        Simplification(item=item, text="Simple.", language="fr") for item in items
    )
    make_annotator(study, make_user(key))
    assignments_fill(actor=None, study=study)
    # As a minute later: what was rolled back before this test may have been counted as nothing.
    row_counts_refresh(Item, Simplification, Annotator, Assignment)
    return study


def assignment(study: Study, position: int) -> Assignment:
    user = study.annotators.get().user
    return assignment_for(user, study.key, position)


def resume(study: Study, _position: int) -> None:
    assert first_open(annotator_for(study.annotators.get().user, study.key)) is not None


def upcoming(study: Study, _position: int) -> None:
    pair = first_open_pair(annotator_for(study.annotators.get().user, study.key))
    assert pair is not None
    assert pair.position == first_open(pair.annotator)


def opening(study: Study, position: int) -> None:
    pair = assignment(study, position)
    assignment_open(assignment=pair)
    assert place(pair).next_open


def saving(study: Study, position: int) -> None:
    pair = assignment(study, position)
    draft_save(actor=pair.annotator.user, assignment=pair, save=save())


def submitting(study: Study, position: int) -> None:
    pair = assignment(study, position)
    judgment_submit(actor=pair.annotator.user, assignment=pair, save=save(1))
    assert place(pair).next_open


def taking_back(study: Study, position: int) -> None:
    pair = assignment(study, position)
    assert judgment_take_back(actor=pair.annotator.user, assignment=pair, number=1)


def later(study: Study, position: int) -> None:
    pair = assignment(study, position)
    pair_set_aside(assignment=pair)
    pair_take_up(assignment=pair)


def home(study: Study, _position: int) -> None:
    annotator = annotator_for(study.annotators.get().user, study.key)
    assert counts_of([annotator])[annotator.pk][1]
    assert waiting_of([annotator])[annotator.pk].unread == 0


def own_list(study: Study, _position: int) -> None:
    whole = WholeList(annotator_for(study.annotators.get().user, study.key))
    assert [len(part) for part in (whole[0:50], whole[whole.count() - 50 : whole.count()])] == [
        50,
        50,
    ]


def own_states(study: Study, _position: int) -> None:
    annotator = annotator_for(study.annotators.get().user, study.key)
    for state in ("submitted", "open", "aside"):
        listing = listed(annotator, state=state)
        assert listing.number is not None
        assert len(listing.rows[0:50]) == min(50, listing.number)


def own_doubts(study: Study, _position: int) -> None:
    annotator = annotator_for(study.annotators.get().user, study.key)
    assert len(listed(annotator, state="doubt").rows[0:50]) == 40


def recent(study: Study, _position: int) -> None:
    assert len(own_recent(annotator_for(study.annotators.get().user, study.key))) == RECENT


def own_hours(study: Study, _position: int) -> None:
    work = own_work(annotator_for(study.annotators.get().user, study.key), timezone.now())
    assert work.timed == LATEST


def watching(study: Study, _position: int) -> None:
    now = timezone.now()
    [person] = study_watch(study, now).people
    assert (person.timed, person.days) == (LATEST, PACE_DAYS)
    assert len(remindables(study, now)) == 1


STEPS = (resume, upcoming, opening, saving, submitting, taking_back, later, home, own_list)


Step = Callable[[Study, int], None]


def grown(studies: dict[int, Study], steps: tuple[Step, ...]) -> dict[str, dict[int, int]]:
    """The steps that read more in the large study, and what each read."""
    read: dict[str, dict[int, int]] = {}
    for size, study in studies.items():
        # The first run composes and plans.
        for run, step in ((run, step) for run in (1, 0) for step in steps):
            with reading() as counter:
                step(study, size // 2 + run)
            read.setdefault(step.__name__, {})[size] = counter.read
    # An index of a hundred times the rows is a level or two deeper.
    return {name: of for name, of in read.items() if of[LARGE] > 1.5 * of[SMALL] + 20}


def test_at_ten_thousand_pairs_as_at_a_hundred():
    studies = {size: filled(f"of-{size}", size) for size in (SMALL, LARGE)}
    row_counts_refresh(Assignment, Item, Simplification)
    assert not grown(studies, STEPS)


def judged(study: Study, number: int) -> None:
    """The first pairs of its annotator are judged, two weeks ago."""
    annotator = study.annotators.get()
    pairs = list(annotator.assignments.order_by("position")[:number])
    judge_assignments(pairs, GuideVersion.objects.create(study=study, number=1, body_fr="Guide"))
    moment = timezone.now() - 2 * timedelta(days=PACE_DAYS)
    moments = [moment + timedelta(seconds=place) for place in range(number)]
    Draft.objects.bulk_create(
        Draft(assignment=pair, annotator=annotator, saved_at=at)
        for pair, at in zip(pairs, moments, strict=True)
    )
    JudgmentRevision.objects.bulk_create(
        JudgmentRevision(assignment=pair, number=1, answers={}, submitted_at=at)
        for pair, at in zip(pairs, moments, strict=True)
    )
    row_counts_refresh(Judgment, Rating, SideAnswer, Draft, JudgmentRevision)
    standings_recount([annotator.pk])


def test_the_pace_of_who_has_judged_ten_thousand_pairs():
    studies = {size: filled(f"of-{size}", size + LATEST) for size in (SMALL, LARGE)}
    for size, study in studies.items():
        judged(study, size)
    row_counts_refresh(Assignment, Item, Simplification, Draft, Judgment, JudgmentRevision)
    assert not grown(studies, (own_hours, watching))


def feedback(study: Study, _position: int) -> None:
    notes = own_feedback(study.annotators.get())
    assert [(note.number, note.note) for note in notes] == [(n, f"Note {n}") for n in (1, 2, 3)]


def leaving(study: Study, _position: int) -> None:
    assert submitted(study.annotators.get()) in (SMALL + 3, LARGE + 3)


def beside(study: Study, _position: int) -> None:
    """What the form of studies side by side asks before anything is compared."""
    assert sent_back_by(study) == guide_numbers(study) == [1]


def test_the_feedback_and_the_leaving_of_who_has_judged_ten_thousand_pairs():
    studies = {size: filled(f"of-{size}", size + LATEST) for size in (SMALL, LARGE)}
    for size, study in studies.items():
        judged(study, size)
        annotator, last = study.annotators.get(), size + LATEST
        for number in (3, 2, 1):
            pair = make_pair(study, round="practice", key=f"p{number}")
            PracticeNote.objects.create(
                simplification=pair, note=f"Note {number}", published_at=timezone.now()
            )
            own = Assignment.objects.create(
                annotator=annotator, simplification=pair, position=last + number
            )
            judge_assignments([own], study.guides.get())
        RejudgeRequest.objects.create(
            assignment=own,
            guide=study.guides.get(),
            reason="Le guide a changé",
            resolved_at=timezone.now(),
        )
    kept_anew()
    row_counts_refresh(
        *(Annotator, Assignment, Item, Simplification, Judgment, PracticeNote, Tally),
        RejudgeRequest,
    )
    assert not grown(studies, (feedback, leaving, beside))


def leading(study: Study, _position: int) -> None:
    [sized_study] = with_sizes(Study.objects.filter(pk=study.pk))
    assert (sized_study.item_count, sized_study.annotator_count) == (500, study.annotators.count())
    assert sized_study.submitted == 500 * sized_study.annotator_count


def test_the_sizes_of_a_study_that_more_people_have_judged():
    """Ten times the people are ten times their kept numbers; neither pairs nor judgments."""
    read = []
    for people in (2, 20):
        study = make_study(f"by-{people}", state="main")
        fill_study(study, pairs=500, annotators=people)
        row_counts_refresh(Annotator, Assignment, Item, Judgment, Tally)
        for _ in range(2):
            with reading() as counter:
                leading(study, 1)
        read.append(counter.read)
    assert read[1] < 10 * read[0] + 20


def test_what_was_worked_on_last_among_ten_thousand_drafts():
    studies = {size: filled(f"of-{size}", size) for size in (SMALL, LARGE)}
    for study in studies.values():
        annotator = study.annotators.get()
        Draft.objects.bulk_create(
            Draft(assignment=pair, annotator=annotator) for pair in annotator.assignments.all()
        )
    row_counts_refresh(Assignment, Item, Simplification, Draft)
    assert not grown(studies, (recent,))


def told(study: Study, _position: int) -> None:
    """What the study's page says of its people and of what it holds."""
    [person] = annotators_progress(study)
    counts = study_counts(study)
    assert (person.main_done, person.main_total) == (counts.judgments, counts.expected)
    assert counts.pairs == counts.items == person.main_total


def next_step(study: Study, _position: int) -> None:
    """What the study's page says stands in the way of closing it."""
    left = {requirement.key: requirement.missing for requirement in readiness(study, "closed")}
    assert left["main_done"] == study.annotators.get().tallies.get(in_practice=False).awaited


def few_answers(study: Study, _position: int) -> None:
    for order in ORDERS.values():
        shown = items_watch(study).order_by(*order)[:WATCHED]
        assert len(shown) == WATCHED
    assert items_number(study) > WATCHED


def said_open(study: Study, _position: int) -> None:
    assert open_remarks(study) > 0


def remark_pages(study: Study, _position: int) -> None:
    """The list of remarks as it comes, by each of its filters and from both ends."""
    pseudonym = study.annotators.get().pseudonym
    for wanted in (
        *({}, {"order": "oldest"}, {"annotator": pseudonym}),
        *({"state": state} for state in ("open", "settled", "answered")),
        *({"kind": kind} for kind in ("comment", "doubt")),
    ):
        page = as_remarks(study, remarks(study, **wanted)[: REMARKS + 1])
        assert len(page) == REMARKS + 1, wanted
        assert remarks_number(study, **wanted) in (None, open_remarks(study))


def column(study: Study, _position: int) -> None:
    """What waits, beside each of the study's pages."""
    assert {due.key for due in study_due(study)} >= {"remarks", "main_left"}


def paid(study: Study, _position: int) -> None:
    [line] = pay_lines(study, Period())
    assert line.judgments == study.annotators.get().tallies.get(in_practice=False).judged


def items_page(study: Study, _position: int) -> None:
    page = item_pages(study, ItemFilter()).get_page(1)
    assert len(page) == ITEMS_PAGE
    assert all(item.judgments <= 1 for item in page)


def test_the_list_of_remarks_in_the_midst_of_ten_thousand_judgments():
    """A third says something; forty have a doubt and an answer, thirty of them are settled."""
    studies = {size: filled(f"of-{size}", size + LATEST) for size in (SMALL, LARGE)}
    for size, study in studies.items():
        judged(study, size)
        doubtful = Judgment.objects.filter(assignment__annotator__study=study).order_by("pk")
        Judgment.objects.filter(pk__in=doubtful.values("pk")).update(submitted_at=None)
        some = list(doubtful[:: size // 40])[:40]
        said = [SideAnswer(judgment=judgment, field="doubt", value="1") for judgment in some]
        SideAnswer.objects.bulk_create(said)
        Judgment.objects.filter(pk__in=doubtful.values("pk")).update(submitted_at=F("started_at"))
        settled = [
            RemarkSettlement(assignment=judgment.assignment, revision=1) for judgment in some[:30]
        ]
        RemarkSettlement.objects.bulk_create(settled)
        answers = [RemarkAnswer(assignment=judgment.assignment, text="Oui.") for judgment in some]
        RemarkAnswer.objects.bulk_create(answers)
    kept_anew()
    row_counts_refresh(
        *(Annotator, Assignment, Item, Simplification, Judgment, SideAnswer, ListedRemark),
        *(RemarkAnswer, RemarkSettlement, Tally),
    )
    assert not grown(studies, (remark_pages, own_doubts))


def test_what_a_lead_looks_at_most_of_ten_thousand_judgments():
    studies = {size: filled(f"of-{size}", size + LATEST) for size in (SMALL, LARGE)}
    for size, study in studies.items():
        judged(study, size)
    kept_anew()
    row_counts_refresh(
        *(Annotator, Assignment, Draft, Item, Simplification, Judgment, JudgmentRevision),
        *(SideAnswer, StudySize, Tally, WorkedDay),
    )
    steps = (told, next_step, few_answers, said_open, column, paid, items_page, own_states)
    assert not grown(studies, steps)


def to_send_back(study: Study, _position: int) -> None:
    assert len(candidates(study)) == SMALL


def beside_the_data(study: Study, _position: int) -> None:
    """Repeats and controls of a study in which none are offered yet."""
    assert study_repeats(study).offered == len(study_controls(study)) == 0
    assert repeats_left(study) == 2 * SMALL // 10


def test_nothing_is_read_of_other_studies():
    """A lead's pages of a hundred pairs, with one study beside it and with eighty."""
    own = make_study("own", state="main")
    fill_study(own, pairs=SMALL, annotators=2)
    for annotator in own.annotators.all():
        own.annotators.filter(pk=annotator.pk).update(user=make_user(annotator.pseudonym))
    StudyPlan.objects.create(study=own, repeat_percent=10)
    fill_study(make_study("other", state="main"), pairs=SMALL, annotators=20)
    read: dict[str, list[int]] = {}
    for times in (1, 40):
        studies_multiply(times)
        row_counts_refresh(Draft, RejudgeRequest)
        for step in (to_send_back, beside_the_data):
            for _ in range(2):
                with reading() as counter:
                    step(own, 1)
            read.setdefault(step.__name__, []).append(counter.read)
    # An index of a hundred times the rows is a level or two deeper.
    assert not {name: of for name, of in read.items() if of[1] > 1.5 * of[0] + 20}
