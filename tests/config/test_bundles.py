"""Scripts of one page put together: once each, and only what can be."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.template import engines

from annotation.bundles import ENTRY, SCRIPTS, STYLES, NotBundled, bundled, members
from annotation.config.storage import StaticStorage
from annotation.web.templatetags import bareme

PAGE = {
    ENTRY: (
        'import { saved } from "./saving.js";\n'
        'import { say } from "./words.js";\n'
        'const later = () => import("./later.js");\nsay(saved(), later);\n'
    ),
    "js/judging/saving.js": (
        'import { put } from "../platform/store.js";\nimport { say } from "./words.js";\n'
        "export const saved = () => put(say);\n"
    ),
    "js/judging/words.js": (
        'export { put } from "../platform/store.js";\nexport function say() {}\n'
    ),
    "js/judging/later.js": (
        'import { put, say } from "./words.js";\nexport const late = [put, say];\n'
    ),
    "js/judging/kinds/choice.js": 'import { say } from "../words.js";\nsay();\n',
    "js/platform/store.js": "export async function put() {}\nclass Hidden {}\n",
    "js/platform/other.js": "export class Other {}\n",
}


def own_sources() -> dict[str, str]:
    root = Path(settings.BASE_DIR) / "static"
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.suffix in (".js", ".css")
    }


def test_what_others_import_too_is_in_a_file_of_its_own_and_the_rest_in_the_entry() -> None:
    bundle = bundled(PAGE)
    parts, copies = SCRIPTS["js/judging"], SCRIPTS["js/platform"]
    assert set(bundle) == {
        ENTRY,
        parts,
        copies,
        "js/judging/later.js",
        "js/judging/kinds/choice.js",
    }
    assert bundle["js/judging/later.js"].startswith('import { put, say } from "./parts.js";\n')
    assert bundle["js/judging/kinds/choice.js"] == 'import { say } from "../parts.js";\nsay();\n'
    assert "saved = () =>" in bundle[ENTRY]
    assert "function say" not in bundle[ENTRY]
    assert "function say" in bundle[parts]
    assert "class Hidden" in bundle[copies]
    assert re.findall(r"^export .*$", bundle[parts], re.MULTILINE) == [
        "export const { put } = $m0;",
        "export const { say } = $m0;",
    ]
    assert re.findall(r"^export .*$", bundle[copies], re.MULTILINE) == [
        "export const { put } = $m0;"
    ]
    assert members(PAGE.__getitem__) == [
        "js/platform/store.js",
        "js/judging/words.js",
        "js/judging/saving.js",
    ]


def test_sheets_of_a_page_keep_their_order() -> None:
    [(file, parts), *_] = STYLES.items()
    sources = {part: f".x {{ order: {number}; }}\n" for number, part in enumerate(parts)}
    assert list(bundled(sources)) == [file]
    assert re.findall(r"order: (\d)", bundled(sources)[file]) == [
        str(number) for number in range(len(parts))
    ]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"js/judging/words.js": "export let say = 1;\n"}, "'export let say = 1;' is not"),
        ({"js/judging/words.js": 'import all from "./x.js";\n'}, "is not taken apart"),
        ({"js/judging/words.js": "await 1;\nexport function say() {}\n"}, "'await 1;' is not"),
        ({"js/platform/store.js": "export const put = import.meta.url;\n"}, "import.meta"),
        ({"js/judging/words.js": 'import { a as b } from "../platform/store.js";\n'}, "'a as b'"),
        ({"js/judging/words.js": "export const other = 1;\n"}, "has no (put|say), which is"),
        ({"js/judging/saving.js": 'import { x } from "./kinds/choice.js";\n'}, "from a folder"),
        (
            {"js/judging/words.js": f'import {{ a }} from "./{ENTRY.split("/")[-1]}";\n'},
            "each other",
        ),
        ({"js/judging/later.js": 'const x = () => import("./words.js");\n'}, "a second one"),
        (
            {
                "js/judging/saving.js": "export const saved = 1;\nexport const say = 2;\n",
                "js/judging/later.js": 'import { say } from "./saving.js";\n',
            },
            "say stands in",
        ),
    ],
)
def test_what_cannot_be_put_together_is_refused(changed: dict[str, str], reason: str) -> None:
    with pytest.raises(NotBundled, match=reason):
        bundled(PAGE | changed)


def test_each_of_our_modules_is_there_once() -> None:
    sources = own_sources()
    files = sources | bundled(sources)
    kept = [name for name in files if name not in members(sources.__getitem__)]
    for name in members(sources.__getitem__):
        # The longest line that it alone has.
        others = "\n".join(text for other, text in sources.items() if other != name)
        own = [line for line in sources[name].splitlines() if line not in others]
        line = max((line for line in own if not line.startswith(("import", "export"))), key=len)
        assert sum(line in files[file] for file in kept) == 1, name
    imports = [
        (name, path)
        for name in kept
        if name.endswith(".js")
        for path in re.findall(r'(?:from |import\()"(\.[^"]+)"', files[name])
    ]
    assert len(imports) > 20
    for name, path in imports:
        assert (Path(name).parent / path).as_posix() not in members(sources.__getitem__), name


def test_they_are_collected_under_names_of_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = StaticStorage(location=tmp_path, base_url="/static/")
    static_files = FileSystemStorage(Path(settings.BASE_DIR) / "static")
    paths = {name: (static_files, name) for name in own_sources()}
    for name, text in own_sources().items():
        storage.save(name, ContentFile(text.encode()))
    # The typeface that a sheet names is left out here.
    del paths["css/judging/reading.css"]
    outcome = list(storage.post_process(paths))
    assert [problem for _name, _hashed, problem in outcome if isinstance(problem, Exception)] == []
    page = (tmp_path / storage.stored_name(ENTRY)).read_text()
    for file in SCRIPTS.values():
        assert storage.stored_name(file).split("/")[-1] in page
    monkeypatch.setattr(bareme, "staticfiles_storage", storage)
    assert _drawn('{% styles "css/site.css" %}') == [storage.url("css/site.css")]
    assert _drawn("{% modules %}") == [storage.url(file) for file in SCRIPTS.values()]


def test_pages_name_the_parts_where_nothing_was_collected() -> None:
    assert _drawn('{% styles "css/site.css" %}') == [
        f"/static/{part}" for part in STYLES["css/site.css"]
    ]
    assert _drawn("{% modules %}") == [
        f"/static/{name}" for name in members(own_sources().__getitem__)
    ]


def _drawn(text: str) -> list[str]:
    template: Any = engines["django"].from_string("{% load bareme %}" + text)
    return re.findall(r'href="([^"]+)"', template.render())
