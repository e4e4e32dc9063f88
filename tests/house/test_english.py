"""English as it is written in English: a colon stands at its word, without the space that French
puts before it, and what is quoted stands in “ ”."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from babel.messages.pofile import read_po
from django.conf import settings

from annotation.management.messages import po_path

# What is translated has its colon within the text, so that each language writes its own.
TRANSLATED = re.compile(
    r"\{%\s*blocktranslate\b.*?\{%\s*endblocktranslate\s*%\}|\{#.*?#\}"
    r"|\{%\s*comment\s.*?\{%\s*endcomment\s*%\}",
    re.DOTALL,
)
OF_NO_LANGUAGE = re.compile(r"[%}]\}(?:</\w+>|\))*\s*:(?=[\s<]|$)|[\w)»][ \u00a0]:(?=[\s<]|$)")
SPACED = re.compile(r"(?:[^\W_]|[)%”])[ \u00a0\u202f]:(?:\s|$)")


def colons(template: str) -> list[str]:
    """Colons that a template writes itself, the same in every language."""
    bare = TRANSLATED.sub("@", template)
    return [
        bare[max(0, match.start() - 40) : match.end()] for match in OF_NO_LANGUAGE.finditer(bare)
    ]


def test_a_template_leaves_its_colons_to_the_language() -> None:
    templates = [path for path in (settings.BASE_DIR / "templates").rglob("*") if path.is_file()]
    assert len(templates) > 200
    places = {
        str(path.relative_to(settings.BASE_DIR)): lines
        for path in templates
        if (lines := colons(path.read_text("utf-8")))
    }
    assert places == {}, 'write {% translate ":" %}, or the whole with {% blocktranslate %}'


@pytest.mark.parametrize(
    ("template", "number"),
    [
        ('<strong>{% translate "Reason" %}</strong> : {{ reason }}', 1),
        ("{{ label }}: {{ value }}", 1),
        ("{{ label }} ({{ source }}) :\n {{ value }}", 1),
        ("Raison : {{ reason }}", 1),
        ('{{ label }}{% translate ":" %} {{ value }}', 0),
        ("{% blocktranslate %}{{ label }}: {{ value }}{% endblocktranslate %}", 0),
        ('<time datetime="{{ day }}T{{ hour }}:{{ minute }}">', 0),
    ],
)
def test_what_such_a_colon_is(template: str, number: int) -> None:
    assert len(colons(template)) == number


def joined() -> Iterator[tuple[str, int]]:
    """Pieces of texts that pages put together themselves and that begin with a spaced colon."""
    for path in (settings.BASE_DIR / "annotation" / "web").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if re.match(r"[ \u00a0\u202f]:(?:\s|$)", node.value):
                yield str(path.relative_to(settings.BASE_DIR)), node.lineno


def test_a_page_joins_nothing_with_a_french_colon() -> None:
    assert list(joined()) == [], 'write _("%(label)s: %(value)s") % {…}'


def english() -> Iterator[str]:
    """What is told in English: the catalog's own texts, and the English of each ``Wording`` and of
    each refusal of one problem."""
    with po_path(settings.BASE_DIR, "fr").open("rb") as file:
        for message in read_po(file, locale="fr"):
            yield from message.id if isinstance(message.id, tuple | list) else [message.id]
    for room in ("annotation", "api", "workers"):
        for path in (settings.BASE_DIR / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Call):
                    yield from _english_of(node)


def _english_of(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    place = {"Wording": 1, "single": 3}.get(name)
    if place is not None and len(call.args) > place:
        for part in ast.walk(call.args[place]):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def test_an_english_text_has_no_space_before_a_colon() -> None:
    texts = list(english())
    assert len(texts) > 4000
    assert [text for text in texts if SPACED.search(text)] == []


# Worded in the first migration as well, which stays as it was applied.
KEYS = "A key starts with a letter or digit and holds"


def test_an_english_text_quotes_as_english_does() -> None:
    quoted = [text for text in english() if "«" in text and not text.startswith(KEYS)]
    assert quoted == []
