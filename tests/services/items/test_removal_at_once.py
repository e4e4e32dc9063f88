"""What two take out at the same moment: one has done so, to the other it is not there any more, and
the trail says it once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from django.http import Http404

from annotation.models import BroughtMetric, Event, Study
from annotation.selectors.metrics.material import pair_names
from annotation.selectors.publishing.exports import export_spec
from annotation.services.generation.runs import run_create
from annotation.services.generation.systems import system_remove
from annotation.services.items.removal import item_remove, simplification_remove
from annotation.services.metrics.brought import ScoresNote, metric_forget, scores_bring_file
from annotation.services.publishing.exports import export_delete, export_request
from tests.factories import make_pair, make_study, make_user
from tests.overlapping import overlapping

pytestmark = pytest.mark.django_db(transaction=True)


def bring(study: Study, score: int = 1):
    content = f"pair,metric,score\n{next(iter(pair_names(study)))},LENS,{score}\n".encode()
    actor = study.leads.get().user
    return scores_bring_file(actor=actor, study=study, content=content, note=ScoresNote())


def item(study: Study) -> Callable[[], object]:
    return partial(item_remove, actor=None, item=study.items.get())


def simplification(study: Study) -> Callable[[], object]:
    pair = study.items.get().simplifications.get()
    return partial(simplification_remove, actor=None, simplification=pair)


def export(study: Study) -> Callable[[], object]:
    lead = study.leads.get().user
    export_request(actor=lead, study=study, spec=export_spec("codebook", "csv"))
    both = [study.jobs.get(), study.jobs.get()]
    return lambda: export_delete(actor=lead, job=both.pop())


def metric(study: Study) -> Callable[[], object]:
    bring(study)
    both = [BroughtMetric.objects.get(), BroughtMetric.objects.get()]
    return lambda: metric_forget(actor=study.leads.get().user, metric=both.pop())


def system(study: Study) -> Callable[[], object]:
    run = run_create(actor=None, study=study)
    run.systems.create(name="s", model="m", prompt="{input}", price_prompt=0, price_completion=0)
    both = [run.systems.get(), run.systems.get()]
    return lambda: system_remove(actor=None, system=both.pop())


REMOVALS = {
    "item_removed": item,
    "simplification_removed": simplification,
    "export_deleted": export,
    "metric_forgotten": metric,
    "generation_system_removed": system,
}


@pytest.fixture
def study(monkeypatch) -> Study:
    monkeypatch.setattr("annotation.jobs._send", lambda *message: None)
    new_study = make_study(lead=make_user("lead"))
    make_pair(new_study)
    return new_study


@pytest.mark.parametrize("verb", REMOVALS)
def test_one_of_two_has_removed_it(study, verb):
    remove = REMOVALS[verb](study)
    assert isinstance(overlapping(remove, remove), Http404)
    assert Event.objects.filter(verb=verb).count() == 1


def test_of_two_files_of_one_metric_the_second_stands(study):
    second = overlapping(partial(bring, study, 1), partial(bring, study, 2))
    assert [metric.pk for metric in second] == list(
        study.brought_metrics.values_list("pk", flat=True)
    )
