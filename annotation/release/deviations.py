"""Where a study departed from its plan, as the card and the datasheet print it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.release.frozen import Frozen

NOT_RECORDED = "This snapshot was frozen before departures from the plan were released."
NONE = (
    "None: nothing was changed once the main round was open, and no step was taken against the "
    "readiness list."
)


def deviation_lines(frozen: Frozen) -> Iterator[str]:
    """One list item for each departure, the oldest first; a sentence where there is none."""
    deviations = frozen.study.get("deviations")
    if deviations is None:
        yield NOT_RECORDED
    elif not deviations:
        yield NONE
    else:
        yield from (f"- {_line(deviation)}" for deviation in deviations)


def _line(deviation: dict[str, Any]) -> str:
    changed = ", ".join(
        f"`{name}` from {was} to {now}" for name, (was, now) in deviation["settings"].items()
    )
    if step := deviation.get("step"):  # snapshots of before have none
        changed = f"from {step['before']['en']} to {step['after']['en']}"
        if step["undone"]:
            changed += f"; not done: {', '.join(check['en'] for check in step['undone'])}"
    # One line each: a reason with line breaks must not start a heading of its own.
    reason = " ".join(deviation["reason"].split())
    said = "No reason was given."
    if deviation.get("withheld"):
        said = "The reason is about a person, and is not published."
    elif reason:
        said = f"Reason{' (given later)' if deviation['explained_later'] else ''}: {reason}"
    what = f"{deviation['en']}{f' ({changed})' if changed else ''}"
    return f"{deviation['date']} (UTC): {what}. {said}"
