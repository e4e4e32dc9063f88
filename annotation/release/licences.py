"""Licences of data by the names that studies, the Hugging Face hub and the law use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Licence:
    """``hub``: its id on the Hugging Face hub, "other" where it has none."""

    name: str
    hub: str
    url: str


_KNOWN = {
    "CC-BY-4.0": Licence("CC-BY-4.0", "cc-by-4.0", "https://creativecommons.org/licenses/by/4.0/"),
    "CC-BY-SA-4.0": Licence(
        "CC-BY-SA-4.0", "cc-by-sa-4.0", "https://creativecommons.org/licenses/by-sa/4.0/"
    ),
    "CC-BY-NC-4.0": Licence(
        "CC-BY-NC-4.0", "cc-by-nc-4.0", "https://creativecommons.org/licenses/by-nc/4.0/"
    ),
    "CC-BY-NC-SA-4.0": Licence(
        "CC-BY-NC-SA-4.0", "cc-by-nc-sa-4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/"
    ),
    "CC0-1.0": Licence("CC0-1.0", "cc0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
}


def licence(stated: str) -> Licence:
    """The licence that a study states, however it is spelled; one that is not known keeps its name,
    without a page."""
    spelled = stated.strip().upper().replace(" ", "-")
    return _KNOWN.get(spelled, Licence(stated.strip() or "none stated", "other", ""))
