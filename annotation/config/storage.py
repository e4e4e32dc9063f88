"""Static files under names that change with their content, compressed in advance."""

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from annotation.bundles import bundled

# Django's own patterns for `import … from "./file.js";`. Its switch for them would read the
# libraries' scripts as well, whose comments hold imports of files that do not exist; ours are all
# in js/.
_IMPORTS_OF_OUR_MODULES = (
    "js/*.js",
    ManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],  # type: ignore[attr-defined]  # noqa: SLF001
)


# Comments on lines of their own, and indentation: a tenth of what a first load would weigh. Ours
# write comments no other way, and no string of ours runs over several lines.
_COMMENTS = {
    ".js": re.compile(r"^[ \t]*(?://.*|/\*\*(?s:.*?)\*/[ \t]*)\n|^[ \t]+", re.MULTILINE),
    ".css": re.compile(r"(?s:/\*.*?\*/)|^\s+", re.MULTILINE),
}


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Our own scripts and styles without their comments, those of one page in few files; everything
    compressed, under a name of its content."""

    # A script's name changes with those of what it imports: as many passes as imports are deep.
    max_post_process_passes = 10
    patterns = (*CompressedManifestStaticFilesStorage.patterns, _IMPORTS_OF_OUR_MODULES)

    def post_process(
        self, paths: dict[str, tuple[Any, str]], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        new = {} if dry_run else self._bundled(paths)
        yield from super().post_process(paths | new, dry_run, **options)

    def _bundled(self, paths: dict[str, tuple[Any, str]]) -> dict[str, tuple[Any, str]]:
        """What a page's files become, as if it lay beside them."""
        sources, made = {}, InMemoryStorage()
        for name, (storage, path) in paths.items():
            if PurePath(name).parts[0] in ("js", "css") and name.endswith((".js", ".css")):
                with storage.open(path) as file:
                    sources[PurePath(name).as_posix()] = file.read().decode()
        new = bundled(sources)
        for name, text in new.items():
            made.save(name, ContentFile(text.encode()))
            # Under its own name too, as every file is.
            if self.exists(name):
                self.delete(name)
            self.save(name, ContentFile(text.encode()))
        return {name: (made, name) for name in new}

    def _save(self, name: str, content: Any) -> Any:
        path = PurePath(name)
        if path.parts[0] in ("js", "css") and (comments := _COMMENTS.get(path.suffix)):
            content.seek(0)
            content = ContentFile(comments.sub("", content.read().decode()).encode())
        return super()._save(name, content)
