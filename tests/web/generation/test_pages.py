"""Runs of models in the browser: a lead sets one up, watches it and reviews it, and annotators see
nothing of it."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import override_settings
from django.test.client import Client
from django.utils import timezone, translation

from annotation.config.llm import Endpoint
from annotation.errors import RuleError
from annotation.generation.services import SERVICES, service_at
from annotation.models import (
    Assignment,
    Event,
    Generation,
    GenerationCall,
    GenerationRun,
    Item,
    Judgment,
    Simplification,
)
from annotation.selectors.generation.orders import generation_order
from annotation.selectors.generation.progress import run_progress
from annotation.selectors.generation.runs import items_to_simplify, run_estimate
from annotation.selectors.watching.progress import study_counts
from annotation.services.generation.calls import (
    Failure,
    Reply,
    generation_claim,
    generation_fail,
    generation_store,
)
from annotation.services.generation.review import outputs_adopt
from annotation.services.generation.runs import run_create, run_start, run_stop, run_update
from annotation.services.generation.systems import system_add
from annotation.web.base.numbers import amount
from annotation.web.generation.forms import SystemForm
from annotation.web.generation.presenters import (
    PROBLEMS,
    detail_words,
    duration,
    problem_words,
    services,
)
from tests.cast import SYSTEM, Cast
from tests.factories import kept_anew, make_pair
from tests.services.generation.generating import (
    FINE,
    answered,
    broker,
    fresh,
    judged,
    make_items,
    order,
    started,
    system,
)
from tests.worlds import world

__all__ = ["broker"]
pytestmark = pytest.mark.django_db
KEY = "sk-planted-0123456789-never-to-be-seen"
PREAMBLE = f"Voici une version simplifiée : {FINE}"
URL = "/studies/alpha/generation/"
NEW_RUN = {
    "purpose": "simplify",
    "endpoint": "openai",
    "mode": "live",
    "round": "all",
    "ceiling": "5",
}


ENDPOINTS = {"openai": Endpoint("openai", "https://service.example/v1", KEY, 0, 0, 0)}


@pytest.fixture(autouse=True)
def _service(settings):
    settings.LLM_ENDPOINTS = dict(ENDPOINTS)


@pytest.fixture
def lead(cast) -> Client:
    return cast.client("lead")


def page(client, url=f"{URL}1/", **options):
    answer = client.get(url, **options)
    assert answer.status_code == 200
    return answer.content.decode()


def text(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def post(client, url=f"{URL}1/", **fields):
    return client.post(url, fields)


@world
def generation_started(cast: Cast) -> GenerationRun:
    """Started, over the three items that the study has. Its messages would go out once it were
    committed."""
    with override_settings(LLM_ENDPOINTS=dict(ENDPOINTS)):
        return started(cast.alpha, items=0)


@pytest.fixture
def run(generation_started, broker) -> GenerationRun:
    return generation_started


class TestSettingUp:
    def test_from_nothing_to_a_run_that_goes(
        self, cast, lead, broker, django_capture_on_commit_callbacks
    ):
        assert 'href="/studies/alpha/generation/"' in page(lead, "/studies/alpha/")
        assert "sk-" not in page(lead, URL)
        answer = lead.post(URL, NEW_RUN)
        assert (answer.status_code, answer.url) == (302, f"{URL}1/")
        form = page(lead)
        # The paper's system is filled in.
        assert 'value="gpt-4-turbo-2024-04-09"' in form
        assert "RÉPONDS EN FRANÇAIS!" in form
        assert 'value="0.9"' in form
        assert re.search(r"<button[^>]*value=\"start\"[^>]*disabled", form)
        fields = {
            "action": "add_system",
            **{k: v for k, v in SystemForm().initial.items() if v is not None},
        }
        assert post(lead, **fields).status_code == 302
        ready = page(lead)
        run = GenerationRun.objects.get()
        assert run.systems.get().parameters == dict(system().parameters)
        # Three items of some 280 characters with the prompt: about 106 tokens read each, at most
        # 100 written.
        estimate = text(ready[ready.index("<tfoot>") : ready.index("</tfoot>")])
        assert re.fullmatch(r"\S.*? 0[.,]005\d* / 0[.,]011\d* 3 \d{3} \d{2} / 300", estimate)
        assert not re.search(r"<button[^>]*value=\"start\"[^>]*disabled", ready)
        with django_capture_on_commit_callbacks(execute=True):
            assert post(lead, action="start").status_code == 302
            assert post(lead, action="start").status_code == 302
        assert (fresh(run).state, run.generations.count(), len(broker.requested)) == (
            "running",
            3,
            1,
        )
        assert run.created_by == Event.objects.get(verb="generation_run_started").actor == cast.lead
        assert 'hx-trigger="every 2s"' in page(lead)
        assert ">1</a>" in page(lead, URL)

    def test_the_items_are_those_that_a_run_may_be_about(self, cast, lead):
        """As overview and home count them: what is made of them for people goes to no model."""
        items = study_counts(cast.alpha).items
        control = make_pair(cast.alpha)
        Item.objects.filter(pk=control.item_id).update(round="control", control="identical")
        kept_anew()
        assert study_counts(cast.alpha).asides == 1
        assert f"L'étude contient {items} clauses. Les simplifications" in text(page(lead, URL))
        run = run_create(actor=cast.lead, study=cast.alpha, **NEW_RUN | {"ceiling": Decimal(5)})
        assert items_to_simplify(run, "modèle").count() == items
        make_pair(cast.alpha, round="machine")
        assert f"L'étude contient {items} clauses. 1 autre a été laissée" in text(page(lead, URL))
        assert items_to_simplify(run, "modèle").count() == items + 1

    @pytest.mark.parametrize(
        ("wrong", "field"),
        [
            ({"ceiling": "-1"}, "ceiling"),
            ({"ceiling": "beaucoup"}, "ceiling"),
            ({"ceiling": "0"}, "ceiling"),
            ({"ceiling": "0.0000004"}, "ceiling"),
            ({"endpoint": "http://evil.example"}, "endpoint"),
            ({"mode": "fast"}, "mode"),
            ({"purpose": ""}, "purpose"),
            ({"round": "third"}, "round"),
        ],
    )
    def test_what_is_wrong_with_a_run_stands_at_its_field(self, lead, wrong, field):
        answer = lead.post(URL, NEW_RUN | wrong)
        assert answer.status_code == 422
        assert list(answer.context["form"].errors) == [field]
        assert not GenerationRun.objects.exists()

    def test_a_service_that_was_taken_away_meanwhile(self, lead, settings, monkeypatch):
        def refuse(**fields):
            raise RuleError.single("endpoint", "unknown", "Service inconnu.", "Unknown service.")

        monkeypatch.setattr("annotation.web.generation.views.runs.run_create", refuse)
        answer = lead.post(URL, NEW_RUN)
        assert answer.status_code == 422
        assert list(answer.context["form"].errors) == ["endpoint"]

    @pytest.mark.parametrize(
        ("wrong", "field"),
        [
            ({"name": ""}, "name"),
            ({"prompt": "Simplifie."}, "prompt"),
            ({"temperature": "3"}, "temperature"),
            ({"max_tokens": "0"}, "max_tokens"),
            ({"max_tokens": "dix"}, "max_tokens"),
            ({"price_prompt": "1"}, "price_completion"),
            ({"others": "max_completion_tokens"}, "others"),
            ({"others": "[1]"}, "others"),
            ({"others": "[" * 100_000}, "others"),
            ({"others": '{"a": ' * 60 + "1" + "}" * 60}, "others"),
            ({"others": '{"seed": ' + "9" * 5000 + "}"}, "others"),
            ({"others": '{"temperature": NaN}'}, "others"),
            ({"others": '{"stop": "\\ud800"}'}, "others"),
            ({"model": "unheard-of"}, "price_prompt"),
            # No field of its own: above the form.
            ({"others": '{"reasoning_effort": []}'}, "__all__"),
            ({"others": '{"top-p": 1}'}, "__all__"),
        ],
    )
    def test_what_is_wrong_with_a_system_stands_at_its_field(self, cast, lead, wrong, field):
        run_create(actor=None, study=cast.alpha)
        right = {"name": "s", "model": "gpt-4o", "prompt": "Dis : {input}", "max_tokens": "100"}
        answer = post(lead, action="add_system", **(right | wrong))
        assert answer.status_code == 422
        assert list(answer.context["form"].errors) == [field]
        assert 'value="100"' in answer.content.decode() or "max_tokens" in wrong

    def test_long_clauses_that_the_cap_will_cut_are_counted_before_the_start(self, cast, lead):
        make_items(cast.alpha, 2, original="L'assuré avise l'assureur sans délai. " * 12)
        run = run_create(actor=None, study=cast.alpha)
        system_add(actor=None, run=run, spec=system("s"))
        shown = text(page(lead))
        assert "2 pourraient être coupées" in shown
        assert "2 réponses seraient coupées par le plafond de jetons" in shown

    @pytest.mark.parametrize("url", [URL, f"{URL}1/"])
    def test_the_services_whose_ways_are_known_stand_where_one_is_chosen(self, cast, lead, url):
        run_create(actor=None, study=cast.alpha)
        shown = page(lead, url)
        for service in SERVICES:
            assert service.title in shown
            assert service.name == "openai" or f"{service.name}={service.address}" in shown

    def test_which_of_them_can_be_asked_here(self, settings):
        settings.LLM_ENDPOINTS = {
            "openai": Endpoint("openai", "https://api.openai.com/v1", "", 0, 0, 0),
            "juge": Endpoint("juge", "https://ours.openai.azure.com/openai/v1", KEY, 0, 0, 0),
        }
        here = {service["name"]: service["here"] for service in services()}
        assert (here["azure"], here["openai"], here["vllm"]) == ("juge", "", "")

    @pytest.mark.parametrize(
        ("address", "name"),
        [
            *((service.address, service.name) for service in SERVICES if service.is_keyed),
            ("https://ours.openai.azure.com/openai/v1", "azure"),
            ("https://openai.azure.com.example.org/v1", None),
            ("https://notapi.openai.com/v1", None),
            ("http://localhost:11434/v1", None),
            ("", None),
        ],
    )
    def test_a_service_is_told_by_its_address(self, address, name):
        service = service_at(address)
        assert (service.name if service else None) == name

    def test_operators_read_of_every_one(self):
        manual = (Path(__file__).parents[3] / "docs/operations.md").read_text()
        assert [
            service.name
            for service in SERVICES
            if f"`{service.address}" not in manual.replace(f"{service.name}=", "")
        ] == []

    def test_parameters_and_prices_of_ones_own(self, cast, lead):
        run = run_create(actor=None, study=cast.alpha)
        fields = {
            "name": "own",
            "model": "own-1",
            "prompt": "{input}",
            "seed": "7",
            "price_prompt": "0",
        }
        post(
            lead,
            action="add_system",
            **fields,
            price_completion="0",
            others='{"max_completion_tokens": 40}',
        )
        added = run.systems.get()
        assert added.parameters == {"seed": 7, "max_completion_tokens": 40}
        assert added.price_prompt == added.price_completion == 0
        assert post(lead, action="remove_system", system=added.pk).status_code == 302
        assert not run.systems.exists()
        assert post(lead, action="remove_system", system=added.pk).status_code == 404
        assert post(lead, action="remove_system", system="x").status_code == 404

    def test_a_start_that_is_refused_says_why(self, cast, lead):
        run = run_create(actor=None, study=cast.alpha, ceiling=Decimal("0.000001"))
        system_add(actor=None, run=run, spec=system())
        answer = post(lead, action="start")
        assert answer.status_code == 422
        assert "dépasse le plafond" in text(answer.content.decode())
        assert post(lead, action="ceiling", ceiling="2,50").status_code == 302
        assert fresh(run).ceiling == Decimal("2.50")
        assert post(lead, action="start").status_code == 302

    def test_an_estimate_is_shown_to_the_digits_by_which_a_start_is_refused(self, cast, lead):
        """It read 0,00, at most 0,00, beside a refusal of 0.000758 USD with a decimal point."""
        run = run_create(actor=None, study=cast.alpha, ceiling=Decimal("0.000001"))
        system_add(actor=None, run=run, spec=system())
        _, whole = run_estimate(run)
        about, most = amount(whole.expected), amount(whole.at_most)
        assert f"{about} / {most}" in text(page(lead))
        refusal = text(post(lead, action="start").content.decode())
        assert f"({about} USD) dépasse le plafond (0,000001 USD)" in refusal
        run_update(actor=None, run=run, ceiling=Decimal(5))
        run_start(actor=None, run=run)
        assert f"{about} USD, au plus {most}" in text(page(lead))

    def test_what_one_system_that_judges_would_be_asked_is_counted_in_calls(self, cast, lead):
        """The outputs that it would judge stood under the name of items."""
        run = run_create(actor=None, study=cast.alpha, purpose="judge")
        system_add(actor=None, run=run, spec=system("zz-judge", prompt="Juge.", model="gpt-4o"))
        headings = re.findall(r'<th scope="col"[^>]*>([^<]+)', page(lead))
        assert "Appels" in headings
        assert "Clauses" not in headings

    def test_a_price_that_nobody_gave_is_asked_for_once_the_service_has_a_key(
        self, cast, lead, settings
    ):
        keyed = settings.LLM_ENDPOINTS
        settings.LLM_ENDPOINTS = {
            "openai": Endpoint("openai", "https://service.example/v1", "", 0, 0, 0)
        }
        run = run_create(actor=None, study=cast.alpha)
        system_add(actor=None, run=run, spec=system())
        assert "aucun prix n'a été donné" in text(page(lead))
        settings.LLM_ENDPOINTS = keyed
        answer = post(lead, action="start")
        assert answer.status_code == 422
        assert "Personne n'a donné le prix" in text(answer.content.decode())
        assert fresh(run).state == "draft"

    @pytest.mark.parametrize(
        "amount", ["", "x", "-1", "0", "NaN", "sNaN", "Infinity", "1e400", "10000000", "0,0000004"]
    )
    def test_an_amount_that_is_none(self, cast, lead, amount):
        run = run_create(actor=None, study=cast.alpha)
        answer = post(lead, action="ceiling", ceiling=amount)
        assert answer.status_code == 422
        assert "plus de 0, avec six décimales" in text(answer.content.decode())
        assert fresh(run).ceiling == 5

    @pytest.mark.parametrize("amount", ["0.006", "0.004", "0.000001", "2.5"])
    def test_a_ceiling_is_kept_to_its_last_digit(self, cast, lead, amount):
        """It was rounded to cents, upwards too, where it was changed, and refused where it was
        set."""
        assert lead.post(URL, NEW_RUN | {"ceiling": amount}).status_code == 302
        run = GenerationRun.objects.get()
        assert run.ceiling == Decimal(amount)
        shown = amount.replace(".", ",").ljust(4, "0")
        assert f'value="{shown}"' in page(lead)
        assert post(lead, action="ceiling", ceiling=shown).status_code == 302
        assert fresh(run).ceiling == Decimal(amount)
        assert not Event.objects.filter(verb="generation_run_updated").exists()

    def test_a_service_without_a_key_is_told_before_the_start(self, cast, lead, settings):
        run_create(actor=None, study=cast.alpha)
        assert "notice--warn" not in page(lead)
        settings.LLM_ENDPOINTS = {
            "openai": Endpoint("openai", "https://service.example/v1", "", 0, 0, 0)
        }
        assert "notice--warn" in page(lead)
        settings.LLM_ENDPOINTS = {}
        assert "notice--warn" in page(lead)

    def test_a_run_can_be_discarded(self, cast, lead):
        run = run_create(actor=None, study=cast.alpha)
        post(lead, action="cancel")
        assert fresh(run).state == "cancelled"
        assert "Prévu avant le départ" not in page(lead), "nothing was: it said USD of no amount"

    def test_a_run_that_is_not_there(self, lead):
        for number in ("7", "9" * 30):
            assert lead.get(f"{URL}{number}/").status_code == 404


class TestProgress:
    def test_the_fragment_is_what_is_live(self, lead, run):
        answered(run, 1)
        fragment = page(lead, headers={"HX-Request": "true"})
        assert fragment.lstrip().startswith('<section class="card" id="run-state"')
        assert "<html" not in fragment
        assert 'max="3" value="1"' in fragment
        assert 'hx-get="/studies/alpha/generation/1/"' in fragment
        assert "0,0016" in fragment

    def test_tokens_that_nobody_counted_are_told(self, lead, run):
        answered(run, 1)
        assert run_progress(run).uncounted == 0
        counted = page(lead).count('class="muted"')
        answered(run, 2, completion_tokens=None)
        assert run_progress(run).uncounted == 1
        assert page(lead).count('class="muted"') == counted + 1
        GenerationCall.objects.update(cost=0)
        assert run_progress(run).uncounted == 0, "what was refused costs nothing"

    def test_at_the_end_it_stops_asking(self, lead, run):
        for position in (1, 2, 3):
            answered(run, position)
        fragment = page(lead, headers={"HX-Request": "true"})
        assert "hx-trigger" not in fragment
        assert 'hx-swap-oob="true"' in fragment
        assert "hx-trigger" not in page(lead)

    def test_rate_and_remaining_time(self, run):
        GenerationRun.objects.update(started_at=timezone.now() - timedelta(seconds=30))
        assert (run_progress(fresh(run)).rate, run_progress(run).remaining_seconds) == (None, None)
        answered(run, 1)
        progress = run_progress(fresh(run))
        assert progress.rate == pytest.approx(2, abs=0.1)
        assert progress.remaining_seconds == pytest.approx(60, abs=3)

    def test_failures_with_their_reasons(self, lead, run):
        call = order(run, 2)
        generation_claim(call, "m")
        generation_fail(
            call, "m", Failure("not_found", again=False, detail="No such model <b>x</b>")
        )
        shown = page(lead)
        assert "item-0002" in shown
        assert "No such model &lt;b&gt;x&lt;/b&gt;" in shown
        assert text(str(PROBLEMS["not_found"])) in text(shown)
        assert post(lead, action="retry").status_code == 302
        assert not run.generations.filter(state="failed").exists()

    @pytest.mark.parametrize(
        ("system_of_output", "named"), [("zz-wrote", "· zz-wrote"), ("", "· item-0001/0")]
    )
    def test_a_judgment_that_failed_names_the_output(
        self, cast, lead, broker, system_of_output, named
    ):
        """Several outputs of an item failed in rows that were all alike."""
        item = cast.alpha.items.get(position=1)
        item.simplifications.update(system=system_of_output)
        run = run_create(actor=None, study=cast.alpha, purpose="judge", ceiling=Decimal(5))
        system_add(actor=None, run=run, spec=system("zz-judge", prompt="Juge.", model="gpt-4o"))
        run_start(actor=None, run=run)
        run.generations.filter(item=item).update(state="failed", problem="rules")
        failures = page(lead).split("<details>", 2)[1]
        assert named in text(failures)

    @pytest.mark.parametrize("because", ["budget", "refused", "quota", "no_key"])
    def test_why_it_stands_still_and_what_to_do(self, lead, run, because):
        run_stop(run=run.pk, because=because)
        shown = page(lead)
        assert 'role="alert"' in shown
        assert fresh(run).get_stopped_display() in text(shown)
        assert post(lead, action="ceiling", ceiling="9").status_code == 302
        assert post(lead, action="resume").status_code == 302
        assert (fresh(run).state, run.ceiling) == ("running", 9)
        assert 'role="alert"' not in page(lead)

    def test_a_ceiling_that_was_raised_is_reached_no_longer(self, lead, run):
        run_stop(run=run.pk, because="budget")
        assert post(lead, action="ceiling", ceiling="0.01").status_code == 302
        assert fresh(run).stopped == "budget"  # lower than before
        assert post(lead, action="ceiling", ceiling="9").status_code == 302
        assert (fresh(run).state, run.stopped) == ("paused", "")
        assert 'role="alert"' not in page(lead)

    def test_buttons(self, lead, run):
        assert post(lead, action="pause").status_code == 302
        assert fresh(run).state == "paused"
        answer = post(lead, action="pause")
        assert answer.status_code == 422
        assert "Rechargez la page" in text(answer.content.decode())
        assert post(lead, action="cancel").status_code == 302
        assert fresh(run).state == "cancelled"
        assert post(lead, action="explode").status_code == 422

    def test_a_batch_with_its_state(self, cast, lead, broker):
        run = started(cast.alpha, items=0, mode="batch")
        run.batches.create(
            requests=3, answered=1, remote_state="in_progress", problem_detail="502 <p>"
        )
        shown = page(lead)
        assert "in_progress" in shown
        assert "502 &lt;p&gt;" in shown

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [(5, "5 s"), (119, "119 s"), (120, "2 min"), (3599, "60 min"), (7260, "2 h 1 min")],
    )
    def test_durations(self, seconds, words):
        assert duration(seconds) == words

    def test_a_reason_without_words_is_told_as_it_is(self):
        assert "bad_gateway_7" in problem_words("bad_gateway_7")

    @pytest.mark.parametrize("code", ["not_json", "JSONDecodeError", "no choice", "no_text"])
    def test_what_cannot_be_read_is_told_in_words(self, code):
        words = detail_words("malformed", code)
        assert words
        assert code not in words

    def test_of_a_connection_no_name_of_a_class(self):
        assert detail_words("cut", "ReadError") not in ("", "ReadError")
        assert detail_words("cut", "SomethingElse") == ""

    def test_the_service_s_own_words_are_quoted(self):
        with translation.override("fr"):
            assert (
                detail_words("server_error", "internal") == "le service dit\xa0: «\xa0internal\xa0»"
            )
        assert detail_words("server_error", "") == ""

    def test_the_number_of_queries_does_not_grow_with_the_run(
        self, cast, lead, broker, django_assert_max_num_queries
    ):
        run = started(cast.alpha, items=30)
        for position in range(1, 34):
            answered(run, position, PREAMBLE)
        for url in (f"{URL}1/", f"{URL}1/outputs/"):
            with django_assert_max_num_queries(30):
                page(lead, url)


class TestOutputs:
    def test_by_system_and_by_length(self, cast, lead, broker):
        run = started(cast.alpha, items=0, systems=("un", "deux"))
        texts = {}
        for generation in run.generations.select_related("system"):
            call = generation_order(generation.pk, "x")
            generation_claim(call, "x")
            said = "Mot. " * generation.pk
            texts[generation.pk] = (generation.system.name, said.strip())
            generation_store(call, "x", Reply(text=said, finish_reason="stop"))

        def shown(query):
            page = lead.get(f"{URL}1/outputs/?{query}").context["outputs"]
            return [(output["system"], output["text"]) for output in page]

        longest = sorted(texts.values(), key=lambda pair: -len(pair[1]))
        assert shown("order=longest") == longest
        assert shown("order=shortest") == longest[::-1]
        assert {system for system, _text in shown("system=un")} == {"un"}
        assert shown("system=nobody") == []
        assert len(shown("order=nonsense")) == len(texts)


class TestReview:
    def test_a_flag_is_decided(self, cast, lead, run):
        for position, raw in enumerate([PREAMBLE, FINE, ""], start=1):
            answered(run, position, raw)
        shown = page(lead)
        flags = shown[shown.index('id="review"') :]
        assert 'value="preamble"' in flags
        # What is empty cannot be kept.
        empty = flags[flags.index('value="empty"') :]
        assert 'value="keep"' not in empty[: empty.index("</form>")]
        refusal = post(lead, action="adopt")
        assert refusal.status_code == 422
        assert post(lead, action="decide", flag="preamble", decision="clean").status_code == 302
        assert post(lead, action="decide", flag="empty", decision="keep").status_code == 422
        assert post(lead, action="decide", flag="empty", decision="exclude").status_code == 302
        assert post(lead, action="adopt").status_code == 302
        # To the study's own three, of another system.
        added = Simplification.objects.filter(item__study=cast.alpha, system="gpt-4-turbo")
        assert list(added.values_list("text", flat=True)) == [FINE, FINE]
        assert Event.objects.filter(verb="outputs_decided", actor=cast.lead).count() == 2
        assert (
            Assignment.objects.filter(simplification__in=added, annotator=cast.judge).count() == 2
        )

    def test_outputs_one_by_one(self, lead, run):
        first, second = answered(run, 1, PREAMBLE), answered(run, 2, f"{FINE} <script>")
        url = f"{URL}1/outputs/"
        everything = page(lead, url)
        assert "&lt;script&gt;" in everything
        assert everything.count("<article") == 2
        assert page(lead, f"{url}?flag=preamble").count("<article") == 1
        assert page(lead, f"{url}?flag=undecided").count("<article") == 1
        assert page(lead, f"{url}?flag=empty").count("<article") == 0
        assert page(lead, f"{url}?flag='or").count("<article") == 2
        answer = lead.post(
            f"{url}?flag=preamble", {"output": [first.outputs.get().pk, "x"], "decision": "clean"}
        )
        assert (answer.status_code, answer.url) == (302, f"{url}?flag=preamble")
        assert first.outputs.get().text == FINE
        decided = page(lead, f"{url}?flag=preamble")
        # Beside what is judged stands what came.
        assert PREAMBLE in html.unescape(decided)
        assert page(lead, f"{url}?flag=undecided").count("<article") == 0
        assert post(lead, url, decision="keep").status_code == 422
        assert second.outputs.get().decision == ""

    def test_the_list_as_a_file(self, lead, run):
        answered(run, 1, PREAMBLE)
        answered(run, 2, "=1+1")
        answer = lead.get(f"{URL}1/outputs.csv?flag=preamble")
        assert 'filename="alpha-run-1-outputs.csv"' in answer["Content-Disposition"]
        text = answer.content.decode("utf-8-sig")
        (row,) = csv.DictReader(io.StringIO(text), delimiter=";")
        assert list(row.values())[-2:] == [PREAMBLE, ""]
        assert "'=1+1" in lead.get(f"{URL}1/outputs.csv").content.decode()
        workbook = lead.get(f"{URL}1/outputs.csv?format=xlsx")
        assert b"".join(workbook.streaming_content).startswith(b"PK")

    def test_pages(self, cast, lead, broker):
        run = started(cast.alpha, items=30)
        for position in range(1, 34):
            answered(run, position)
        assert page(lead, f"{URL}1/outputs/").count("<article") == 25
        assert page(lead, f"{URL}1/outputs/?page=2").count("<article") == 8


class TestLog:
    def rows(self, client):
        answer = client.get(f"{URL}1/calls.csv")
        raw = b"".join(answer.streaming_content).decode()
        return answer, raw, list(csv.DictReader(io.StringIO(raw)))

    def test_every_call_and_no_text(self, lead, run):
        answered(run, 1, PREAMBLE, response_id="chatcmpl-7", latency_ms=812)
        call = order(run, 2)
        generation_claim(call, "m")
        generation_fail(
            call, "m", Failure("rate_limited", again=True, http_status=429, retry_after=3.5)
        )
        answer, raw, rows = self.rows(lead)
        assert answer["Content-Type"].startswith("text/csv")
        assert 'filename="alpha-run-1-calls.csv"' in answer["Content-Disposition"]
        assert [(row["item"], row["outcome"], row["http_status"]) for row in rows] == [
            ("item-0001", "answered", "200"),
            ("item-0002", "rate_limited", "429"),
        ]
        assert (rows[0]["system"], rows[0]["model"], rows[0]["response_id"]) == (
            "gpt-4-turbo",
            "m-1",
            "chatcmpl-7",
        )
        assert (rows[0]["prompt_tokens"], rows[0]["completion_tokens"]) == ("100", "20")
        assert (rows[0]["latency_ms"], Decimal(rows[0]["cost"])) == ("812", Decimal("0.0016"))
        assert rows[1]["retry_after"] == "3.5"
        assert "Voici" not in raw
        assert "Le locataire" not in raw

    @pytest.mark.parametrize(
        "evil", ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]
    )
    def test_no_name_from_outside_starts_a_formula(self, lead, run, evil):
        answered(
            run,
            1,
            model=evil,
            fingerprint=evil,
            response_id=evil,
            request_id=evil,
            finish_reason=evil,
        )
        _answer, _raw, rows = self.rows(lead)
        for column in ("model", "fingerprint", "response_id", "request_id", "finish_reason"):
            assert rows[0][column].startswith("'")


class TestBlind:
    PLANTED = "zz-planted-system"

    def everything(self, cast, role="annotator"):
        """Every byte that an annotator can fetch in the study."""
        client = cast.client(role)
        seen: dict[str, tuple[int, str]] = {}
        queue = ["/", "/studies/alpha/", URL, f"{URL}1/", f"{URL}1/outputs/", f"{URL}1/calls.csv"]
        queue += [f"/annotate/alpha/{position}/" for position in range(1, 8)]
        while queue:
            url = queue.pop()
            if url in seen or "logout" in url or "/api/" in url or len(seen) > 60:
                continue
            answer = client.get(url, follow=False)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            seen[url] = (answer.status_code, f"{answer.headers} {body.decode(errors='replace')}")
            if answer.get("Location", "").startswith("/"):
                queue.append(answer["Location"])
            links = re.findall(r'(?:href|action|hx-get|hx-post|src)="(/[^"#]*)"', seen[url][1])
            queue += [link for link in links if not link.startswith("/static/")]
        return seen

    def test_a_planted_name_is_in_no_byte_that_an_annotator_can_fetch(self, cast, lead, broker):
        run = started(cast.alpha, items=0, systems=(self.PLANTED,))
        for position in (1, 2, 3):
            answered(run, position, f"{FINE} ({position})")
        outputs_adopt(actor=None, run=run)
        assert self.PLANTED in page(lead)
        seen = self.everything(cast)
        assert any(
            status == 200 and "/annotate/alpha/4/" in url for url, (status, _body) in seen.items()
        )
        assert sum("à la fin du bail" in body for _status, body in seen.values()) >= 3
        for url, (status, body) in seen.items():
            assert self.PLANTED not in body, url
            assert SYSTEM not in body, url
            if url.startswith(URL):
                assert status == 404

    def test_the_new_pairs_reach_them(self, cast, broker):
        run = started(cast.alpha, items=0)
        for position in (1, 2, 3):
            answered(run, position)
        outputs_adopt(actor=None, run=run)
        assert cast.judge.assignments.filter(simplification__system="gpt-4-turbo").count() == 3

    def test_a_machine_judgment_is_shown_to_nobody_who_judges_and_never_counted(
        self, cast, lead, broker
    ):
        before = {role: self.pages(cast, role) for role in ("annotator", "peer", "lead")}
        run = run_create(actor=None, study=cast.alpha, purpose="judge", ceiling=Decimal(5))
        system_add(actor=None, run=run, spec=system("zz-judge", prompt="Juge.", model="gpt-4o"))
        run_start(actor=None, run=run)
        for position in (1, 2, 3):
            answered(run, position, judged(comment="zz-machine-says"))
        judge = run.systems.get().judge
        assert Judgment.objects.filter(assignment__annotator=judge, origin="machine").count() == 3
        # Nothing changed for those who judge: no page, no count.
        assert {role: self.pages(cast, role) for role in ("annotator", "peer", "lead")} == before
        for _status, body in self.everything(cast).values():
            assert "zz-machine-says" not in body
            assert "zz-judge" not in body
        shown = page(lead)
        assert judge.pseudonym in shown
        assert "zz-machine-says" in page(lead, f"{URL}1/outputs/")
        assert post(lead, action="decide", decision="keep").status_code == 422
        assert post(lead, action="adopt").status_code == 422

    def pages(self, cast, role):
        client = cast.client(role)
        urls = (
            "/",
            "/studies/alpha/",
            "/studies/alpha/items/",
            "/annotate/alpha/",
            "/annotate/alpha/1/",
        )
        bodies = [client.get(url).content.decode() for url in urls]
        # Tokens of forms differ with every page; when a page was opened is none of this.
        return [
            text(re.sub(r'<script.*?</script>|"[^"]{20,}"', "", body, flags=re.DOTALL))
            for body in bodies
        ]


class TestKey:
    def test_it_is_on_no_page(self, cast, lead, run):
        call = order(run, 1)
        generation_claim(call, "m")
        generation_fail(
            call, "m", Failure("unauthorized", again=False, http_status=401, detail="[…]")
        )
        run_create(actor=None, study=cast.alpha)
        run_update(actor=cast.lead, run=run, ceiling=Decimal(7))
        for url in (
            URL,
            f"{URL}1/",
            f"{URL}2/",
            f"{URL}1/outputs/",
            "/studies/alpha/",
            "/studies/alpha/history/",
        ):
            assert KEY not in lead.get(url).content.decode()
        for model in (GenerationRun, Generation, GenerationCall, Event):
            assert not [row for row in model.objects.values() if KEY in str(row)]


def test_another_studys_runs_are_not_there(cast, broker):
    run_create(actor=None, study=cast.beta)
    client = cast.client("lead")
    assert client.get("/studies/beta/generation/1/").status_code == 404
    assert client.get(f"{URL}1/").status_code == 404
    assert make_items(cast.beta, 1)[0].study == cast.beta


def test_an_example_is_in_the_language_of_its_page():
    """It was put into words when the module was imported, in French for everybody."""
    said = {}
    for language in ("fr", "en"):
        with translation.override(language):
            said[language] = str(SystemForm().fields["others"].help_text)
    assert said == {
        "fr": 'Par exemple {"max_completion_tokens": 400}.',
        "en": 'For instance {"max_completion_tokens": 400}.',
    }
