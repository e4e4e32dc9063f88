"""A plan's preview, in words and tables."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy, ngettext_lazy

from annotation.selectors.planning.preview import Obstacle, Preview

# What the plan cannot do, and the remedy.
SENTENCES = {
    "no_pairs": gettext_lazy(
        "The main round has no pair yet. Bring in its pairs, then look again."
    ),
    "nobody": gettext_lazy("Nobody judges in this study yet. Invite people, then look again."),
    "too_few_people": gettext_lazy(
        "%(wanted)s answers per pair, but only %(people)s can judge now: each pair gets fewer. "
        "Wait for whoever is "
        "invited or absent, invite %(missing)s more, or ask for fewer answers per pair."
    ),
    "over": ngettext_lazy(
        "%(pairs)s pair is with more people than the %(wanted)s whose answers count: what "
        "comes later than those is "
        "surplus work. Tick “Draw again what nobody has opened” to take back what was not begun.",
        "%(pairs)s pairs are with more people than the %(wanted)s whose answers count: what "
        "comes later than those is "
        "surplus work. Tick “Draw again what nobody has opened” to take back what was not begun.",
        "pairs",
    ),
    "everybody": gettext_lazy(
        "There are %(people)s people: this comes to everybody judging everything."
    ),
    "too_few_pairs": gettext_lazy(
        "%(pairs)s pairs × %(wanted)s answers do not go round: %(idle)s people get nothing. Bring "
        "in more pairs, or ask for more answers per pair."
    ),
    "idle": ngettext_lazy(
        "%(people)s of the people has no pair, because every pair has its team already. Tick "
        "“Draw again what nobody "
        "has opened”, or offer an absent person's pairs to others on the page of people.",
        "%(people)s of the people have no pair, because every pair has its team already. Tick "
        "“Draw again what nobody "
        "has opened”, or offer an absent person's pairs to others on the page of people.",
        "people",
    ),
    "loads_by_one": gettext_lazy(
        "The pairs cannot be divided equally: some have %(least)s, some %(most)s. A difference of "
        "one is the least there can be."
    ),
    "loads": gettext_lazy(
        "Some have %(least)s pairs, some %(most)s: what was submitted or begun stays where it is. "
        "New pairs go to those who have fewest."
    ),
    "couples_by_one": gettext_lazy(
        "Any two people share %(least)s or %(most)s pairs. The numbers allow no smaller difference."
    ),
    "couples": gettext_lazy(
        "Any two people share between %(least)s and %(most)s pairs. Before the main round another "
        "seed may come out more even; the agreement of each two is weighted by what they share."
    ),
}
ADDED = ngettext_lazy("%(number)s assignment added.", "%(number)s assignments added.", "number")


def preview_context(preview: Preview) -> dict[str, Any]:
    """Loads, the table of shared pairs (a triangle: each two people once), and what cannot be."""
    names = [name for name, _number in preview.loads]
    met = {(name, other): number for name, other, number in preview.couples}
    return {
        "preview": preview,
        "names": names,
        "rows": [
            {"name": name, "cells": [met.get((other, name)) for other in names[:-1]]}
            for name in names[1:]
        ],
        "obstacles": [
            {"text": _sentence(obstacle), "serious": obstacle.serious}
            for obstacle in preview.obstacles
        ],
    }


def _sentence(obstacle: Obstacle) -> str:
    return str(SENTENCES[obstacle.code]) % obstacle.numbers
