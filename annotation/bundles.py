"""Scripts and styles of one page in few files.

A browser asks for each module by itself, and learns of what that one imports when it has read it.
Where static files are collected, the modules that an entry imports are therefore put together, each
in a function of its own: what modules that come later import as well becomes one file for each
folder, and they import that, so that a module is there once; the rest goes into the entry. Where
files are not collected (development, tests), pages name the parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from posixpath import dirname, join, normpath, relpath

ENTRY = "js/judging/judge.js"
# What others import as well, by folder, and the file that it becomes.
SCRIPTS = {"js/platform": "js/platform/copies.js", "js/judging": "js/judging/parts.js"}
STYLES = {
    "css/site.css": ("css/tokens.css", "css/base.css", "css/layout.css", "css/components.css"),
    "css/judging/page.css": ("css/judging/judge.css", "css/judging/marks.css"),
}

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_PASSED_ON = re.compile(r'^export \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_WAYS = (_IMPORT, _PASSED_ON)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
# Any other way to import and export, which is not taken apart here.
_OTHER = re.compile(r"^(?:import|export)\b(?!\().*|\bimport\.meta\b|^await\b.*", re.MULTILINE)


class NotBundled(ValueError):
    """Modules that cannot be put together; says which and why."""


@dataclass(frozen=True, slots=True)
class _Module:
    """``imports`` and ``passes_on``: names by the path of the module that has them. ``later``:
    modules that it asks for once it needs them."""

    name: str
    code: str
    imports: Mapping[str, tuple[str, ...]]
    passes_on: Mapping[str, tuple[str, ...]]
    exports: tuple[str, ...]
    later: tuple[str, ...] = field(default=())

    @property
    def needed(self) -> list[tuple[str, tuple[str, ...]]]:
        return [*self.imports.items(), *self.passes_on.items()]

    @property
    def needs(self) -> set[str]:
        return {path for path, _ in self.needed}

    @property
    def given(self) -> list[str]:
        return [*self.exports, *(name for names in self.passes_on.values() for name in names)]


def members(read: Callable[[str], str]) -> list[str]:
    """Which modules the entry imports, those that others import first. ``read``: the source of a
    path below the static folder."""
    return [*_imported(read)][:-1]


def bundled(sources: Mapping[str, str]) -> dict[str, str]:
    """The sources that are new or other than they were. ``sources``: all scripts and styles.

    Raises ``NotBundled``.
    """
    styles = {
        name: "\n".join(sources[part] for part in parts)
        for name, parts in STYLES.items()
        if all(part in sources for part in parts)
    }
    if ENTRY not in sources:
        return styles
    modules = _imported(sources.__getitem__)
    wanted: dict[str, set[str]] = {name: set() for name in modules}
    others = [name for name in sources if name.endswith(".js") and name not in modules]
    for name in others:
        for path, needed in _names_wanted(name, sources[name], modules).items():
            wanted[path] |= needed
    homes = _homes(modules, {name for name, names in wanted.items() if names})
    for module in modules.values():
        for path, names in module.needed:
            if homes[path] != homes[module.name]:
                wanted[path] |= set(names)
    redirected = {name: _redirected(name, sources[name], homes) for name in others}
    return (
        styles
        | {name: text for name, text in redirected.items() if text != sources[name]}
        | {file: _joined(file, modules, homes, wanted) for file in {*homes.values()}}
    )


def _homes(modules: dict[str, _Module], shared: set[str]) -> dict[str, str]:
    """Which file each module goes into: those that are shared, with what they need, into that of
    their folder."""
    homes: dict[str, str] = {}
    # Those that need others come last.
    for name in reversed(modules):
        if name in shared or (name != ENTRY and dirname(name) != dirname(ENTRY)):
            shared = shared | modules[name].needs
            homes[name] = SCRIPTS[dirname(name)]
        else:
            homes[name] = ENTRY
    return homes


def _imported(read: Callable[[str], str]) -> dict[str, _Module]:
    """What the entry imports, what that imports, and the entry, each after what it needs."""
    modules: dict[str, _Module] = {}
    waiting = [ENTRY]
    while waiting:
        if (name := waiting.pop()) in modules:
            continue
        if dirname(name) not in SCRIPTS:
            raise NotBundled(f"{name} is imported from a folder that has no file of its own.")
        module = _read(name, read(name))
        if odd := _OTHER.search(module.code):
            raise NotBundled(f"{name}: {odd[0]!r} is not taken apart.")
        modules[name] = module
        waiting.extend(module.needs)
    graph = {name: sorted(module.needs) for name, module in sorted(modules.items())}
    try:
        order = [*TopologicalSorter(graph).static_order()]
    except CycleError as error:
        raise NotBundled(f"Modules import each other: {' → '.join(error.args[1])}.") from error
    return {name: modules[name] for name in order}


def _read(name: str, source: str) -> _Module:
    imports, passes_on = (
        {
            path: tuple(imported for names, of in statements if of == path for imported in names)
            for path in dict.fromkeys(of for _, of in statements)
        }
        for statements in (
            [_import(name, match) for match in way.finditer(source)] for way in _WAYS
        )
    )
    code = _EXPORT.sub("", _PASSED_ON.sub("", _IMPORT.sub("", source)))
    return _Module(
        name=name,
        code=code,
        imports=imports,
        passes_on=passes_on,
        exports=tuple(match[1] for match in _EXPORT.finditer(source)),
        later=tuple(_path(name, match[1]) for match in _LATER.finditer(source)),
    )


def _import(name: str, match: re.Match[str]) -> tuple[list[str], str]:
    names = [imported.strip() for imported in match[1].split(",") if imported.strip()]
    if odd := [imported for imported in names if not imported.isidentifier()]:
        raise NotBundled(f"{name}: {odd[0]!r} is not taken apart.")
    return names, _path(name, match[2])


def _path(name: str, relative: str) -> str:
    return normpath(join(dirname(name), relative))


def _names_wanted(name: str, source: str, modules: Mapping[str, _Module]) -> dict[str, set[str]]:
    """Which names a module that stays wants of which of these."""
    module = _read(name, source)
    if again := {*module.later} & {*modules}:
        raise NotBundled(f"{name} asks for {min(again)} later: a second one would come.")
    return {path: set(names) for path, names in module.needed if path in modules}


def _redirected(name: str, source: str, homes: Mapping[str, str]) -> str:
    """A module that stays, importing from the file what became a part of it."""

    def from_home(match: re.Match[str]) -> str:
        home = homes.get(_path(name, match[2]))
        return match[0].replace(f'"{match[2]}"', f'"{_relative(name, home)}"') if home else match[0]

    for way in _WAYS:
        source = way.sub(from_home, source)
    return source


def _relative(name: str, path: str) -> str:
    relative = relpath(path, dirname(name))
    return relative if relative.startswith(".") else f"./{relative}"


def _joined(
    file: str,
    modules: Mapping[str, _Module],
    homes: Mapping[str, str],
    wanted: Mapping[str, set[str]],
) -> str:
    """One file of the modules that belong there, and the names that others want of them."""
    parts = [module for name, module in modules.items() if homes[name] == file]
    variables = {module.name: f"$m{number}" for number, module in enumerate(parts)}
    elsewhere = sorted({homes[needed] for module in parts for needed in module.needs} - {file})
    files = {other: f"$f{number}" for number, other in enumerate(elsewhere)}
    lines = [
        f'import * as {files[other]} from "{_relative(file, other)}";\n' for other in elsewhere
    ]
    exported: dict[str, str] = {}
    for module in parts:
        lines.append(f"const {variables[module.name]} = (() => {{\n")
        for path, names in module.needed:
            source = variables.get(path) or files[homes[path]]
            lines.append(f"const {{ {', '.join(names)} }} = {source};\n")
        lines.append(f"{module.code}return {{ {', '.join(module.given)} }};\n}})();\n")
        for name in sorted(wanted[module.name]):
            if name not in module.given:
                raise NotBundled(f"{module.name} has no {name}, which is imported from it.")
            if name in exported:
                raise NotBundled(f"{name} stands in {exported[name]} and in {module.name}.")
            exported[name] = module.name
            lines.append(f"export const {{ {name} }} = {variables[module.name]};\n")
    return "".join(lines)
