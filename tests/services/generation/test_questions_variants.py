"""Two variants of a prompt on a hundred pairs, from the questions to the report; its figures again
from the exported table by pandas alone."""

from __future__ import annotations

import io
import random

import pandas as pd
import pytest

from annotation.corpus.question_rows import as_csv
from annotation.metrics.report.estimate import Drawn
from annotation.models import Question, QuestionAnswer, QuestionGrade
from annotation.selectors.publishing.questions import (
    QuestionsRequest,
    report_with_people,
    rows_with_people,
)
from tests.factories import make_study
from tests.services.generation.questioning import (
    NOT_SAID,
    QUESTIONS,
    all_replied,
    answer,
    begun,
    grade,
    make_texts,
    questions,
)

pytestmark = pytest.mark.django_db
ITEMS = 50
VARIANTS = ("courte", "longue")


def test_two_variants_on_a_hundred_pairs():
    study = make_study("variantes")
    make_texts(study, items=ITEMS)
    asking = all_replied(begun(study), questions(QUESTIONS[0]))
    assert Question.objects.count() == ITEMS
    chance = random.Random(23)
    run = begun(study, "answer", after=asking, names=VARIANTS)
    assert run.generations.count() == 2 * 100
    answers = [
        (NOT_SAID if chance.random() < 0.5 else answer()) for _one in range(run.generations.count())
    ]
    answered = all_replied(run, *answers)
    assert QuestionAnswer.objects.count() == 200
    said = QuestionAnswer.objects.filter(is_said=True).count()
    final = begun(study, "grade", after=answered)
    assert final.generations.count() == said
    final = all_replied(final, *(grade(chance.randint(0, 10)) for _one in range(said)))
    assert final.state == "finished"
    assert QuestionGrade.objects.count() == said
    wanted = QuestionsRequest(final, drawn=Drawn(draws=100, seed=7))
    rows = rows_with_people(wanted)
    report = report_with_people(wanted, rows)
    table = pd.read_csv(io.StringIO(as_csv(rows)), keep_default_na=False, na_values={"grade": [""]})
    assert len(table) == 200
    assert (table["missing"] == "").all()
    is_graded = (table["is_in_text"] == 1) & (table["beyond_text"] == 0)
    table["score"] = table["grade"].where(is_graded, 0)
    names = sorted(table["variant"].unique())
    assert len(names) == 2
    for name in names:
        (figures,) = [
            system
            for system in report["systems"]
            if (system["variant"], system["system"], system["type"]) == (name, "", "")
        ]
        scores = table[table["variant"] == name]["score"]
        assert figures["n"] == len(scores) == 100
        assert figures["yes"]["value"] == pytest.approx((scores >= 5).mean())
        assert figures["mean"]["value"] == pytest.approx(scores.mean())
    (apart,) = report["variants"]
    assert apart["texts"] == 100
    means = table.groupby(["variant", "source", "system"])["score"].mean()
    difference = means.loc[apart["first"]["variant"]] - means.loc[apart["second"]["variant"]]
    assert apart["mean"]["value"] == pytest.approx(difference.mean())
    assert "seed:7" in apart["mean"]["signature"]
