"""A study's plan by program: tried, set, guarded; an absent person's pairs."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.models import Assignment, Event, Lead, Study, StudyPlan
from annotation.services.planning.plans import SETTINGS
from annotation.services.planning.repeats import repeats_offer
from annotation.services.studies.studies import study_change_state
from api.planning.serializers import PlanQuery
from tests.api.conftest import bearer
from tests.api.studies.test_steering import send
from tests.factories import make_user
from tests.planning import days_pass, planned_study, rows, submit

pytestmark = pytest.mark.django_db


def led(study: Study, *scopes: str) -> Client:
    lead = make_user(f"chef{Lead.objects.count()}")
    Lead.objects.create(study=study, user=lead)
    return bearer(lead, *scopes)


def fields(answer: dict) -> set[tuple[str, str]]:
    return {(problem["field"], problem["code"]) for problem in answer["problems"]}


class TestPlan:
    def test_a_study_without_one_has_the_default(self):
        study = planned_study(2, 2, opened=False)
        StudyPlan.objects.all().delete()
        lead = led(study)
        plan = send(lead, "get", f"studies/{study.key}/plan/")
        assert (plan["per_item"], plan["seed"], plan["repeat_after_days"]) == (
            None,
            study.seed,
            7,
        )
        first, again = (lead.get(f"/api/v1/studies/{study.key}/plan/") for _ in range(2))
        assert first["ETag"] == again["ETag"]

    def test_setting_it_says_what_was_given_out(self):
        study = planned_study(4, 4)
        lead, url = led(study), f"studies/{study.key}/plan/"
        wanted = {"per_item": 2, "redistribute": True, "reason": "moins de temps"}
        outcome = send(lead, "patch", url, wanted)
        assert (outcome["plan"]["per_item"], outcome["recounted"]) == (2, 0)
        event = study.events.get(verb="plan_set", details__reason="moins de temps")
        assert event.details["after"] == {"per_item": 2}
        assert (
            Assignment.objects.filter(annotator__study=study, released_at__isnull=True).count() == 8
        )
        for row in rows(study, released_at=None):
            submit(row)
        assert send(lead, "patch", url, {"per_item": 3})["added"] == 4
        assert send(lead, "patch", url, {"per_item": None})["plan"]["per_item"] is None

    def test_what_is_not_named_stays(self):
        study = planned_study(3, 4, per_item=2, opened=False)
        plan = send(led(study), "patch", f"studies/{study.key}/plan/", {"repeat_percent": 10})[
            "plan"
        ]
        assert (plan["per_item"], plan["repeat_percent"]) == (2, 10)

    def test_surplus_answers_that_count_now_are_said(self):
        study = planned_study(3, 1)
        lead, url = led(study), f"studies/{study.key}/plan/"
        send(lead, "patch", url, {"per_item": 2})
        for row in rows(study):
            submit(row)
        assert send(lead, "patch", url, {"per_item": 3})["recounted"] == 1

    @pytest.mark.parametrize(
        ("changed", "problem"),
        [
            ({"per_item": 9}, ("per_item", "too_many")),
            ({"seed": 5}, ("seed", "round_open")),
            ({"release_after_days": 3}, ("release_after_days", "nobody_else")),
            ({"repeat_percent": 5, "repeat_after_days": 0}, ("repeat_after_days", "out_of_range")),
            ({"repeat_after_days": 10**30}, ("repeat_after_days", "out_of_range")),
            (
                {"control_unit": "percent", "control_identical": 60, "control_unrelated": 60},
                ("control_identical", "too_many"),
            ),
        ],
    )
    def test_what_cannot_be_is_refused_as_on_the_page(self, changed, problem):
        study = planned_study(4, 4)
        assert problem in fields(
            send(led(study), "patch", f"studies/{study.key}/plan/", changed, 422)
        )
        assert StudyPlan.objects.get().per_item is None

    def test_a_closed_study_shows_its_plan_and_takes_no_other(self):
        study = study_change_state(actor=None, study=planned_study(2, 2), to="closed", reason="fin")
        lead = led(study)
        send(lead, "get", f"studies/{study.key}/plan/")
        send(lead, "get", f"studies/{study.key}/plan/preview/")
        refused = send(lead, "patch", f"studies/{study.key}/plan/", {"per_item": 2}, 422)
        assert fields(refused) == {("plan", "closed")}
        send(lead, "get", f"studies/{study.key}/plan/preview/?per_item=2", status=422)

    def test_another_lead_s_plan_is_not_overwritten_unseen(self):
        study = planned_study(4, 4)
        lead, url = led(study), f"studies/{study.key}/plan/"
        tag = {"if-match": lead.get(f"/api/v1/{url}")["ETag"]}
        assert send(lead, "patch", url, {"per_item": 2}, **tag)["plan"]["per_item"] == 2
        assert send(lead, "patch", url, {"per_item": 3}, 412, **tag)["type"] == "changed"

    def test_sent_twice_it_is_set_once(self):
        study = planned_study(4, 4)
        lead, url = led(study), f"studies/{study.key}/plan/"
        answers = [
            send(lead, "patch", url, {"per_item": 2}, **{"idempotency-key": "k"}) for _ in range(2)
        ]
        assert answers[0] == answers[1]
        assert (
            Event.objects.filter(
                study=study, verb="plan_set", details__after={"per_item": 2}
            ).count()
            == 1
        )


class TestPreview:
    def test_loads_and_shared_pairs_and_nothing_is_written(self):
        study = planned_study(6, 20, opened=False)
        url = f"studies/{study.key}/plan/preview/"
        lead = led(study)
        preview = send(lead, "get", f"{url}?per_item=3&repeat_percent=10&control_identical=2")
        assert preview["pairs"] == 20
        assert [(load["pairs"], load["repeats"], load["away"]) for load in preview["loads"]] == [
            (10, 1, False)
        ] * 6
        assert [couple["pairs"] for couple in preview["couples"]] == [4] * 15
        assert (preview["controls"], preview["added"]) == ({"identical": 2, "unrelated": 0}, 60)
        assert StudyPlan.objects.get().per_item is None
        assert [load["pairs"] for load in send(lead, "get", url)["loads"]] == [20] * 6

    def test_an_empty_number_is_none(self):
        study = planned_study(4, 4, per_item=2, opened=False)
        url = f"studies/{study.key}/plan/preview/"
        lead = led(study)
        assert [load["pairs"] for load in send(lead, "get", f"{url}?per_item=")["loads"]] == [4] * 4
        send(lead, "get", f"{url}?per_item=x", status=400)
        assert fields(send(lead, "get", f"{url}?per_item=9", status=422)) == {
            ("per_item", "too_many")
        }

    @pytest.mark.parametrize(
        "setting",
        [
            "repeat_after_days=0",
            "repeat_after_days=366",
            "release_after_days=0",
            "per_item=2&release_after_days=366",
            "repeat_percent=101",
            "control_identical=-1",
            "control_unit=percent&control_identical=101",
        ],
    )
    def test_what_cannot_be_set_cannot_be_looked_at(self, setting):
        study = planned_study(4, 4, opened=False)
        lead, url = led(study), f"studies/{study.key}/plan/"
        wanted = dict(pair.split("=") for pair in setting.split("&"))
        refused = fields(send(lead, "patch", url, wanted, status=422))
        assert fields(send(lead, "get", f"{url}preview/?{setting}", status=422)) == refused

    def test_every_setting_can_be_looked_at(self):
        assert set(SETTINGS) <= set(PlanQuery().fields)

    def test_what_the_plan_cannot_do_is_said(self):
        study = planned_study(6, 1, opened=False)
        [obstacle] = send(led(study), "get", f"studies/{study.key}/plan/preview/?per_item=3")[
            "obstacles"
        ][:1]
        assert (obstacle["code"], obstacle["serious"], obstacle["numbers"]["idle"]) == (
            "too_few_pairs",
            True,
            3,
        )

    def test_what_nobody_has_opened_can_be_drawn_again(self):
        study = planned_study(4, 4)
        send(led(study), "patch", f"studies/{study.key}/plan/", {"per_item": 2})
        url = f"studies/{study.key}/plan/preview/"
        lead = led(study)
        assert send(lead, "get", url)["released"] == 0
        assert send(lead, "get", f"{url}?redistribute=1")["released"] == 8


class TestRelease:
    def test_an_absent_person_s_pairs_are_offered_to_others(self):
        study = planned_study(3, 6, per_item=1, seed=1)
        lead, url = led(study), f"studies/{study.key}/annotators/A/release/"
        send(lead, "post", url, {"reason": " "}, 400)
        wanted = {"reason": "absente"}
        for _ in range(2):
            assert send(lead, "post", url, wanted, **{"idempotency-key": "k"}) == {
                "offered": 2,
                "kept": 0,
            }
        assert study.events.get(verb="pairs_released").details["reason"] == "absente"
        assert fields(send(lead, "post", url, wanted, 422)) == {("annotator", "nothing")}
        loads = send(lead, "get", f"studies/{study.key}/plan/preview/")["loads"]
        assert [(load["pseudonym"], load["pairs"], load["away"]) for load in loads] == [
            ("A", 0, True),
            ("B", 3, False),
            ("C", 3, False),
        ]
        send(lead, "post", f"studies/{study.key}/annotators/Z/release/", wanted, 404)


class TestConsistency:
    def test_who_passed_and_who_agrees_with_themselves(self):
        study = planned_study(
            2,
            10,
            repeat_percent=10,
            repeat_after_days=1,
            control_unrelated=1,
            control_identical=0,
            seed=2,
        )
        for row in rows(study):
            submit(row)
        days_pass(study, 2)
        repeats_offer(study=study)
        for row in rows(study, simplification__item__round="repeat"):
            submit(row)
        steadiness = send(led(study), "get", f"studies/{study.key}/plan/steadiness/")
        assert steadiness["controls"][0] == {
            "pseudonym": "A",
            "kind": "unrelated",
            "given": 1,
            "judged": 1,
            "passed": 0,
            "passed_strictly": None,
        }
        assert (steadiness["offered"], steadiness["answered"], steadiness["left"]) == (2, 2, 0)
        assert {(person["pseudonym"], person["same"]) for person in steadiness["people"]} == {
            ("A", 1.0),
            ("B", 1.0),
        }
        assert steadiness["dimensions"]["legal_meaning"]["percent_agreement"]

    def test_a_blind_phase_hides_it_and_not_the_plan(self):
        study = planned_study(2, 2)
        Study.objects.filter(pk=study.pk).update(is_blind=True)
        lead = led(study)
        assert (
            send(lead, "get", f"studies/{study.key}/plan/steadiness/", status=403)["type"]
            == "answers_hidden"
        )
        send(lead, "get", f"studies/{study.key}/plan/")
        send(lead, "get", f"studies/{study.key}/plan/preview/")


@pytest.mark.parametrize(("method", "url"), [("patch", "plan/"), ("post", "annotators/A/release/")])
def test_a_key_that_may_only_read_changes_nothing(method, url):
    study = planned_study(2, 2)
    assert (
        send(led(study, "read"), method, f"studies/{study.key}/{url}", {}, 403)["type"]
        == "missing_scope"
    )
