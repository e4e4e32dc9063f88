"""Both models of a dimension as they are kept, and the sentences for a paper."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from annotation.agreement.generalizability import ANNOTATORS, ITEMS, SOURCES
from annotation.agreement.mixed import wording
from annotation.agreement.mixed.library import statsmodels_version
from annotation.agreement.mixed.linear import linear_model
from annotation.agreement.mixed.methods import mixed_methods
from annotation.agreement.mixed.ordinal import ordinal_model
from annotation.agreement.mixed.reml import REST
from annotation.agreement.mixed.report import FITS, mixed_absent, mixed_report, not_mixed
from annotation.agreement.mixed.thresholds import own_thresholds
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.table import Output
from annotation.agreement.systems.wording import NO_SYSTEM, NOT_ANSWERED
from annotation.protocols.base import Level, Wording
from bench.mixed import Design
from tests.agreement.mixed.designs import crossed, machines, wine
from tests.agreement.mixed.needs import needs_statsmodels

PARTS = {ANNOTATORS: 0.5, SOURCES: 0.4, ITEMS: 0.3, REST: 1.0}


def test_what_is_not_begun():
    assert not_mixed(replace(wine(), level=Level.NOMINAL)) == wording.NO_ORDER
    nothing = np.zeros(0, dtype=np.int64)
    empty = replace(
        wine(), unit=nothing, system=nothing, source=nothing, rater=nothing, place=nothing
    )
    assert not_mixed(empty) == NO_SYSTEM
    unanswered = replace(empty, outputs=(Output("u", "a", "text"),))
    assert not_mixed(unanswered) == NOT_ANSWERED
    alone = crossed([[[1.0, 2.0], [2.0, 1.0]]])
    assert not_mixed(alone) == wording.ONE_SYSTEM.format(system="a")
    assert mixed_report(alone, Drawn())["undefined"]["en"].startswith("Only one system (“a”)")
    assert not_mixed(wine()) is None


def test_what_is_absent_is_said_unless_there_is_nothing_to_fit():
    assert mixed_absent(wine())["undefined"]["en"] == wording.ABSENT.en
    alone = crossed([[[1.0, 2.0], [2.0, 1.0]]])
    assert mixed_absent(alone) == mixed_report(alone, Drawn())


@needs_statsmodels
def test_both_models_with_their_progress_and_sentences():
    ticks = []
    table = Design(10, 3, 2, (0.0, 0.5), PARTS).answers((1, 3))
    report = mixed_report(table, Drawn(), lambda: ticks.append(1))
    assert len(ticks) == FITS
    assert report["undefined"] is None
    assert report["package"] == f"statsmodels {statsmodels_version()}"
    assert report["linear"]["undefined"] is report["ordinal"]["undefined"] is None
    assert report["own"]["undefined"]["en"].startswith("Thresholds of each annotator's own cannot")
    assert json.loads(json.dumps(report)) == report
    words = report["methods"]["en"]
    assert (
        "as random effects, annotators, their tastes for systems, original texts and outputs "
        in words
    )
    assert "on 40 judgments of 20 outputs of 10 texts by 3 people" in words
    assert "cumulative logit (McCullagh, 1980; statsmodels" in words
    assert (
        "les préférences de chaque personne entre systèmes, les textes originaux et les sorties"
        in (report["methods"]["fr"])
    )


@needs_statsmodels
def test_sentences_only_of_what_was_fitted():
    linear, ordinal = linear_model(machines(), Drawn()), ordinal_model(machines(), Drawn())
    assert ordinal.undefined is not None
    own = own_thresholds(machines(), Drawn())
    assert own.undefined is not None
    said = mixed_methods(linear, ordinal, own, 0.95)
    assert said is not None
    assert "logit" not in said.en
    one_factor = replace(linear, components=linear.components[:1])
    only = mixed_methods(one_factor, ordinal, own, 0.95)
    assert only is not None
    assert "as random effects, annotators, on 54" in only.en
    flat = replace(linear, components=tuple(c for c in linear.components if c.name != SOURCES))
    assert (
        "their tastes for systems and outputs, on 54"
        in (mixed_methods(flat, ordinal, own, 0.95) or _NONE).en
    )
    assert "model (statsmodels " in said.en
    climbed = replace(linear, notes=(*linear.notes, wording.CLIMBED))
    assert (
        "(Fisher's scoring, restricted" in (mixed_methods(climbed, ordinal, own, 0.95) or _NONE).en
    )
    nothing = replace(linear, undefined=wording.NOT_CONVERGED)
    assert mixed_methods(nothing, ordinal, own, 0.95) is None
    alone = mixed_methods(nothing, ordinal_model(wine(), Drawn()), own, 0.95)
    assert alone is not None
    assert alone.en.startswith("Beside it a cumulative logit")
    assert "AIC" not in alone.en
    both = mixed_methods(
        nothing, ordinal_model(wine(), Drawn()), own_thresholds(wine(), Drawn()), 0.95
    )
    assert both is not None
    assert "(at least 10 answers between two thresholds" in both.en
    assert "l'AIC" not in both.fr
    assert "a un AIC (Akaike, 1974) de " in both.fr


_NONE = Wording("", "")
