"""No cliff: a change of the surface alone moves a score by next to nothing, on both sides, at
identity and in real simplifications. A full stop once cost three points of nine."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from annotation.scoring.splits import split_by_source
from tests.workers.scorers import figures
from workers.scorers.base import Pair
from workers.scorers.endings import Endings
from workers.scorers.lexical import LexicalScorer
from workers.scorers.nearness import is_slip, nearness
from workers.scorers.rules import Rule
from workers.scorers.text import Text

Change = Callable[[str], str]


def without_last_mark(text: str) -> str:
    return text.rstrip(" .!?…:;»").rstrip()


SURFACE: dict[str, Change] = {
    "no last mark": without_last_mark,
    "a full stop": lambda text: f"{without_last_mark(text)}.",
    "an exclamation mark": lambda text: f"{without_last_mark(text)} !",
    "a blank after it": lambda text: f"{text}  ",
    "hard blanks": lambda text: text.replace(" ", "\u00a0"),
    "straight apostrophes": lambda text: text.replace("’", "'"),
    "small first letter": lambda text: text[:1].lower() + text[1:],
    "in quotation marks": lambda text: f"« {text} »",
    "a comma fewer": lambda text: text.replace(",", "", 1),
    "new lines": lambda text: text.replace(". ", ".\n"),
}
NEAR: dict[str, Change] = {
    "a sign for its word": lambda text: text.replace(" et ", " & ", 1),
    "a label in front": lambda text: f"Note : {text}",
    "a letter twice": lambda text: text.replace("assur", "assurr", 1),
}


def test_a_short_text_without_a_mark_was_not_cut():
    cut = [Pair("Une clause.", "mot " * (50 + number) + "long") for number in range(10)]
    ends = Endings.learned([*cut, *(Pair("Une clause.", "Une phrase.") for _ in range(30))])
    assert ends.shortest_cut is not None
    assert 40 <= ends.shortest_cut <= 50
    read = {
        text: ends.read(Pair("Le contrat prend fin sans avis.", text)).simplification
        for text in (
            "Le contrat finit",
            "Le contrat finit.",
            "Le contrat finit par",
            "mot " * 60 + "long",
            "mot " * 60 + "avis",
            "...",
        )
    }
    assert read == {
        "Le contrat finit": "Le contrat finit.",
        "Le contrat finit.": "Le contrat finit.",
        "Le contrat finit par": "Le contrat finit par",
        "mot " * 60 + "long": "mot " * 60 + "long",
        "mot " * 60 + "avis": "mot " * 60 + "avis.",
        "...": "...",
    }
    assert Endings.learned(cut[:4]) == Endings(None)
    assert Endings(None).read(cut[0]).simplification.endswith("long.")
    assert Endings(3).read(Pair("", "Un texte assez long")).simplification.endswith("long")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("assureur", "assurreur", True),
        ("assureur", "asureur", True),
        ("assureur", "assureru", True),
        ("assureur", "assuteur", True),
        ("assureur", "assuré", False),
        ("locateur", "locataire", False),
        ("notre", "votre", True),
        ("mois", "moins", False),
        ("10000", "10001", False),
        ("contrat", "contrat", True),
        ("abcdef", "ghijkl", False),
    ],
)
def test_a_slip_is_one_letter_of_a_long_word(first, second, same):
    assert is_slip(first, second) is same


def test_nearness_falls_with_the_share_of_words_that_differ():
    words = [f"mot{chr(97 + number)}" for number in range(20)]
    text = Text(" ".join(words), "fr")

    def near(count: int) -> float:
        changed = ["autrechose"] * count + words[count:]
        return nearness(text, Text(" ".join(changed), "fr"))

    assert [round(near(count), 3) for count in range(4)] == [1.0, 0.583, 0.167, 0.0]
    assert nearness(text, Text("Nota : " + " ".join(words), "fr")) == 1
    assert nearness(Text("", "fr"), Text("", "fr")) == 0


def test_who_owes_what_is_no_slip():
    """«notre» and «votre» differ by a letter; the rules that know them come first."""
    scorer, _ = _fitted_small()
    verdict = scorer.judged(
        [
            Pair(
                "Nous réparons votre véhicule dans les dix jours de votre avis écrit.",
                "Nous réparons notre véhicule dans les dix jours de votre avis écrit.",
            )
        ]
    )[0]
    assert verdict.rule is not Rule.NEAR
    assert verdict.score < 7


def test_a_scorer_of_before_reads_texts_as_written(tmp_path):
    scorer, pairs = _fitted_small()
    scorer.save(tmp_path / "new")
    again = LexicalScorer.load(tmp_path / "new")
    assert again.endings == scorer.endings
    assert again.predict(pairs).tolist() == scorer.predict(pairs).tolist()
    manifest = json.loads((tmp_path / "new" / "manifest.json").read_text("utf-8"))
    del manifest["endings"]
    (tmp_path / "new" / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    old = LexicalScorer.load(tmp_path / "new")
    assert old.endings is None
    assert np.isfinite(old.predict(pairs)).all()


def _fitted_small() -> tuple[LexicalScorer, list[Pair]]:
    from tests.scorers.tiny import judged_pairs

    pairs, scores = judged_pairs(40)
    return LexicalScorer().fit(pairs, scores, seed=1), pairs


@pytest.fixture(scope="module", params=["frjudge", "repaired"])
def real(request) -> tuple[LexicalScorer, list[Pair]]:
    if not figures.DATA.exists():
        pytest.skip("the shared data are not here")
    judged = getattr(figures, request.param)()
    split = split_by_source([pair.original for pair in judged.pairs], 142)
    fitted = np.concatenate([split.train, split.validation])
    scorer = LexicalScorer(judged.scale).fit(
        [judged.pairs[place] for place in fitted], judged.labels[fitted], seed=142
    )
    return scorer, [judged.pairs[place] for place in split.test[:60]]


@pytest.fixture(scope="module")
def before(real):
    scorer, pairs = real
    return scorer.predict(pairs)


@pytest.mark.slow
@pytest.mark.parametrize("name", SURFACE)
def test_on_real_simplifications_the_surface_moves_little(real, before, name):
    scorer, pairs = real
    change = SURFACE[name]
    for changed in (
        [replace(pair, simplification=change(pair.simplification)) for pair in pairs],
        [replace(pair, original=change(pair.original)) for pair in pairs],
        [Pair(change(pair.original), change(pair.simplification), pair.language) for pair in pairs],
    ):
        moved = np.abs(scorer.predict(changed) - before) / scorer.scale.range
        # The most is what a long text gains that was cut off in the middle and gets a mark.
        assert moved.max() < 0.25
        assert moved.mean() < 0.035


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SURFACE, *NEAR])
def test_at_identity_the_surface_moves_nothing_and_a_slip_little(real, name):
    scorer, pairs = real
    change = (SURFACE | NEAR)[name]
    for sides in (
        [replace(pair, simplification=change(pair.original)) for pair in pairs],
        [Pair(change(pair.original), pair.original, pair.language) for pair in pairs],
    ):
        lost = (scorer.scale.highest - scorer.predict(sides)) / scorer.scale.range
        # A word of a text of four is a quarter of it.
        long = np.array([len(pair.original.split()) > 12 for pair in pairs])
        assert lost[long].max() <= (0 if name in SURFACE else 0.12)
