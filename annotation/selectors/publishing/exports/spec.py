"""What somebody asks for: a layout, a format, options. Checked once, kept in a job as plain
values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from annotation.errors import RuleError
from annotation.selectors.base.rounds import ROUNDS
from annotation.selectors.publishing.exports.layouts import LAYOUTS
from annotation.selectors.publishing.exports.options import ExportOptions


@dataclass(frozen=True)
class ExportSpec:
    """A request that can be carried out: made by ``export_spec`` only."""

    layout: str
    format: str
    options: ExportOptions

    def parameters(self) -> dict[str, Any]:
        """Plain values for a job's row; ``export_spec(**parameters)`` gives the same request
        again."""
        return {"layout": self.layout, "format": self.format, "options": asdict(self.options)}


def export_spec(
    layout: str,
    format: str = "",  # noqa: A002
    options: Mapping[str, Any] | None = None,
) -> ExportSpec:
    """The request, checked. Without a format it is the layout's first. Raises ``RuleError``."""
    if layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise RuleError.single(
            "layout",
            "unknown",
            f"Disposition inconnue : « {layout} ». Choisissez parmi : {known}.",
            f"Unknown layout “{layout}”. Choose one of: {known}.",
        )
    formats = LAYOUTS[layout].formats
    if format and format not in formats:
        known = ", ".join(formats)
        raise RuleError.single(
            "format",
            "not_for_layout",
            (
                f"La disposition « {layout} » n'existe pas en « {format} ». Choisissez parmi : "
                f"{known}."
            ),
            f"The layout “{layout}” does not exist as “{format}”. Choose one of: {known}.",
        )
    return ExportSpec(layout, format or formats[0], _options(options or {}))


def _options(given: Mapping[str, Any]) -> ExportOptions:
    unknown = sorted(set(given) - {field.name for field in fields(ExportOptions)})
    if unknown:
        raise TypeError(f"not an option of an export: {', '.join(unknown)}")
    options = ExportOptions(**given)
    if options.round not in ROUNDS:
        known = ", ".join(ROUNDS)
        raise RuleError.single(
            "round",
            "unknown",
            f"Ronde inconnue : « {options.round} ». Choisissez parmi : {known}.",
            f"Unknown round “{options.round}”. Choose one of: {known}.",
        )
    return options
