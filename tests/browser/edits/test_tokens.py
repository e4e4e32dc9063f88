"""Tokens are cut in the browser as they are on the server, and differences found among them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Page

from annotation.protocols.tokens import Cut, tokens

pytestmark = pytest.mark.django_db(transaction=True)

CASES = (
    "",
    " \n\t",
    "L'assuré qu'il n'a pas vu aujourd'hui, jusqu'à l'an prochain; lorsqu\u2019on part…",
    "Y a-t-il lieu? Dit-elle, peut-on, vas-tu, est-ce, arc-en-ciel, c'est-à-dire, suis-je.",
    "They don't, O'Brien's car isn't, we've, I'm, you'll, he'd; can't won\u2019t.",
    "Il paie 1 250,50 $ ou $250, 12km, 10 km, 2e, 10 %, 1\u202f000\u00a0000 €, 20/11/2024, 12:30.",
    "Fin... Suite. « guillemets » – tiret (a) [b] n° 12\u2011A, art.\u00a012.1.",
    "e\u0301te\u0301 nai\u0308f œuvre STRASSE ſ's Iİıi -İl -ıls QU'Il N'T don'T",
    "😀 👩\u200d⚖️ ok😀ok \U0001d54f mot\ufeffmot \x1c\x85 a\u2028b _x_ 中文 ½ Ⅳ",
    "l'l'l' d''d -- -t- a-t-t-il 1-2-3 3-il 1 000 1 0000 ,5 .5 5.",
)
LETTERS = "aàéesnt lqu'’-‑.,;:!?0123456789 $€%\u00a0\u202f\n\u0301İıſ😀_km"
CUT = """async ([url, texts, cut]) => {
  const { tokens } = await import(url);
  const points = (text, unit) => Array.from(text.slice(0, unit)).length;
  return texts.map((text) =>
    tokens(text, cut).map(({ start, end }) => [points(text, start), points(text, end)]));
}"""


def module(live_server: Any, name: str) -> str:
    return f"{live_server.url}/static/js/judging/kinds/{name}.js"


@pytest.mark.parametrize("cut", list(Cut))
def test_the_browser_cuts_as_the_server_does(page: Page, live_server: Any, cut: Cut) -> None:
    choose = random.Random(22)
    made = ["".join(choose.choices(LETTERS, k=40)) for _ in range(400)]
    texts = [*CASES, *made]
    page.goto(f"{live_server.url}/account/login/")
    cuts = page.evaluate(CUT, [module(live_server, "edits-tokens"), texts, cut.value])
    for text, spans in zip(texts, cuts, strict=True):
        assert spans == [list(span) for span in tokens(text, cut)], text


DIFFER = """async ([words, aligned, before, after]) => {
  const { tokens } = await import(words);
  const { across, aligned: pairs, differing } = await import(aligned);
  const [a, b] = [before, after].map((text) => ({ text, tokens: tokens(text) }));
  const found = pairs(a, b);
  const lengths = { original: a.tokens.length, simplification: b.tokens.length };
  const said = ({ text, tokens }) => (place) => text.slice(tokens[place].start, tokens[place].end);
  return {
    differing: differing(found, lengths).map(({ original, simplification }) =>
      [original.map(said(a)), simplification.map(said(b))]),
    across: a.tokens.map((_, place) => across(found, place, "original")),
  };
}"""


@pytest.mark.parametrize(
    ("before", "after", "differing", "across"),
    [
        ("Un deux trois.", "Un deux trois.", [], [0, 1, 2, 3]),
        ("", "Un mot.", [[[], ["Un", "mot", "."]]], []),
        ("Un mot.", "", [[["Un", "mot", "."], []]], [0, 0, 0]),
        (
            "L’assureur paie la prime.",
            "l'assureur règle alors la prime due.",
            [[["paie"], ["règle", "alors"]], [[], ["due"]]],
            [0, 1, 2, 4, 5, 7],
        ),
        ("a b c d", "c d a b", [[["a", "b"], []], [[], ["a", "b"]]], [0, 0, 0, 1]),
    ],
)
def test_what_differs_is_found_passage_by_passage(
    page: Page,
    live_server: Any,
    before: str,
    after: str,
    differing: list[Any],
    across: list[int],
) -> None:
    page.goto(f"{live_server.url}/account/login/")
    modules = [module(live_server, name) for name in ("edits-tokens", "edits-aligned")]
    differences = page.evaluate(DIFFER, [*modules, before, after])
    assert differences == {"differing": differing, "across": across}


def test_texts_of_twenty_thousand_characters_do_not_hold_the_page_up(
    page: Page, live_server: Any
) -> None:
    """They are aligned up to where that would take too long, and then differ in one passage."""
    choose = random.Random(7)
    first, second = (" ".join(choose.choices("abcdefgh", k=10_000)) for _ in range(2))
    page.goto(f"{live_server.url}/account/login/")
    modules = [module(live_server, name) for name in ("edits-tokens", "edits-aligned")]
    differences = page.evaluate(DIFFER, [*modules, f"Un {first} fin.", f"Un {second} fin."])
    (only,) = differences["differing"]
    assert [len(side) for side in only] == [10_000, 10_000]
