"""INCEpTION (and WebAnno before it): a document with what one person annotated in it, as UIMA CAS
JSON; WebAnno TSV 3 and UIMA CAS XMI are brought into the same shape (``webanno_tsv``, ``xmi``).

Read from the project's own test data: ``inception-io-webanno-tsv/src/test/resources/tsv3-suite`` of
inception-project/inception, ``tests/test_files/json`` of dkpro/dkpro-cassis, and the layout of a
project's archive from ``AnnotationDocumentExporter``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.corpus.peers.peer import ANNOTATOR, FILE, Peer, PeerRecord, single, span
from annotation.corpus.problems import HALF_CHARACTER
from annotation.protocols.base import Wording

STRUCTURES, TYPE, SOFA = "%FEATURE_STRUCTURES", "%TYPE", "@sofa"
TYPES, RANGE, ID = "%TYPES", "%RANGE", "%ID"
DOCUMENT = "_document"
"""Under this name an object says what its document is called, where an archive does."""
SOFA_TYPE = "uima.cas.Sofa"
_CUSTOM = "webanno.custom."
# What a machine or INCEpTION itself writes: words, sentences, tags, who opened the file.
_NOT_LAYERS = ("uima.", "de.tudarmstadt.ukp.")
_NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_CAS_METADATA = "de.tudarmstadt.ukp.clarin.webanno.api.type.CASMetadata"
_DOCUMENT_METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
_PLACES = ("begin", "end")
_OF_RELATIONS = frozenset(("Governor", "Dependent", "@Governor", "@Dependent"))
_PRIMITIVE = "uima.cas."
_NO_FEATURES = frozenset(("uima.cas.TOP", "uima.cas.AnnotationBase", "uima.cas.FSArray"))
_TEXT = "text"
_MARKED = ("%", "@", "^", "#")
_LONGEST = 90


def knows(record: PeerRecord) -> bool:
    return isinstance(record.get(STRUCTURES), list)


def rows(record: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """One; None of a document in which nobody has annotated anything."""
    cas = _Cas(record)
    answers = cas.answers()
    if not answers:
        yield None
        return
    yield {
        "id": record.get(DOCUMENT) or cas.said(_CAS_METADATA, "sourceDocumentName") or cas.name(),
        _TEXT: cas.text,
        **answers,
        ANNOTATOR: (DOCUMENT in record and record.get(FILE)) or cas.said(_CAS_METADATA, "username"),
    }


def item(record: PeerRecord) -> str:
    """By what a pair of the archive's own table is known: its document's name."""
    return str(record.get("id", ""))


def joined(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its pair: passages of the document are of that text which is the document's."""
    same = [
        name
        for name, value in row.items()
        if name != _TEXT and isinstance(value, str) and value.split() == row[_TEXT].split()
    ]
    if len(same) != 1:
        return row
    return {name: _named(value, same[0]) for name, value in row.items()}


def _named(value: Any, name: str) -> Any:
    if not isinstance(value, list):
        return value
    return [
        {**passage, "in": name} if isinstance(passage, Mapping) else passage for passage in value
    ]


class _Cas:
    """What stands in a CAS of its first text."""

    def __init__(self, record: PeerRecord) -> None:
        self.structures = [
            structure for structure in record[STRUCTURES] if isinstance(structure, Mapping)
        ]
        sofas = [
            structure
            for structure in self.structures
            if structure.get(TYPE) == SOFA_TYPE and isinstance(structure.get("sofaString"), str)
        ]
        self.sofa: Mapping[str, Any] = sofas[0] if sofas else {}
        self.text = str(self.sofa.get("sofaString", ""))
        self.declared = _declared(record.get(TYPES))
        self.points = _points(self.text)

    def said(self, kind: str, name: str) -> str:
        """What the first structure of a type says under a name."""
        values = (
            structure.get(name) for structure in self.structures if structure.get(TYPE) == kind
        )
        return next((text for text in values if isinstance(text, str)), "")

    def name(self) -> str:
        """What the document says that it is called."""
        return self.said(_DOCUMENT_METADATA, "documentId") or self.said(
            _DOCUMENT_METADATA, "documentTitle"
        )

    def answers(self) -> dict[str, Any]:
        """By layer and feature: passages with what the feature says of them, and what is said of
        the document as a whole."""
        layers: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for structure in self.structures:
            if (
                _is_layer(structure.get(TYPE))
                and self._is_here(structure)
                and not _OF_RELATIONS & structure.keys()
            ):
                layers[structure[TYPE]].append(structure)
        answers: dict[str, Any] = {}
        for kind, structures in layers.items():
            passages = [
                structure for structure in structures if all(name in structure for name in _PLACES)
            ]
            of_document = [
                structure
                for structure in structures
                if not any(name in structure for name in _PLACES)
            ]
            features = {name: None for structure in structures for name in _features(structure)}
            answers |= self._marked(kind, passages, [*self.declared.get(kind, ()), *features])
            for name in features:
                if said := [structure[name] for structure in of_document if name in structure]:
                    answers[_column(kind, name)] = single(said)
        return answers

    def _is_here(self, structure: Mapping[str, Any]) -> bool:
        """Of the text, or of no text by itself (a structure that others point to)."""
        return SOFA in structure and structure[SOFA] == self.sofa.get(ID)

    def _marked(
        self, kind: str, passages: list[Mapping[str, Any]], features: list[str]
    ) -> dict[str, Any]:
        """A passage is said under each feature of its layer, also where it has no value there."""
        if not passages:
            return {}
        return {
            _column(kind, name): [self._span(passage, name) for passage in passages]
            for name in dict.fromkeys(features) or [""]
        }

    def _span(self, passage: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Offsets count in units of UTF-16, as Java does; ours in characters."""
        start, end = (self._point(passage[place]) for place in _PLACES)
        quote = self.text[start:end] if isinstance(start, int) and isinstance(end, int) else None
        label = passage.get(name, "") if name else ""
        return span(str(label), start, end, within=_TEXT, quote=quote)

    def _point(self, offset: Any) -> Any:
        is_number = isinstance(offset, int) and not isinstance(offset, bool)
        return self.points[offset] if is_number and 0 <= offset < len(self.points) else None


def _is_layer(kind: Any) -> bool:
    """Whether people annotate in structures of this type."""
    if not isinstance(kind, str) or not _is_name(kind):
        return False
    return kind == _NAMED_ENTITY or not kind.startswith(_NOT_LAYERS)


def _is_name(name: str) -> bool:
    """Whether this can name a column; no layer and no feature is called otherwise."""
    return 0 < len(name) <= _LONGEST and HALF_CHARACTER.search(name) is None


def _features(structure: Mapping[str, Any]) -> Iterator[str]:
    """The features of a structure that hold a value themselves."""
    for name, value in structure.items():
        own = _is_name(name) and name[:1] not in _MARKED and name not in _PLACES
        if own and isinstance(value, str | int | float):
            yield name


def _declared(types: Any) -> dict[str, list[str]]:
    """By type, the features that a file says to hold a value themselves."""
    if not isinstance(types, Mapping):
        return {}
    return {
        kind: [
            name
            for name, feature in features.items()
            if isinstance(feature, Mapping) and _is_name(name) and _is_primitive(feature.get(RANGE))
        ]
        for kind, features in types.items()
        if isinstance(features, Mapping)
    }


def _is_primitive(kind: Any) -> bool:
    return (
        isinstance(kind, str)
        and kind.startswith(_PRIMITIVE)
        and kind not in _NO_FEATURES
        and not kind.endswith(("Array", "List", "[]"))
    )


def _column(kind: str, name: str) -> str:
    layer = kind.removeprefix(_CUSTOM)
    return f"{layer}.{name}" if name else layer


def _points(text: str) -> list[int]:
    """By offset in units of UTF-16, the offset in characters; half a character is its beginning."""
    points = [0]
    for place, character in enumerate(text, start=1):
        if character > "\uffff":
            points.append(place - 1)
        points.append(place)
    return points


PEER = Peer(
    "inception",
    "INCEpTION",
    knows,
    rows,
    item=item,
    joined=joined,
    beside=Wording(
        "Un document d'INCEpTION n'a qu'un texte : mettez une table (id, le nom du document, "
        "original, simplification, system) dans une même archive .zip que les annotations.",
        "A document of INCEpTION has one text: put a table (id, the document's name, original, "
        "simplification, system) into one .zip archive with the annotations.",
    ),
)
