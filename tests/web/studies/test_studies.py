"""A lead's pages: the study's life, its settings, guide, items and audit trail."""

from __future__ import annotations

import ast
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

import lxml.html  # type: ignore[import-untyped]
import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from annotation.agreement.disputes import DisputeRules
from annotation.corpus.funnel import Criteria
from annotation.models import Assignment, Event, Item, Job, Lead, Study
from annotation.services.judging.drafts import draft_save
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.plans import SETTINGS as PLAN_SETTINGS
from annotation.services.studies.studies import study_change_state
from annotation.web.studies.event_particulars import LABELS
from annotation.web.studies.event_sentences import SENTENCES, sentence
from tests.factories import make_annotator, make_assignment, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(cast) -> Study:
    study = make_study("gamma", lead=cast.lead)
    for _ in range(4):
        make_pair(study)
    return study


def filled(page: Any) -> dict[str, str]:
    """What a browser would send of the page's form, as it stands."""
    controls = "".join(str(field) for field in page.context["form"])
    form = lxml.html.fromstring(f"<form>{controls}</form>")
    # An input without a value is sent empty, which lxml leaves out.
    empty = {control.name: "" for control in form.inputs if control.get("type") != "checkbox"}
    return empty | dict(form.form_values())


class TestNewStudy:
    FORM: ClassVar = {
        "title": "Polices",
        "key": "polices",
        "protocol": "legal_meaning",
        "licence": "CC-BY-4.0",
        "guidance_seconds": "300",
        "hours_budget": "30",
    }

    def test_who_leads_or_administers_makes_one_and_leads_it(self, cast):
        assert cast.client("lead").post("/studies/new/", self.FORM).status_code == 302
        assert Lead.objects.get(study__key="polices").user == cast.lead

    def test_who_does_neither_cannot(self, cast):
        for role in ("outsider", "annotator"):
            assert cast.client(role).get("/studies/new/").status_code == 404

    def test_it_asks_for_what_never_changes_and_its_settings_for_what_the_protocol_leaves(
        self, cast
    ):
        """As docs/leads.md, 1, says."""
        asked = filled(cast.client("lead").get("/studies/new/"))
        settings = filled(cast.client("lead").get("/studies/alpha/settings/"))
        assert {"key", "protocol"} <= asked.keys() - settings.keys()
        assert {name for name in settings if name.startswith("ruling_")}
        assert not {name for name in asked if name.startswith("ruling_")}

    @pytest.mark.parametrize(
        "wrong", [{"key": "alpha"}, {"key": "a b"}, {"title": ""}, {"protocol": "x"}]
    )
    def test_what_is_wrong_stands_at_its_field_and_nothing_typed_is_lost(self, cast, wrong):
        answer = cast.client("lead").post("/studies/new/", self.FORM | wrong)
        assert answer.status_code == 422
        assert list(answer.context["form"].errors) == list(wrong)
        assert 'value="CC-BY-4.0"' in answer.content.decode()


class TestLife:
    def test_opening_a_round_gives_out_its_pairs(self, cast, draft):
        make_annotator(draft)
        answer = cast.client("lead").post(
            "/studies/gamma/state/", {"to": "main", "reason": "essai"}, follow=True
        )
        assert answer.status_code == 200
        assert Study.objects.get(key="gamma").state == "main"
        assert Assignment.objects.filter(annotator__study=draft).count() == 4

    def test_a_round_without_items_does_not_open(self, cast, draft):
        answer = cast.client("lead").post("/studies/gamma/state/", {"to": "practice"})
        assert answer.status_code == 422
        assert Study.objects.get(key="gamma").state == "draft"

    def test_going_back_needs_a_reason(self, cast):
        client = cast.client("lead")
        client.post("/studies/alpha/state/", {"to": "closed", "reason": "essai"})
        assert client.post("/studies/alpha/state/", {"to": "main"}).status_code == 422
        client.post("/studies/alpha/state/", {"to": "main", "reason": "une réponse manquait"})
        assert Study.objects.get(key="alpha").state == "main"
        assert Event.objects.filter(details__reason="une réponse manquait").exists()

    def test_a_step_that_does_not_exist_is_refused(self, cast):
        assert cast.client("lead").post("/studies/alpha/state/", {"to": "draft"}).status_code == 422

    def test_pairs_that_came_later_are_given_out_on_demand(self, cast):
        make_pair(cast.alpha)
        before = Assignment.objects.count()
        cast.client("lead").post("/studies/alpha/state/", {"to": "fill"})
        assert Assignment.objects.count() == before + 2


class TestSettings:
    FORM: ClassVar = {
        "title": "Autre titre",
        "ruling_crossing_policy": "clamp",
        "licence": "CC0-1.0",
        "guidance_seconds": "240",
        "hours_budget": "20",
    }

    def test_they_are_changed_and_recorded(self, cast):
        assert cast.client("lead").post("/studies/alpha/settings/", self.FORM).status_code == 302
        study = Study.objects.get(key="alpha")
        assert (study.title, study.rulings["crossing_policy"], study.hours_budget) == (
            "Autre titre",
            "clamp",
            20,
        )
        assert Event.objects.get(verb="study_updated").details["before"]["crossing_policy"] == "ask"

    def test_what_scores_depend_on_is_fixed_once_there_are_judgments(self, cast):
        from annotation.services.judging.judgments import judgment_submit

        assignment = Assignment.objects.filter(
            annotator=cast.judge, simplification__item__round="main"
        ).select_related("annotator__study", "annotator__user", "simplification__item")[0]
        judgment_submit(actor=cast.annotator, assignment=assignment, save=save())
        cast.client("lead").post("/studies/alpha/settings/", self.FORM)
        study = Study.objects.get(key="alpha")
        assert (study.title, study.rulings["crossing_policy"]) == ("Autre titre", "ask")

    def test_a_page_that_was_opened_before_takes_nothing_back(self, cast):
        lead = cast.client("lead")
        first, second = (filled(lead.get("/studies/alpha/settings/")) for _tab in range(2))
        changed = {"licence": "CC-BY-4.0", "ruling_crossing_policy": "clamp"}
        assert lead.post("/studies/alpha/settings/", first | changed).status_code == 302
        changed = {"contact": "Agnès", "aid_renderings": "on", "hourly_rate": "21.5"}
        assert lead.post("/studies/alpha/settings/", second | changed).status_code == 302
        study = Study.objects.get(key="alpha")
        assert (study.licence, study.contact) == ("CC-BY-4.0", "Agnès")
        assert (study.rulings["crossing_policy"], study.aid_renderings) == ("clamp", True)
        # Emptied, and chosen off, is a change too.
        third = filled(lead.get("/studies/alpha/settings/"))
        del third["aid_renderings"]
        lead.post("/studies/alpha/settings/", third | {"licence": ""})
        study.refresh_from_db()
        assert (study.licence, study.contact, study.aid_renderings) == ("", "Agnès", False)

    @pytest.mark.parametrize(
        ("name", "first", "second", "now"),
        [
            ("licence", "CC-BY-4.0", "CC0-1.0", "CC-BY-4.0"),
            ("hours_budget", "12", "14", "12"),
            ("hourly_rate", "21.50", "22", "21.50"),
            ("context_arm", "all", "half", "montré à tout le monde"),
            ("ruling_crossing_policy", "clamp", "fall_through", "s'arrêter"),
            ("contact", "", "Agnès", "rien"),
        ],
    )
    def test_what_two_changed_is_told_to_the_second_who_may_insist(
        self, cast, name, first, second, now
    ):
        Study.objects.filter(pk=cast.alpha.pk).update(contact="Luc")
        lead, path = cast.client("lead"), "/studies/alpha/settings/"
        opened = filled(lead.get(path))
        assert lead.post(path, opened | {name: first}).status_code == 302
        refused = lead.post(path, opened | {name: second, "title": "Titre de B"})
        assert refused.status_code == 422
        errors = refused.context["form"].errors
        assert list(errors) == [name]
        assert f"à présent\xa0: {now}" in errors[name][0]
        again = filled(refused)
        assert (again[name], again["title"]) == (second, "Titre de B")
        assert not Study.objects.filter(title="Titre de B").exists()
        assert lead.post(path, again).status_code == 302
        study = Study.objects.get(key="alpha")
        stored = study.rulings | {name: getattr(study, name, None)}
        assert str(stored[name.removeprefix("ruling_")]).startswith(second)
        assert study.title == "Titre de B"

    @pytest.mark.parametrize(
        ("name", "most"), [("guidance_seconds", 86_400), ("hours_budget", 100_000)]
    )
    @pytest.mark.parametrize("typed", [1, 2**31, 99_999_999_999, 10**30])
    def test_a_number_that_makes_no_sense_is_refused_at_its_field(self, cast, name, most, typed):
        lead, path = cast.client("lead"), "/studies/alpha/settings/"
        opened = filled(lead.get(path))
        refused = lead.post(path, opened | {name: str(most + typed), "contact": "Agnès"})
        assert refused.status_code == 422
        assert list(refused.context["form"].errors) == [name]
        assert "Agnès" in refused.content.decode()
        assert lead.post(path, opened | {name: str(most)}).status_code == 302
        new = {**TestNewStudy.FORM, name: str(most + typed)}
        refused = lead.post("/studies/new/", new)
        assert list(refused.context["form"].errors) == [name]

    def test_what_a_version_before_has_stored_keeps_nothing_else_from_being_saved(self, cast):
        """Bounds came later than some values: only who changes one of them is refused."""
        stored = {"guidance_seconds": 90_000, "hours_budget": 200_000, "reminder_after_days": 400}
        Study.objects.filter(pk=cast.alpha.pk).update(**stored)
        lead, path = cast.client("lead"), "/studies/alpha/settings/"
        opened = filled(lead.get(path))
        # The browser sends the form too: its own bound is not below what stands there.
        assert 'max="200000"' in lead.get(path).content.decode()
        assert lead.post(path, opened | {"licence": "CC0-1.0"}).status_code == 302
        study = Study.objects.get(key="alpha")
        assert {name: getattr(study, name) for name in stored} == stored
        assert study.licence == "CC0-1.0"
        for name, value in stored.items():
            refused = lead.post(path, opened | {"licence": "CC0-1.0", name: str(value + 1)})
            assert list(refused.context["form"].errors) == [name]

    def test_the_same_set_twice_is_no_conflict(self, cast):
        lead, path = cast.client("lead"), "/studies/alpha/settings/"
        typed = filled(lead.get(path)) | {"licence": "CC0-1.0"}
        assert [lead.post(path, typed).status_code for _tab in range(2)] == [302, 302]


class TestGuide:
    def test_it_is_previewed_and_published_in_versions(self, cast):
        client = cast.client("lead")
        form = {"body_fr": "# Lire\n\n<b>deux fois</b>", "body_en": "# Read"}
        preview = client.post("/studies/alpha/guide/", form | {"action": "preview"})
        assert "<h1>Lire</h1>" in preview.content.decode()
        assert "<b>deux fois</b>" not in preview.content.decode()
        for number, body in ((1, "un"), (2, "deux")):
            client.post("/studies/alpha/guide/", form | {"body_fr": body, "action": "publish"})
            assert cast.alpha.guides.first().number == number
        assert "<p>un</p>" in client.get("/studies/alpha/guide/?version=1").content.decode()

    def test_another_version_that_was_published_meanwhile_is_shown_before_it_is_replaced(
        self, cast
    ):
        cast.alpha.guides.create(number=1, body_fr="un", body_en="one")
        lead, path = cast.client("lead"), "/studies/alpha/guide/"
        opened = {"action": "publish", "builds_on": lead.get(path).context["builds_on"]}
        assert lead.post(path, opened | {"body_fr": "de A"}).status_code == 302
        for typed, status in ((opened, 422), (opened | {"action": "preview"}, 200)):
            refused = lead.post(path, typed | {"body_fr": "de B"})
            assert refused.status_code == status
            page = refused.content.decode()
            assert ">de A</textarea>" in page
            assert page.count("diff--added") == 1
            assert re.search(r'name="body_fr"[^>]*>\s*de B</textarea>', page)
        assert cast.alpha.guides.count() == 2
        again = opened | {"builds_on": refused.context["builds_on"], "body_fr": "de A et B"}
        assert lead.post(path, again).status_code == 302
        assert cast.alpha.guides.first().body_fr == "de A et B"
        assert "meanwhile" not in lead.get(path).context

    @pytest.mark.parametrize("number", ["0", "7"])
    def test_a_version_that_never_was_is_told_what_is_in_force(self, cast, number):
        cast.alpha.guides.create(number=1, body_fr="un")
        typed = {"action": "publish", "body_fr": "deux", "builds_on": number}
        refused = cast.client("lead").post("/studies/alpha/guide/", typed)
        assert (refused.status_code, refused.context["meanwhile"].body_fr) == (422, "un")

    @pytest.mark.parametrize("body", ["", "pareil"])
    def test_an_empty_or_unchanged_one_is_refused(self, cast, body):
        cast.alpha.guides.create(number=1, body_fr="pareil")
        answer = cast.client("lead").post(
            "/studies/alpha/guide/", {"body_fr": body, "action": "publish"}
        )
        assert answer.status_code == 422
        assert cast.alpha.guides.count() == 1


class TestItems:
    def test_they_are_searched_and_filtered(self, cast, draft):
        make_pair(draft, original="Texte unique en son genre", is_identical=True, round="practice")
        client = cast.client("lead")
        for query, expected in (
            ({}, 5),
            ({"q": "unique"}, 1),
            ({"round": "practice"}, 1),
            ({"flag": "identical"}, 1),
            ({"flag": "other_language"}, 0),
        ):
            page = client.get("/studies/gamma/items/", query)
            assert page.context["page"].paginator.count == expected, query

    def test_practice_items_are_drawn_by_the_seed(self, cast, draft):
        client = cast.client("lead")
        for _ in range(2):
            client.post("/studies/gamma/items/", {"action": "draw", "number": "2"})
            drawn = set(
                Item.objects.filter(study=draft, round="practice").values_list("key", flat=True)
            )
            assert drawn == {"item-0001", "item-0003"} or len(drawn) == 2
        assert Event.objects.filter(verb="practice_drawn", details__seed=draft.seed).count() == 2

    def test_chosen_ones_are_moved(self, cast, draft):
        cast.client("lead").post(
            "/studies/gamma/items/",
            {"action": "move", "round": "practice", "item": ["item-0001", "item-0004"]},
        )
        assert Item.objects.filter(study=draft, round="practice").count() == 2

    @pytest.mark.parametrize(
        "form",
        [
            {"action": "draw", "number": "5"},
            {"action": "draw", "number": "x"},
            {"action": "move", "round": "x"},
        ],
    )
    def test_what_cannot_be_drawn_or_moved_is_said(self, cast, draft, form):
        assert cast.client("lead").post("/studies/gamma/items/", form).status_code == 422

    def test_nothing_moves_once_a_round_was_opened(self, cast, draft):
        study_change_state(actor=cast.lead, study=draft, to="main", reason="essai")
        form = {"action": "move", "round": "practice", "item": ["item-0001"]}
        assert cast.client("lead").post("/studies/gamma/items/", form).status_code == 422

    def test_one_item_shows_its_systems_to_its_lead(self, cast):
        from tests.cast import SYSTEM

        assert SYSTEM in cast.client("lead").get("/studies/alpha/items/item-0001/").content.decode()
        assert cast.client("lead").get("/studies/alpha/items/none/").status_code == 404


class TestTrail:
    def test_every_verb_that_a_service_writes_has_a_sentence(self):
        written = set()
        for path in (Path(django_settings.BASE_DIR) / "annotation").rglob("*.py"):
            written |= set(re.findall(r"verb=\"([a-z_]+)\"", path.read_text(encoding="utf-8")))
        assert written
        assert written - set(SENTENCES) == set()

    def test_every_detail_that_a_service_writes_has_a_label(self):
        written = set()
        for path in (Path(django_settings.BASE_DIR) / "annotation").rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if "event_record" in text else ():
                if isinstance(node, ast.Call) and getattr(node.func, "id", "").startswith(
                    "event_record"
                ):
                    written |= {keyword.arg for keyword in node.keywords if keyword.arg}
        written -= {"actor", "study", "verb", "target"}
        written |= {*PLAN_SETTINGS, *asdict(Criteria()), *DisputeRules().as_dict()}
        assert {"seed", "snapshot", "per_item"} <= written
        assert written - set(LABELS) == set()

    @pytest.mark.parametrize(
        ("language", "details", "expected"),
        [
            ("fr", {"seed": 7, "names": True}, "graine\u00a0: 7, noms montrés\u00a0: oui"),
            ("en", {"seed": 7, "names": True}, "seed: 7, names shown: yes"),
            (
                "fr",
                {"before": "main", "after": "closed", "reason": ""},
                "avant\u00a0: ronde principale, après\u00a0: fermé",
            ),
            (
                "fr",
                {"after": {"crossing_policy": "clamp", "is_blind": False}},
                "après\u00a0: franchissement de fourchette = s'arrêter au bas de la fourchette, "
                "qui dirige ne voit aucune réponse avant la clôture de la ronde = non",
            ),
            ("fr", {"scopes": "read judge"}, "droits\u00a0: "),
            ("fr", {"hardest_only": "50.0 → None"}, "lisibilité au plus\u00a0: 50.0 → aucun"),
            ("fr", {"majority_share": 0.625}, "part de la majorité\u00a0: 0,625"),
            (
                "fr",
                {"score_ranges": {"fluency": 2.0}},
                "étendue de certaines échelles\u00a0: Fluidité = 2",
            ),
            ("fr", {"what": "preview"}, "\u00a0: aperçu"),
            (
                "fr",
                {"against": "guide, practice, a_former_one"},
                "non fait\u00a0: Guide publié, Une ronde d'essai a eu lieu, a_former_one",
            ),
            ("fr", {"flag": "truncated"}, "\u00a0: coupée à la limite de jetons"),
            ("fr", {"dimension": "meaning"}, "\u00a0: Préservation du sens"),
            ("fr", {"dimension": "a_former_one"}, "\u00a0: a_former_one"),
            ("fr", {"round": "all", "value": 7.0}, "ronde\u00a0: les deux rondes, valeur\u00a0: 7"),
        ],
    )
    def test_details_are_in_the_reader_s_language(self, language, details, expected):
        event = Event(verb="study_updated", details=details)
        with override(language):
            said = sentence(event)
        assert expected in said

    def test_what_a_round_was_opened_against_is_said_in_words(self, draft):
        study_change_state(actor=None, study=draft, to="main", reason="essai")
        event = draft.events.get(verb="study_state_changed")
        with override("fr"):
            said = sentence(event)
        assert "Une ronde d'essai a eu lieu" in said
        assert "practice" not in said

    def test_it_is_shown_and_filtered(self, cast):
        client = cast.client("lead")
        client.post("/studies/alpha/state/", {"to": "closed", "reason": "essai"})
        assert (
            len(
                client.get("/studies/alpha/events/", {"verb": "study_state_changed"}).context[
                    "page"
                ]
            )
            == 1
        )


class TestHome:
    def test_everybody_sees_what_is_theirs(self, cast):
        annotator = cast.client("annotator").get("/").context
        assert [s["key"] for s in annotator["judging"]] == ["alpha"]
        assert annotator["leading"] == []
        lead = cast.client("lead").get("/").context
        assert [s["key"] for s in lead["leading"]] == ["alpha"]
        assert [s["key"] for s in cast.client("admin").get("/").context["leading"]] == [
            "alpha",
            "beta",
        ]
        outsider = cast.client("outsider").get("/").context
        assert outsider["judging"] == outsider["leading"] == []

    def test_of_many_studies_a_page_is_shown_and_they_are_searched(self, cast):
        for number in range(60):
            make_study(f"many-{number:02}", lead=cast.lead)
        Study.objects.filter(key="many-41").update(title="Édition d'avril")
        lead = cast.client("lead")
        page = lead.get("/")
        assert (len(page.context["leading"]), 'name="q"' in page.content.decode()) == (50, True)
        assert len(lead.get("/?page=2").context["leading"]) == 11
        for wanted in ("edition", "ÉDITION", "MANY-41"):
            assert [s["key"] for s in lead.get("/", {"q": wanted}).context["leading"]] == [
                "many-41"
            ]
        nothing = lead.get("/", {"q": "bêta"}).content.decode()
        assert "bêta" in nothing
        assert "Aucune étude pour le moment" not in nothing
        # Another lead's study is none of those that are searched.
        assert lead.get("/", {"q": "beta"}).context["leading"] == []

    def test_a_few_are_not_searched(self, cast):
        assert 'name="q"' not in cast.client("lead").get("/").content.decode()
        assert 'name="q"' not in cast.client("annotator").get("/?q=alpha").content.decode()

    def test_who_had_a_part_in_one_is_not_told_that_there_never_was_one(self, cast):
        page = cast.client("withdrawn").get("/").content.decode()
        assert "Aucune étude pour le moment" in page

    def test_the_overview_costs_the_same_for_any_number_of_items(self, cast):
        def queries() -> int:
            with CaptureQueriesContext(connection) as captured:
                assert client.get("/studies/alpha/").status_code == 200
            return len(captured)

        client = cast.client("lead")
        client.get("/studies/alpha/")
        few = queries()
        for _ in range(10):
            make_pair(cast.alpha)
        make_annotator(cast.alpha, make_user())
        assignments_fill(actor=None, study=cast.alpha)
        make_assignment(make_study(state="main"))
        assert queries() == few <= 23


def test_the_pages_of_a_study_stand_by_phase(cast):
    """Every page once, in a group with a name; the one that is open is marked."""
    page = cast.client("lead").get("/studies/alpha/plan/").content.decode()
    nav = page[page.index('<nav class="study-nav"') :]
    nav = nav[: nav.index("</nav>")]
    phases = [
        re.findall(r'href="/studies/alpha/([a-z]*)/?"', phase)
        for phase in nav.split('role="group"')[1:]
    ]
    assert phases == [
        ["", "settings", "events"],
        ["people", "plan", "guide"],
        ["items", "import", "generation"],
        ["practice", "watch", "remarks"],
        ["systems", "metrics", "agreement", "adjudication", "beside"],
        ["exports", "releases"],
    ]
    names = re.findall(r'aria-labelledby="([a-z-]+)"', nav)
    assert len(names) == 6
    assert all(f'id="{name}"' in nav for name in names)
    assert re.findall(r'href="([^"]+)"\s+aria-current="page"', nav) == ["/studies/alpha/plan/"]


class TestGoingBack:
    def test_the_overview_says_what_goes_along_and_the_round_leaves_its_annotators(self, cast):
        lead, judge = cast.client("lead"), cast.client("annotator")
        page = lead.get("/studies/alpha/").content.decode()
        assert 'id="reason-draft"' in page
        assert b"alpha" in judge.get("/").content
        answer = lead.post("/studies/alpha/state/", {"to": "draft", "reason": "Trop tôt."})
        assert answer.status_code == 302
        assert b"alpha" not in judge.get("/").content
        assert judge.get("/annotate/alpha/").status_code == 404

    def test_once_something_is_saved_the_step_is_not_offered(self, cast):
        row = Assignment.objects.filter(
            annotator=cast.judge, simplification__item__round="main"
        ).select_related("annotator__study", "annotator__user", "simplification__item")[0]
        draft_save(actor=cast.annotator, assignment=row, save=save())
        lead = cast.client("lead")
        page = lead.get("/studies/alpha/").content.decode()
        assert 'id="reason-draft"' not in page
        answer = lead.post("/studies/alpha/state/", {"to": "draft", "reason": "Trop tôt."})
        assert answer.status_code == 422
        assert "enregistré quelque chose" in answer.content.decode()


class TestEnding:
    URL = "/studies/gamma/ending/"

    def test_archived_it_stands_in_the_archive_and_refuses_in_words(self, cast, draft):
        lead = cast.client("lead")
        answer = lead.post(self.URL, {"action": "archive", "reason": "Un essai."})
        assert answer.headers["Location"] == "/archive/"
        home = lead.get("/").content.decode()
        assert "/studies/gamma/" not in home
        assert "/archive/" in home
        assert "/studies/gamma/" in lead.get("/archive/").content.decode()
        assert lead.get("/studies/gamma/").status_code == 200
        refused = lead.post("/studies/gamma/guide/", {"body_fr": "Lisez."})
        assert refused.status_code == 409
        assert self.URL in refused.content.decode()
        assert lead.post(self.URL, {"action": "restore"}).status_code == 302
        assert "/studies/gamma/" in lead.get("/").content.decode()

    def test_what_somebody_was_typing_when_it_was_archived_is_given_back(self, cast, draft):
        lead = cast.client("lead")
        opened = filled(lead.get("/studies/gamma/settings/"))
        lead.post(self.URL, {"action": "archive", "reason": "Un essai."})
        typed = opened | {"title": "Titre refusé", "contact": "Agnès <a@uni.example>"}
        refused = lead.post("/studies/gamma/settings/", typed)
        assert refused.status_code == 409
        page = refused.content.decode()
        title = page[page.index("<title>") : page.index("</title>")]
        assert draft.title in title
        assert "Titre refusé" not in title
        assert [(field["label"], field["text"]) for field in refused.context["typed"]] == [
            ("Titre", "Titre refusé"),
            ("À qui s'adressent ses annotateur·rice·s", "Agnès <a@uni.example>"),
        ]
        assert re.search(r"<textarea readonly[^>]*>Agnès &lt;a@uni.example&gt;</textarea>", page)
        steering = {"digest": "ab" * 32, "seen": "1", "key": str(uuid4()), "form-TOTAL_FORMS": "2"}
        guide = {"action": "publish", "body_fr": "# Lire\n\nDeux fois.", "body_en": "", "x": "seul"}
        refused = lead.post("/studies/gamma/guide/", guide | {"New_Password": "secret"} | steering)
        assert [field["name"] for field in refused.context["typed"]] == ["body_fr", "x"]
        assert ">secret<" not in refused.content.decode()

    def test_archived_its_settings_and_guide_are_shown_and_cannot_be_typed_into(self, cast, draft):
        lead = cast.client("lead")
        for path in ("settings", "guide"):
            assert '<fieldset class="form">' in lead.get(f"/studies/gamma/{path}/").content.decode()
        lead.post(self.URL, {"action": "archive", "reason": "Un essai."})
        for path in ("settings", "guide"):
            page = lead.get(f"/studies/gamma/{path}/").content.decode()
            assert '<fieldset class="form" disabled>' in page
            assert "L'étude est archivée" in page

    def test_deleted_it_is_gone_and_its_trail_is_for_admins(self, cast, draft):
        lead, number = cast.client("lead"), draft.pk
        page = lead.get(self.URL).content.decode()
        assert 'name="key"' in page
        assert lead.post(self.URL, {"action": "delete", "key": "beta"}).status_code == 422
        assert lead.post(self.URL, {"action": "delete", "key": "gamma"}).status_code == 302
        assert not Study.objects.filter(pk=number).exists()
        assert lead.get("/studies/gamma/").status_code == 404
        assert "gamma" not in lead.get("/archive/").content.decode()
        assert lead.get(f"/archive/deleted/{number}/").status_code == 404
        admin = cast.client("admin")
        assert f"/archive/deleted/{number}/" in admin.get("/archive/").content.decode()
        assert admin.get(f"/archive/deleted/{number}/").status_code == 200
        assert admin.get(f"/archive/deleted/{cast.alpha.pk}/").status_code == 404

    def test_what_was_judged_cannot_be_deleted(self, cast):
        draft_save(
            actor=cast.annotator,
            assignment=Assignment.objects.select_related(
                "annotator__study", "annotator__user", "simplification__item"
            ).filter(annotator=cast.judge, simplification__item__round="main")[0],
            save=save(),
        )
        lead = cast.client("lead")
        assert 'name="key"' not in lead.get("/studies/alpha/ending/").content.decode()
        answer = lead.post("/studies/alpha/ending/", {"action": "delete", "key": "alpha"})
        assert answer.status_code == 422

    def test_nothing_is_offered_that_would_be_refused(self, cast, draft):
        lead = cast.client("lead")
        assert 'name="key"' in lead.get(self.URL).content.decode()
        draft.jobs.create(kind=Job.Kind.EXPORT, state=Job.State.QUEUED)
        page = lead.get(self.URL).content.decode()
        assert 'name="key"' not in page
        assert 'value="archive"' not in page
        assert "attendez sa fin" in page

    def test_who_judges_finds_nothing_to_go_on_with(self, cast):
        cast.client("lead").post("/studies/alpha/ending/", {"action": "archive", "reason": "r"})
        judge = cast.client("annotator")
        assert b"alpha" not in judge.get("/").content
        assert judge.get("/annotate/alpha/mine/").status_code == 200


class TestCopy:
    URL = "/studies/alpha/copy/"

    def test_made_from_the_page(self, cast):
        lead = cast.client("lead")
        assert lead.get(self.URL).status_code == 200
        form = {"key": "alpha-2", "title": "Alpha, encore", "items": "on"}
        assert lead.post(self.URL, form).headers["Location"] == "/studies/alpha-2/"
        copy = Study.objects.get(key="alpha-2")
        assert copy.items.count() == cast.alpha.items.count()
        assert not copy.annotators.exists()
        assert lead.get("/studies/alpha-2/").status_code == 200

    def test_a_taken_key_stands_at_its_field(self, cast):
        answer = cast.client("lead").post(self.URL, {"key": "beta", "title": "t"})
        assert answer.status_code == 422
        assert "déjà prise" in answer.content.decode()
