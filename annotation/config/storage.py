"""Static files under names that change with their content, compressed in advance."""

import re
from pathlib import PurePath
from typing import Any

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

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
    """Our own scripts and styles without their comments; everything compressed, under a name of its
    content."""

    # A script's name changes with those of what it imports: as many passes as imports are deep.
    max_post_process_passes = 10
    patterns = (*CompressedManifestStaticFilesStorage.patterns, _IMPORTS_OF_OUR_MODULES)

    def _save(self, name: str, content: Any) -> Any:
        path = PurePath(name)
        if path.parts[0] in ("js", "css") and (comments := _COMMENTS.get(path.suffix)):
            content.seek(0)
            content = ContentFile(comments.sub("", content.read().decode()).encode())
        return super()._save(name, content)
