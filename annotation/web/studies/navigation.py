"""The column beside each page of a study: its pages by phase, and what waits on which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models import Study
from annotation.selectors.studies.due import Due, study_due
from annotation.selectors.studies.due_words import words_of

# The page where one sees to what is due.
PAGES = {
    "items": "pairs_upload",
    "outputs": "generation_runs",
    "paused": "generation_runs",
    "runs": "generation_runs",
    "annotators": "study_people",
    "invitations": "study_people",
    "plan": "study_plan",
    "guide": "study_guide",
    "meeting": "study_practice",
    "practice_left": "study_practice",
    "main_left": "study_watch",
    "again": "study_watch",
    "remarks": "study_remarks",
    "snapshot": "study_releases",
}


@dataclass(frozen=True)
class _Page:
    """A page by the name of its address; ``beneath``: parts of addresses that stand under it
    without beginning as its own does."""

    name: str
    label: Promise
    beneath: tuple[str, ...] = ()


_PHASES: tuple[tuple[str, Promise, tuple[_Page, ...]], ...] = (
    (
        "study",
        _("Study"),
        (
            _Page("study", _("Overview"), ("/ending/", "/copy/")),
            _Page("study_settings", _("Settings")),
            _Page("study_events", _("Audit trail")),
        ),
    ),
    (
        "prepare",
        _("Prepare"),
        (
            _Page("study_people", _("People")),
            _Page("study_plan", _("Plan"), ("/deviations/",)),
            _Page("study_guide", _("Guide"), ("/glossary/",)),
        ),
    ),
    (
        "collect",
        _("Collect"),
        (
            _Page("study_items", _("Items")),
            _Page("pairs_upload", _("Import"), ("/documents/", "/imports/", "/readings/")),
            _Page("generation_runs", _("Models")),
        ),
    ),
    (
        "judge",
        pgettext_lazy("a phase", "Judge"),
        (
            _Page("study_practice", _("Practice")),
            _Page("study_watch", _("Watching"), ("/pay/",)),
            _Page("study_remarks", _("Remarks")),
        ),
    ),
    (
        "conclude",
        _("Conclude"),
        (
            _Page("study_systems", _("Systems")),
            _Page("study_metrics", _("Metrics")),
            _Page("study_agreement", _("Agreement"), ("/scores/",)),
            _Page("study_adjudication", _("Adjudication")),
            _Page("study_beside", _("Side by side")),
        ),
    ),
    (
        "publish",
        _("Publish"),
        (
            _Page("study_exports", _("Exports")),
            _Page("study_releases", _("Releases")),
        ),
    ),
)


@dataclass(frozen=True)
class PageLink:
    """A page in the column. ``current``: "page" where it is open, "true" where one beneath it is;
    ``due``: what waits there, in words."""

    url: str
    label: Promise
    current: str
    due: Sequence[str] = ()


@dataclass(frozen=True)
class Phase:
    """Pages of one phase."""

    key: str
    label: Promise
    pages: Sequence[PageLink]


@dataclass(frozen=True)
class Next:
    """What is due first."""

    url: str
    label: Promise
    words: str


@dataclass(frozen=True)
class Navigation:
    """The whole column."""

    phases: Sequence[Phase]
    next: Next | None = field(default=None)


def navigation(study: Study, path: str) -> Navigation:
    """The column of a study as seen from this address; one query."""
    waits = study_due(study)
    phases = [
        Phase(key, label, [_link(study, page, path, waits) for page in pages])
        for key, label, pages in _PHASES
    ]
    return Navigation(phases, _next(study, waits))


def _link(study: Study, page: _Page, path: str, waits: Sequence[Due]) -> PageLink:
    url = reverse(page.name, args=[study.key])
    within = path.removeprefix(reverse("study", args=[study.key]).rstrip("/"))
    beneath = (page.name != "study" and path.startswith(url)) or within.startswith(page.beneath)
    current = "page" if path == url else "true" if beneath else ""
    due = [words_of(wait) for wait in waits if PAGES[wait.key] == page.name]
    return PageLink(url, page.label, current, due)


def _next(study: Study, waits: Sequence[Due]) -> Next | None:
    if not waits:
        return None
    name = PAGES[waits[0].key]
    label = next(page.label for *_rest, pages in _PHASES for page in pages if page.name == name)
    return Next(reverse(name, args=[study.key]), label, words_of(waits[0]))
