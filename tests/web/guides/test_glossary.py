"""The glossary's pages: a lead writes it or brings it in, an annotator looks into it."""

from __future__ import annotations

import csv
import fcntl
import html
import io
import re
from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.corpus.glossary import Term
from annotation.models import Study
from annotation.selectors.guides.glossary import glossary_entries
from annotation.services.guides.glossaries import glossary_replace
from tests import hostile
from tests.cast import SYSTEM, Cast

pytestmark = pytest.mark.django_db

URL = "/studies/alpha/glossary/"
OWN = "/annotate/alpha/glossary/"
AIDS = "/annotate/alpha/aids/"


@pytest.fixture
def lead(cast: Cast) -> Client:
    return cast.client("lead")


@pytest.fixture
def glossary(cast: Cast) -> Study:
    return glossary_replace(
        actor=cast.lead,
        study=cast.alpha,
        terms=[Term("prime", "Un prix.", "art. 1"), Term("=franchise", "Une part\nde la perte.")],
    )


def terms(cast: Cast) -> dict[str, str]:
    return dict(glossary_entries(cast.alpha).values_list("term", "definition"))


def look(client: Client, content: str, name: str = "glossaire.csv") -> str:
    answer = client.post(
        URL, {"action": "look", "file": SimpleUploadedFile(name, content.encode())}
    )
    assert answer.status_code == 200, answer.content.decode()
    return answer.content.decode()


def held(page: str) -> str:
    """What the preview's hidden field holds."""
    (text,) = re.findall(r'name="terms" value="([^"]*)"', page)
    return html.unescape(text)


def test_a_term_is_typed_changed_and_removed(cast: Cast, lead: Client) -> None:
    entry = {"action": "save", "term": "prime", "definition": "Un prix.", "source": ""}
    assert lead.post(URL, entry).status_code == 302
    pk = glossary_entries(cast.alpha).get().pk
    assert 'value="prime"' in lead.get(f"{URL}?entry={pk}").content.decode()
    assert lead.post(URL, entry | {"entry": pk, "definition": "Le prix."}).status_code == 302
    assert terms(cast) == {"prime": "Le prix."}
    # The row that was changed no longer stands under its former number.
    assert lead.post(URL, {"action": "remove", "entry": pk}).status_code == 404
    assert (
        lead.post(
            URL, {"action": "remove", "entry": glossary_entries(cast.alpha).get().pk}
        ).status_code
        == 302
    )
    assert terms(cast) == {}


@pytest.mark.parametrize("entry", ["²", "٣", "-1", "9" * 40, "x"])
def test_what_is_no_number_names_no_entry(cast: Cast, lead: Client, entry: str) -> None:
    assert lead.get(URL, {"entry": entry}).status_code == 404
    assert lead.post(URL, {"action": "remove", "entry": entry}).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"term": "PRIME"}, "term"),
        ({"definition": ""}, "definition"),
        ({"term": "x" * 121}, "term"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_nothing_typed_is_lost(
    lead: Client, glossary: Study, wrong: dict[str, str], field: str
) -> None:
    answer = lead.post(
        URL,
        {"action": "save", "term": "police", "definition": "Un écrit.", "source": "art. 9"} | wrong,
    )
    assert answer.status_code == 422
    assert list(answer.context["entry_form"].errors) == [field]
    assert 'value="art. 9"' in answer.content.decode()


def test_a_file_is_looked_at_and_nothing_stored_until_one_says_so(
    cast: Cast, lead: Client, glossary: Study
) -> None:
    page = look(
        lead, "terme;définition;source\nprime;Le prix.;art. 2\npolice;Un écrit.;\n;Sans terme.;\n"
    )
    assert len(terms(cast)) == 2
    assert "Termes : 2, dont 1 nouveaux et 1 dont la définition diffère" in page.replace(
        "\xa0", " "
    )
    assert "1 ligne n'est pas une entrée" in html.unescape(page).replace("\xa0", " ")
    assert lead.post(URL, {"action": "add", "terms": held(page)}).status_code == 302
    assert terms(cast) == {
        "prime": "Le prix.",
        "police": "Un écrit.",
        "=franchise": "Une part\nde la perte.",
    }
    page = look(lead, "terme;définition\npolice;Un écrit.\n")
    assert lead.post(URL, {"action": "replace", "terms": held(page)}).status_code == 302
    assert terms(cast) == {"police": "Un écrit."}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("%PDF-1.7", "un PDF"),
        ("un seul\nmot", "Il faut une colonne"),
        ("terme;définition\n" + "".join(f"t{n};{'é' * 3000}\n" for n in range(400)), "2 Mo"),
    ],
)
def test_a_file_that_is_no_glossary_says_why(lead: Client, content: str, said: str) -> None:
    answer = lead.post(
        URL, {"action": "look", "file": SimpleUploadedFile("a.csv", content.encode())}
    )
    assert answer.status_code == 422
    assert said in answer.content.decode().replace("\xa0", " ")


@pytest.mark.parametrize("posted", ["", "{}", '["a"]', '[["a", "b"]]', '[["", "", ""]]'])
def test_a_preview_that_was_tampered_with_changes_nothing(
    cast: Cast, lead: Client, glossary: Study, posted: str
) -> None:
    assert lead.post(URL, {"action": "replace", "terms": posted}).status_code == 422
    assert len(terms(cast)) == 2


def test_the_download_opens_in_a_spreadsheet_and_comes_back_in(
    cast: Cast, lead: Client, glossary: Study
) -> None:
    answer = lead.get("/studies/alpha/glossary.csv")
    assert 'filename="alpha-glossary-1.csv"' in answer["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))
    assert [row["term"] for row in rows] == ["'=franchise", "prime"]
    assert rows[1] == {"term": "prime", "definition": "Un prix.", "source": "art. 1"}


def test_an_annotator_reads_it_as_a_page_and_beside_the_texts(cast: Cast, glossary: Study) -> None:
    client = cast.client("annotator")
    page, aids = (client.get(url).content.decode() for url in (OWN, AIDS))
    for text in (page, aids):
        assert "Un prix." in text
        assert "Une part<br>de la perte." in text
        assert SYSTEM not in text
    assert "<html" not in aids
    assert f'href="{OWN}"' in client.get("/annotate/alpha/mine/").content.decode()
    assert 'id="look-up"' in client.get("/annotate/alpha/2/").content.decode()


def test_there_is_none_where_it_is_empty_or_turned_off(cast: Cast, glossary: Study) -> None:
    client = cast.client("annotator")
    Study.objects.filter(key="alpha").update(aid_glossary=False)
    assert client.get(OWN).status_code == 404
    assert f'href="{OWN}"' not in client.get("/annotate/alpha/mine/").content.decode()
    assert "Un prix." not in client.get(AIDS).content.decode()
    assert 'id="look-up"' not in client.get("/annotate/alpha/2/").content.decode()
    Study.objects.filter(key="alpha").update(aid_glossary=True)
    glossary_replace(actor=cast.lead, study=cast.alpha, terms=[])
    assert client.get(OWN).status_code == 404


def test_terms_are_pointed_out_only_where_the_study_says_so(cast: Cast) -> None:
    client = cast.client("annotator")
    assert 'id="toggle-renderings"' not in client.get("/annotate/alpha/2/").content.decode()
    Study.objects.filter(key="alpha").update(aid_renderings=True)
    assert 'id="toggle-renderings"' in client.get("/annotate/alpha/2/").content.decode()


@pytest.mark.parametrize(
    "posted",
    [
        "[" * 100_000,
        '[["a", "b", "' + "\\ud800" + '"]]',
        '[["a", "b", "' + "\\u0000" + '"]]',
        "9" * 5000,
        "{}",
        "[[1]]",
        "",
    ],
)
def test_what_no_preview_sent_is_refused(
    cast: Cast, lead: Client, glossary: Study, posted: str
) -> None:
    """Nested deeper than Python reads, halves of characters, NUL: what a preview held is sent by a
    browser, and may be anything."""
    before = terms(cast)
    for action in ("add", "replace"):
        assert lead.post(URL, {"action": action, "terms": posted}).status_code == 422
    assert terms(cast) == before


class TestReadApart:
    """A lead's file is a stranger's file: a process of its own reads it."""

    def look(self, client: Client, content: bytes, name: str) -> str:
        answer = client.post(URL, {"action": "look", "file": SimpleUploadedFile(name, content)})
        assert answer.status_code == 422
        return html.unescape(answer.content.decode()).replace("\xa0", " ")

    @pytest.mark.slow
    def test_a_small_file_that_asks_for_much_is_explained(self, lead: Client) -> None:
        page = self.look(lead, hostile.FILES["cells-without-end.xlsx"](), "a.xlsx")
        assert re.search("plusieurs millions de cellules|trop de temps ou de mémoire", page)

    def test_text_that_is_called_a_workbook_is_said_to_be_text(self, lead: Client) -> None:
        assert "son contenu est du texte" in self.look(lead, b"terme;definition\na;b\n", "a.xlsx")

    def test_time_is_limited(self, lead: Client, settings: Any) -> None:
        settings.READING_LIMITS = replace(settings.READING_LIMITS, wall_seconds=0)
        page = self.look(lead, b"terme;definition\nprime;Un prix.\n", "a.csv")
        assert "demande trop de temps" in page

    def test_so_is_memory(self, lead: Client, settings: Any) -> None:
        settings.READING_LIMITS = replace(settings.READING_LIMITS, memory_bytes=8 * 2**20)
        page = self.look(lead, b"terme;definition\n" + b"prime;Un prix.\n" * 120_000, "a.csv")
        assert "demande trop de temps ou de mémoire" in page

    def test_one_at_a_time(self, cast: Cast, lead: Client, settings: Any) -> None:
        folder = settings.DATA_DIR / "reading"
        folder.mkdir(exist_ok=True)
        with (folder / f"person-{cast.lead.pk}").open("a+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            page = self.look(lead, b"terme;definition\nprime;Un prix.\n", "a.csv")
        assert "Un autre de vos fichiers" in page

    def test_what_is_no_glossary_says_so(self, lead: Client) -> None:
        page = self.look(lead, b"un seul\nmot\n", "a.csv")
        assert "Il faut une colonne « terme »" in page
