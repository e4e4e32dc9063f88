"""The scripts of a release stand alone, so that a stranger can run them: the limits that they have
beside the application's are the same."""

from __future__ import annotations

from annotation.agreement import bootstrap, consensus, elsewhere, sources
from annotation.agreement.modelled import crowd, labels
from annotation.agreement.systems import (
    comparison,
    crossed,
    flags,
    permutation,
    ranks,
    resampling,
    severity,
)
from annotation.release import recompute_agreement, recompute_systems


def test_those_of_systems():
    script = recompute_systems
    assert script.FEWEST_SOURCES == resampling.FEWEST_SOURCES
    assert script.FEWEST_PEOPLE == crossed.FEWEST_PEOPLE
    assert script.FEWEST_FLAGGED == flags.FEWEST
    assert script.MOST_PEOPLE == severity.MOST_PEOPLE
    assert script.FLIPS == permutation.FLIPS
    assert script.EXACT_UP_TO == permutation.EXACT_UP_TO
    assert script.FEWEST_FOR_TEST == comparison.FEWEST_FOR_TEST
    assert script.ALPHA == ranks.ALPHA
    assert script.MUCH == flags.MUCH
    assert script.UNDEFINED_SHARE == bootstrap.UNDEFINED_SHARE


def test_those_of_agreement():
    script = recompute_agreement
    assert script.FEWEST_TEXTS == sources.FEWEST_SOURCES
    assert script.FEWEST_PEOPLE == elsewhere.FEWEST_ANNOTATORS
    assert script.UNDEFINED_SHARE == bootstrap.UNDEFINED_SHARE
    assert script.MOST_LEFT_OUT == elsewhere.MOST_LEFT_OUT
    assert script.SETTLED_ABOVE == consensus.SETTLED_ABOVE
    assert script.SURE_ABOVE == labels.SURE_ABOVE
    assert (script.ITERATIONS, script.STOPS_AT) == (crowd.ITERATIONS, crowd.TOLERANCE)
