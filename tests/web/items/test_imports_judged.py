"""Judgments made elsewhere, brought in by the browser: looked at, decided on, imported whole."""

from __future__ import annotations

import html

import pytest
from django.urls import reverse

from annotation.models import Annotator, Event, Item, Judgment, Rating
from tests.corpus.peers import samples
from tests.factories import make_study
from tests.web.items.importing import page_text, post, send, sent, shown_form

HEAD = "original;simplification;system;juge;fluency;meaning;simplicity\n"
LONG = HEAD + (
    "La prime est due.;Payez.;s1;A;4;4;4\nLa prime est due.;Payez.;s1;B;3;2;1\n"
    "Le contrat finit.;C'est fini.;s1;A;1;1;1\n"
)
BY_ADDRESS = LONG.replace(";A;", ";marie@example.org;").replace(";B;", ";luc@example.org;")


@pytest.fixture
def lead(cast):
    make_study("gamma", lead=cast.lead, protocol_key="jades")
    return cast.client("lead")


def test_a_long_table_is_recognised_and_shown_as_what_it_becomes(lead):
    page = lead.get(sent(lead, LONG))
    shown, judged = page.context["shown"], page.context["judged"]
    assert shown.content == "judgments"
    assert shown.can_import
    assert (judged["items"], judged["simplifications"], judged["judgments"]) == (2, 2, 3)
    assert (judged["systems"], judged["judges"], judged["renamed"]) == ("s1", "A, B", 0)
    assert [count for _label, count in judged["rated"]] == [3, 3, 3]
    assert not Judgment.objects.exists()


def test_it_goes_in_as_it_was_shown(lead):
    assert post(lead, sent(lead, LONG)).url == reverse("study_items", args=["gamma"])
    assert Judgment.objects.filter(origin="imported", submitted_at__isnull=False).count() == 3
    judges = Annotator.objects.filter(study__key="gamma", kind="imported")
    assert sorted(judges.values_list("pseudonym", flat=True)) == ["A", "B"]
    given = Rating.objects.filter(dimension="meaning").values_list("value", flat=True)
    assert sorted(given) == [1, 2, 4]
    event = Event.objects.get(verb="judgments_imported")
    assert (event.details["items"], event.details["judgments"]) == (2, 3)


def test_addresses_are_said_and_not_kept(lead):
    url = sent(lead, BY_ADDRESS)
    page = lead.get(url)
    assert page.context["judged"]["addresses"] == 2
    assert "example.org" not in page_text(page)
    post(lead, url)
    names = set(Annotator.objects.filter(kind="imported").values_list("pseudonym", flat=True))
    assert len(names) == 2
    assert all(name.startswith("J-") for name in names)
    assert "marie" not in str([event.details for event in Event.objects.all()])
    again = HEAD + "Une autre clause.;Autre.;s1;marie@example.org;4;4;4\n"
    post(lead, sent(lead, again))
    assert set(Annotator.objects.values_list("pseudonym", flat=True)) >= names
    assert Annotator.objects.filter(study__key="gamma", kind="imported").count() == 2


def test_values_are_told_one_by_one_and_shown_before_they_go_in(lead):
    url = sent(lead, LONG.replace(";A;4;4;4", ";A;parfait;4;4"))
    page = lead.get(url)
    assert [problem["row"] for problem in page.context["problems"]] == ["", 2]
    (name,) = (
        field.html_name
        for group in page.context["value_groups"]
        for field in group["fields"]
        if "parfait" in str(field.label)
    )
    chosen = {name: "4", "same_fluency": "on"}
    assert post(lead, url, "import", **chosen).url == url
    assert not Judgment.objects.exists(), "what was chosen is shown first"
    assert lead.get(url).context["problem_count"] == 0
    assert post(lead, url).url == reverse("study_items", args=["gamma"])
    assert sorted(Rating.objects.filter(dimension="fluency").values_list("value", flat=True)) == [
        1,
        3,
        4,
    ]


def test_another_scale_is_never_taken_in_silence(lead):
    url = sent(lead, HEAD + "La prime est due.;Payez.;s1;A;3;4;4\n")
    page = lead.get(url)
    assert [problem["field"] for problem in page.context["problems"]] == ["Fluidité"]
    assert post(lead, url).status_code == 422
    assert not Item.objects.filter(study__key="gamma").exists()
    assert post(lead, url, "preview", same_fluency="on").url == url
    assert lead.get(url).context["shown"].can_import
    assert post(lead, url).status_code == 302
    assert Judgment.objects.count() == 1


def test_a_bad_row_stops_all_of_it(lead):
    url = sent(lead, LONG + "Troisième.;;s1;A;4;4;4\n")
    assert [problem["row"] for problem in lead.get(url).context["problems"]] == [5]
    assert post(lead, url).status_code == 422
    assert not Item.objects.filter(study__key="gamma").exists()
    assert not Annotator.objects.filter(study__key="gamma", kind="imported").exists()


def test_pairs_alone_may_be_taken(lead):
    url = sent(lead, LONG)
    assert post(lead, url, content="pairs").url == url
    shown = lead.get(url).context["shown"]
    assert shown.judged is None
    assert shown_form(lead, url)["content"] == "pairs"
    assert shown.only_duplicates


def test_another_programs_export(lead):
    url = sent(lead, samples.LABEL_STUDIO, name="export.json")
    page = lead.get(url)
    assert "Label Studio" in page_text(page)
    assert page.context["judged"]["left_out"] == 1
    chosen = {
        f"same_{name}": "on"
        for name in samples.NAMES
        if f"same_{name}" in page.context["form"].fields
    }
    if chosen:
        post(lead, url, "preview", **chosen)
    assert post(lead, url).status_code == 302
    assert Judgment.objects.filter(origin="imported").count() == 2


def test_what_the_study_has_already_is_named(lead):
    post(lead, sent(lead, LONG))
    page = lead.get(sent(lead, LONG))
    assert [problem["row"] for problem in page.context["problems"]] == [2, 3, 4]
    assert not page.context["shown"].can_import


def test_judgments_onto_the_pairs_of_the_study(lead):
    post(lead, sent(lead, LONG))
    url = sent(lead, LONG.replace(";A;", ";C;").replace(";B;", ";D;") + "Neuf.;N.;s1;C;4;4;4\n")
    page = lead.get(url)
    judged = page.context["judged"]
    assert (judged["existing"], judged["attached"], judged["simplifications"]) == (2, 3, 1)
    assert "sur 2 paires de l'étude et 1 nouvelle paire" in html.unescape(page_text(page))
    assert page.context["shown"].can_import
    answer = lead.get(post(lead, url).url)
    assert "dont 3 sur des paires que l'étude avait" in html.unescape(page_text(answer))
    assert Item.objects.filter(study__key="gamma").count() == 3
    assert Judgment.objects.filter(origin="imported").count() == 7
    assert Event.objects.filter(verb="judgments_imported").latest("pk").details["attached"] == 3


def test_rows_that_fit_no_pair_are_named_in_the_page_and_its_table(lead):
    post(lead, sent(lead, LONG))
    url = sent(lead, HEAD + "La prime est due.;Versez.;s1;C;4;4;4\n")
    page = lead.get(url)
    assert [problem["row"] for problem in page.context["problems"]] == [2]
    assert "mais pas cette simplification" in html.unescape(page_text(page))
    assert post(lead, url).status_code == 422
    assert Judgment.objects.count() == 3


def test_half_an_export_is_refused_at_once_and_not_kept(lead):
    half = samples.LABEL_STUDIO[: len(samples.LABEL_STUDIO) // 2]

    answer = send(lead, half, name="export.json")
    assert answer.status_code == 422
    assert "interrompt" in page_text(answer)


def test_codes_without_an_order_are_ours_only_where_the_lead_says_so(cast):
    make_study("gamma", lead=cast.lead, protocol_key="operations")
    lead = cast.client("lead")
    url = sent(lead, "original;simplification;juge;operations\nLa prime est due.;Payez.;A;7\n")
    page = lead.get(url)
    assert page.context["problem_count"] == 1
    assert "les mêmes numéros que les nôtres" in page_text(page)
    assert post(lead, url, "preview", same_operations="on").url == url
    assert post(lead, url).status_code == 302
    assert Judgment.objects.count() == 1


def test_that_none_of_the_options_apply_is_among_what_a_value_may_become(cast):
    make_study("gamma", lead=cast.lead, protocol_key="operations")
    lead = cast.client("lead")
    url = sent(lead, "original;simplification;juge;operations\nLa prime est due.;Payez.;A;rien\n")
    assert '<option value="none">Aucune opération</option>' in page_text(lead.get(url))
    assert post(lead, url, "preview", value_operations_0="none").url == url
    assert post(lead, url).status_code == 302
    assert {rating.value for rating in Rating.objects.all()} == {0}
