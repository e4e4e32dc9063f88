"""Names within answers that nobody knows: told as the API tells those of any body."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.protocols.kinds import ShapeError
from annotation.protocols.legal_meaning.rules import PROTOCOL
from annotation.protocols.names import unknown_name


def refused(**answers: Any) -> tuple[str, str, str]:
    with pytest.raises(ShapeError) as caught:
        PROTOCOL.clean(answers)
    problem = caught.value.problem
    return problem.field, problem.code, problem.message.en


def test_a_misspelt_answer_is_told_the_nearest_and_all():
    field, code, message = refused(simplicty=1, zz=2)
    assert (field, code) == ("simplicty", "unknown")
    assert "“simplicty” is not known. Did you mean “simplicity”?" in message
    assert "“zz” is not known." in message
    assert "characterization" in message.partition("Known are:")[2]


def test_so_is_a_member_of_a_mark():
    field, code, message = refused(errors=[{"type": "omission", "typ": "x", "system": "y"}])
    assert (field, code) == ("errors.0.typ", "shape")
    assert "“typ” is not known. Did you mean “type”? “system” is not known." in message
    assert "original_start" in message.partition("Known are:")[2]


@pytest.mark.parametrize(
    ("sent", "said"), [(True, "true"), (["a"], '["a"]'), ({"a": None}, '{"a": null}')]
)
def test_what_came_is_shown_as_programs_write_it(sent, said):
    assert f"Unreadable answer: {said}. Expected:" in refused(characterization=sent)[2]


def test_in_both_languages():
    words = unknown_name("a" * 99 + "\ud800", [])
    assert words.fr == f"«\u00a0{'a' * 60}\u00a0» n'est pas connu. Rien n'est pris ici."
    assert words.en == f"“{'a' * 60}” is not known. Nothing is taken here."
