"""Every chart by its key, for the page and for downloads."""

from __future__ import annotations

from collections.abc import Callable

from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.figures import Figures
from annotation.web.agreement.dashboard import people_charts, source_charts
from annotation.web.charts.canvas import Chart

Builder = Callable[[Protocol, str, Figures], Chart | None]

BUILDERS: dict[str, Builder] = {
    "distributions": people_charts.distributions,
    "pairs": people_charts.pairs,
    "without": people_charts.without_each,
    "camps": people_charts.camps,
    "time": source_charts.over_time,
    "sources": lambda protocol, _name, figures: source_charts.sources(protocol, figures),
    "classes": source_charts.classes,
    "overview": lambda protocol, _name, figures: people_charts.overview(protocol, figures.reports),
}


def chart(key: str, protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """The chart, or None where there is nothing to draw. Raises ``KeyError`` for an unknown key."""
    return BUILDERS[key](protocol, name, figures)


def charts(protocol: Protocol, name: str, figures: Figures) -> dict[str, Chart | None]:
    """All of one dimension."""
    return {key: chart(key, protocol, name, figures) for key in BUILDERS}
