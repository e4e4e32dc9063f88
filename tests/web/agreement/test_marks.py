"""The page on marks: its figures are the package's, a cell of the matrix leads to its pairs, only
leads see it and never in a blind phase, and its files are read again without loss."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.agreement.marks.figure import Drawn
from annotation.corpus.edit_files import ENDINGS, edit_file
from annotation.models import Assignment, Item, Job, Judgment, Study
from annotation.reading import edit_file_read
from annotation.selectors.agreement.kept import code_digest
from annotation.selectors.agreement.marked import MarksRequest, compared_pairs, marks_figures
from annotation.services.agreement.marks import marks_compute
from annotation.services.planning.assignments import assignments_fill
from annotation.web.base.numbers import decimal
from tests.cast import ROLES, Cast
from tests.factories import make_annotator, make_pair, make_study, withdraw
from tests.protocols.judged import answer
from tests.web.agreement.kept import forget_figures
from tests.worlds import world

pytestmark = pytest.mark.django_db

ORIGINAL = "Le bail prend fin dès lors que le preneur meurt."
SIMPLE = "Le bail finit quand le locataire meurt."
# By pair: what A, B and C call the same words, and which words.
MARKED = (
    {"A": "synonym", "B": "synonym", "C": "hyperonym"},
    {"A": "synonym", "B": "hyperonym", "C": "hyperonym"},
    {"A": "synonym", "B": "synonym", "C": "synonym"},
)


def edit(kind: str, original: str, simplification: str = "") -> dict[str, object]:
    """An edit on the first of these words."""
    start, other = ORIGINAL.index(original), SIMPLE.index(simplification or "locataire")
    return {
        "type": kind,
        "original": [[start, start + len(original)]],
        "simplification": [[other, other + len(simplification)]] if simplification else [],
    }


@world
def marks_judged(cast: Cast) -> Study:
    """Study «marks», closed: three pairs that three people marked. The figures that the page begins
    with are kept, as a first visit leaves them."""
    study = make_study(
        "marks", lead=cast.lead, protocol_key="assetann", protocol_version="1", state="main"
    )
    pairs = [
        make_pair(study, original=f"{ORIGINAL} {number}", text=SIMPLE)
        for number in range(len(MARKED))
    ]
    for name in "ABC":
        make_annotator(study, pseudonym=name)
    assignments_fill(actor=None, study=study)
    for pair, kinds in zip(pairs, MARKED, strict=True):
        for row in Assignment.objects.filter(simplification=pair):
            edits = [edit(kinds[row.annotator.pseudonym], "preneur", "locataire")]
            if row.annotator.pseudonym != "B":
                edits.append(edit("delcst", "que"))
            answer(row, {"edits": edits})
    Study.objects.filter(pk=study.pk).update(state="closed")
    for person in (cast.lead, cast.admin):
        person.language = "en"
        person.save()
    study.refresh_from_db()
    page(cast)
    return study


@pytest.fixture
def marked(marks_judged):
    return marks_judged


def page(cast, query: str = "", study: str = "marks") -> str:
    response = cast.client("lead").get(reverse("study_marks", args=[study]) + query)
    assert response.status_code == 200
    return unescape(response.content.decode())


class TestWhoMay:
    ADDRESSES = (
        reverse("study_marks", args=["marks"]),
        reverse("study_marks_table", args=["marks", "tokens"]),
        reverse("study_marks_file", args=["marks", "jsonl"]),
        reverse("study_marks_file", args=["marks", "confusions"]),
    )

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_leads_and_admins_only(self, cast, marked, address):
        for role in ROLES:
            expected = 200 if role in {"lead", "admin"} else 302 if role == "anonymous" else 404
            assert cast.client(role).get(address).status_code == expected, role

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_not_while_the_study_hides_its_answers(self, cast, marked, address):
        Study.objects.filter(pk=marked.pk).update(state="main", is_blind=True)
        assert cast.client("lead").get(address).status_code == 403

    def test_only_where_something_is_marked(self, cast, marked):
        make_study("slides", lead=cast.lead, protocol_key="direct_assessment", state="closed")
        lead = cast.client("lead")
        assert lead.get(reverse("study_marks", args=["slides"])).status_code == 404
        link = reverse("study_marks", args=["slides"])
        assert link not in lead.get(reverse("study_agreement", args=["slides"])).content.decode()
        link = reverse("study_marks", args=["marks"])
        assert link in lead.get(reverse("study_agreement", args=["marks"])).content.decode()


class TestFigures:
    def test_who_has_withdrawn_is_counted_and_said(self, cast, marked):
        assert "who has withdrawn" not in page(cast)
        withdraw(marked, "C")
        said = f"those of 1 person who has withdrawn: {len(MARKED)}."
        assert said in " ".join(page(cast).split())
        # No snapshot holds practice anyway.
        assert "who has withdrawn" not in page(cast, "?round=practice")

    def test_the_page_shows_the_package_s(self, cast, marked):
        report = marks_figures(marked, MarksRequest("edits")).report
        shown = page(cast)
        assert "3 pairs were marked by two people or more" in shown
        for side in ("original", "simplification"):
            for figure in report.agreement[0].sides[side].coefficients.values():
                assert figure.value is not None
                assert decimal(figure.value, 3) in shown
                assert str(figure.signature) in shown
        f1 = report.agreement[0].edits.f1["exact"][""]
        assert f1.value is not None
        assert decimal(f1.value, 3) in shown
        assert "No interval: it takes at least 8 original texts, and there are 3." in shown

    def test_a_grouping_of_one_s_own(self, cast, marked):
        query = "?groups=word+%3D+synonym,+hyperonym&merge=deletions"
        shown = page(cast, query)
        assert "With operations counted as one" in shown
        assert "<strong>word</strong>: synonym, hyperonym" in shown
        assert "<strong>deletions</strong>: delprop, delmod, delcst, deloth" in shown
        table = reverse("study_marks_table", args=["marks", "edits-merged"])
        content = cast.client("lead").get(f"{table}{query}&format=csv").content.decode()
        rows = {row["Operation"]: row for row in csv.DictReader(io.StringIO(content))}
        assert float(rows["word"]["F1, same words"]) == 1
        assert set(rows) == {"all operations", "word", "deletions"}

    @pytest.mark.parametrize(
        ("groups", "words"),
        [
            ("word = synonyme", "“synonyme” is no operation here"),
            ("= synonym", "“= synonym” is no operation here"),
            ("word", "“” is no operation here"),
            ("a = synonym\nb = synonym", "“synonym” stands in two groups"),
            ("a = synonym\na = hyperonym", "“a” stands in two groups, or names two"),
            ("deletions = synonym", "“deletions” stands in two groups, or names two"),
        ],
    )
    def test_a_grouping_that_cannot_be(self, cast, marked, groups, words):
        address = reverse("study_marks", args=["marks"])
        lead = cast.client("lead")
        response = lead.get(address, {"groups": groups, "merge": "deletions"})
        shown = unescape(response.content.decode())
        assert words.replace("“”", "“word”") in shown
        assert "With operations counted as one" not in shown

    def test_the_pairs_behind_a_cell(self, cast, marked):
        shown = page(cast)
        both = re.findall(r'href="(\?[^"]*first=synonym[^"]*second=hyperonym[^"]*)#cell"', shown)
        assert len(both) == 1
        opened = page(cast, both[0])
        section = opened[opened.index('id="cell"') :]
        keys = list(
            Item.objects.filter(study=marked).order_by("position").values_list("key", flat=True)
        )
        for key, is_there in zip(keys, (True, True, False), strict=True):
            link = reverse("study_agreement_item", args=["marks", key])
            assert (link in section) is is_there, key
        assert (
            cast.client("lead")
            .get(reverse("study_agreement_item", args=["marks", keys[0]]))
            .status_code
            == 200
        )
        assert "No pair is behind this cell" in page(cast, "?first=synonym&second=x")

    def test_of_one_couple(self, cast, marked):
        shown = page(cast, "?couple=A|C")
        assert "Rows are what A marked, columns what C did." in shown
        assert "second=hyperonym" in shown
        assert "first=hyperonym" not in shown.replace("first=hyperonym&second=hyperonym", "")
        assert "the matrix is symmetric" in page(cast, "?couple=X|Y")

    def test_who_left_an_operation_out(self, cast, marked):
        assert "Judgments of pairs: 3 " in page(cast, "?without=delcst")
        assert "Judgments of pairs: 9 " in page(cast)

    def test_nothing_to_compare(self, cast):
        make_study("none", lead=cast.lead, protocol_key="assetann", protocol_version="1")
        cast.lead.language = "en"
        cast.lead.save()
        shown = page(cast, study="none")
        assert "there is nothing to compare yet" in shown
        for name in ("tokens", "counts", "again", "nothing"):
            address = reverse("study_marks_table", args=["none", name])
            assert cast.client("lead").get(address).status_code == 404

    def test_a_worker_computes_the_report_of_a_large_study(self, cast, marked, large):
        lead, address = cast.client("lead"), reverse("study_marks", args=["marks"])
        query = "?merge=insertions"
        shown = page(cast, query)
        # It asks by itself; without scripts there is a button.
        assert f'hx-post="{address}{query}"' in shown
        assert "With operations counted as one" not in shown
        assert lead.post(address + query).status_code == 302
        job = Job.objects.get()
        assert "waits for a worker" in page(cast, query)
        part = lead.get(address + query, headers={"HX-Request": "true"}).content.decode()
        assert "waits for a worker" in part
        assert "<main" not in part
        Job.objects.update(done=3, total=9)
        assert "3 of 9 parts" in " ".join(page(cast, query).split())
        assert marks_compute(job.public_id)
        ended = lead.get(address + query, headers={"HX-Request": "true"})
        assert ended["HX-Refresh"] == "true"
        shown = page(cast, query)
        assert "With operations counted as one" in shown
        assert "hx-" not in shown.split("<main")[1].split("</main>")[0]
        # Of another grouping there is none yet.
        assert "hx-post" in page(cast, "?merge=deletions")

    def test_what_was_found_is_shown_until_it_is_found_anew(self, cast, marked, large):
        lead, address = cast.client("lead"), reverse("study_marks", args=["marks"])
        lead.post(address)
        assert marks_compute(Job.objects.get().public_id)
        assert "Something was answered since" not in page(cast)
        Judgment.objects.filter(pk=Judgment.objects.first().pk).update(submitted_at=timezone.now())
        shown = page(cast)
        assert "Something was answered since" in shown
        assert "Judgments of pairs: 9 " in shown
        assert "Compute again" in shown
        assert "hx-post" not in shown
        table = lead.get(reverse("study_marks_table", args=["marks", "tokens"]))
        assert table.status_code == 200
        lead.post(address)
        assert "hx-get" in page(cast)
        assert marks_compute(Job.objects.get(state="queued").public_id)
        assert Job.objects.count() == 1
        assert "Something was answered since" not in page(cast)

    def test_what_no_worker_could_find_is_said(self, cast, marked, large):
        lead, address = cast.client("lead"), reverse("study_marks", args=["marks"])
        lead.post(address)
        Job.objects.update(state="failed", problem="worker_lost")
        shown = page(cast)
        assert "Its worker died three times" in shown
        assert "hx-post" not in shown
        # Kept on a machine whose folder this one does not see.
        Job.objects.update(state="done", result={"key": "elsewhere|marks", "code": code_digest()})
        assert "Judgments of pairs: 9 " in page(cast)


@pytest.fixture
def large(marked, monkeypatch):
    """A study is large from six judgments on, and no figure of this one is kept; messages go
    nowhere."""
    forget_figures()
    monkeypatch.setattr("annotation.web.agreement.views.marks.AT_ONCE", 5)
    monkeypatch.setattr("annotation.jobs._send", lambda *_message: None)


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "reader"),
        [("jsonl", "edits"), ("tsv", "edits"), ("columns", "edit_columns"), ("thresh", "thresh")],
    )
    def test_read_again_without_loss(self, cast, marked, name, reader):
        address = reverse("study_marks_file", args=["marks", name])
        response = cast.client("lead").get(address)
        assert "attachment" in response["Content-Disposition"]
        file = edit_file_read(response.content, "nobody", reader)
        assert file.fatal is None
        assert list(file.pairs) == compared_pairs(marked, MarksRequest("edits"))

    @pytest.mark.parametrize("name", [*ENDINGS])
    def test_an_error_without_a_passage_keeps_no_file_away(self, cast, marked, name):
        Study.objects.filter(pk=marked.pk).update(state="main", is_blind=False)
        row = Assignment.objects.create(
            simplification=make_pair(marked, original=ORIGINAL, text=SIMPLE),
            annotator=marked.annotators.get(pseudonym="A"),
            position=99,
        )
        answer(row, {"edits": [{"type": "err", "original": [], "simplification": []}]})
        pairs = compared_pairs(marked, MarksRequest("edits"))
        assert any(not edit.is_placed for pair in pairs for edit in pair.edits)
        response = cast.client("lead").get(reverse("study_marks_file", args=["marks", name]))
        assert response.status_code == 200
        assert response.content == edit_file(name, pairs)

    def test_tables(self, cast, marked):
        lead = cast.client("lead")

        def rows(name: str) -> list[dict[str, str]]:
            content = lead.get(reverse("study_marks_file", args=["marks", name])).content.decode()
            return list(csv.DictReader(io.StringIO(content), delimiter="\t"))

        assert [row["edits"] for row in rows("counts")] == ["2", "1", "2"] * 3
        words = {
            row["text"]: row
            for row in rows("consensus")
            if row["pair"] == rows("counts")[0]["pair"]
        }
        assert words["preneur"]["outcome"] == "majority"
        assert json.loads(words["preneur"]["operations"]) == ["synonym"]
        cells = rows("confusions")
        assert {"synonym", "hyperonym"} <= {row["first_operation"] for row in cells}
        report = json.loads(
            lead.get(reverse("study_marks_file", args=["marks", "report"])).content.decode()
        )
        assert report["shared_pairs"] == 3
        assert lead.get(reverse("study_marks_file", args=["marks", "xml"])).status_code == 404

    def test_brat(self, cast, marked):
        response = cast.client("lead").get(reverse("study_marks_file", args=["marks", "brat"]))
        assert response.content == cast.client("lead").get(response.request["PATH_INFO"]).content
        assert response.content[:2] == b"PK"


def test_silent_repeats_are_held_against_the_first_time(cast, marked):
    Study.objects.filter(pk=marked.pk).update(state="main", is_blind=False)
    first = Assignment.objects.get(
        simplification__item__position=1,
        simplification__item__study=marked,
        annotator__pseudonym="A",
    )
    item = first.simplification.item
    again = make_pair(marked, original=item.original, text=SIMPLE, round=Item.Aside.REPEAT)
    again.repeat_of = first.simplification
    again.save()
    row = Assignment.objects.create(simplification=again, annotator=first.annotator, position=99)
    answer(row, {"edits": [edit("synonym", "preneur", "locataire")]})
    figures = marks_figures(marked, MarksRequest("edits", drawn=Drawn(draws=0)))
    assert [(person.annotator, person.pairs) for person in figures.again] == [("A", 1)]
    f1 = figures.again[0].report.agreement[0].edits.f1["exact"][""]
    assert f1.value == pytest.approx(2 / 3)
    assert figures.report.counts.pairs == 9
    assert "The same person twice" in page(cast)


def test_who_marked_nothing_is_not_said_to_have_found_no_error(client, cast):
    study = make_study(
        "bare", lead=cast.lead, protocol_key="assetann", protocol_version="1", state="main"
    )
    pair = make_pair(study, original=ORIGINAL, text=SIMPLE)
    make_annotator(study)
    assignments_fill(actor=None, study=study)
    answer(Assignment.objects.get(annotator__study=study), {"edits": []})
    Study.objects.filter(pk=study.pk).update(state="closed")
    client.force_login(cast.lead)
    item = reverse("study_agreement_item", args=["bare", pair.item.key])
    html = unescape(client.get(item, headers={"accept-language": "fr"}).content.decode())
    (row,) = re.findall(r"<tbody>(.*?)</tbody>", html, re.DOTALL)
    assert re.sub(r"<[^>]+>|\s+", " ", row).split()[-1] in ("aucune", "none")
    assert "error" not in row
