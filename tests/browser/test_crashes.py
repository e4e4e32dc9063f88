"""No word is lost in a crash of the browser: the short version of ``python -m bench.crashes``."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from annotation.services.planning.assignments import assignments_fill
from bench.crashes import Kill, Place, Start, kills, look, start_chromium
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def assert_words_survive(playwright: Any, live_server: Any, start: Start) -> None:
    """Four kills of this browser."""
    study = make_study("essai", state="main")
    make_pair(study)
    user = make_user("student")
    make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    cookies = [{"name": name, "value": client.cookies[name].value, "url": live_server.url}]
    done = list(
        kills(
            playwright,
            Place(f"{live_server.url}/annotate/essai/1/", cookies),
            4,
            seed=5,
            start=start,
        )
    )
    assert [line for kill in done for line in kill.wrong] == []
    assert [kill.offline for kill in done] == [True, False, True, False]
    assert sum(kill.due for kill in done) > 20
    assert sum(kill.called_kept for kill in done) > 0


@pytest.mark.both_databases
def test_words_survive_kills_of_the_browser(playwright: Any, live_server: Any) -> None:
    assert_words_survive(playwright, live_server, start_chromium)


class Holding:
    """A page in which these words stand."""

    def __init__(self, words: str) -> None:
        self.words = words

    def evaluate(self, _: str) -> str:
        return self.words


@pytest.mark.parametrize(
    ("words", "due", "called_kept", "said"),
    [
        ("k1n0 k1n1 k1n2", 2, 3, None),
        ("k1n0 k1n1", 2, 3, "3 were called_kept"),
        ("k1n0", 2, 0, "2 were due"),
        ("k1n0 k1n2", 0, 0, "out of order"),
        ("k0n0 k0n1", 2, 0, "0 of 3 words"),
    ],
)
def test_the_comparison_finds_what_is_missing(
    words: str, due: int, called_kept: int, said: str | None
) -> None:
    wrong = look(Holding(words), Kill(False, "k1", typed=3, due=due, called_kept=called_kept)).wrong
    assert len(wrong) == (said is not None)
    assert said is None or said in wrong[0]
