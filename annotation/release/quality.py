"""Control pairs and silent repeats, in words: how many were given, judged, and answered as they
should be. No answer to them is part of the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.protocols.base import NO_WORDING, Wording
from annotation.release.frozen import Frozen

_KINDS = {
    "identical": Wording("l'original à côté de lui-même", "the original beside itself"),
    "unrelated": Wording("un autre texte à côté de l'original", "another text beside the original"),
}
_CONTROLS = Wording(
    "Des paires de contrôle étaient mêlées aux autres sans être signalées\u00a0: {kinds}.",
    "Control pairs were mixed in with the others, unmarked: {kinds}.",
)
_KIND = Wording(
    "{kind}, {given} données, {judged} jugées{passed}",
    "{kind}, {given} given, {judged} judged{passed}",
)
_PASSED = Wording(
    ", dont {passed} comme il se doit{expected}", ", {passed} of them as they must be{expected}"
)
_EXPECTED = Wording(" ({expected})", " ({expected})")
_FROM_TO = Wording("{dimension} de {lowest} à {highest}", "{dimension} from {lowest} to {highest}")
_AT = Wording("{dimension} {lowest}", "{dimension} {lowest}")
_REPEATS = Wording(
    "Des paires ont été données une seconde fois à la même personne sans être signalées\u00a0: "
    "{offered} données, {judged} jugées{same}.",
    "Pairs were given a second time to the same annotator, unmarked: {offered} given, {judged} "
    "judged{same}.",
)
_SAME = Wording(" (même réponse\u00a0: {same})", " (same answer: {same})")
_SAME_OF = Wording("{dimension}, {same} sur {pairs}", "{dimension}, {same} of {pairs}")
NEITHER = Wording(
    "Il n'y a eu ni paire de contrôle ni répétition silencieuse.",
    "There were no control pairs and no silent repeats.",
)


def quality_said(frozen: Frozen) -> Iterator[Wording]:
    """A sentence of control pairs and one of repeats; neither where there were none, or where a
    snapshot of before does not say."""
    if controls := frozen.agreement.get("controls"):
        yield _in_both(_CONTROLS, kinds=_joined([_kind(frozen, row) for row in controls]))
    repeats = frozen.agreement.get("repeats")
    if repeats and repeats["offered"]:
        yield _repeated(frozen, repeats)


def had_neither(frozen: Frozen) -> bool:
    """Whether it is known that nobody was given a control pair or a repeat."""
    known = frozen.agreement.get("controls"), frozen.agreement.get("repeats")
    return None not in known and not any(quality_said(frozen))


def _kind(frozen: Frozen, row: dict[str, Any]) -> Wording:
    passed = NO_WORDING
    if row["passed"] is not None and row["judged"]:
        expected = _expected(frozen, row["kind"])
        passed = _in_both(_PASSED, passed=row["passed"], expected=expected)
    return _in_both(
        _KIND, kind=_KINDS[row["kind"]], given=row["given"], judged=row["judged"], passed=passed
    )


def _expected(frozen: Frozen, kind: str) -> Wording:
    """What such a pair must get; nothing where the protocol is no longer there to say."""
    expected = frozen.protocol.controls.get(kind, ()) if frozen.protocol else ()
    said = [
        _in_both(
            _AT if each.lowest == each.highest else _FROM_TO,
            dimension=Wording(
                frozen.label(each.dimension, "fr"), frozen.label(each.dimension, "en")
            ),
            lowest=each.lowest,
            highest=each.highest,
        )
        for each in expected
    ]
    return _in_both(_EXPECTED, expected=_joined(said)) if said else NO_WORDING


def _repeated(frozen: Frozen, repeats: dict[str, Any]) -> Wording:
    same = [
        _in_both(
            _SAME_OF,
            dimension=Wording(frozen.label(name, "fr"), frozen.label(name, "en")),
            same=row["same"],
            pairs=row["pairs"],
        )
        for name, row in repeats["dimensions"].items()
    ]
    # Snapshots of before say how many there are of each dimension alone.
    most = max((row["pairs"] for row in repeats["dimensions"].values()), default=0)
    return _in_both(
        _REPEATS,
        offered=repeats["offered"],
        judged=repeats.get("judged", most),
        same=_in_both(_SAME, same=_joined(same)) if same else NO_WORDING,
    )


def _joined(parts: list[Wording]) -> Wording:
    return Wording("; ".join(part.fr for part in parts), "; ".join(part.en for part in parts))


def _in_both(template: Wording, **values: Any) -> Wording:
    """The template with each value in the language of the sentence."""
    return Wording(
        *(
            template.get(language).format(
                **{
                    name: value.get(language) if isinstance(value, Wording) else value
                    for name, value in values.items()
                }
            )
            for language in ("fr", "en")
        )
    )
