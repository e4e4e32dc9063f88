"""Systems ready to be chosen: a model, its prompt, its parameters.

The paper's: Beauchemin et al. (2025), JUDGEBERT, section 3.1.3 and appendix A. Its table's "Top K
0.9" can only be ``top_p``; "max new tokens" is the API's ``max_tokens``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.protocols.base import Problem, Wording

PLACEHOLDER = "{input}"

PAPER_PROMPT = (
    "Réécris la phrase complexe à l'aide d'une ou plusieurs phrases simples. Conserve le même "
    "sens, mais simplifie-le. RÉPONDS EN FRANÇAIS! Complexe: {input}."
)
PAPER_MODEL = "gpt-4-turbo-2024-04-09"
PAPER_PARAMETERS: Mapping[str, Any] = {
    "max_tokens": 100,
    "temperature": 1.0,
    "top_p": 0.9,
    "frequency_penalty": 0.0,
    "presence_penalty": 0.0,
}

# What a system may set. The first five have fields of their own; all are the API's own names.
BOUNDS: Mapping[str, tuple[float, float, bool]] = {
    "max_tokens": (1, 32_768, True),
    "max_completion_tokens": (1, 131_072, True),
    "temperature": (0.0, 2.0, False),
    "top_p": (0.0, 1.0, False),
    "frequency_penalty": (-2.0, 2.0, False),
    "presence_penalty": (-2.0, 2.0, False),
    "seed": (0, 2**31 - 1, True),
}
_WORDS: Mapping[str, frozenset[str]] = {
    "reasoning_effort": frozenset({"none", "minimal", "low", "medium", "high", "xhigh"}),
    "service_tier": frozenset({"auto", "default", "flex", "priority"}),
}


@dataclass(frozen=True)
class SystemSpec:
    """One system as it is asked: everything that decides what the API is sent, except the
    passage."""

    name: str
    model: str
    prompt: str = PAPER_PROMPT
    parameters: Mapping[str, Any] = field(default_factory=lambda: dict(PAPER_PARAMETERS))


PAPER = SystemSpec(name="gpt-4-turbo", model=PAPER_MODEL)


def filled(prompt: str, passage: str) -> str:
    """The prompt with the passage in it. A ``{input}`` inside the passage stays what it is."""
    before, _, after = prompt.partition(PLACEHOLDER)
    return f"{before}{passage}{after}"


def system_problems(spec: SystemSpec, *, needs_placeholder: bool = True) -> list[Problem]:
    """Every reason why this system cannot be asked; empty when it can. Where the prompt needs no
    placeholder it has none: nothing would take its place, and the model would read it as it
    stands."""
    problems = [_required(name) for name in ("name", "model") if not getattr(spec, name).strip()]
    places = spec.prompt.count(PLACEHOLDER)
    if needs_placeholder and places != 1:
        problems.append(
            Problem(
                "prompt",
                "placeholder",
                Wording(
                    f"L'invite doit contenir {PLACEHOLDER} une seule fois (trouvé : {places}) : "
                    "la clause y prend place.",
                    (
                        f"The prompt must hold {PLACEHOLDER} exactly once (found: {places}): the "
                        "passage goes there."
                    ),
                ),
            )
        )
    elif not needs_placeholder and places:
        problems.append(
            Problem(
                "prompt",
                "placeholder",
                Wording(
                    f"Retirez {PLACEHOLDER} de l'invite : seule une simplification y met la "
                    "clause. Ici, le texte suit de lui-même.",
                    (
                        f"Take {PLACEHOLDER} out of the prompt: only a simplification has the "
                        "passage there. Here the text follows by itself."
                    ),
                ),
            )
        )
    for name, value in spec.parameters.items():
        problems.extend(_parameter_problems(name, value))
    return problems


def output_cap(parameters: Mapping[str, Any]) -> int | None:
    """The most tokens that an answer may have; None where nothing limits it."""
    for name in ("max_completion_tokens", "max_tokens"):
        if name in parameters:
            return int(parameters[name])
    return None


def _required(name: str) -> Problem:
    return Problem(name, "required", Wording("Remplissez ce champ.", "Fill in this field."))


def _parameter_problems(name: str, value: object) -> list[Problem]:
    if name in _WORDS:
        allowed = _WORDS[name]
        fits = isinstance(value, str) and value in allowed
        return [] if fits else [_outside(name, value, ", ".join(sorted(allowed)))]
    if name == "stop":
        texts = value if isinstance(value, list) else [value]
        fine = 0 < len(texts) <= 4 and all(isinstance(text, str) and text for text in texts)
        return [] if fine else [_outside(name, value, "1-4 × «…»")]
    if name not in BOUNDS:
        known = ", ".join([*BOUNDS, *_WORDS, "stop"])
        message = Wording(
            f"Paramètre inconnu « {name} ». Connus : {known}.",
            f"Unknown parameter “{name}”. Known: {known}.",
        )
        return [Problem(f"parameters.{name}", "unknown", message)]
    lowest, highest, whole = BOUNDS[name]
    number = isinstance(value, int) or (isinstance(value, float) and not whole)
    if isinstance(value, bool) or not number or not lowest <= float(str(value)) <= highest:
        return [_outside(name, value, f"{lowest:g}–{highest:g}")]
    return []


def _outside(name: str, value: object, allowed: str) -> Problem:
    return Problem(
        f"parameters.{name}",
        "outside",
        Wording(
            f"{name} : {value!r}. Permis : {allowed}.", f"{name}: {value!r}. Allowed: {allowed}."
        ),
    )
