"""The pages of a plan, and that nothing of it reaches an annotator."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.models import MOST_SEED, Item, Lead, Study, StudyPlan
from annotation.selectors.agreement.consistency import study_repeats
from annotation.services.planning.repeats import repeats_offer
from annotation.services.studies.studies import study_change_state
from tests.factories import make_study, make_user
from tests.planning import annotators, days_pass, planned_study, rows, seen, submit

pytestmark = pytest.mark.django_db

SETTINGS = {
    "mode": "teams",
    "per_item": "3",
    "seed": "1",
    "release_after_days": "",
    "repeat_percent": "",
    "repeat_after_days": "7",
    "control_identical": "0",
    "control_unrelated": "0",
    "control_unit": "count",
}


def led(client, study):
    lead = make_user("chef", language="en")
    Lead.objects.create(study=study, user=lead)
    client.force_login(lead)
    return reverse("study_plan", args=[study.key])


def test_a_preview_shows_loads_and_shared_pairs_and_writes_nothing(client):
    study = planned_study(6, 20, opened=False)
    url = led(client, study)
    assert "Everybody judges every pair" in client.get(url).content.decode()
    answer = client.post(url, SETTINGS | {"action": "preview"})
    assert answer.status_code == 200
    assert [row["pairs"] for row in answer.context["loads"]] == [10] * 6
    assert [
        [cell for cell in row["cells"] if cell is not None] for row in answer.context["rows"]
    ] == [[4] * number for number in range(1, 6)]
    page = answer.content.decode()
    assert "Preview: nothing is applied yet" in page
    # The button leads to it.
    assert 'formaction="#preview"' in page
    assert 'id="preview" tabindex="-1"' in page
    assert not StudyPlan.objects.filter(per_item=3).exists()


def test_applying_it_says_what_was_given_out(client):
    study = planned_study(4, 4)
    url = led(client, study)
    form = SETTINGS | {
        "per_item": "2",
        "action": "apply",
        "redistribute": "on",
        "reason": "moins de temps",
    }
    answer = client.post(url, form, follow=True)
    assert answer.redirect_chain == [(url, 302)]
    assert "The plan is saved." in answer.content.decode()
    plan = StudyPlan.objects.get(study=study)
    assert (plan.per_item, plan.seed) == (2, study.seed), "the seed is fixed once the round is open"
    event = study.events.get(verb="plan_set", details__reason="moins de temps")
    assert event.details["after"] == {"per_item": 2}
    for row in rows(study, released_at=None):
        submit(row)
    more = client.post(url, form | {"per_item": "3"}, follow=True)
    assert "4 assignments added" in more.content.decode()
    everybody = client.post(url, form | {"mode": "everybody", "per_item": "3"}, follow=True)
    assert StudyPlan.objects.get(study=study).per_item is None
    assert everybody.status_code == 200


@pytest.mark.parametrize(
    ("protocol", "shown"),
    [
        ("legal_meaning", ["identical", "unrelated", "unit"]),
        ("operations", ["identical", "unit"]),
        ("qa_answers", []),
    ],
)
def test_control_pairs_are_asked_for_where_the_protocol_has_them(client, protocol, shown):
    study = make_study(protocol_key=protocol)
    StudyPlan.objects.create(study=study, control_identical=2, control_unrelated=2)
    url = led(client, study)
    names = [name for name in client.get(url).context["form"].fields if "control_" in name]
    assert names == [f"control_{name}" for name in shown]
    sent = SETTINGS | {"mode": "everybody", "per_item": "", "action": "apply"}
    sent |= {"control_identical": "1", "control_unrelated": "1"}
    assert client.post(url, sent).status_code == 302
    plan = StudyPlan.objects.get(study=study)
    expected = tuple(int(name in shown) for name in ("identical", "unrelated"))
    assert (plan.control_identical, plan.control_unrelated) == expected


def test_a_seed_is_posted_as_it_was_shown_digit_by_digit(client):
    """More than a double holds."""
    study = planned_study(3, 6, opened=False)
    StudyPlan.objects.filter(study=study).delete()
    Study.objects.filter(pk=study.pk).update(seed=MOST_SEED - 1)
    url = led(client, study)
    for page in (client.get(url).content.decode(), preview(client, url, MOST_SEED - 1)):
        assert f'name="seed" value="{MOST_SEED - 1}"' in page
        assert f'name="part_seed" value="{MOST_SEED - 1}"' in page
    client.post(url, SETTINGS | {"seed": str(MOST_SEED - 1), "action": "apply"})
    assert StudyPlan.objects.get(study=study).seed == MOST_SEED - 1
    study_change_state(actor=None, study=study, to="main", reason="essai")
    assert [len(seen(annotator)) for annotator in annotators(study)] == [6, 6, 6]


def preview(client, url, seed):
    answer = client.post(url, SETTINGS | {"seed": str(seed), "action": "preview"})
    assert str(seed) in answer.content.decode().partition('id="preview"')[2]
    return answer.content.decode()


def test_surplus_answers_that_count_now_are_said(client):
    study = planned_study(3, 1)
    url = led(client, study)
    client.post(url, SETTINGS | {"per_item": "2", "action": "apply"})
    for row in rows(study):
        submit(row)
    assert (
        "1 surplus answer counts now."
        in client.post(url, SETTINGS | {"action": "apply"}, follow=True).content.decode()
    )


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"per_item": "9"}, "per_item", "invite 5 more"),
        ({"per_item": ""}, "per_item", "how many people"),
        ({"mode": "everybody", "release_after_days": "3"}, "release_after_days", "nobody else"),
        ({"repeat_percent": "5", "repeat_after_days": "0"}, "repeat_after_days", "from 1 to 365"),
        ({"control_unrelated": "900"}, "control_unrelated", "900 control pairs"),
        ({"seed": str(2**63)}, "seed", "from 0 to 9223372036854775807"),
    ],
)
@pytest.mark.parametrize("action", ["preview", "apply"])
def test_what_cannot_be_is_said_at_its_field_and_nothing_typed_is_lost(
    client, changed, field, words, action
):
    study = planned_study(4, 4, opened=False)
    typed = SETTINGS | {"seed": "77", "action": action} | changed
    answer = client.post(led(client, study), typed)
    assert answer.status_code == 422
    assert words in " ".join(answer.context["form"].errors[field])
    assert f'value="{typed["seed"]}"' in answer.content.decode()
    assert 'id="preview" ' not in answer.content.decode()


def test_a_plan_that_gives_some_people_nothing_says_so(client):
    study = planned_study(6, 1, opened=False)
    answer = client.post(led(client, study), SETTINGS | {"action": "preview"})
    assert "3 people get nothing" in answer.content.decode()


def test_a_closed_study_shows_its_plan_and_takes_no_other(client):
    study = study_change_state(actor=None, study=planned_study(2, 2), to="closed", reason="fin")
    url = led(client, study)
    assert b'<form method="post" class="card form"' not in client.get(url).content
    assert client.post(url, SETTINGS | {"per_item": "2", "action": "apply"}).status_code == 422


def test_an_absent_person_s_pairs_are_offered_from_the_page_of_people(client):
    study = planned_study(3, 6, per_item=1, seed=1)
    led(client, study)
    url = reverse("study_people", args=[study.key])
    assert "Offer their pairs to others" in client.get(url).content.decode()
    form = {"action": "release", "annotator": annotators(study)[0].pk}
    assert client.post(url, form).status_code == 422
    answer = client.post(url, form | {"reason": "absente"}, follow=True)
    assert "2 pairs of annotator A were offered to others" in answer.content.decode()


class TestConsistency:
    def test_an_empty_page_says_why(self, client):
        study = planned_study(1, 1)
        led(client, study)
        page = client.get(reverse("study_consistency", args=[study.key])).content.decode()
        assert "No control pair" in page
        assert "No repeat yet" in page

    def test_who_passed_and_who_agrees_with_themselves(self, client):
        study = judged_twice()
        led(client, study)
        answer = client.get(reverse("study_consistency", args=[study.key]))
        assert answer.context["repeats"]["answered"] == 2
        everybody = answer.context["repeats"]["all"][0]
        assert (everybody["same"], everybody["pairs"]) == ("100.0%", 2)
        texts = {repeat.source for repeat in study_repeats(study).twice}
        assert everybody["texts"] == len(texts)
        assert "each text is drawn with all of its repeats" in answer.content.decode()
        assert [row["failed"] for row in answer.context["controls"]] == [1, 1]

    def test_a_blind_phase_hides_it(self, client):
        study = planned_study(1, 1)
        led(client, study)
        Study.objects.filter(pk=study.pk).update(is_blind=True)
        assert client.get(reverse("study_consistency", args=[study.key])).status_code == 403


def judged_twice():
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
    assert repeats_offer(study=study) == 2
    for row in rows(study, simplification__item__round="repeat"):
        submit(row)
    return study


def test_no_route_tells_an_annotator_what_stands_aside(client):
    study = judged_twice()
    days_pass(study, 2)
    annotator = annotators(study)[0]
    client.force_login(annotator.user)
    hidden = ("control", "repeat", "surplus", "témoin", "contrôle de", "zz-one", "identical pair")
    positions = [row.position for row in seen(annotator)]
    pages = [
        reverse("annotate_mine", args=[study.key]),
        reverse("annotate_resume", args=[study.key]),
        reverse("home"),
    ]
    pages += [reverse("annotate", args=[study.key, place]) for place in positions]
    pages += [reverse("annotate_history", args=[study.key, place]) for place in positions]
    plain = normal(client, study, annotator)
    for url in pages:
        page = client.get(url, follow=True).content.decode().lower()
        for word in hidden:
            assert page.count(word) <= plain.count(word), f"{word} at {url}"
    first = next(
        iter(
            Item.objects.get(
                study=study, round="repeat", simplifications__assignments__annotator=annotator
            ).simplifications.all()
        )
    ).repeat_of
    gone = rows(study, annotator=annotator, simplification=first)[0].position
    for name in ("annotate", "annotate_history"):
        assert client.get(reverse(name, args=[study.key, gone])).status_code == 404
    listed = client.get(reverse("api:my_assignments", args=[study.key]))
    assert listed.status_code == 200
    assert "repeat" not in listed.content.decode()


def normal(client, study, annotator):
    """The page of a pair of the main round: what it says, any pair may say."""
    main = next(row for row in seen(annotator) if row.simplification.item.round == "main")
    return client.get(reverse("annotate", args=[study.key, main.position])).content.decode().lower()
