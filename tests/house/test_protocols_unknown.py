"""Nobody but a protocol knows its words, and nobody asks a field which kind it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from annotation.protocols.kinds import KINDS
from annotation.protocols.legal_meaning.rules import PROTOCOL

ROOT = Path(__file__).resolve().parent.parent.parent
# The default of a new study, the released layout with what reads and writes it, the tables that its
# paper published, and a file format of before there were other protocols.
OF_FRJUDGE = {
    "annotation/corpus/frjudge.py",
    "annotation/metrics/papers/judgebert.py",
    "annotation/models/study.py",
    "annotation/scoring/dataset.py",
    "annotation/selectors/publishing/exports/frjudge.py",
    "annotation/services/items/frjudge.py",
    "annotation/services/studies/studies.py",
}
# Words that mean something elsewhere too: a table, a parameter of an address, a form's text.
COMMON = {"bracket", "comment", "crossing_answer", "doubt", "errors", "explanation", "moved_from"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Every module of the product outside the protocols and the demonstration."""
    for room in ("annotation", "api", "workers"):
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(
                ("annotation/protocols/", "annotation/migrations/", "annotation/demo/")
            ):
                yield name, ast.parse(path.read_bytes())


def test_no_module_names_an_answer_of_frjudge() -> None:
    words = {
        PROTOCOL.key,
        *PROTOCOL.dimensions,
        *(field.name for field in PROTOCOL.fields),
        *(ruling.name for ruling in PROTOCOL.rulings if ruling.name != "crossing_policy"),
    } - COMMON
    assert {"legal_meaning", "characterization", "simplicity"} <= words
    naming = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in words
    }
    assert naming == OF_FRJUDGE


def test_no_module_asks_which_kind_a_field_is() -> None:
    kinds = {kind.__name__ for kind in KINDS.values()}
    asking = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "isinstance"
        and kinds & {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
    }
    assert asking == set()
