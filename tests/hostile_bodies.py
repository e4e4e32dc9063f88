"""What nobody should send and somebody will: values, and bodies made of them, drawn from a seed."""

from __future__ import annotations

import json
import os
import re
import uuid
from random import Random
from typing import Any
from urllib.parse import quote

from django.core.files.uploadedfile import SimpleUploadedFile

TEXTS = [
    *(
        "",
        " ",
        "\t\n",
        "\x00",
        "a\x00b",
        "²",
        "٣",
        "½",
        "Ⅷ",
        "-0",
        "+1",
        "1_000",
        "1e3",
        "0x10",
        "١٢",
        "9" * 20,
        "9" * 5000,
    ),
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "null",
        "true",
        "on",
        "[]",
        "{}",
        "None",
        "undefined",
        "=1+1",
        "＝1+1",
    ),
    *(
        "../../etc/passwd",
        "/",
        "\\",
        "%00",
        "%ED%A0%80",
        "\ufeff",
        "\u202e",
        "e\u0301" * 50,
        "👩🏽‍⚖️",
        "🏳️‍🌈" * 100,
    ),
    *(
        "9999-99-99",
        "0001-01-01",
        "10000-01-01T00:00:00Z",
        "2026-11-22T25:61:61",
        "1970-01-01",
        "-1",
        "0",
        "1",
        "2",
    ),
    *(
        "a@b",
        "a@b.c\r\nBcc: d@e.f",
        "x" * 100_000,
        "[" * 100_000,
        '[["\\ud800", "a", ""]]',
        '{"a": ' * 60 + "1" + "}" * 60,
        "<script>",
        "{{ 7*7 }}",
        "{% if %}",
        "%(name)s",
        "%s%n",
        "{0}",
        "'\";--",
    ),
    *(
        "adopt_²",
        "remove:errors:²",
        "error-²-type",
        "item-0001",
        "alpha",
        "main",
        "practice",
        "legal_meaning",
    ),
]
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2**31,
        2**31 - 1,
        -(2**31) - 1,
        2**63,
        2**64,
        10**40,
        0.5,
        -0.0,
        1e308,
        5e-324,
    ),
    *(
        [],
        {},
        [[]],
        [None],
        {"": ""},
        {"a": {"b": {"c": [1]}}},
        [1] * 2000,
        ["a", 1, None],
        {"key": "value"},
    ),
    *TEXTS,
]
# For each operation. `make hostile` sends many more than a run of the suite.
BODIES = int(os.environ.get("BAREME_HOSTILE_BODIES", "3"))
SEED = int(os.environ.get("BAREME_HOSTILE_SEED", "20261122"))
# Texts of JSON that Python's own writer would not make.
RAW = [b"\\ud800", b"\\udc00\\ud800", b"\\u0000"]


def value(random: Random, depth: int = 0) -> Any:
    """One value of a JSON body."""
    roll = random.random()
    if depth < 3 and roll < 0.08:
        return [value(random, depth + 1) for _ in range(random.randint(0, 4))]
    if depth < 3 and roll < 0.16:
        return {text(random): value(random, depth + 1) for _ in range(random.randint(0, 4))}
    if roll < 0.2:
        return str(uuid.UUID(int=random.getrandbits(128)))
    return random.choice(VALUES)


def text(random: Random) -> str:
    """One text, of a form's field or a member's name."""
    return random.choice(TEXTS)


def json_bytes(random: Random, names: list[str], valid: dict[str, Any] | None = None) -> bytes:
    """A body with members of these names: some as a friend would send them, some hostile; now and
    then no object."""
    if random.random() < 0.05:
        return random.choice(
            [
                b"",
                b"null",
                b"[]",
                b'"',
                b"[" * 2000,
                b"\xff\xfe",
                b"{" * 100 + b"}" * 100,
                b"1" * 5000,
            ]
        )
    chosen = [name for name in names if random.random() < 0.6]
    body = {name: value(random) for name in chosen}
    body |= {
        name: valid_value for name, valid_value in (valid or {}).items() if random.random() < 0.7
    }
    if random.random() < 0.1:
        body[text(random)] = value(random)
    content = json.dumps(body).encode()
    if random.random() < 0.1:
        content = (
            content.replace(b'"', b'"' + random.choice(RAW), 1)
            if random.random() < 0.5
            else content.replace(b': "', b': "' + random.choice(RAW), 1)
        )
    return content


def fields_of(page: str) -> dict[str, list[str]]:
    """The names of a page's form fields, each with the values that it offers."""
    fields: dict[str, list[str]] = {}
    for tag in re.findall(r"<(?:input|select|textarea|button)\b[^>]*>", page):
        name = re.search(r'\bname="([^"]+)"', tag)
        offered = re.search(r'\bvalue="([^"]*)"', tag)
        if name and name[1] != "csrfmiddlewaretoken":
            fields.setdefault(name[1], []).append(offered[1] if offered else "")
    return fields


def form(random: Random, fields: dict[str, list[str]]) -> dict[str, Any]:
    """A post of a page's form: some fields as offered, some hostile, some missing; a file where one
    likes."""
    posted: dict[str, Any] = {}
    for name, offered in fields.items():
        roll = random.random()
        if roll < 0.45:
            posted[name] = random.choice(offered)
        elif roll < 0.8:
            posted[name] = text(random) if random.random() < 0.9 else [text(random), text(random)]
        elif roll < 0.85:
            posted[name] = SimpleUploadedFile(
                random.choice(["a.csv", "a.xlsx", "a.pdf", "²"]), text(random).encode()
            )
    if random.random() < 0.1:
        posted[text(random) or "a"] = text(random)
    return posted


# Percent-encoded bytes that are no text, and what a browser never sends.
_RAW_QUERY = ["%ED%A0%80", "%FF%FE", "%00", "%", "%zz", "%C2%B2", "+", "=", "%0D%0A"]


def query(random: Random, names: list[str]) -> str:
    """A query string: some of these names, each with one value or several, at times as brackets,
    and at times one that nobody knows."""
    chosen = random.sample(names, min(len(names), random.choice((1, 1, 2, 4, 8))))
    parts = []
    for name in chosen:
        for _ in range(random.choice((1, 1, 1, 2, 40))):
            text = random.choice([*TEXTS, "9" * 31, "-" + "9" * 31, "1" + "0" * 30, "[1,2]"])
            given = random.choice(_RAW_QUERY) if random.random() < 0.25 else quote(text[:5000])
            parts.append(f"{quote(name)}{random.choice(('', '', '', '[]', '%00'))}={given}")
    if random.random() < 0.1:
        parts.append(f"{quote(random.choice(TEXTS)[:200])}=1")
    return "&".join(parts)
