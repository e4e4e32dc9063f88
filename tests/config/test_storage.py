from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile

from annotation.config.storage import StaticStorage


def test_scripts_import_one_another_by_their_hashed_names(tmp_path: Path, settings: Any) -> None:
    storage = StaticStorage(location=tmp_path, base_url="/static/")
    files = {
        "js/judging/page.js": 'import { saved } from "./saving.js";\nimport "./keys/digits.js";\nsaved();\n',  # noqa: E501
        "js/judging/saving.js": "export const saved = () => true;\n",
        "js/judging/keys/digits.js": 'export * from "../saving.js";\n',
        # A library's comment, as django-htmx has one.
        "library/htmx.js": '/*\n import "./nothing.js";\n*/\n',
    }
    for name, text in files.items():
        storage.save(name, ContentFile(text.encode()))
    outcome = list(storage.post_process({name: (storage, name) for name in files}))
    assert [problem for _name, _hashed, problem in outcome if isinstance(problem, Exception)] == []
    page = (tmp_path / storage.stored_name("js/judging/page.js")).read_text()
    for name in ("js/judging/saving.js", "js/judging/keys/digits.js"):
        assert storage.stored_name(name) != name
        assert f'"./{storage.stored_name(name).removeprefix("js/judging/")}"' in page
