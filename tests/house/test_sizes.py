"""What pages and names must not hold."""

from __future__ import annotations

import re

from tests.house.sizes import ROOT, python_files, templates

_VAGUE = {
    "utils",
    "util",
    "helpers",
    "helper",
    "manager",
    "data",
    "info",
    "process",
    "handle",
    "common",
    "misc",
}
# A data block (type="application/json") is not executed, so the content policy lets it pass.
_INLINE = {
    "script": re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>", re.IGNORECASE),
    "style element": re.compile(r"<style\b", re.IGNORECASE),
    "style attribute": re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE),
    "event attribute": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE),
    "javascript: address": re.compile(r"javascript:", re.IGNORECASE),
}
_TAG = re.compile(r"\{[%{#].*?[%}#]\}")
WIDEST = 160
_OTHER_HOST = re.compile(r"""(?:src|href|action)\s*=\s*["']?(?:https?:)?//""", re.IGNORECASE)


def test_no_line_is_wider_than_a_window() -> None:
    """Python's width is ruff's to hold. A template tag cannot be divided: a line's longest does not
    count."""
    wide = [
        f"{path.relative_to(ROOT)}:{number}: {width}"
        for path in templates()
        if path.name
        != "_layers.html"  # what is drawn there is as long as it has layers, and a space would be drawn  # noqa: E501
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (width := len(line) - len(max(_TAG.findall(line), key=len, default=""))) > WIDEST
    ]
    assert wide == []


def test_templates_keep_scripts_and_styles_in_files() -> None:
    places = [
        f"{path.relative_to(ROOT)}: {what}"
        for path in templates()
        for what, pattern in _INLINE.items()
        if pattern.search(path.read_text(encoding="utf-8"))
    ]
    assert places == []


def test_templates_ask_nothing_of_another_host() -> None:
    # A link that a person follows is theirs to follow; <a href> is looked at by eye.
    places = [
        str(path.relative_to(ROOT))
        for path in templates()
        for tag in re.findall(r"<(?!a\b)[^>]+>", path.read_text(encoding="utf-8"))
        if _OTHER_HOST.search(tag)
    ]
    assert places == []


def test_modules_have_names_that_say_something() -> None:
    assert [str(path.relative_to(ROOT)) for path in python_files() if path.stem in _VAGUE] == []


def test_every_variable_that_settings_read_is_explained() -> None:
    config = ROOT / "annotation" / "config"
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(config.glob("*.py")))
    # Limits of services are read under two names each, the second with the service's.
    read = set(re.findall(r'(?:env_\w+|limit)\(\s*"([A-Z_]+)"', code))
    explained = set(
        re.findall(
            r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    assert read == explained
