"""Rulings on edits: a lead says in the page which of everybody's edits stand; they are kept, come
out in every layout and in a release, and are due again where somebody judges anew."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape

import pytest
from django.urls import reverse

from annotation.agreement.disputes import DisputeRules
from annotation.agreement.marks.disputed import mark_disputes, marks_digest, shared_edits
from annotation.errors import RuleError
from annotation.models import Adjudication, Assignment, Simplification, Study
from annotation.protocols.edits import Edit, MarkedPair
from annotation.protocols.registry import PROTOCOLS
from annotation.protocols.tokens import Cut, Span, tokens
from annotation.selectors.agreement.adjudication import (
    adjudication_queue,
    ruled_pairs,
)
from annotation.selectors.publishing.frozen import frozen_files
from annotation.services.agreement.adjudications import Ruling, adjudicate
from annotation.services.planning.assignments import assignments_fill
from annotation.services.publishing.snapshots import recipe_of
from tests.factories import make_annotator, make_pair, make_study
from tests.protocols.judged import answer
from tests.protocols.samples.marked import PROTOCOL
from tests.web.agreement.test_marks import ORIGINAL, SIMPLE, edit
from tests.web.judging.test_edits_called import called_errors

pytestmark = pytest.mark.django_db

DIMENSION = "edits_number"


def pair(annotator: str, *edits: tuple[str, int, int], name: str = "1") -> MarkedPair:
    made = tuple(Edit(kind, (Span(start, end),)) for kind, start, end in edits)
    return MarkedPair(name, annotator, "un deux trois quatre", "un deux", Cut.WORDS, made)


class TestSharedEdits:
    def test_each_is_there_once_with_whoever_marked_those_words(self):
        # «deux» whole, and a part of it: the same word.
        marks = shared_edits(
            [
                pair("ann", ("x", 3, 7), ("y", 0, 2)),
                pair("bob", ("x", 3, 6)),
                pair("cy", ("x", 3, 7)),
            ]
        )
        assert [(mark.edit.type, mark.edit.original, mark.by) for mark in marks] == [
            ("x", ((3, 7),), ("ann", "bob", "cy")),
            ("y", ((0, 2),), ("ann",)),
        ]

    def test_only_pairs_on_which_people_divide_are_disputed(self):
        rules = DisputeRules(majority_share=0.7)
        alike = [pair(name, ("x", 3, 7), name="alike") for name in "abc"]
        divided = [pair("a", ("x", 3, 7)), pair("b", ("x", 3, 7)), pair("c")]
        alone = [pair("a", ("x", 3, 7), name="alone")]
        (dispute,) = mark_disputes([*alike, *divided, *alone], rules)
        assert (dispute.unit, dispute.values) == ("1", (0.0, 1.0, 1.0))
        assert dispute.disagreement == pytest.approx(1 / 3)
        # Two of three are enough for 0.6.
        assert mark_disputes(divided, DisputeRules()) == []
        assert mark_disputes([pair("a"), pair("b")], rules) == []

    def test_a_digest_is_of_who_marked_what(self):
        first, other = pair("a", ("x", 3, 7)), pair("b")
        assert marks_digest([first, other]) == marks_digest([other, first])
        assert marks_digest([first, other]) != marks_digest([first, pair("b", ("x", 3, 7))])


@pytest.fixture
def divided(cast):
    """Study «marks», closed: on its one pair A and B see a synonym, C a hyperonym; A a deletion as
    well."""
    study = make_study(
        "marks", lead=cast.lead, protocol_key="assetann", protocol_version="1", state="main"
    )
    only = make_pair(study, original=ORIGINAL, text=SIMPLE)
    for name in "ABC":
        make_annotator(study, pseudonym=name)
    assignments_fill(actor=None, study=study)
    for name, kind in zip("ABC", ("synonym", "synonym", "hyperonym"), strict=True):
        more = [edit("delmod", "bail")] if name == "A" else []
        row = Assignment.objects.get(annotator__pseudonym=name, simplification=only)
        answer(row, {"edits": [edit(kind, "preneur", "locataire"), *more]})
    Study.objects.filter(pk=study.pk).update(state="closed")
    study.refresh_from_db()
    return study


def case_url(study: Study) -> str:
    pk = Simplification.objects.get(item__study=study).pk
    return reverse("adjudication_case", args=[study.key, pk, DIMENSION])


def page_of(client, cast, study: Study) -> str:
    client.force_login(cast.lead)
    response = client.get(case_url(study))
    assert response.status_code == 200
    return response.content.decode()


def rows_of(page: str) -> list[tuple[str, str]]:
    """The key of each row, and "checked" where it is ticked."""
    return re.findall(r'name="stands-(\w+)" *(checked)?', page)


def key_of(page: str, kind: str) -> str:
    """Of the row whose operation that is."""
    selects = re.findall(r'name="type-(\w+)"(.*?)</select>', page, re.DOTALL)
    (key,) = (key for key, options in selects if re.search(rf'value="{kind}"\s+sel', options))
    return key


def test_a_share_by_which_nothing_can_be_listed_is_said_to_be_one(client, cast, divided):
    """Of three who mark an edit or do not, two do the same: more than the default's 0.6."""
    client.force_login(cast.lead)
    url, api = reverse("study_adjudication", args=["marks"]), "/api/v1/studies/marks/adjudication/"
    page = unescape(client.get(url).content.decode()).replace("\xa0", " ")
    assert "sur 3 personnes, au moins 2 ont marqué une opération ou ne l'ont pas fait" in page
    assert "à partir de 0,67" in page
    facts = client.get(api).json()
    (case,) = facts["out_of_reach"]
    assert facts["cases"] == []
    assert (case["dimension"], case["answers"], case["values"]) == (DIMENSION, 3, 2)
    assert case["lowest_share"] == pytest.approx(2 / 3)
    client.post(url, {"majority_share": "0,67", "fewest_ratings": "2"})
    facts = client.get(api).json()
    assert (facts["out_of_reach"], len(facts["cases"])) == ([], 1)
    assert "au moins 2 ont marqué" not in client.get(url).content.decode()


def test_of_yes_and_no_too(client, cast):
    study = make_study("asked", lead=cast.lead, protocol_key="qa_answers", state="main")
    make_pair(study)
    for name in "ABCDE":
        make_annotator(study, pseudonym=name)
    assignments_fill(actor=None, study=study)
    for place, row in enumerate(Assignment.objects.filter(annotator__study=study).order_by("pk")):
        answer(row, {"answered": int(place < 3)})
    client.force_login(cast.lead)
    page = client.get(reverse("study_adjudication", args=[study.key])).content.decode()
    said = "sur 5 réponses parmi 2 possibles, la plus fréquente est donnée au moins 3 fois"
    assert said in unescape(page).replace("\xa0", " ")
    (case,) = client.get(f"/api/v1/studies/{study.key}/adjudication/").json()["out_of_reach"]
    assert case == {"dimension": "answered", "answers": 5, "values": 2, "lowest_share": 0.6}


def test_the_page_offers_every_edit_once_with_its_votes(client, cast, divided):
    page = unescape(page_of(client, cast, divided))
    # More than half of three have the synonym alone.
    assert [ticked for _key, ticked in rows_of(page)] == ["checked", "", ""]
    assert page.count("locataire") > 3
    assert re.findall(r"(\d) (?:sur|of)\s+3", page) == ["2", "1", "1"]
    # What most put on each word, with how many put what.
    assert re.search(r'data-outcome="majority"[^>]*title="[^"]*2 pers', page)


def test_what_is_ticked_stands_and_comes_out(client, cast, divided):
    page = page_of(client, cast, divided)
    (digest,) = re.findall(r'name="digest" value="(\w+)"', page)
    # The synonym becomes what C called it; the deletion of A stands.
    synonym, deletion = key_of(page, "synonym"), key_of(page, "delmod")
    given = {
        "digest": digest,
        "outcome": "settled",
        "reasons": "Le locataire est plus général.",
        f"stands-{synonym}": "on",
        f"type-{synonym}": "hyperonym",
        f"stands-{deletion}": "on",
        f"type-{deletion}": "delmod",
    }
    assert client.post(case_url(divided), given).status_code == 302
    ruling = Adjudication.objects.get()
    assert (ruling.dimension, ruling.outcome, ruling.value) == (DIMENSION, "settled", 2)
    assert {mark["type"] for mark in ruling.marks} == {"hyperonym", "delmod"}
    (stands,) = ruled_pairs(divided, divided.protocol.field("edits"))
    assert stands.annotator == "adjudicated"
    # Ticked as ruled when the page is opened again, and no case any more.
    again = page_of(client, cast, divided)
    assert [ticked for _key, ticked in rows_of(again)].count("checked") == 2
    (case,) = adjudication_queue(divided).cases
    assert case.state == "ruled"
    # As a file of edits, in each layout of the page on marks.
    address = reverse("study_marks_file", args=["marks", "tsv"])
    table = client.get(address, {"ruled": "1"}).content.decode()
    read = [*csv.DictReader(io.StringIO(table), delimiter="\t")]
    assert {row["annotator"] for row in read} == {"adjudicated"}
    # In what is frozen.
    files = {file.name: "".join(file.pieces) for file in frozen(divided)}
    (row,) = map(json.loads, files["rulings.jsonl"].splitlines())
    assert row["marks"] == ruling.marks
    assert row["value"] == 2


def frozen(study: Study):
    return frozen_files(study, recipe_of(study, {"draws": 100}))


def test_a_ruling_is_due_again_when_somebody_marks_otherwise_as_often(cast, divided):
    simplification = Simplification.objects.get(item__study=divided)
    adjudicate(
        actor=cast.lead,
        study=divided,
        simplification=simplification,
        dimension=DIMENSION,
        ruling=Ruling("settled", "Rien.", marks=[]),
    )
    (case,) = adjudication_queue(divided).cases
    assert case.state == "ruled"
    Study.objects.filter(pk=divided.pk).update(state="main")
    row = Assignment.objects.get(annotator__pseudonym="C", simplification=simplification)
    answer(row, {"edits": [edit("synonym", "preneur", "locataire")]}, revision=1)
    # As many edits as before: what they are is what counts.
    (case,) = adjudication_queue(divided).cases
    assert case.state == "due_again"


@pytest.mark.parametrize(
    ("marks", "field"),
    [
        (None, "marks"),
        ([{"type": "nothing"}], "edits.0.type"),
        ([{"type": "delmod", "original": [[0, 900]]}], "edits.0.original"),
        ([{"type": "delmod", "original": []}], "edits.0.original"),
        ("x", "edits"),
    ],
)
def test_marks_that_no_annotator_could_have_made_are_refused(cast, divided, marks, field):
    with pytest.raises(RuleError) as refused:
        adjudicate(
            actor=cast.lead,
            study=divided,
            simplification=Simplification.objects.get(item__study=divided),
            dimension=DIMENSION,
            ruling=Ruling("settled", "Motif.", marks=marks),
        )
    assert refused.value.problems[0].field == field
    assert not Adjudication.objects.exists()


def test_a_refused_ruling_keeps_what_was_ticked(client, cast, divided):
    key = key_of(page_of(client, cast, divided), "delmod")
    response = client.post(
        case_url(divided),
        {"outcome": "settled", "reasons": "", f"stands-{key}": "on", f"type-{key}": "delmod"},
    )
    assert response.status_code == 422
    rows = rows_of(response.content.decode())
    assert [key for key, ticked in rows if ticked] == [key]


def test_an_operation_that_does_not_fit_is_explained_at_its_row(client, cast, divided):
    page = page_of(client, cast, divided)
    key, other = key_of(page, "delmod"), key_of(page, "synonym")
    # What the words can be stands first, what asks for others apart.
    (select,) = re.findall(rf'name="type-{key}"(.*?)</select>', page, re.DOTALL)
    before, behind = select.split("<optgroup")
    assert 'value="delmod"' in before
    assert 'value="synonym"' in behind
    given = {
        "outcome": "settled",
        "reasons": "Motif.",
        f"stands-{other}": "on",
        f"type-{other}": "synonym",
        f"stands-{key}": "on",
        f"type-{key}": "synonym",
        f"note-{key}": "à revoir",
    }
    response = client.post(case_url(divided), given)
    assert response.status_code == 422
    page = unescape(response.content.decode())
    assert not Adjudication.objects.exists()
    # By the number that the row has on the page, and linked to it.
    (number,) = re.findall(
        rf'name="stands-{key}".*?<span class="number">(\d)</span>', page, re.DOTALL
    )
    (said,) = re.findall(rf'id="problem-{key}"[^>]*><p[^>]*>(.*?)</p>', page)
    assert f"opération {number}" in said
    assert f'href="#id_type-{key}">{said}' in page
    assert re.search(rf'id="id_type-{key}"[^>]*aria-invalid', page, re.DOTALL)
    assert {row_key for row_key, ticked in rows_of(page) if ticked} == {key, other}
    assert f'name="note-{key}" value="à revoir"' in page
    assert ">Motif.</textarea>" in page


def picked(text: str, *words: str) -> list[str]:
    """The places of words in a text, as the boxes have them."""
    cut = [text[token.start : token.end] for token in tokens(text, Cut.WORDS)]
    return [str(cut.index(word)) for word in words]


def test_an_edit_that_nobody_marked_is_added(client, cast, divided):
    page = page_of(client, cast, divided)
    (digest,) = re.findall(r'name="digest" value="(\w+)"', page)
    synonym = key_of(page, "synonym")
    given = {
        "action": "add",
        "digest": digest,
        "outcome": "settled",
        "reasons": "Motif.",
        f"stands-{synonym}": "on",
        f"note-{synonym}": "même portée",
        "pick-original": picked(ORIGINAL, "bail"),
        "add-type": "synonym",
    }
    # A synonym has a place in both texts.
    refused = client.post(case_url(divided), given)
    assert refused.status_code == 422
    page = unescape(refused.content.decode())
    (said,) = re.findall(r'id="add-problem"[^>]*><p[^>]*>(.*?)</p>', page)
    assert "opération 4" in said
    assert "simplification" in said
    (place,) = given["pick-original"]
    assert re.search(rf'name="pick-original"\s+value="{place}" checked', page)
    added = client.post(case_url(divided), given | {"add-type": "delmod"})
    # A has marked that one: it is ticked there.
    assert added.status_code == 422
    given |= {"add-type": "delcst", "pick-original": picked(ORIGINAL, "prend", "preneur")}
    added = client.post(case_url(divided), given)
    assert added.status_code == 200
    page = unescape(added.content.decode())
    (hidden,) = re.findall(r'name="added" value=\'?"?(\{.*?\})[\'"]>', page)
    assert ">Motif.</textarea>" in page
    assert "checked" not in page.split("data-picks", 1)[1].split("</fieldset>")[0]
    ticked = [key for key, ticks in rows_of(page) if ticks]
    assert len(ticked) == 2
    record = {name: value for name, value in given.items() if name != "action"}
    record |= {"added": hidden} | {f"stands-{key}": "on" for key in ticked}
    assert client.post(case_url(divided), record).status_code == 302
    first, second = Adjudication.objects.get().marks or []
    assert (first["type"], second["type"]) == ("synonym", "delcst")
    assert first["note"] == "même portée"
    words = [ORIGINAL[start:end] for start, end in second["original"]]
    assert words == ["prend", "preneur"]
    # It stands when the page is opened again, and in the record that is published.
    again = page_of(client, cast, divided)
    assert len(rows_of(again)) == 4
    assert 'value="même portée"' in unescape(again)
    files = {file.name: "".join(file.pieces) for file in frozen(divided)}
    (row,) = map(json.loads, files["rulings.jsonl"].splitlines())
    assert row["marks"][0]["note"] == "même portée"


def test_names_in_the_notes_of_a_ruling_are_taken_out_of_what_is_frozen(cast, divided):
    mark = edit("delmod", "bail") | {"note": "comme chez lea@example.org"}
    adjudicate(
        actor=cast.lead,
        study=divided,
        simplification=Simplification.objects.get(item__study=divided),
        dimension=DIMENSION,
        ruling=Ruling("settled", "Motif.", marks=[mark]),
    )
    files = {file.name: "".join(file.pieces) for file in frozen(divided)}
    assert "lea@example.org" not in files["rulings.jsonl"]


def test_what_nobody_s_page_sent_along_is_no_edit(client, cast, divided):
    page_of(client, cast, divided)
    given = {"action": "add", "added": ["{", '{"type": "nothing"}'], "pick-original": ["x", "900"]}
    response = client.post(case_url(divided), given)
    assert response.status_code == 422
    assert len(rows_of(response.content.decode())) == 3


def graded(cast) -> Study:
    """Study «grave», closed: three mark one edit, and two of them call it heavy."""
    study = make_study(
        "grave", lead=cast.lead, protocol_key="marked", protocol_version="1", state="main"
    )
    only = make_pair(study, original=ORIGINAL, text=SIMPLE)
    for name in "ABC":
        make_annotator(study, pseudonym=name)
    assignments_fill(actor=None, study=study)
    for name, severity in zip("ABC", ("heavy", "slight", "heavy"), strict=True):
        row = Assignment.objects.get(annotator__pseudonym=name, simplification=only)
        mark = edit("op5", "bail") | {"severity": severity, "note": f"de {name}"}
        answer(row, {"edits": [mark]})
    Study.objects.filter(pk=study.pk).update(state="closed")
    return study


def spoken(page: str) -> str:
    """What is read on a page and read out, but for the names of groups and types."""
    main = unescape(page).split("<main")[1].split("</main>")[0].replace("\xa0", " ")
    main = re.sub(r"<option.*?</option>", " ", main, flags=re.DOTALL)
    labels = " ".join(re.findall(r'(?:aria-label|placeholder)="([^"]*)"', main))
    return re.sub(r"\s+", " ", f"{re.sub(r'<[^>]*>', ' ', main)} {labels}")


@pytest.mark.parametrize(
    ("language", "never", "said"),
    [
        ("fr", r"\bopérations?\b", ("Ajouter une erreur que personne", "Type de l'erreur 1",
         "Gravité de l'erreur 1", "Note sur l'erreur 1", "les erreurs cochées")),
        ("en", r"\b(?:edits?|operations?)\b", ("Add an error that nobody", "Type of error 1",
         "Severity of error 1", "Note on error 1", "the errors ticked")),
    ],
)  # fmt: skip
def test_errors_are_ruled_on_as_errors(client, cast, monkeypatch, language, never, said):
    monkeypatch.setitem(PROTOCOLS, ("marked", "1"), called_errors())
    study = graded(cast)
    cast.lead.language = language
    cast.lead.save()
    page = spoken(page_of(client, cast, study))
    assert [words for words in said if words not in page] == []
    assert not re.search(never, page, re.IGNORECASE)
    queue = spoken(client.get(reverse("study_adjudication", args=[study.key])).content.decode())
    assert ("ont marqué une erreur" if language == "fr" else "have marked an error") in queue
    item = client.get(reverse("study_agreement_item", args=[study.key, study.items.get().key]))
    to_rule = "Trancher sur ces erreurs" if language == "fr" else "Rule on these errors"
    assert to_rule in spoken(item.content.decode())
    again = {"action": "add", "add-type": "op5"}
    refused = client.post(case_url(study), again).content.decode()
    assert not re.search(never, spoken(refused), re.IGNORECASE)


@pytest.mark.parametrize(
    ("language", "never", "said"),
    [
        ("fr", r"\bopérations?\b", ("Erreurs : 3.", "Part des erreurs", "Accord sur les erreurs",
         "Accord sur chaque type d'erreur", "Erreurs de deux personnes",
         "Avec des types d'erreur comptés comme un seul", "tous les types d'erreur")),
        ("en", r"\b(?:edits?|operations?)\b", ("Errors: 3.", "Share of errors",
         "Agreement on errors", "Agreement on each type of error", "Errors of two people",
         "With types of error counted as one", "all types of error")),
    ],
)  # fmt: skip
def test_agreement_on_errors_speaks_of_errors(client, cast, monkeypatch, language, never, said):
    monkeypatch.setitem(PROTOCOLS, ("marked", "1"), called_errors())
    study = graded(cast)
    cast.lead.language = language
    cast.lead.save()
    client.force_login(cast.lead)
    address = reverse("study_marks", args=[study.key])
    page = spoken(client.get(address, {"groups": "one = op5, op6"}).content.decode())
    assert [words for words in said if words not in page] == []
    assert not re.search(never, page, re.IGNORECASE)
    refused = spoken(client.get(address, {"groups": "one = nope"}).content.decode())
    assert ("type d'erreur d'ici" if language == "fr" else "no type of error here") in refused
    assert not re.search(never, refused, re.IGNORECASE)
    table = reverse("study_marks_table", args=[study.key, "edits"])
    assert not re.search(never, client.get(table).content.decode(), re.IGNORECASE)


def test_how_grave_most_called_an_edit_is_kept_and_can_be_set(client, cast, monkeypatch):
    monkeypatch.setitem(PROTOCOLS, ("marked", "1"), PROTOCOL)
    study = graded(cast)
    page = page_of(client, cast, study)
    assert re.search(r'value="heavy"\s+selected', page)
    ((key, _ticked),) = rows_of(page)
    # What they wrote is their own.
    assert f'name="note-{key}" value=""' in page
    given = {
        "outcome": "settled",
        "reasons": "Motif.",
        f"stands-{key}": "on",
        f"severity-{key}": "slight",
    }
    assert client.post(case_url(study), given).status_code == 302
    (mark,) = Adjudication.objects.get().marks or []
    assert mark["severity"] == "slight"
    assert re.search(r'value="slight"\s+selected', page_of(client, cast, study))


def test_the_item_page_draws_the_consensus_and_leads_to_the_ruling(client, cast, divided):
    client.force_login(cast.lead)
    key = divided.items.get().key
    page = client.get(reverse("study_agreement_item", args=["marks", key])).content.decode()
    assert case_url(divided) in page
    assert "Consensus" in page
    assert "erreurs" not in page.split("<main")[1].split("</main>")[0].lower()


def test_the_api_tells_and_takes_marks(client, cast, divided):
    client.force_login(cast.lead)
    pk = Simplification.objects.get(item__study=divided).pk
    address = f"/api/v1/studies/marks/adjudication/{pk}/{DIMENSION}/"
    case = client.get(address).json()
    mark = edit("synonym", "preneur", "locataire")
    body = {"outcome": "settled", "reasons": "Motif.", "digest": case["digest"], "marks": [mark]}
    response = client.put(address, json.dumps(body), content_type="application/json")
    assert response.status_code == 200, response.content
    ruling = response.json()["ruling"]
    assert ruling["value"] == 1
    assert ruling["marks"][0]["original"] == mark["original"]
