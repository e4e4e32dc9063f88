"""What one judgment costs the server: the next pair's page, two drafts on the way, the submission.

``python -m bench.judging`` measures CPU time in this process through the whole middleware stack,
against the floor of an empty view in the same run. "Next and submit" is the figure that other tools
are compared by.
"""

from __future__ import annotations

import statistics
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from annotation.garbage import garbage_settle
from bench.database import temporary_database
from bench.record import record

if TYPE_CHECKING:
    from annotation.models import User

PAIRS = 200


def milliseconds(call: Callable[[int], None], times: int) -> float:
    """CPU time of one call: the median over ``times`` calls."""
    spent = []
    for number in range(1, times + 1):
        before = time.process_time()
        call(number)
        spent.append(time.process_time() - before)
    return statistics.median(spent) * 1000


def annotator_of_a_study() -> User:
    """Who is to judge every pair of a study in its main round."""
    from annotation.models import Annotator, Item, Simplification, Study, User
    from annotation.services.studies.studies import study_change_state, study_create

    study = study_create(actor=None, key="bench", title="Bench")
    user = User.objects.create_user("annotator@example.org")
    for number in range(1, PAIRS + 1):
        item = Item.objects.create(
            study=study,
            key=f"i{number}",
            position=number,
            original=f"Clause {number}. " + "mot " * 60,
        )
        Simplification.objects.create(item=item, text="phrase simple " * 20, language="fr")
    Annotator.objects.create(study=study, user=user, pseudonym="A")
    study_change_state(actor=None, study=Study.objects.get(), to="main", reason="bench")
    return user


def main() -> None:
    with temporary_database() as vendor:
        from django.test import Client

        user = annotator_of_a_study()
        client = Client()
        client.force_login(user)
        answers = {
            "simplicity": 1,
            "characterization": 3,
            "bracket": 3,
            "errors": [{"type": "omission"}],
        }

        def send(position: int, verb: str, revision: int) -> None:
            body = {
                "key": str(uuid.uuid4()),
                "base_revision": revision,
                "answers": answers,
                "active_seconds": 20,
            }
            answer = client.post(
                f"/annotate/bench/{position}/{verb}/", body, content_type="application/json"
            )
            if answer.status_code != 200:
                raise RuntimeError(f"{verb} of {position}: {answer.status_code} {answer.content!r}")

        def page(position: int) -> None:
            if client.get(f"/annotate/bench/{position}/").status_code != 200:
                raise RuntimeError(f"page {position}")

        def nothing(_position: int) -> None:
            client.get("/healthz")

        page(1)
        # As a web process does before it serves (annotation.config.gunicorn).
        garbage_settle()
        floor = milliseconds(nothing, PAIRS)
        shown = milliseconds(page, PAIRS)
        drafted = milliseconds(lambda position: send(position, "draft", 0), PAIRS)
        submitted = milliseconds(lambda position: send(position, "submit", 1), PAIRS)
        figures = {
            "next": shown,
            "submit": submitted,
            "next + submit": shown + submitted,
            "autosave": drafted,
        }
        for name, value in figures.items():
            record(f"{name}, server CPU", value, "ms", floor=floor, database=vendor)


if __name__ == "__main__":
    main()
