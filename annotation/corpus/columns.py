"""Which column holds what, guessed from the names that people give to columns in French and
English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from annotation.protocols.base import Wording

FIELDS: dict[str, Wording] = {
    "original": Wording("Original", "Original"),
    "simplification": Wording("Simplification", "Simplification"),
    "id": Wording("Identifiant de la clause", "Identifier of the clause"),
    "system": Wording("Système", "System"),
    "source": Wording("Document source", "Source document"),
    "context_before": Wording("Contexte avant", "Context before"),
    "context_after": Wording("Contexte après", "Context after"),
    "structure": Wording("Structure marquée dans l'original", "Structure marked in the original"),
}
REQUIRED = ("original",)
"""Without a column of simplifications a file holds passages only, for a model to simplify."""
NEVER_EMPTY = ("original", "simplification")
"""Where there is such a column, each of its cells holds something."""

_NAMES: dict[str, str] = {
    "original": "original, originale, originaux, texte original, original text, original sentence, "
    "phrase originale, clause originale, original clause, texte de depart, orig, complex, "
    "complexe, complex sentence, phrase complexe, texte complexe, source text, source sentence, "
    "texte source, phrase source, version originale, original version, texte, text, clause, "
    "passage, input, entree, paragraphe",
    "simplification": "simplification, simplifications, simplifie, simplifiee, simplified, texte "
    "simplifie, simplified text, phrase simplifiee, clause simplifiee, simplified sentence, "
    "simplified clause, simple, simp, simple sentence, phrase simple, texte genere, generated "
    "text, version simplifiee, simplified version, version simple, generation, "
    "sortie, output, target, cible, hypothese, hypothesis, prediction, "
    "reecriture",
    "id": "id, identifiant, identifier, key, cle, item, item id, item key, clause id, id clause, "
    "numero, number, no, segment id, source id, original id, id original",
    "system": "system, systeme, system name, nom du systeme, model, modele, model name, "
    "simplifier, generator, generateur, auteur, author",
    "source": "source, document, document source, source document, doc, fichier, file, provenance, "
    "origine, origin, contrat, contract, police, policy",
    "context_before": "context before, contexte avant, avant, before, previous, precedent, left "
    "context, contexte gauche, contexte precedent, preceding context",
    "context_after": "context after, contexte apres, apres, after, next, suivant, right context, "
    "contexte droit, contexte suivant, following context",
    "structure": "structure, structure labels, etiquettes de structure, argumentative structure, "
    "structure argumentative",
}
_LONGEST = 100
_FIELD_OF = {name: field for field, names in _NAMES.items() for name in names.split(", ")}


def plain(name: str) -> str:
    """A column's name as it is compared: without case, accents and punctuation."""
    # Longer is no name, and a thousand accents on one letter would take a second each.
    decomposed = unicodedata.normalize("NFKD", name[:_LONGEST].casefold())
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(re.findall(r"[a-z0-9]+", letters))


def field_of(name: str) -> str:
    """The field that a column of this name most likely holds, or ""."""
    return _FIELD_OF.get(plain(name), "")


def known_names(names: Sequence[str]) -> int:
    """How many different fields these names speak of: what a header row looks like."""
    return len({field_of(name) for name in names} - {""})


def guess_mapping(names: Sequence[str]) -> dict[str, int]:
    """Columns by field. A name that is a field's own wins over a looser one, then the first
    column."""
    mapping: dict[str, int] = {}
    exact: set[str] = set()
    for index, name in enumerate(names):
        field = field_of(name)
        is_exact = plain(name) == plain(field)
        if field and (field not in mapping or (is_exact and field not in exact)):
            mapping[field] = index
            if is_exact:
                exact.add(field)
    if "original" not in mapping and "simplification" in mapping and "source" in mapping:
        # «source» beside «target» or «simplified» is the text, not the document that it comes from.
        mapping["original"] = mapping.pop("source")
    return dict(sorted(mapping.items(), key=lambda pair: list(FIELDS).index(pair[0])))
