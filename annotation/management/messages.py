"""The interface's messages: found in code and templates, merged into
``locale/*/LC_MESSAGES/django.po``.

Django's ``makemessages`` needs GNU gettext, which a bare machine does not have; Babel does the same
work, and Django's own ``templatize`` turns templates into something that Babel can read.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

KEYWORDS = {
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "_": None,
}
# As in Quebec: a no-break space before a colon and a percent sign and within guillemets, nothing
# before ; ! and ?.
_NO_BREAK = re.compile(r"[ \u202f](?=[:»]|%%|%(?![(a-zA-Z]))|(?<=«)[ \u202f]")
_NOTHING = re.compile(r"(?<=[\w»)}])[ \u00a0\u202f]+(?=[;!?])")
Message = tuple[str, int, str | tuple[str, ...], str | None]


def template_messages(path: Path) -> Iterator[Message]:
    """Messages of one template as (name, line, message(s), context)."""
    python = templatize(path.read_text(encoding="utf-8"), origin=str(path))
    # Indentation means nothing in a template, but would to the tokenizer.
    flat = "\n".join(line.strip() for line in python.split("\n"))
    yield from _messages(flat.encode())


def python_messages(path: Path) -> Iterator[Message]:
    """Messages of one module, read from its syntax tree: however a string is written (divided, in
    brackets, inside an f-string), it is the message that gettext is asked for."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name not in KEYWORDS:
            continue
        context: str | None = None
        texts: list[str] = []
        for part in KEYWORDS[name] or (1,):
            place = part[0] if isinstance(part, tuple) else part
            value = node.args[place - 1] if len(node.args) >= place else None
            if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
                texts = []
                break
            if isinstance(part, tuple):
                context = value.value
            else:
                texts.append(value.value)
        if texts:
            yield "", node.lineno, texts[0] if len(texts) == 1 else tuple(texts), context


def _messages(source: bytes) -> Iterator[Message]:
    for line, message, _comments, context in extract(
        "python", io.BytesIO(source), keywords=KEYWORDS, options={"encoding": "utf-8"}
    ):
        yield "", line, message, context


def catalog_of(root: Path, modules: Iterable[str] = ("annotation", "workers", "api")) -> Catalog:
    """Every message of the project, with the files that use it (no line numbers: they only make
    noise in reviews)."""
    catalog = Catalog(charset="utf-8")
    sources = [(path, template_messages) for path in sorted((root / "templates").rglob("*.*"))]
    for module in modules:
        sources += [(path, python_messages) for path in sorted((root / module).rglob("*.py"))]
    for path, read in sources:
        for _name, _line, message, context in read(path):
            if message:
                catalog.add(
                    message, locations=[(path.relative_to(root).as_posix(), 0)], context=context
                )
    return catalog


def merge(root: Path, language: str) -> Catalog:
    """The language's catalog with every message of the project, known translations kept and
    messages that nobody uses any more removed."""
    path = po_path(root, language)
    template = catalog_of(root)
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=language)
    else:
        catalog = Catalog(locale=language, project="Barème", charset="utf-8")
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    if language == "fr":
        for message in catalog:
            if message.id and message.string:
                message.string = _spaced(message.string)
    return catalog


def _spaced(words: str | Sequence[str]) -> str | tuple[str, ...]:
    return french_spaces(words) if isinstance(words, str) else tuple(map(french_spaces, words))


def french_spaces(words: str) -> str:
    """With the spaces before punctuation that French as written in Quebec asks for."""
    return _NOTHING.sub("", _NO_BREAK.sub("\N{NO-BREAK SPACE}", words))


def write(root: Path, language: str, catalog: Catalog) -> None:
    """Write a catalog in a stable form."""
    path = po_path(root, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(
            file, catalog, sort_output=True, include_lineno=False, omit_header=False, width=110
        )


def po_path(root: Path, language: str) -> Path:
    return root / "locale" / language / "LC_MESSAGES" / "django.po"


def untranslated(catalog: Catalog) -> list[str]:
    """Messages without a translation, or with a fuzzy one."""
    missing = []
    for message in catalog:
        if not message.id:
            continue
        translations = (
            message.string if isinstance(message.string, tuple | list) else [message.string]
        )
        if message.fuzzy or not all(translations):
            missing.append(str(message.id))
    return missing
