"""Every setting stands in docs/operations.md and in .env.example, and nothing stands there that is
none."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from tests.operations.settings_read import names_read, secrets_read

ROOT = Path(settings.BASE_DIR)
# Read under a name that holds another one.
PATTERNS = {"BAREME_LLM_KEY_<NAME>"}
ROWS = re.findall(
    r"^\| `([A-Z][A-Z0-9_<>]+)` \| (yes|) ?\| (.+?) \| (.+?) \|$",
    (ROOT / "docs" / "operations.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def test_the_table_holds_what_the_settings_read_and_nothing_else() -> None:
    assert {name for name, *_ in ROWS} - PATTERNS == names_read()
    assert len(ROWS) == len({name for name, *_ in ROWS})


def test_what_may_come_from_a_file_says_so() -> None:
    assert {name for name, file, *_ in ROWS if file} - PATTERNS == secrets_read()


def test_the_example_holds_each_of_them() -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    named = {match[1] for line in lines if (match := re.match(r"([A-Z][A-Z0-9_]+)=$", line))}
    assert named == names_read()


def test_the_troubles_name_codes_and_parts_that_exist() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    parts = (ROOT / "annotation" / "selectors" / "platform" / "parts.py").read_text(
        encoding="utf-8"
    )
    for part in re.findall(r"503 at `/readyz`: `(\w+)`", text):
        assert f'"{part}"' in parts
    state = "".join(
        (ROOT / "annotation" / "web" / "platform").joinpath(name).read_text(encoding="utf-8")
        for name in ("metrics_counted.py", "metrics_state.py")
    )
    for metric in set(re.findall(r"\bbareme_[a-z_]+", text)):
        assert metric.removesuffix("_total") in state, metric
