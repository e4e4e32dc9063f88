"""Systems side by side as they are kept: page and program read the same figures, computed once."""

from __future__ import annotations

from annotation.agreement.systems.figure import Drawn
from annotation.models import Study
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.kept import figures_key, kept
from annotation.selectors.agreement.systems import SystemsFigures, systems_figures
from annotation.selectors.agreement.with_models import outputs_newest
from annotation.selectors.base.one_moment import one_moment

AS_DRAWN = Drawn()
"""How pages draw source texts for intervals, and signs for tests."""


def systems_key(
    study: Study, filters: Filters, drawn: Drawn = AS_DRAWN, *, withdrawn: bool = True
) -> str:
    """Names the figures on the answers and outputs as they are now."""
    named = f"{figures_key(study, filters, drawn, withdrawn)}|systems"
    return f"{named}|{outputs_newest(study)}"


@one_moment()
def systems_stored(
    study: Study, filters: Filters, drawn: Drawn = AS_DRAWN, *, withdrawn: bool = True
) -> SystemsFigures:
    """The figures: as they were computed before, or now, of the moment that names them."""
    return kept(
        systems_key(study, filters, drawn, withdrawn=withdrawn),
        SystemsFigures,
        lambda: systems_figures(study, filters, drawn, withdrawn=withdrawn),
    )
