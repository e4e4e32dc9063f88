"""UIMA CAS XMI, as INCEpTION writes it, brought into the shape of CAS JSON: an element is a
structure, its attributes are features.

Without its type system, which stands in another file, nothing tells a reference from a number: an
attribute stays what is written. Entities, which XML could name files and grow by, are refused.
"""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from annotation.corpus.peers.inception import ID, SOFA, SOFA_TYPE, STRUCTURES, TYPE
from annotation.corpus.problems import TableError
from annotation.protocols.base import Wording

MOST_ELEMENTS = 500_000
NAMESPACE = "http://www.omg.org/XMI"
_UIMA, _ECORE = "http:///", ".ecore"
_NO_PACKAGE = "noNamespace"
_NUMBERS = ("begin", "end")
_DIGITS = 9


class _Refused(Exception):
    """What the file asks for is not done."""


def read_xmi(content: bytes) -> dict[str, Any]:
    """The document of a file. Raises ``TableError`` for what is no such file."""
    structures: list[dict[str, Any]] = []
    deep = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal deep
        deep += 1
        if deep == 1 and name != f"{NAMESPACE} XMI":
            raise _Refused
        if deep == 2:
            if len(structures) >= MOST_ELEMENTS:
                raise _Refused
            structures.append(_structure(name, attributes))

    def end(_name: str) -> None:
        nonlocal deep
        deep -= 1

    def doctype(*_declaration: Any) -> None:
        raise _Refused

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise _refused(error.lineno) from error
    except (_Refused, LookupError, ValueError) as error:
        raise _refused(parser.CurrentLineNumber) from error
    if not any(structure[TYPE] == SOFA_TYPE for structure in structures):
        raise _refused(1)
    return {STRUCTURES: structures}


def _structure(name: str, attributes: dict[str, str]) -> dict[str, Any]:
    structure: dict[str, Any] = {TYPE: _kind(name)}
    for attribute, value in attributes.items():
        if attribute == f"{NAMESPACE} id":
            structure[ID] = value
        elif attribute == "sofa":
            structure[SOFA] = value
        elif " " not in attribute:
            is_number = attribute in _NUMBERS and value.isascii() and value.isdecimal()
            structure[attribute] = int(value) if is_number and len(value) <= _DIGITS else value
    return structure


def _kind(name: str) -> str:
    """A type's name: "http:///webanno/custom.ecore Span" is webanno.custom.Span."""
    space, _, local = name.rpartition(" ")
    package = space.removeprefix(_UIMA).removesuffix(_ECORE).replace("/", ".")
    return local if package in ("", _NO_PACKAGE) else f"{package}.{local}"


def _refused(row: int) -> TableError:
    return TableError(
        "not_xmi",
        Wording(
            "Ce n'est pas un export UIMA CAS XMI, ou il est abîmé.",
            "This is no export in UIMA CAS XMI, or it is damaged.",
        ),
        Wording(
            "Exportez-le de nouveau d'INCEpTION, en UIMA CAS JSON, en XMI 1.0 ou en WebAnno TSV "
            "3.3.",
            "Export it from INCEpTION again, as UIMA CAS JSON, XMI 1.0 or WebAnno TSV 3.3.",
        ),
        row=row,
    )
