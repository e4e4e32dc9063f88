"""The scripts of a release stand alone, so that a stranger can run them: the limits that they have
beside the application's are the same."""

from __future__ import annotations

from types import ModuleType

import pytest

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


@pytest.mark.parametrize(
    ("script", "name", "limit"),
    [
        (recompute_systems, "FEWEST_SOURCES", resampling.FEWEST_SOURCES),
        (recompute_systems, "FEWEST_PEOPLE", crossed.FEWEST_PEOPLE),
        (recompute_systems, "FEWEST_FLAGGED", flags.FEWEST),
        (recompute_systems, "MOST_PEOPLE", severity.MOST_PEOPLE),
        (recompute_systems, "FLIPS", permutation.FLIPS),
        (recompute_systems, "EXACT_UP_TO", permutation.EXACT_UP_TO),
        (recompute_systems, "FEWEST_FOR_TEST", comparison.FEWEST_FOR_TEST),
        (recompute_systems, "ALPHA", ranks.ALPHA),
        (recompute_systems, "MUCH", flags.MUCH),
        (recompute_systems, "UNDEFINED_SHARE", bootstrap.UNDEFINED_SHARE),
        (recompute_agreement, "FEWEST_TEXTS", sources.FEWEST_SOURCES),
        (recompute_agreement, "FEWEST_PEOPLE", elsewhere.FEWEST_ANNOTATORS),
        (recompute_agreement, "MOST_LEFT_OUT", elsewhere.MOST_LEFT_OUT),
        (recompute_agreement, "SETTLED_ABOVE", consensus.SETTLED_ABOVE),
        (recompute_agreement, "SURE_ABOVE", labels.SURE_ABOVE),
        (recompute_agreement, "ITERATIONS", crowd.ITERATIONS),
        (recompute_agreement, "STOPS_AT", crowd.TOLERANCE),
        (recompute_agreement, "UNDEFINED_SHARE", bootstrap.UNDEFINED_SHARE),
    ],
)
def test_a_limit_is_the_application_s(script: ModuleType, name: str, limit: float) -> None:
    assert getattr(script, name) == limit
