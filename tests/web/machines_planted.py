"""What models ask, answer, grade, measure, judge and mark, planted in a study in words that stand
nowhere else; and where in what somebody is sent they are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from annotation.generation.presets import PAPER
from annotation.generation.prices import Price
from annotation.models import (
    Annotator,
    Assignment,
    BroughtMetric,
    BroughtScore,
    Generation,
    GenerationRun,
    Job,
    Judgment,
    JudgmentRevision,
    KeptReadings,
    Question,
    QuestionAnswer,
    QuestionGrade,
    Simplification,
    Study,
    User,
)
from annotation.selectors.publishing.exports import layouts_of
from annotation.services.base.sealing import judgment_seal
from annotation.services.generation.runs import run_create
from annotation.services.generation.systems import system_add
from annotation.services.publishing.exports import export_write
from tests.api.test_access import PATTERNS
from tests.factories import answers
from tests.metrics.reports import finished_report
from tests.planted import crawl
from tests.protocols.answered import JUDGES, typed
from tests.web.test_access_matrix import URLS, whole

JSON = "application/json"
ASKED, EXPECTED, GRADED = "zz-asked-zz", "zz-expected-zz", "zz-graded-zz"
METRIC, NOTE, READING, MEASURED = "zz-metric-zz", "zz-note-zz", "zz-reading-zz", "zz-measured-zz"
OF_MODELS = {ASKED, EXPECTED, GRADED, METRIC, NOTE, MEASURED}
"""What whoever runs the study finds at any moment."""
# What nobody is shown: kept beside the rows.
_KEPT = {READING}
_ROUNDS = ("practice", "main", "control", "repeat")
_TYPED = {typed(field, who) for field in ("note", "comment") for who in JUDGES}


def of_machines(round_: str) -> set[str]:
    """What machines said and marked where they judged the pairs of this round."""
    return {f"zz-judged-{round_}-zz", f"zz-marked-{round_}-zz"}


WORDS = OF_MODELS | _KEPT | _TYPED | {word for round_ in _ROUNDS for word in of_machines(round_)}


def plant_machines(study: Study, lead: User, number: int) -> None:
    """About every pair there is; ``number``: how often it was planted before, from 1."""
    runs = _runs(study, lead)
    metric = BroughtMetric.objects.create(
        study=study, name=f"{METRIC} {number}", note=NOTE, sha256=f"{number:064d}", number=number
    )
    for pair in _pairs(study):
        _questions(runs, pair)
        BroughtScore.objects.create(metric=metric, simplification=pair, value=7.31415926)
    plant_judgments(study, make_machine(study, number), _said)
    KeptReadings.objects.update_or_create(content="0" * 64, defaults={"readings": {READING: 1.0}})
    Job.objects.create(
        study=study, kind="metrics", state="failed", problem=READING, result={"note": READING}
    )
    report = finished_report(study, lead)
    line, *others = report.result["lines"]
    label = {"fr": MEASURED, "en": MEASURED}
    report.result = report.result | {"lines": [line | {"label": label}, *others]}
    report.save(update_fields=["result"])


def make_machine(study: Study, number: int) -> Annotator:
    return Annotator.objects.create(study=study, kind="machine", pseudonym=f"zzM{number}")


def plant_judgments(
    study: Study, machine: Annotator, said: Callable[[str], dict[str, Any]]
) -> None:
    """A machine's judgment of every pair; ``said``: its answers, by the pair's round."""
    for place, pair in enumerate(_pairs(study), start=1):
        assignment = Assignment.objects.create(
            annotator=machine,
            simplification=pair,
            position=place,
            standing=Assignment.Standing.DONE,
        )
        judgment = Judgment(
            assignment=assignment, revision=1, origin="machine", started_at=timezone.now()
        )
        cleaned = study.protocol.clean(said(pair.item.round))
        judgment_seal(judgment, study, cleaned, timezone.now())
        JudgmentRevision.objects.create(
            assignment=assignment, number=1, answers=cleaned, submitted_at=timezone.now()
        )


def _said(round_: str) -> dict[str, Any]:
    judged, marked = f"zz-judged-{round_}-zz", f"zz-marked-{round_}-zz"
    errors = [{"type": "omission", "note": marked, "original_start": 0, "original_end": 4}]
    return answers(comment=judged, explanation=judged, errors=errors)


def _runs(study: Study, lead: User) -> dict[str, dict[str, Any]]:
    """Runs of questions, of their answers and of grades, each after the one before."""
    spec = replace(PAPER, name=f"{ASKED}-system", prompt=ASKED)
    runs: dict[str, dict[str, Any]] = {}
    after = None
    for purpose in ("question", "answer", "grade"):
        run = run_create(actor=lead, study=study, purpose=purpose, after=after)
        price = Price(Decimal(1), Decimal(1))
        system = system_add(actor=lead, run=run, spec=spec, price=price)
        runs[purpose], after = {"run": run, "system": system, "state": "done"}, run
    return runs


def _questions(runs: dict[str, dict[str, Any]], pair: Simplification) -> None:
    row: dict[str, Any] = {"item": pair.item}
    question = Question.objects.create(
        generation=Generation.objects.create(**row, **runs["question"]), number=1,
        type="deadline", text=ASKED, expected=EXPECTED, quotation=EXPECTED,
    )  # fmt: skip
    row |= {"question": question, "simplification": pair}
    answer = QuestionAnswer.objects.create(
        generation=Generation.objects.create(**row, **runs["answer"]), question=question,
        simplification=pair, is_said=True, text=ASKED, quotation=EXPECTED,
    )  # fmt: skip
    graded = Generation.objects.create(**row, **runs["grade"], answer=answer)
    QuestionGrade.objects.create(generation=graded, answer=answer, score=2, reason=GRADED)


def _pairs(study: Study) -> list[Simplification]:
    pairs = Simplification.objects.filter(item__study=study).select_related("item")
    return list(pairs.order_by("pk"))


# -- looking for it -------------------------------------------------------------------------------


def everywhere(lead: User, study: Study) -> set[str]:
    """Every address of the study: of all pages and operations, by its own rows; what the lead's
    pages link to; and files that the lead has had written."""
    client = Client()
    client.force_login(lead)
    files = files_of(lead, study)
    made = set(_made_of(study, files))
    linked = crawl(client, f"/studies/{study.key}/", f"/studies/{study.key}/exports/", most=60)
    return made | {url for url in linked if study.key in url and "download-all" not in url}


def addresses(study: Study) -> set[str]:
    """Addresses of all pages and operations of the study, by the first of its own rows."""
    return set(_made_of(study, []))


def files_of(person: User, study: Study) -> list[str]:
    """Files of people's and of machines' answers, by round, that this person has had written."""
    client = Client()
    client.force_login(person)
    written = []
    # What was judged, and what was marked: the others are made of the same rows.
    layouts = {"long", "errors", "edits"} & set(layouts_of(study.protocol))
    for layout, round_ in product(sorted(layouts), ("all", "practice", "repeat")):
        body = {"layout": layout, "round": round_}
        answer = client.post(f"/api/v1/studies/{study.key}/exports/", body, JSON)
        if answer.status_code < 400:
            job = Job.objects.filter(study=study, kind="export").latest("pk")
            export_write(job.public_id)
            written.append(str(job.public_id))
    return written


def found(person: User, urls: set[str]) -> dict[str, set[str]]:
    """Which of the words stand in what this person is sent, body and headers, and where."""
    client = Client()
    client.force_login(person)
    there: dict[str, set[str]] = {}
    for url in sorted(urls):
        answer = client.get(url)
        # One that is put off is not looked at.
        assert answer.status_code != 429, url
        received = whole(answer) + str(answer.headers).encode()
        for word in WORDS:
            if word.encode() in received:
                there.setdefault(word, set()).add(url)
    return there


def _made_of(study: Study, files: list[str]) -> Iterator[str]:
    patterns = [("", name, pattern) for name, pattern in URLS.items() if name != "logout"]
    patterns += [("api:", name, pattern) for name, pattern in PATTERNS.items()]
    values = _values(study, files)
    pairs = [
        {"item": pair.item.key, "pair": pair.pk, "simplification": pair.pk}
        for pair in _pairs(study)
    ]
    for prefix, name, pattern in patterns:
        wanted = set(pattern.pattern.converters)
        if "study" not in wanted or not wanted <= set(values) | set(pairs[0]):
            continue
        others = [part for part in wanted if part in values]
        for chosen in product(*(values[part] for part in others)):
            for own in pairs if wanted & set(pairs[0]) else [{}]:
                known = dict(zip(others, chosen, strict=True)) | own
                with suppress(NoReverseMatch):
                    yield reverse(prefix + name, kwargs={part: known[part] for part in wanted})


def _values(study: Study, files: list[str]) -> dict[str, list[Any]]:
    """For each part of an address what it may be in this study."""
    runs = GenerationRun.objects.filter(study=study).values_list("number", flat=True)
    jobs = list(Job.objects.filter(study=study).exclude(kind="export").order_by("pk")[:2])
    questions = Question.objects.filter(generation__run__study=study).order_by("pk")
    places = Assignment.objects.filter(annotator__study=study).values_list("position", flat=True)
    numbers = sorted(runs)[:3] or [1]
    return {
        "study": [study.key],
        "number": numbers,
        "asking": numbers,
        "answering": numbers,
        "question": list(questions.values_list("pk", flat=True)[:1]),
        "position": sorted(set(places))[:2],
        "dimension": [study.protocol.dimensions[0]],
        "chart": ["overview"],
        "drawing": ["shares"],
        "picture": ["scatter"],
        "table": ["means"],
        "sheet": ["agreement"],
        "pseudonym": ["zzM1"],
        "job": [*files, *(str(job.public_id) for job in jobs)],
        "reading": [str(job.public_id) for job in jobs[:1]],
        "name": [f"{ASKED}-system"],
    }
