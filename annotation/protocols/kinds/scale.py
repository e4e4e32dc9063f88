"""A Likert scale: few levels in order, each worded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import Level
from annotation.protocols.kinds.choice import Choice
from annotation.protocols.kinds.field import Say


@dataclass(frozen=True)
class Scale(Choice):
    """One of a few levels in order: an ordinal dimension of the field's name."""

    kind: ClassVar[str] = "scale"

    level: Level = field(default=Level.ORDINAL, kw_only=True)

    def brief(self, value: Any, say: Say) -> str:
        return "".join(self.lines(value, say))
