"""What no annotator may learn, planted in a study wherever it can stand, in bytes that occur
nowhere else.

``plant`` writes it; ``found_in`` looks for it in a response as it is sent: compressed or not, body
and headers.
"""

from __future__ import annotations

import base64
import gzip
import re
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any
from urllib.parse import quote

from django.test import Client
from django.utils import timezone

from annotation.generation.presets import PAPER
from annotation.generation.prices import Price
from annotation.models import (
    Adjudication,
    Annotator,
    Assignment,
    BroughtMetric,
    BroughtScore,
    DatasetSnapshot,
    Generation,
    Item,
    Job,
    KeptReadings,
    Output,
    PracticeNote,
    Question,
    QuestionAnswer,
    QuestionGrade,
    RejudgeRequest,
    Simplification,
    Study,
    StudyPlan,
)
from annotation.services.generation.runs import run_create
from annotation.services.generation.systems import system_add
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.own_pairs import note_save
from annotation.services.platform.events import event_record
from tests.cast import SYSTEM, Cast
from tests.factories import answers, save
from tests.scorers.rows import make_scorer, make_scoring

PEER, MACHINE, SCORE, KIND, RULING, PROMPT = (
    "zzpeerzz", "zzmachinezz", "7.31415926", "zzkindzz", "zzrulingzz", "zzpromptzz"
)  # fmt: skip
# A peer's note for themselves: not even who runs the study reads it.
PRIVATE = "zzprivatezz"
# By which everybody's order, the repeats and the controls are drawn.
SEED = "8271828182845904523"
SECRETS = (SYSTEM, PEER, MACHINE, SCORE, KIND, RULING, PROMPT, PRIVATE, SEED)


def of(annotator: Annotator, simplification: Simplification) -> Assignment:
    return Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    ).get(annotator=annotator, simplification=simplification)


def plant(cast: Cast) -> None:
    """Answers of a peer, machine judges, scores, kinds of items, rulings, models: all of study
    «alpha»."""
    study, peer = cast.alpha, Annotator.objects.get(study=cast.alpha, user=cast.peer)
    study.items.update(structure=f"{KIND} structure")
    Study.objects.filter(pk=study.pk).update(seed=int(SEED))
    own = Annotator.objects.get(study=study, user=cast.annotator)
    event_record(
        actor=None, study=study, verb="repeats_offered", target=own, number=1, of=1, seed=int(SEED)
    )
    first, second = Simplification.objects.filter(item__study=study, item__round="main").order_by(
        "pk"
    )
    said = {"comment": f"{PEER} comment", "explanation": f"{PEER} why", "characterization": 18}
    if guide := study.guides.first():
        guide_acknowledge(annotator=peer, number=guide.number)
    errors = [{"type": "omission", "note": f"{PEER} note", "original_start": 0, "original_end": 4}]
    judgment_submit(actor=cast.peer, assignment=of(peer, first), save=save(**said, errors=errors))
    draft_save(actor=cast.peer, assignment=of(peer, second), save=save(comment=f"{PEER} draft"))
    for pair in (first, second):
        note_save(assignment=of(peer, pair), text=f"{PRIVATE} note", base_revision=0)
    RejudgeRequest.objects.create(
        assignment=of(peer, first), reason=f"{PEER} again", requested_by=cast.lead
    )
    machine = Annotator.objects.create(study=study, kind="machine", pseudonym=MACHINE[:20])
    Assignment.objects.create(annotator=machine, simplification=first, position=1)
    Adjudication.objects.create(
        study=study, simplification=first, dimension="legal_meaning", outcome="settled", value=4,
        reasons=f"{RULING} reasons", judgments_digest="d", decided_by=cast.lead,
    )  # fmt: skip
    practice = Simplification.objects.get(item__study=study, item__round="practice")
    PracticeNote.objects.create(
        simplification=practice,
        note=f"{RULING} note",
        reference=study.protocol.clean(answers(comment=RULING)),
    )
    _models(cast, first)
    _kinds(cast)
    DatasetSnapshot.objects.create(
        study=study, number=90, reason=RULING, content_digest="c", path="p", manifest={"files": {}}
    )
    Job.objects.create(
        study=study,
        kind="export",
        parameters={"layout": "long", "format": "csv"},
        result_name=PEER,
        problem=PEER,
    )
    event_record(actor=cast.lead, study=study, verb="adjudicated", reason=RULING, system=SYSTEM)


def _models(cast: Cast, simplification: Simplification) -> None:
    pairs = [{"unit": "1", "original": "Une clause.", "simplification": "Une phrase."}]
    scoring = make_scoring(make_scorer(), study=cast.alpha, requested_by=cast.lead)
    scoring.pairs, scoring.results, scoring.state = pairs, [{"score": float(SCORE)}], "done"
    scoring.save()
    run = run_create(actor=cast.lead, study=cast.alpha)
    system = system_add(actor=cast.lead, run=run, spec=_spec(), price=Price(Decimal(1), Decimal(1)))
    generation = Generation.objects.create(
        run=run, system=system, item=simplification.item, state="done"
    )
    Output.objects.create(generation=generation, number=1, raw=PROMPT, text=PROMPT)
    _questions(cast, simplification, generation)
    _metrics(cast, simplification)


def _questions(cast: Cast, simplification: Simplification, generation: Generation) -> None:
    """A question of law about the annotator's own pair, edited by the lead, its answer and its
    grade."""
    question = Question.objects.create(
        generation=generation, number=1, type="deadline", text=f"{PROMPT} asked",
        expected=f"{RULING} expected", quotation=PROMPT, edited_at=timezone.now(),
    )  # fmt: skip
    # One row for each question and text, and one for each answer.
    common: dict[str, Any] = {"run": generation.run, "system": generation.system}
    common |= {"item": simplification.item, "simplification": simplification, "state": "done"}
    answer = QuestionAnswer.objects.create(
        generation=Generation.objects.create(**common, question=question), question=question,
        simplification=simplification, is_said=True, text=f"{MACHINE} answers", quotation=MACHINE,
    )  # fmt: skip
    QuestionGrade.objects.create(
        generation=Generation.objects.create(**common, question=question, answer=answer),
        answer=answer, score=2, reason=f"{MACHINE} {SCORE}",
    )  # fmt: skip
    event_record(
        actor=cast.lead, study=cast.alpha, verb="question_edited", target=question,
        before={"question": MACHINE}, after={"question": PROMPT},
    )  # fmt: skip


def _metrics(cast: Cast, simplification: Simplification) -> None:
    """What metrics and files from elsewhere say of it."""
    metric = BroughtMetric.objects.create(
        study=cast.alpha, name=f"{MACHINE} metric", note=SCORE, sha256="0" * 64, number=1
    )
    BroughtScore.objects.create(metric=metric, simplification=simplification, value=float(SCORE))
    KeptReadings.objects.create(content="0" * 64, readings={MACHINE: float(SCORE)})
    Job.objects.create(
        study=cast.alpha, kind="metrics", state="failed", problem=SCORE, result={"note": SCORE}
    )


def _spec() -> Any:
    return replace(PAPER, name=SYSTEM, model=PROMPT, prompt=f"{PROMPT} {{input}}")


def _kinds(cast: Cast) -> None:
    """Mark one of the annotator's own pairs as a control and name it so; nothing that they see may
    say it."""
    item = (
        Simplification.objects.filter(item__study=cast.alpha, item__round="main").latest("pk").item
    )
    Item.objects.filter(pk=item.pk).update(
        round="control", control="identical", key=KIND, source=KIND
    )
    StudyPlan.objects.update_or_create(
        study=cast.alpha, defaults={"control_identical": 1, "seed": int(SEED)}
    )


def whole(response: Any) -> bytes:
    """The body. A download must be read to its end, which closes its file."""
    return b"".join(response.streaming_content) if response.streaming else response.content


def found_in(response: Any, secrets: tuple[str, ...] = SECRETS) -> list[str]:
    """Which secrets stand in what is sent: plainly, escaped, encoded in base64 or hexadecimal, in
    body or headers."""
    body = whole(response)
    # Packed bytes are as good as random: some would be taken for a part of a secret.
    if response.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    content = body + str(response.headers).encode() + str(response.cookies).encode()
    return [secret for secret in secrets if any(form in content for form in _forms(secret))]


@cache
def _forms(secret: str) -> frozenset[bytes]:
    plain = secret.encode()
    # In base64 a text looks different after zero, one or two bytes before it; its inner characters
    # are what stays.
    shifted = {
        base64.b64encode(b"\0" * shift + plain)[
            4 if shift else 0 : -4 if (shift + len(plain)) % 3 else None
        ]
        for shift in range(3)
    }
    return frozenset({plain, plain.hex().encode(), quote(secret, safe="").encode(), *shifted})


_LINK = re.compile(r'(?:href|src|action|data-[a-z-]*url)="([^"#]+)')


def links(page: str) -> set[str]:
    """Addresses of this site that a page names."""
    addresses = {link.replace("&amp;", "&") for link in _LINK.findall(page)}
    return {
        link
        for link in addresses
        if link.startswith("/") and not link.startswith(("//", "/static/"))
    }


def crawl(client: Client, *starts: str, most: int = 300) -> dict[str, Any]:
    """Every page that can be reached by following links, as it was answered, compressed where pages
    are."""
    waiting: list[str] = list(starts)
    answers: dict[str, Any] = {}
    while waiting and len(answers) < most:
        url = waiting.pop()
        if url in answers or "logout" in url:
            continue
        answers[url] = answer = client.get(url, headers={"accept-encoding": "gzip"})
        body = whole(answer)
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            waiting += sorted(links(body.decode()) - set(answers))
        if answer.status_code in (301, 302, 303):
            waiting.append(answer["Location"])
    return answers
