"""How many it takes, as a lead asks: who may, what is learned from, what bad entries get."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from annotation.access import studies_led
from annotation.models import Lead, Study
from annotation.selectors.agreement.precision import chosen_design, learned, pilots
from tests.cast import ROLES
from tests.factories import make_study
from tests.systems_study import fill_systems
from tests.web.agreement.test_systems import planted

pytestmark = pytest.mark.django_db

NAMES = {"study_precision": [], "study_precision_table": ["widths"]}
OWN = {
    "pilot": "",
    "mean": "7",
    "between_texts": "1",
    "between_outputs": "0.8",
    "between_people": "1",
    "rest": "1.4",
    "lowest": "1",
    "highest": "10",
    "texts": "100",
    "systems": "2",
    "annotators": "5",
}


@pytest.fixture(autouse=True)
def english(cast):
    for person in (cast.lead, cast.admin):
        person.language = "en"
        person.save()


@pytest.fixture
def pilot(cast):
    """A closed study of the same lead, judged by three on 14 texts."""
    study = make_study("pilot", lead=cast.lead, state="closed")
    Study.objects.filter(pk=study.pk).update(title="A pilot")
    fill_systems(study, planted())
    return study


def taken(pattern: str, page: str) -> str:
    """What the page has at the pattern's group."""
    match = re.search(pattern, page, re.DOTALL)
    assert match is not None, pattern
    return " ".join(match[1].split())


def ask(cast, query=None, *, role="lead", name="study_precision", status=200):
    answer = cast.client(role).get(reverse(name, args=["alpha", *NAMES[name]]), query or {})
    assert answer.status_code == status
    return unescape(answer.content.decode())


@pytest.mark.parametrize("name", NAMES)
def test_leads_and_admins_only(cast, name):
    for role in ROLES:
        expected = 200 if role in {"lead", "admin"} else 302 if role == "anonymous" else 404
        ask(cast, OWN, role=role, name=name, status=expected)


def test_from_assumptions(cast):
    shown = ask(cast, OWN)
    assert "What 100 texts give, ± points" in shown
    rows = list(csv.reader(io.StringIO(ask(cast, OWN, name="study_precision_table"))))
    assert [row[0] for row in rows[1:]] == ["1", "2", "3", "5"]
    everybody = rows[-1]
    assert everybody[6] == "1000"
    assert float(everybody[7]) == 50.0, "three minutes each, where nothing else is known"
    one, five = (float(row[1]) for row in (rows[1], everybody))
    assert five < one


def test_hours_are_as_exact_as_they_are_shown(cast):
    """97 judgments of three minutes are 4.85 hours, which stood there as 4.80."""
    query = OWN | {"texts": "97", "systems": "1", "target": "mean"}
    rows = list(csv.reader(io.StringIO(ask(cast, query, name="study_precision_table"))))
    assert [row[6] for row in rows[1:3]] == ["97", "194"]
    assert [float(row[7]) for row in rows[1:3]] == pytest.approx([4.85, 9.7])
    shown = ask(cast, query)
    assert re.search(r">\s*4\.85\s*<", shown)
    assert not re.search(r">\s*4\.80\s*<", shown)
    address = reverse("study_precision_table", args=["alpha", "needed"])
    written = cast.client("lead").get(address, query | {"half_width": "0.33"}).content.decode()
    needed = [row for row in csv.reader(io.StringIO(written)) if row[3].isdigit()]
    assert needed
    assert [float(row[4]) for row in needed] == [
        pytest.approx(int(row[3]) * 3 / 60) for row in needed
    ]
    # One decimal would not have told all of them.
    assert any(int(row[3]) % 2 for row in needed)


def test_from_a_study_that_was_judged(cast, pilot):
    query = {"pilot": "pilot:legal_meaning", "texts": 50, "annotators": 4}
    shown = ask(cast, query)
    assert "From 84 answers of 3 annotators to 28 pairs." in shown
    chosen = next(
        candidate
        for candidate in pilots(cast.alpha, studies_led(cast.lead))
        if candidate.dimension == "legal_meaning"
    )
    known = learned(chosen)
    assert known.told_apart
    assert known.assumed.scale == tuple(range(1, 11))
    assert known.assumed.annotators >= 0


def test_what_systems_differ_by_is_not_learned(cast, pilot):
    """The same answers, of which those to one system are two points higher: the same deviations."""
    alike = make_study("alike", lead=cast.lead, state="closed")
    fill_systems(alike, planted(gap=0))
    by_study = {
        candidate.study.key: learned(candidate).assumed
        for candidate in pilots(cast.alpha, studies_led(cast.lead))
        if candidate.dimension == "legal_meaning"
    }
    first, second = by_study["pilot"], by_study["alike"]
    assert second.mean == pytest.approx(first.mean + 1)
    for part in ("sources", "outputs", "annotators", "rest"):
        assert getattr(first, part) == pytest.approx(getattr(second, part)), part


def test_a_study_that_hides_its_answers_is_not_learned_from(cast, pilot):
    Study.objects.filter(pk=pilot.pk).update(state="main", is_blind=True)
    assert pilots(cast.alpha, studies_led(cast.lead)) == []
    shown = ask(cast, {"pilot": "pilot:legal_meaning"}, status=422)
    assert "A pilot" not in shown


def test_nor_is_one_of_others(cast, pilot):
    Lead.objects.filter(study=pilot).delete()
    assert pilots(cast.alpha, studies_led(cast.lead)) == []
    assert "A pilot" not in ask(cast, {"pilot": "pilot:legal_meaning"}, status=422)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rest": ""}, "Say this too"),
        ({"mean": "11"}, "The mean lies within the scale."),
        ({"highest": "1"}, "The scale ends above 1"),
        ({"highest": "400"}, "at most 101 values"),
        (
            dict.fromkeys(["between_texts", "between_outputs", "between_people", "rest"], "0"),
            "Where nothing varies",
        ),
        ({"texts": "3"}, "8"),
        ({"annotators": "0"}, "1"),
        ({"half_width": "nan"}, "number"),
        ({"texts": "a lot"}, "whole number"),
        ({"target": "everything"}, "valid choice"),
    ],
)
def test_bad_entries_are_named_and_kept(cast, changed, said):
    shown = ask(cast, OWN | changed, status=422)
    assert any(said in problem for problem in re.findall(r'class="field__problem">([^<]*)<', shown))
    texts = (OWN | changed)["texts"]
    assert re.search(rf'name="texts" value="{texts}"', shown)
    assert "What 100 texts give, ± points" not in shown


def test_what_no_scale_can_give_is_said(cast):
    shown = ask(cast, OWN | {"mean": "9.9"})
    assert "do not fit a scale from 1 to 10" in shown
    ask(cast, OWN | {"mean": "9.9"}, name="study_precision_table", status=404)


def test_too_few_annotators_are_said(cast):
    shown = ask(cast, OWN | {"annotators": "2"})
    assert "With other annotators there is no interval: it takes 3 annotators." in shown
    shown = ask(cast, OWN | {"annotators": "3", "target": "mean", "half_width": "0.1"})
    assert "No number of texts gives this with other annotators" in shown


def test_files_hold_what_the_page_shows(cast):
    """Their addresses are those of the page, also for what the page filled in itself."""
    shown = ask(cast, OWN)
    address = taken(r'href="([^"]*tables/widths/[^"]*format=csv)"', shown)
    assert parse_qs(urlsplit(address).query)["seed"] == [str(cast.alpha.seed)]
    rows = list(csv.reader(io.StringIO(cast.client("lead").get(address).content.decode())))
    table = shown.partition("What 100 texts give, ± points")[2]
    row = taken(r"<tbody>\s*<tr>(.*?)</tr>", table)
    first = re.findall(r">([^<>]+)</t[hd]>", row)
    assert first[0] == rows[1][0] == "1"
    assert float(first[1]) == pytest.approx(float(rows[1][1]), abs=0.005)


def test_the_plan_takes_what_is_chosen(cast):
    """Shown in the plan's form, and recorded; the plan is stored by nobody yet."""
    Study.objects.filter(pk=cast.alpha.pk).update(state="draft")
    shown = ask(cast, OWN)
    action = taken(r'<form method="post" action="(\?[^"]+)"', shown)
    assert shown.count('name="per_pair"') == 4
    lead = cast.client("lead")
    url = reverse("study_precision", args=["alpha"])
    address = lead.post(url + action, {"per_pair": "3"})["Location"]
    assert address == reverse("study_plan", args=["alpha"]) + "?per_item=3"
    design = chosen_design(cast.alpha) or {}
    assert (design["per_pair"], design["texts"], design["learned"]) == (3, 100, None)
    plan = lead.get(address).content.decode()
    assert "The design is recorded for the datasheet" in plan
    assert re.search(r'name="per_item" value="3"', plan)
    assert re.search(r'name="mode" value="teams"[^>]* checked', plan)
    assert not hasattr(Study.objects.get(pk=cast.alpha.pk), "plan")


def test_during_a_study_only_counts_are_looked_at(cast):
    """Blind or not: the same words."""
    cast.alpha.items.all().delete()
    cast.alpha.annotators.all().delete()
    fill_systems(cast.alpha, planted())
    people = cast.alpha.annotators.filter(kind="person", withdrawn_at__isnull=True).count()
    query = OWN | {"annotators": str(people), "target": "difference"}
    shown = []
    for blind in (False, True):
        Study.objects.filter(pk=cast.alpha.pk).update(state="main", is_blind=blind)
        shown.append(taken(r'id="answer".*?<p class="notice measure">(.*?)</p>', ask(cast, query)))
    assert shown[0] == shown[1]
    assert "What the judgments say was not looked at." in shown[0]


def test_everybody_and_what_was_learned_are_recorded_too(cast, pilot):
    url = reverse("study_precision", args=["alpha"])
    lead = cast.client("lead")
    query = "?pilot=pilot%3Alegal_meaning&texts=50&annotators=2"
    answer = lead.post(url + query, {"per_pair": "2"})
    assert answer["Location"] == reverse("study_plan", args=["alpha"])
    design = chosen_design(cast.alpha) or {}
    assert design["learned"]["dimension"] == "legal_meaning"
    trail = lead.get("/studies/alpha/events/").content.decode()
    assert "chose how many judge each pair by its precision" in trail
    assert "wanted half-width (points)" in trail


def test_what_cannot_be_taken_is_said(cast):
    url = reverse("study_precision", args=["alpha"])
    lead = cast.client("lead")
    full_url = url + "?" + "&".join(f"{name}={value}" for name, value in OWN.items())
    for address, form in (
        (url, {"per_pair": "3"}),
        (full_url, {}),
        (full_url, {"per_pair": "three"}),
    ):
        answer = lead.post(address, form)
        assert answer.status_code == 422
        assert "Say first what is known of such answers" in unescape(answer.content.decode())
    assert "from 1 to 5" in unescape(lead.post(full_url, {"per_pair": "6"}).content.decode())
    assert cast.client("annotator").post(full_url, {"per_pair": "3"}).status_code == 404
    assert chosen_design(Study.objects.get(key="alpha")) is None


def test_before_anybody_is_invited_five_are_asked_about(cast):
    make_study("early", lead=cast.lead)
    page = cast.client("lead").get(reverse("study_precision", args=["early"]))
    assert page.context["form"].data["annotators"] == 5
