"""One vocabulary of subjects in every layer; what a subject imports is below it, in writes and
reads alike."""

from __future__ import annotations

import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CONTRACT = "Within a layer, subjects import downward only"
# What is no subject's own: lists of addresses, drawing, tags for every template.
AT_THE_TOP = {
    "annotation/services": set(),
    "annotation/selectors": set(),
    "annotation/web": {"urls.py", "charts", "templatetags"},
    # How the API answers, whatever it is asked about.
    "api": {
        *(
            "answers.py",
            "authentication.py",
            "etags.py",
            "fields.py",
            "idempotency.py",
            "known.py",
            "pagination.py",
            "parsers.py",
        ),
        *("permissions.py", "problems.py", "resource.py", "schema.py", "taken.py"),
        *("throttling.py", "urls.py"),
    },
    "templates": {"api", "charts", "components"},
    "static/js": set(),
}


def floors() -> list[set[str]]:
    """The subjects of the import contract, from the top down."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]
    (contract,) = [contract for contract in settings["contracts"] if contract["name"] == CONTRACT]
    return [{subject.strip(" ()") for subject in floor.split("|")} for floor in contract["layers"]]


SUBJECTS = set().union(*floors())


def standing(folder: Path) -> set[str]:
    """The names of what stands in a folder; one where git took all files away and compiled ones
    stay is no room."""
    return {
        path.name
        for path in folder.iterdir()
        if path.is_file() or any(map(_is_kept, path.rglob("*")))
    }


def _is_kept(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


@pytest.mark.parametrize("layer", AT_THE_TOP)
def test_what_stands_in_a_layer_stands_in_a_subject(layer):
    names = standing(ROOT / layer) - {"__init__.py"}
    strangers = {
        name
        for name in names - SUBJECTS - AT_THE_TOP[layer]
        if "." not in name or name.endswith((".py", ".js"))
    }
    assert strangers == set()
    assert AT_THE_TOP[layer] <= names


@pytest.mark.parametrize("layer", ["services", "selectors", "web", "workers"])
def test_tests_stand_where_what_they_test_stands(layer):
    folders = {name for name in standing(ROOT / "tests" / layer) if "." not in name} - {"scorers"}
    assert folders <= SUBJECTS
    if layer in ("services", "selectors"):
        assert [path.name for path in (ROOT / "tests" / layer).glob("test_*.py")] == []


def test_what_python_leaves_behind_is_no_room(tmp_path):
    for name in (
        "generation/__pycache__/calls.pyc",
        "former/__pycache__/calls.pyc",
        "__pycache__/top.pyc",
        "urls.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "generation" / "calls.py").touch()
    assert standing(tmp_path) == {"generation", "urls.py"}


def test_a_subject_writes_and_reads_only_below_itself():
    height = {subject: -number for number, floor in enumerate(floors()) for subject in floor}
    graph = grimp.build_graph("annotation", cache_dir=None)
    rooms = {
        module: module.split(".")[2]
        for module in graph.modules
        if module.startswith(("annotation.services.", "annotation.selectors."))
    }
    assert set(rooms.values()) <= SUBJECTS
    upward = [
        (module, imported)
        for module, subject in rooms.items()
        for imported in graph.find_modules_directly_imported_by(module)
        if imported in rooms
        and rooms[imported] != subject
        and height[rooms[imported]] >= height[subject]
    ]
    assert upward == []
