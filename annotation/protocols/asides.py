"""What any protocol may ask beside its questions: a remark to the leads, and a doubt."""

from __future__ import annotations

from annotation.protocols.base import Wording
from annotation.protocols.kinds import Flag, Text

COMMENT = Text(
    "comment",
    label=Wording("Remarque (si nécessaire)", "Remark (if needed)"),
    is_remark=True,
)
DOUBT = Flag("doubt", label=Wording("J'ai un doute", "I doubt"), is_doubt=True)
