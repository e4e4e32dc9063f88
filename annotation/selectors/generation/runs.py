"""Reads about runs of models: what one would cover and what it costs."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, QuerySet

from annotation.generation import judging
from annotation.generation.presets import PAPER, SystemSpec
from annotation.generation.prices import Estimate, Price, estimate, together
from annotation.models import (
    Generation,
    GenerationRun,
    GenerationSystem,
    Item,
    Judgment,
    Simplification,
    Study,
)
from annotation.questions.calls import questioning_preset
from annotation.selectors.generation.questions import (
    Subject,
    asks_questions,
    instructions_of,
    questioning_of,
    subject_messages,
    subjects,
)


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


def items_left(study: Study) -> int:
    """Items that a draw has left to models alone: runs over the main round take them too."""
    return Item.objects.filter(study=study, round=Item.Aside.MACHINE).count()


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


def next_run_number(study_id: int) -> int:
    last = GenerationRun.objects.filter(study_id=study_id).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1
