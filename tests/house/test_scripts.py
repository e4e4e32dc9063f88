"""Every script is one: a module that does not parse is no error of a page, which only lacks what it
does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import playwright
import pytest

from tests.house.sizes import ROOT

# As Playwright drives browsers by it.
_NODE = Path(playwright.__file__).parent / "driver" / "node"
_PARSED = """
const { SourceTextModule } = require("node:vm");
const { readFileSync } = require("node:fs");
for (const identifier of process.argv.slice(1)) {
  try {
    new SourceTextModule(readFileSync(identifier, "utf8"), { identifier });
  } catch (error) {
    console.log(`${identifier}: ${error.message}`);
  }
}
"""


def unparsed(*scripts: Path) -> str:
    """What is wrong, a line for each of these modules that does not parse."""
    command = [_NODE, "--no-warnings", "--experimental-vm-modules", "-e", _PARSED, *scripts]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_every_script_parses():
    scripts = sorted((ROOT / "static" / "js").rglob("*.js"))
    assert len(scripts) > 40
    assert unparsed(*scripts) == ""


@pytest.mark.parametrize("source", ["const a = 1;\nconst a = 2;", "let", "await = 1;"])
def test_what_does_not_is_named(tmp_path, source):
    path = tmp_path / "broken.js"
    path.write_text(source, encoding="utf-8")
    assert unparsed(path).startswith(f"{path}: ")
