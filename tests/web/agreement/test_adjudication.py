"""The queue and a case as a lead sees them."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse
from django.utils import translation

from annotation.models import Adjudication, AdjudicationRules, Judgment, User
from annotation.web.agreement.adjudication_presenters import ruling_words
from tests.factories import make_study, withdraw
from tests.services.agreement.test_adjudications import first_pair, lead, study  # noqa: F401

pytestmark = pytest.mark.django_db

RANGE = "score_ranges.legal_meaning"


@pytest.fixture
def browser(client, lead):  # noqa: F811
    client.force_login(lead)
    return client


def case_url(study, dimension="legal_meaning"):  # noqa: F811
    return reverse("adjudication_case", args=[study.key, first_pair(study).pk, dimension])


def test_from_the_queue_to_a_ruling(browser, study):  # noqa: F811
    queue = browser.get(reverse("study_adjudication", args=[study.key])).content.decode()
    assert case_url(study) in queue
    page = browser.get(case_url(study))
    text = page.content.decode()
    assert "Hallucination" in text
    answer = browser.post(
        case_url(study),
        {
            "outcome": "settled",
            "value": "9",
            "reasons": "Accessoire.",
            "digest": page.context["digest"],
        },
    )
    assert answer.status_code == 302
    ruling = Adjudication.objects.get()
    assert (ruling.value, ruling.saw_pseudonyms) == (9, False)
    assert "Accessoire." in browser.get(case_url(study)).content.decode()
    with translation.override("en"):
        assert ruling_words(study, ruling) == "settled as one value: 9"
    form = {"action": "withdraw", "ruling": str(ruling.pk)}
    browser.post(case_url(study), form)
    assert "Accessoire." in browser.get(case_url(study)).content.decode(), "it stays in the record"
    again = browser.post(case_url(study), form, follow=True).content.decode()
    assert "La décision avait déjà été retirée." in again


def test_a_ruling_that_came_in_meanwhile_is_shown_before_it_is_taken_back(browser, study):  # noqa: F811
    for reasons in ("Le délai est perdu.", "Deux lectures tiennent."):
        browser.post(case_url(study), {"outcome": "divided", "reasons": reasons})
    former, ruling = Adjudication.objects.order_by("pk")
    answer = browser.post(case_url(study), {"action": "withdraw", "ruling": str(former.pk)})
    assert answer.status_code == 422
    assert "Deux lectures tiennent." in answer.content.decode()
    ruling.refresh_from_db()
    assert ruling.superseded_at is None


def test_the_queue_says_what_it_holds_of_who_has_withdrawn(browser, study):  # noqa: F811
    url = reverse("study_adjudication", args=[study.key])
    assert browser.get(url).context["withdrawn"] is None
    person = study.annotators.first()
    judged = Judgment.objects.filter(assignment__annotator=person).count()
    withdraw(study, person.pseudonym)
    page = browser.get(url)
    assert page.context["withdrawn"] == {"people": 1, "judgments": judged}
    shown = " ".join(unescape(page.content.decode()).split())
    assert f"personne qui s'est retirée : {judged}." in shown


def test_names_are_hidden_and_seeing_them_is_recorded(browser, study):  # noqa: F811
    names = {
        f">{pseudonym}</th>" for pseudonym in study.annotators.values_list("pseudonym", flat=True)
    }
    hidden = browser.get(case_url(study)).content.decode()
    assert not any(name in hidden for name in names)
    shown = browser.get(case_url(study) + "?names=1").content.decode()
    assert all(name in shown for name in names)
    browser.post(case_url(study) + "?names=1", {"outcome": "divided", "reasons": "Deux lectures."})
    assert Adjudication.objects.get().saw_pseudonyms


def test_a_refusal_keeps_what_was_typed(browser, study):  # noqa: F811
    answer = browser.post(
        case_url(study), {"outcome": "settled", "value": "", "reasons": "Des raisons longues."}
    )
    assert answer.status_code == 422
    assert "Des raisons longues." in answer.content.decode()


def test_a_ruling_that_came_in_meanwhile_is_shown_before_it_is_replaced(browser, study):  # noqa: F811
    first = {"outcome": "settled", "value": "2", "reasons": "Le délai est perdu."}
    second = {"outcome": "divided", "reasons": "Deux lectures tiennent."}
    digest = browser.get(case_url(study)).context["digest"]
    assert browser.post(case_url(study), first | {"digest": digest}).status_code == 302
    # What is refused for another reason is no look at what came in.
    unfinished = browser.post(case_url(study), {"outcome": "divided", "digest": digest})
    assert unfinished.context["digest"] == digest
    refused = browser.post(case_url(study), second | {"digest": digest})
    assert refused.status_code == 422
    page = refused.content.decode().replace("\xa0", " ")
    lead = User.objects.get(pk=browser.session["_auth_user_id"])  # noqa: F811
    assert f"{lead} a rendu une décision (tranché : 2)" in page
    assert "Le délai est perdu." in page
    assert "Deux lectures tiennent." in page
    assert Adjudication.objects.get(superseded_at=None).value == 2
    again = second | {"digest": refused.context["digest"]}
    assert browser.post(case_url(study), again).status_code == 302
    assert Adjudication.objects.get(superseded_at=None).outcome == "divided"


def test_thresholds_and_filters(browser, study):  # noqa: F811
    url = reverse("study_adjudication", args=[study.key])
    given = {"majority_share": "0,6", RANGE: "9", "fewest_ratings": "2"}
    assert browser.post(url, given).status_code == 302
    assert case_url(study) not in browser.get(url).content.decode()
    assert browser.get(url, {"dimension": "characterization", "state": "open"}).context["cases"]
    assert not browser.get(url, {"state": "ruled"}).context["cases"]
    assert browser.post(url, given | {RANGE: "many"}).status_code == 422


@pytest.mark.parametrize(
    ("name", "typed"),
    [("majority_share", "0,4"), (RANGE, "beaucoup"), ("fewest_ratings", "2,5")],
)
def test_a_refused_threshold_is_named_at_its_field_and_nothing_typed_is_lost(
    browser,
    study,  # noqa: F811
    name,
    typed,
):
    given = {"majority_share": "0,75", RANGE: "2", "fewest_ratings": "3"} | {name: typed}
    answer = browser.post(reverse("study_adjudication", args=[study.key]), given)
    assert answer.status_code == 422
    page = answer.content.decode()
    controls = re.findall(r"<input[^>]*>", page)
    for field, value in given.items():
        [control] = [tag for tag in controls if f'name="{field}"' in tag]
        assert f'value="{value}"' in control
        assert ('aria-invalid="true"' in control) is (field == name)
    [described] = re.findall(r'<div id="([\w.]+)">\s*<p class="field__problem">', page)
    assert described == f"id_{name}_error"
    assert '<details class="card" open>' in page
    assert not AdjudicationRules.objects.exists()


@pytest.mark.parametrize(
    ("protocol", "labels"),
    [
        (
            "legal_meaning",
            [
                "Simplicité et Qualification : moins que cette part",
                "Précision légale : plus de tant de points",
            ],
        ),
        (
            "jades",
            [
                "Fluidité : plus de tant de points",
                "Préservation du sens : plus de tant de points",
                "Simplicité : plus de tant de points",
            ],
        ),
        ("assetann", ["Opérations : moins que cette part"]),
        ("qa_answers", ["La question reçoit sa réponse : moins que cette part"]),
    ],
)
def test_thresholds_are_named_by_the_protocols_own_questions(client, lead, protocol, labels):  # noqa: F811
    study = make_study("autre", lead=lead, protocol_key=protocol, state="main")  # noqa: F811
    client.force_login(lead)
    form = client.get(reverse("study_adjudication", args=[study.key])).context["form"]
    said = [str(field.label).replace("\xa0", " ") for field in form]
    assert len(said) == len(labels) + 1
    for label, begun in zip(said, [*labels, "Au moins"], strict=True):
        assert label.startswith(begun)


def test_each_scale_is_set_by_itself(client, lead):  # noqa: F811
    study = make_study("jades", lead=lead, protocol_key="jades", state="main")  # noqa: F811
    client.force_login(lead)
    url = reverse("study_adjudication", args=[study.key])
    page = client.get(url)
    ranges = {field.name: field.value() for field in page.context["form"] if "ranges" in field.name}
    assert set(ranges.values()) == {1}
    given = ranges | {"score_ranges.fluency": "2", "fewest_ratings": "2"}
    assert client.post(url, given).status_code == 302
    rules = AdjudicationRules.objects.get().rules
    assert (rules["score_range"], rules["score_ranges"]) == (2, {"meaning": 1, "simplicity": 1})
    refused = client.post(url, given | {"score_ranges.meaning": "4"})
    assert refused.context["form"].errors == {
        "score_ranges.meaning": ["Donnez un nombre de 0 à 3."]
    }


def test_a_range_beyond_the_only_scale_is_named_at_its_field(browser, study):  # noqa: F811
    given = {"majority_share": "0.6", "fewest_ratings": "2", RANGE: "12"}
    refused = browser.post(reverse("study_adjudication", args=[study.key]), given)
    assert refused.context["form"].errors == {RANGE: ["Donnez un nombre de 0 à 9."]}


def test_a_case_of_another_study_or_dimension_is_not_there(browser, study):  # noqa: F811
    assert browser.get(case_url(study, "beauty")).status_code == 404
    assert (
        browser.get(
            reverse("adjudication_case", args=[study.key, 999999, "simplicity"])
        ).status_code
        == 404
    )
