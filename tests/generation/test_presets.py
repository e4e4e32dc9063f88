"""Systems as they may be set, and the paper's exactly as it was."""

from __future__ import annotations

import pytest

from annotation.generation.presets import PAPER, SystemSpec, filled, output_cap, system_problems


def problems(**changed):
    fields = {"name": "s", "model": "m", "prompt": "Dis: {input}", "parameters": {}} | changed
    return [(problem.field, problem.code) for problem in system_problems(SystemSpec(**fields))]


def test_the_papers_system():
    assert PAPER.model == "gpt-4-turbo-2024-04-09"
    assert PAPER.parameters == {
        "max_tokens": 100,
        "temperature": 1.0,
        "top_p": 0.9,
        "frequency_penalty": 0.0,
        "presence_penalty": 0.0,
    }
    assert filled(PAPER.prompt, "Nul n'y échappe") == (
        "Réécris la phrase complexe à l'aide d'une ou plusieurs phrases simples. Conserve le même "
        "sens, mais simplifie-le. RÉPONDS EN FRANÇAIS! Complexe: Nul n'y échappe."
    )
    assert system_problems(PAPER) == []


def test_a_placeholder_within_the_passage_is_text():
    assert filled("A {input} B", "x {input} y") == "A x {input} y B"


@pytest.mark.parametrize("prompt", ["", "Simplifie.", "{input} et {input}"])
def test_the_passage_has_one_place(prompt):
    assert problems(prompt=prompt) == [("prompt", "placeholder")]


def test_a_judge_needs_no_place():
    assert system_problems(SystemSpec("s", "m", "Juge.", {}), needs_placeholder=False) == []


@pytest.mark.parametrize("prompt", ["Juge : {input}", "{input} et {input}"])
def test_nothing_would_take_the_place_in_a_judges_prompt(prompt):
    spec = SystemSpec("s", "m", prompt, {})
    (problem,) = system_problems(spec, needs_placeholder=False)
    assert (problem.field, problem.code) == ("prompt", "placeholder")


def test_everything_wrong_is_told_at_once():
    assert problems(name=" ", model="", parameters={"temperature": 3, "top-p": 1}) == [
        ("name", "required"),
        ("model", "required"),
        ("parameters.temperature", "outside"),
        ("parameters.top-p", "unknown"),
    ]


@pytest.mark.parametrize(
    ("name", "fine"),
    [
        *[("temperature", value) for value in (0, 0.0, 2, 1.5)],
        *[("max_tokens", value) for value in (1, 32_768)],
        *[("seed", value) for value in (0, 2**31 - 1)],
        ("frequency_penalty", -2),
        ("reasoning_effort", "low"),
        ("service_tier", "flex"),
        ("stop", "\n"),
        ("stop", ["a", "b", "c", "d"]),
    ],
)
def test_parameters_within_their_bounds(name, fine):
    assert problems(parameters={name: fine}) == []


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *[
            ("temperature", value)
            for value in (-0.1, 2.1, True, "1", None, float("nan"), float("inf"))
        ],
        *[("max_tokens", value) for value in (0, 1.0, 32_769, False)],
        ("seed", -1),
        ("reasoning_effort", "enormous"),
        ("reasoning_effort", 3),
        *[("stop", value) for value in ("", [], [""], [1], list("abcde"))],
    ],
)
def test_parameters_outside_their_bounds(name, wrong):
    assert problems(parameters={name: wrong}) == [(f"parameters.{name}", "outside")]


@pytest.mark.parametrize("wrong", [[], ["low"], {}])
def test_a_list_is_no_word(wrong):
    assert problems(parameters={"reasoning_effort": wrong}) == [
        ("parameters.reasoning_effort", "outside")
    ]


def test_the_cap_of_an_answer():
    assert output_cap({}) is None
    assert output_cap({"max_tokens": 5}) == 5
    assert output_cap({"max_tokens": 5, "max_completion_tokens": 7}) == 7
