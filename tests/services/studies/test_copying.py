"""A study made after the pattern of another."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from django.core.files.storage import default_storage

from annotation.agreement.disputes import DisputeRules
from annotation.config.llm import Endpoint
from annotation.corpus.glossary import Term
from annotation.errors import RuleError
from annotation.generation.presets import PAPER
from annotation.generation.prices import Price
from annotation.models import (
    AdjudicationRules,
    Event,
    GenerationSystem,
    Judgment,
    Study,
    StudyPlan,
    User,
)
from annotation.services.base.standings import positions_check
from annotation.services.documents.draws import items_draw
from annotation.services.generation.runs import run_create
from annotation.services.generation.systems import system_add
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.items.removal import import_undo
from annotation.services.people.parts import part_check
from annotation.services.people.people import (
    admin_set,
    annotator_withdraw,
    lead_add,
    lead_remove,
)
from annotation.services.studies import copying
from annotation.services.studies.copying import CopyParts, study_copy
from annotation.services.studies.ending import study_delete
from annotation.services.studies.studies import guide_publish, study_create, study_update
from tests.documents import make_document
from tests.factories import make_pair, make_study, make_user
from tests.planning import annotators, open_main, planned_study, rows, submit
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _what_is_kept_is_what_is_counted(db):
    yield
    assert list(positions_check()) == []


EVERYTHING = CopyParts(people=True, items=True, documents=True)


@pytest.fixture
def lead() -> User:
    return make_user("lead")


@pytest.fixture
def source(lead) -> Study:
    """A study that is judged, with everything that a copy may take along."""
    study = planned_study(3, 3, per_item=2, control_identical=1, opened=False)
    lead_add(actor=None, study=study, user=lead)
    lead_add(actor=None, study=study, user=make_user("second"))
    study_update(
        actor=lead,
        study=study,
        hours_budget=12,
        hourly_rate=Decimal("25.50"),
        contact="Anne",
        rulings={"crossing_policy": "clamp"},
    )
    for body in ("Lisez.", "Lisez bien."):
        guide_publish(actor=lead, study=study, body_fr=body)
    glossary_replace(actor=lead, study=study, terms=[Term("prime", "Un prix.")])
    AdjudicationRules.objects.create(study=study, rules={"majority_share": 0.7})
    for _ in range(2):
        run = run_create(actor=lead, study=study, ceiling=Decimal(2))
        system_add(actor=lead, run=run, spec=PAPER)
    study = open_main(Study.objects.get(pk=study.pk))
    row = rows(study, simplification__item__round="main")[0]
    guide_acknowledge(annotator=row.annotator, number=2)
    submit(row)
    return Study.objects.get(pk=study.pk)


def copied(lead: User, source: Study, wanted: CopyParts | None = None) -> Study:
    return study_copy(actor=lead, source=source, key="copie", title="Copie", wanted=wanted)


class TestPattern:
    def test_what_was_decided_goes_along_and_the_seeds_are_its_own(self, lead, source):
        copy = copied(lead, source)
        assert (copy.key, copy.title, copy.state) == ("copie", "Copie", "draft")
        assert (copy.hours_budget, copy.hourly_rate, copy.contact) == (12, Decimal("25.50"), "Anne")
        assert copy.rulings == source.rulings
        assert (copy.protocol_key, copy.protocol_version) == (
            source.protocol_key,
            source.protocol_version,
        )
        assert [(guide.number, guide.body_fr) for guide in copy.guides.all()] == [
            (1, "Lisez bien.")
        ]
        assert [entry.term for entry in copy.glossary.all()] == ["prime"]
        assert (copy.glossary_number, copy.glossary_size) == (1, 1)
        plan = StudyPlan.objects.get(study=copy)
        assert (plan.per_item, plan.control_identical) == (2, 1)
        assert plan.seed != StudyPlan.objects.get(study=source).seed
        assert copy.seed != source.seed
        assert AdjudicationRules.objects.get(study=copy).rules == {"majority_share": 0.7}
        run = copy.generation_runs.get()
        assert (run.state, run.ceiling, run.spent) == ("draft", Decimal(2), Decimal(0))
        assert [system.name for system in run.systems.all()] == [PAPER.name]
        assert [lead_row.user for lead_row in copy.leads.all()] == [lead]
        assert not copy.items.exists()
        assert not copy.annotators.exists()
        made = Event.objects.get(study=copy, verb="study_created")
        assert made.details["seed"] == copy.seed
        event = Event.objects.get(study=copy, verb="study_copied")
        assert event.details == {
            "of": source.key,
            "source": source.pk,
            "seed": plan.seed,
            "systems": 1,
        }

    def test_a_price_that_nobody_gave_is_not_taken_for_one(self, lead, source, settings):
        settings.LLM_ENDPOINTS = {
            "openai": Endpoint("openai", "https://llm.example.org/v1", "", 0, 0, 0)
        }
        GenerationSystem.objects.update(price_prompt=0, price_completion=0, price_as_of="")
        system = GenerationSystem.objects.get(run__study=copied(lead, source))
        assert (system.price_prompt, system.price_as_of) == (Decimal(0), "")

    def test_a_run_of_questions_asks_alike(self, lead, source):
        questioning = {"types": ["amount"], "most": 3}
        run = run_create(actor=lead, study=source, purpose="question", questioning=questioning)
        spec = replace(PAPER, prompt="Interroge.")
        system_add(actor=lead, run=run, spec=spec, price=Price(Decimal(1), Decimal(1)))
        # As it could be set once.
        run.systems.update(prompt=PAPER.prompt)
        copy = copied(lead, source)
        assert copy.generation_runs.get(purpose="question").questioning == run.questioning
        assert run.questioning["types"] == ["amount"]

    def test_of_a_bare_study(self, lead):
        copy = copied(lead, make_study(), EVERYTHING)
        assert Event.objects.get(study=copy, verb="study_copied").details.keys() == {
            "of",
            "source",
        }
        assert not StudyPlan.objects.filter(study=copy).exists()
        assert not copy.pairs_imports.exists()

    def test_a_key_that_is_taken_makes_nothing(self, lead, source):
        before = Study.objects.count()
        with pytest.raises(RuleError) as refused:
            study_copy(actor=lead, source=source, key=source.key, title="t", wanted=EVERYTHING)
        assert code(refused) == "taken"
        assert Study.objects.count() == before

    def test_the_thresholds_are_still_read(self, lead, source):
        rules = AdjudicationRules.objects.get(study=copied(lead, source)).rules
        assert DisputeRules(**rules).majority_share == 0.7


class TestWhatIsWanted:
    def test_people_who_are_there(self, lead, source):
        gone, closed, stays = annotators(source)
        annotator_withdraw(actor=None, annotator=gone, reason="r")
        User.objects.filter(pk=closed.user_id).update(is_active=False)
        copy = copied(lead, source, CopyParts(people=True))
        assert [(annotator.pseudonym, annotator.user) for annotator in copy.annotators.all()] == [
            ("A", stays.user)
        ]
        assert {lead_row.user.name for lead_row in copy.leads.select_related("user")} == {
            "Lead",
            "Second",
        }

    def test_items_without_judgments_control_pairs_or_places(self, lead, source):
        copy = copied(lead, source, CopyParts(items=True))
        items = list(
            copy.items.values_list("key", "position", "round", "original", "original_digest")
        )
        kept = source.items.filter(round="main")
        assert items == list(
            kept.values_list("key", "position", "round", "original", "original_digest")
        )
        texts = {item.simplifications.get().text for item in copy.items.all()}
        assert texts == {item.simplifications.get().text for item in kept}
        assert not Judgment.objects.filter(assignment__annotator__study=copy).exists()
        record = copy.pairs_imports.get()
        assert (record.kind, record.name, record.item_count) == ("copy", source.key, 3)
        import_undo(actor=lead, record=record)
        assert not copy.items.exists()
        assert source.items.exists()

    def test_it_can_be_judged_as_any_other(self, lead, source):
        copy = open_main(copied(lead, source, EVERYTHING))
        # Two answers for each of three pairs, and the control pair for everybody.
        assert len(rows(copy)) == 3 * 2 + 3

    @pytest.mark.parametrize("items", [True, False])
    def test_documents_with_their_criteria_and_what_was_drawn(self, lead, items):
        source = make_study(lead=lead)
        document = make_document(source, lead)
        document.criteria = document.criteria | {"most_sentences": 4}
        document.save()
        items_draw(actor=lead, document=document, practice=0, main=2, seed="3")
        copy = copied(lead, source, CopyParts(items=items, documents=True))
        copied_document = copy.documents.get()
        assert (copied_document.text, copied_document.criteria) == (
            document.text,
            document.criteria,
        )
        assert copied_document.file.name != document.file.name
        contents = []
        for name in (document.file.name, copied_document.file.name):
            with default_storage.open(name) as stored:
                contents.append(stored.read())
        assert contents[0] == contents[1]
        assert (copied_document.drawn_at is not None) == items
        assert copy.items.count() == (2 if items else 0)

    def test_a_file_that_is_gone_is_said(self, lead):
        source = make_study(lead=lead)
        document = make_document(source, lead)
        document.file.storage.delete(document.file.name)
        with pytest.raises(RuleError) as refused:
            copied(lead, source, CopyParts(documents=True))
        assert code(refused) == "file_gone"
        assert not Study.objects.filter(key="copie").exists()


def part(of: str, study: Study, user: User) -> str:
    """Why somebody may not have this part; nothing where they may."""
    try:
        part_check(study=study, user=user, role=of)
    except RuleError as error:
        return error.problems[0].code
    return ""


class TestBlindness:
    """A copy with its items has the same texts by the same systems."""

    def made(self, source: Study, key: str, wanted: CopyParts | None = None) -> Study:
        """A copy by an admin."""
        admin = make_user(f"copies-{key}", is_admin=True)
        wanted = wanted or CopyParts(items=True)
        return study_copy(actor=admin, source=source, key=key, title=key, wanted=wanted)

    def test_who_has_led_the_source_of_a_source_does_not_annotate(self, lead, source):
        second = self.made(self.made(source, "b"), "c")
        former = make_user("former")
        lead_remove(actor=lead, lead=lead_add(actor=lead, study=source, user=former))
        for user in (lead, former):
            assert part("annotator", second, user) == "blindness"
            assert not part("lead", second, user)
        assert not part("annotator", second, make_user())

    def test_nor_where_the_source_is_deleted_since(self, lead):
        source = study_create(actor=make_user(is_admin=True), key="a", title="a", lead=lead)
        make_pair(source)
        own = study_create(actor=lead, key="own", title="own")
        make_pair(own)
        former = make_user("former")
        lead_add(actor=lead, study=source, user=former)
        admin = make_user("admin", is_admin=True)
        admin_set(actor=make_user(is_admin=True), user=admin, is_admin=False, reason="r")
        copies = [self.made(study, f"of-{study.key}") for study in (source, own)]
        for study in (source, own):
            study_delete(actor=lead, study=study, key=study.key)
        assert part("annotator", copies[0], former) == "blindness"
        assert part("annotator", copies[1], former) == ""
        for copy in copies:
            for user in (lead, admin):
                assert part("annotator", copy, user) == "blindness"

    def test_nor_does_who_annotates_come_to_lead_what_has_the_same_texts(self, source):
        person = annotators(source)[0]
        copy, other = self.made(source, "b"), self.made(source, "c")
        for study in (copy, other):
            assert part("lead", study, person.user) == "blindness"
            assert not part("annotator", study, person.user)
        leads = make_user()
        lead_add(actor=None, study=copy, user=leads)
        for study in (source, other):
            assert part("annotator", study, leads) == "blindness"
        annotator_withdraw(actor=None, annotator=person, reason="fini")
        assert not part("lead", other, person.user)

    def test_other_texts_after_the_same_pattern_are_other_texts(self, lead, source):
        copy = self.made(source, "b", CopyParts(documents=True))
        assert not part("annotator", copy, lead)

    def test_the_same_few_statements_whatever_the_chain(
        self, source, django_assert_max_num_queries
    ):
        study = source
        for key in "bcde":
            study = self.made(study, key)
        late = make_user("late")
        with django_assert_max_num_queries(6):
            assert not part("annotator", study, late)


def test_what_can_have_no_part_in_the_copy_is_left_out_and_the_rest_is_made(monkeypatch):
    source, lead = planned_study(1, 2), make_user()
    run = run_create(actor=lead, study=source)
    system_add(actor=lead, run=run, spec=PAPER)

    def refused(**_named):
        raise RuleError.single("x", "gone", "Plus là.", "Gone.")

    monkeypatch.setattr(copying, "run_create", refused)
    monkeypatch.setattr(copying, "annotator_add", refused)
    made = study_copy(
        actor=lead, source=source, key="bare", title="Nue", wanted=CopyParts(people=True)
    )
    assert not made.generation_runs.exists()
    assert not made.annotators.exists()
