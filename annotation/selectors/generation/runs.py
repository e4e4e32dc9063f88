"""Reads about generation: what a run would cover, what it costs, how far it is, what a worker needs
for one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from annotation.generation import judging
from annotation.generation.presets import PAPER, SystemSpec, filled
from annotation.generation.prices import Estimate, Price, Tokens, call_tokens, estimate, together
from annotation.models import (
    Generation,
    GenerationCall,
    GenerationRun,
    GenerationSystem,
    Item,
    Judgment,
    Output,
    Simplification,
)
from annotation.questions.calls import questioning_preset
from annotation.selectors.base.outputs import newest_outputs
from annotation.selectors.generation.questions import (
    Subject,
    asks_questions,
    instructions_of,
    messages_of,
    questioning_of,
    reply_format,
    subject_messages,
    subjects,
)

RATE_WINDOW = timedelta(minutes=2)


@dataclass(frozen=True)
class Order:
    """Everything that one call needs, as plain values: a worker asks for it before it waits for its
    turn."""

    generation: int
    run: int
    endpoint: str
    model: str
    messages: list[dict[str, str]]
    parameters: dict[str, Any]
    tokens: Tokens
    at_most: Decimal
    output_number: int
    price: Price
    prompt: str
    original: str
    tries: int = 0
    batch: bool = False
    purpose: str = GenerationRun.Purpose.SIMPLIFY.value

    @property
    def writes_texts(self) -> bool:
        """Whether the reply is a text to be judged, and no answer of a given shape."""
        return self.purpose == GenerationRun.Purpose.SIMPLIFY


def started_before(run: GenerationRun, name: str) -> QuerySet[GenerationSystem]:
    """Systems of this name in other runs of the study that were started, whatever became of
    them."""
    return (
        GenerationSystem.objects.filter(
            run__study_id=run.study_id, run__purpose=run.purpose, name=name
        )
        .exclude(run=run)
        .exclude(run__state=GenerationRun.State.DRAFT)
    )


def items_to_simplify(run: GenerationRun, name: str) -> QuerySet[Item]:
    """Items of the run's round for which this system has no simplification and is not at work in
    another run."""
    elsewhere = Generation.objects.filter(
        item=OuterRef("pk"), system__in=started_before(run, name)
    ).exclude(state__in=[Generation.State.CANCELLED, Generation.State.FAILED])
    items = (
        Item.objects.filter(study_id=run.study_id)
        .exclude(Exists(Simplification.objects.filter(item=OuterRef("pk"), system=name)))
        .exclude(Exists(elsewhere))
    )
    return items.filter(round__in=_rounds(run)).order_by("position")


def simplifications_to_judge(run: GenerationRun, name: str) -> QuerySet[Simplification]:
    """Simplifications of the run's round that this machine judge has not judged."""
    judged = Judgment.objects.filter(
        assignment__simplification=OuterRef("pk"),
        assignment__annotator__in=started_before(run, name).values("judge"),
    )
    simplifications = Simplification.objects.filter(item__study_id=run.study_id).exclude(
        Exists(judged)
    )
    return simplifications.filter(item__round__in=_rounds(run)).order_by(
        "item__position", "position", "pk"
    )


def subjects_of(run: GenerationRun, name: str) -> Iterator[Subject]:
    """What this system is to be asked about in a run of questions, answers or grades."""
    return subjects(run, started_before(run, name), _rounds(run))


def _rounds(run: GenerationRun) -> tuple[str, ...]:
    """With the main round goes what a draw has left of it to models."""
    main = (Item.Round.MAIN.value, Item.Aside.MACHINE.value)
    if run.round == "all":
        return (Item.Round.PRACTICE.value, *main)
    return main if run.round == Item.Round.MAIN else (run.round,)


def run_preset(run: GenerationRun) -> SystemSpec:
    """What a system of this run starts from: the paper's, the judge of the study's protocol, or the
    one for its kind of question."""
    if asks_questions(run):
        return questioning_preset(run.purpose, questioning_of(run).language)
    if run.purpose == GenerationRun.Purpose.JUDGE:
        return judging.judge_preset(run.study.protocol)
    return PAPER


def run_estimate(run: GenerationRun) -> tuple[dict[str, Estimate], Estimate]:
    """What the run will cost, by system and in all."""
    batch = run.mode == GenerationRun.Mode.BATCH
    by_system = {
        system.name: estimate(
            _spec_as_sent(run, system), passages(run, system), price_of(system), batch=batch
        )
        for system in run.systems.all()
    }
    return by_system, together(by_system.values())


def passages(run: GenerationRun, system: GenerationSystem) -> Iterator[str]:
    """The texts that the system would be asked about."""
    if run.purpose == GenerationRun.Purpose.SIMPLIFY:
        yield from (
            items_to_simplify(run, system.name)
            .values_list("original", flat=True)
            .iterator(chunk_size=2000)
        )
        return
    if asks_questions(run):
        for subject in subjects_of(run, system.name):
            if not subject.problem:
                yield subject_messages(run, system.prompt, subject)[1]
        return
    rows = simplifications_to_judge(run, system.name).values_list("item__original", "text")
    for original, text in rows.iterator(chunk_size=2000):
        yield judging.question(original, text)


def _spec_as_sent(run: GenerationRun, system: GenerationSystem) -> SystemSpec:
    """The system with a prompt as long as what is really sent."""
    prompt = system.prompt
    if run.purpose == GenerationRun.Purpose.JUDGE:
        study = run.study
        prompt = judging.instructions(study.protocol, study.rulings, prompt) + "\n{input}"
    elif asks_questions(run):
        prompt = instructions_of(run, prompt) + "\n{input}"
    return SystemSpec(system.name, system.model, prompt, system.parameters)


def spec_of(system: GenerationSystem) -> SystemSpec:
    return SystemSpec(system.name, system.model, system.prompt, system.parameters)


def price_of(system: GenerationSystem) -> Price:
    return Price(system.price_prompt, system.price_completion)


def costs_nothing(run: GenerationRun) -> bool:
    """Whether the run asks a service that takes no key, and so bills nobody."""
    endpoint = settings.LLM_ENDPOINTS.get(run.endpoint)
    return endpoint is not None and endpoint.is_free


def is_assumed_free(system: GenerationSystem) -> bool:
    """Whether nobody gave the system's price: it is 0 because its service took no key then. What a
    person or the table says has its day."""
    return not (system.price_as_of or system.price_prompt or system.price_completion)


def unpriced(run: GenerationRun) -> list[str]:
    """The systems that were taken to cost nothing, where the service bills by now: they would be
    paid for, and the run's ceiling never reached."""
    endpoint = settings.LLM_ENDPOINTS.get(run.endpoint)
    if endpoint is None or endpoint.is_free:
        return []
    return [system.name for system in run.systems.all() if is_assumed_free(system)]


def known_price(model: str) -> tuple[Price, str] | None:
    """The price of a model in the table of the settings and the table's date; None where it has
    none."""
    table = settings.LLM_PRICES
    pair = table.usd.get(model)
    return (Price(*pair), table.as_of) if pair else None


# The pages' columns of these tables are many, and a worker reads one row at a time.
_NEEDED = (
    *(
        "outputs_wanted",
        "tries",
        "problem",
        "problem_detail",
        "run__purpose",
        "run__mode",
        "run__endpoint",
    ),
    *(
        "system__model",
        "system__prompt",
        "system__parameters",
        "system__price_prompt",
        "system__price_completion",
    ),
    *(
        "item__original",
        "item__structure",
        "simplification__text",
        "run__study__protocol_key",
        "run__study__protocol_version",
    ),
    "run__study__rulings",
    "run__questioning",
    *("question__text", "question__expected", "answer__text"),
)
ORDERED_WITH = ("run__study", "system", "item", "simplification", "question", "answer")
"""What an order is made from, beside the generation's own row."""


def generation_order(pk: int, claim: str, *, redelivered: bool = False) -> Order | None:
    """What to ask for this generation now; None where there is nothing to do.

    A message that comes again because its worker died may take up what that worker had claimed with
    it.
    """
    mine = Q(state=Generation.State.RUNNING, claim=claim) if redelivered else Q(pk__in=())
    now = timezone.now()
    generations = (
        Generation.objects.filter(
            pk=pk, run__state=GenerationRun.State.RUNNING, run__mode=GenerationRun.Mode.LIVE
        )
        .filter(mine | Q(state=Generation.State.WAITING))
        .filter(Q(not_before__isnull=True) | Q(not_before__lte=now))
        .select_related(*ORDERED_WITH)
        .only(*_NEEDED)
        .order_by()[:1]
    )
    return order_of(generations[0]) if generations else None


def order_of(generation: Generation) -> Order:
    """The call that this generation asks for next."""
    run, system, item = generation.run, generation.system, generation.item
    batch = run.mode == GenerationRun.Mode.BATCH
    parameters = dict(system.parameters)
    if run.purpose == GenerationRun.Purpose.JUDGE and generation.simplification is not None:
        study = run.study
        instructions = judging.instructions(study.protocol, study.rulings, system.prompt)
        refused = generation.problem_detail.splitlines() if generation.problem == "rules" else []
        question = judging.question(item.original, generation.simplification.text, refused)
        messages = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": question},
        ]
        tokens = call_tokens("{input}", question, parameters, system_message=instructions)
        parameters["response_format"] = judging.response_format(study.protocol)
    elif asks_questions(run):
        instructions, question = messages_of(generation)
        messages = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": question},
        ]
        tokens = call_tokens("{input}", question, parameters, system_message=instructions)
        parameters["response_format"] = reply_format(run)
    else:
        messages = [{"role": "user", "content": filled(system.prompt, item.original)}]
        tokens = call_tokens(system.prompt, item.original, parameters)
    price = price_of(system)
    return Order(
        generation=generation.pk,
        run=run.pk,
        endpoint=run.endpoint,
        model=system.model,
        messages=messages,
        parameters=parameters,
        tokens=tokens,
        at_most=price.of(tokens.prompt, tokens.at_most, batch=batch),
        output_number=generation.outputs_wanted,
        price=price,
        prompt=system.prompt,
        original=item.original,
        purpose=run.purpose,
        tries=generation.tries,
        batch=batch,
    )


@dataclass(frozen=True)
class Progress:
    """How far a run is. ``rate`` is outputs per minute over the last two; ``remaining_seconds``
    follows from it."""

    by_state: Mapping[str, int]
    total: int
    done: int
    failed: int
    waiting: int
    running: int
    spent: Decimal
    ceiling: Decimal
    calls: int
    prompt_tokens: int
    completion_tokens: int
    rate: float | None
    remaining_seconds: int | None
    flagged: int
    undecided: int


def run_progress(run: GenerationRun) -> Progress:
    """Counts, costs and pace of a run as they stand in the database."""
    states: dict[str, int] = dict(
        run.generations.values_list("state")
        .annotate(number=Count("pk"))
        .values_list("state", "number")
    )
    calls = GenerationCall.objects.filter(generation__run=run).aggregate(
        number=Count("pk"), prompt=Sum("prompt_tokens"), completion=Sum("completion_tokens")
    )
    total = sum(states.values())
    done = states.get("done", 0)
    failed, cancelled = states.get("failed", 0), states.get("cancelled", 0)
    rate = _rate(run)
    left = total - done - failed - cancelled
    active = run.state == GenerationRun.State.RUNNING
    outputs = newest_outputs(run)
    flagged = outputs.exclude(flags=[])
    return Progress(
        by_state=states,
        total=total,
        done=done,
        failed=failed,
        waiting=states.get("waiting", 0),
        running=states.get("running", 0),
        spent=run.spent,
        ceiling=run.ceiling,
        calls=calls["number"],
        prompt_tokens=calls["prompt"] or 0,
        completion_tokens=calls["completion"] or 0,
        rate=rate,
        remaining_seconds=round(left / rate * 60) if active and rate and left else None,
        flagged=flagged.count(),
        undecided=flagged.filter(decision=Output.Decision.NONE).count(),
    )


def _rate(run: GenerationRun) -> float | None:
    since = timezone.now() - RATE_WINDOW
    begun = max(since, run.started_at) if run.started_at else since
    recent = Output.objects.filter(generation__run=run, created_at__gte=begun)
    number = recent.count()
    if not number:
        return None
    return number / max((_end(run) - begun).total_seconds(), 1.0) * 60


def _end(run: GenerationRun) -> datetime:
    return (
        run.finished_at
        if run.finished_at and run.state == GenerationRun.State.FINISHED
        else timezone.now()
    )


def flag_counts(run: GenerationRun) -> dict[str, dict[str, int]]:
    """Of the outputs in force: flag -> decision -> how many. An output with two flags counts under
    both."""
    counts: dict[str, dict[str, int]] = {}
    for flags, decision in newest_outputs(run).exclude(flags=[]).values_list("flags", "decision"):
        for flag in flags:
            of_flag = counts.setdefault(flag, {})
            of_flag[decision or "none"] = of_flag.get(decision or "none", 0) + 1
    return counts


def next_run_number(study_id: int) -> int:
    last = GenerationRun.objects.filter(study_id=study_id).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1
