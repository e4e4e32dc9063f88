"""The list of imports, and what a lead can take out of a study again."""

from __future__ import annotations

import pytest

from annotation.corpus.pairs import pairs_of_rows
from annotation.models import Item, PairsImport, Simplification
from annotation.services.items.items import pairs_import
from tests.planning import begin, rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def record(cast) -> PairsImport:
    pairs = [
        {"id": f"k{number}", "original": f"Clause {number} en trop.", "simplification": "Trop."}
        for number in (1, 2)
    ]
    pairs_import(
        actor=cast.lead, study=cast.alpha, pairs=pairs_of_rows(pairs), name="mauvais fichier.csv"
    )
    return cast.alpha.pairs_imports.get()


class TestImports:
    def test_listed_looked_at_and_undone(self, cast, record):
        lead = cast.client("lead")
        listed = lead.get("/studies/alpha/imports/").content.decode()
        assert "mauvais fichier.csv" in listed
        url = f"/studies/alpha/imports/{record.pk}/"
        assert url in listed
        assert 'value="undo"' in lead.get(url).content.decode()
        assert lead.post(url, {"action": "undo"}).status_code == 302
        assert not Item.objects.filter(key__in=["k1", "k2"]).exists()
        assert 'value="undo"' not in lead.get(url).content.decode()
        assert lead.post(url, {"action": "undo"}).status_code == 422

    def test_what_stands_in_the_way_is_said_and_the_button_is_not_there(self, cast, record):
        begin(rows(cast.alpha, simplification__brought_by=record)[0])
        lead, url = cast.client("lead"), f"/studies/alpha/imports/{record.pk}/"
        page = lead.get(url).content.decode()
        assert 'value="undo"' not in page
        assert "a déjà jugé ou enregistré" in page
        answer = lead.post(url, {"action": "undo"})
        assert answer.status_code == 422
        assert "a déjà jugé ou enregistré" in answer.content.decode()
        assert Item.objects.filter(key__in=["k1", "k2"]).count() == 2

    def test_one_of_another_study_is_not_there(self, cast, record):
        assert cast.client("lead").get(f"/studies/beta/imports/{record.pk}/").status_code == 404
        url = f"/studies/beta/imports/{record.pk}/"
        assert cast.client("other_lead").get(url).status_code == 404


class TestItemPage:
    def test_the_item_is_removed(self, cast, record):
        lead = cast.client("lead")
        assert 'value="remove_item"' in lead.get("/studies/alpha/items/k1/").content.decode()
        answer = lead.post("/studies/alpha/items/k1/", {"action": "remove_item"})
        assert answer.status_code == 302
        assert not Item.objects.filter(key="k1").exists()

    def test_a_simplification_of_it_is_but_none_of_another_item(self, cast, record):
        lead, url = cast.client("lead"), "/studies/alpha/items/k1/"
        mine = Simplification.objects.get(item__key="k1")
        other = Simplification.objects.get(item__key="k2")
        form = {"action": "remove_simplification"}
        assert lead.post(url, form | {"simplification": other.pk}).status_code == 404
        assert lead.post(url, form | {"simplification": mine.pk}).status_code == 302
        assert list(Simplification.objects.filter(item__key__in=["k1", "k2"])) == [other]

    def test_one_that_is_begun_says_so(self, cast, record):
        begin(rows(cast.alpha, simplification__item__key="k1")[0])
        answer = cast.client("lead").post("/studies/alpha/items/k1/", {"action": "remove_item"})
        assert answer.status_code == 422
        assert "a déjà jugé ou enregistré" in answer.content.decode()


class TestManyItems:
    URL = "/studies/alpha/items/?order=key"

    def test_what_goes_along_is_shown_first(self, cast, record):
        lead, form = cast.client("lead"), {"action": "remove", "item": ["k1", "k2"]}
        confirmation = lead.post(self.URL, form)
        assert confirmation.status_code == 200
        assert confirmation.context["doomed"]["keys"] == ["k1", "k2"]
        assert confirmation.context["doomed"]["removal"].simplifications == 2
        assert Item.objects.filter(key__in=["k1", "k2"]).count() == 2
        done = lead.post(self.URL, form | {"sure": "1"})
        assert (done.status_code, done["Location"]) == (302, self.URL)
        assert not Item.objects.filter(key__in=["k1", "k2"]).exists()

    def test_those_that_are_begun_are_named_and_none_goes(self, cast, record):
        begin(rows(cast.alpha, simplification__item__key="k1")[0])
        lead, form = cast.client("lead"), {"action": "remove", "item": ["k1", "k2"]}
        assert lead.post(self.URL, form).context["doomed"]["begun"] == ["k1"]
        assert lead.post(self.URL, form | {"sure": "1"}).status_code == 422
        assert Item.objects.filter(key__in=["k1", "k2"]).count() == 2

    def test_nothing_chosen_is_said(self, cast, record):
        assert cast.client("lead").post(self.URL, {"action": "remove"}).status_code == 422

    def test_a_closed_study_offers_no_boxes(self, cast, record):
        cast.alpha.state = "closed"
        cast.alpha.save()
        page = cast.client("lead").get(self.URL).content
        assert b'name="item"' not in page
        assert b'value="remove"' not in page


class TestPeople:
    URL = "/studies/alpha/people/"

    def test_who_has_saved_nothing_is_removed(self, cast):
        lead = cast.client("lead")
        assert 'value="remove"' in lead.get(self.URL).content.decode()
        form = {"action": "remove", "annotator": cast.judge.pk}
        assert lead.post(self.URL, form).status_code == 302
        assert not cast.alpha.annotators.filter(pk=cast.judge.pk).exists()
        assert b"alpha" not in cast.client("annotator").get("/").content

    def test_who_has_is_not(self, cast):
        main = {"simplification__item__round": "main"}
        begin(rows(cast.alpha, annotator=cast.judge, **main)[0])
        answer = cast.client("lead").post(
            self.URL, {"action": "remove", "annotator": cast.judge.pk}
        )
        assert answer.status_code == 422
        assert cast.alpha.annotators.filter(pk=cast.judge.pk).exists()

    def test_a_lead_goes_with_a_reason(self, cast):
        lead = cast.alpha.leads.get()
        answer = cast.client("admin").post(self.URL, {"action": "remove_lead", "lead": lead.pk})
        assert answer.status_code == 422
        assert "raison" in answer.content.decode()
