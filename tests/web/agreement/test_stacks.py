"""The chart of shares: what its shades mean can be read whole."""

from __future__ import annotations

from itertools import pairwise

from annotation.web.charts.stacks import WIDTH, Stack, stacks

WORDS = ["1 · Langue brisée", "2 · Langue laborieuse", "3 · Presque naturelle", "4 · Naturelle"]


def drawn(values: list[str]) -> list[tuple[str, float, float]]:
    share = 1 / len(values)
    drawing = stacks(
        [Stack("BART", (share,) * len(values))], values, lambda portion: f"{portion:.0%}"
    )
    return [
        (shape.text, shape.x, shape.y)
        for layer in drawing.layers
        if layer.style == "text"
        for shape in layer.shapes
    ]


def test_long_answers_are_whole_in_the_key_on_lines_of_their_own():
    places = {text: (x, y) for text, x, y in drawn(WORDS)}
    assert set(WORDS) <= set(places)
    assert len({places[word][1] for word in WORDS}) > 1
    assert places["BART"][1] > max(places[word][1] for word in WORDS)


def test_short_answers_stand_in_columns():
    places = [(x, y) for text, x, y in drawn(["1", "2", "3", "4"]) if text.isdigit()]
    assert len({y for _x, y in places}) == 1
    steps = {round(after[0] - before[0], 6) for before, after in pairwise(places)}
    assert len(steps) == 1


def test_one_answer_longer_than_the_chart_is_cut_off():
    (text,) = [text for text, _x, _y in drawn(["mot " * 60]) if text.startswith("mot")]
    assert text.endswith("…")
    assert len(text) < WIDTH / 5
