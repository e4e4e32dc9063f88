"""The page of one's own data is in the reader's language: every member has a name in both."""

from __future__ import annotations

import ast
import inspect

from annotation.selectors.privacy import personal
from annotation.services.privacy.archive import AREAS
from annotation.services.privacy.labels import LABELS


def members() -> set[str]:
    """What is selected or named in the module: arguments of ``values`` and keys of objects, with
    the tuples that hold some of them."""
    names: set[str] = {*personal.PROFILE, *personal._ACCESS}
    for node in ast.walk(ast.parse(inspect.getsource(personal))):
        if isinstance(node, ast.Dict):
            names |= {key.value for key in node.keys if isinstance(key, ast.Constant)}
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "values"
        ):
            held = [part for given in node.args for part in ast.walk(given)]
            names |= {part.value for part in held if isinstance(part, ast.Constant)}
    return names


def test_every_member_has_a_name_in_both_languages():
    wanted = members() - {*AREAS, "format", "made_at"}
    assert {"email", "submissions", "guide__number", "ip_address", "worked_days"} <= wanted
    assert wanted - {*LABELS} == set()
    assert {*LABELS} - wanted == set(), "names of nothing"
    assert all(label.fr and label.en for label in LABELS.values())
