"""What the scorer refuses, in words that an admin can act on."""

from __future__ import annotations

from annotation.protocols.base import Wording


class ScoringError(ValueError):
    """A refusal with a code for programs and a sentence in both languages of the interface."""

    def __init__(self, code: str, fr: str, en: str) -> None:
        super().__init__(en)
        self.code = code
        self.message = Wording(fr, en)
