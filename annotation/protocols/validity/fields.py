"""What a field says of itself: its name and kind, its parameters and options, what it is rated on
and where its answer is kept. Each is said of the field, whose name stands before it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.protocols.base import Parts, Wording
from annotation.protocols.fault_words import quoted
from annotation.protocols.kinds import KINDS, BracketedScale, Field, Slider, Whole
from annotation.protocols.protocol import Protocol
from annotation.protocols.validity.brackets import bracket_faults
from annotation.protocols.validity.naming import FORTY, NAME, is_choiceless, is_unsaid
from annotation.protocols.validity.options import option_faults
from annotation.protocols.validity.parameters import parameter_faults

LONGEST_DIMENSION = 60
MOST_WHOLES = 1000
OF_FORMS = frozenset(
    ("action", "key", "base_revision", "csrfmiddlewaretoken", "user", "answers", "seconds")
)
"""What the page's own controls are called."""
SMALLEST, LARGEST = -32768, 32767
"""What the database's column of a rating's value holds."""


def field_faults(protocol: Protocol, f: Field) -> Iterator[Wording]:
    """What is wrong with a field, whatever others there are; brackets look at those they name."""
    if not NAME.fullmatch(f.name):
        yield Wording(f"n'a pas un nom permis\u00a0: {FORTY.fr}", f"is no name: {FORTY.en}")
    if f.name in OF_FORMS:
        yield Wording(
            "s'appelle comme une commande de la page elle-même\u00a0: appelez-le autrement",
            "is called as a control of the page itself: call it otherwise",
        )
    if KINDS.get(f.kind) is not type(f):
        name = type(f).__name__
        yield Wording(
            f"est d'un type que protocols/kinds ne connaît pas ({name})",
            f"is of a kind that protocols/kinds does not know ({name})",
        )
    if not (f.label.fr.strip() or f.label.en.strip()):
        yield Wording(
            "n'a pas de libellé\u00a0: donnez-lui-en un, en français et en anglais",
            "has no label: give it one in French and in English",
        )
    if is_choiceless(f):
        yield Wording("n'a rien à choisir", "has nothing to choose from")
        return
    yield from parameter_faults(f)
    yield from option_faults(f)
    if scale := list(_measure_faults(f)):
        yield from scale
        return
    if isinstance(f, BracketedScale):
        yield from bracket_faults(protocol, f)
    yield from _dimension_faults(f)
    yield from _home_faults(f)


def _measure_faults(f: Field) -> Iterator[Wording]:
    for lowest, highest in _bounds(f):
        if lowest >= highest:
            yield Wording(
                f"n'a pas d'échelle\u00a0: sa plus petite valeur, {lowest}, n'est pas sous la plus "
                f"grande, {highest}",
                f"has no scale: its lowest value {lowest} is not below its highest, {highest}",
            )
    if isinstance(f, Slider) and (f.step < 1 or (f.highest - f.lowest) % f.step):
        yield Wording(
            f"a un pas de {f.step}, par lequel sa plus grande valeur ne s'atteint pas",
            f"has a step of {f.step}, by which its highest value cannot be reached",
        )
    if isinstance(f, Whole) and f.highest - f.lowest > MOST_WHOLES:
        yield Wording(
            f"compte plus de {MOST_WHOLES} valeurs\u00a0: demandez-le par un slider",
            f"counts to more than {MOST_WHOLES} values: ask it as a slider",
        )


def _bounds(f: Field) -> Iterator[tuple[int, int]]:
    if hasattr(f, "lowest") and hasattr(f, "highest"):
        yield f.lowest, f.highest


def _dimension_faults(f: Field) -> Iterator[Wording]:
    # Whatever has these words says itself that it lacks them.
    spoken = (f.label, *(option.label for option in getattr(f, "options", ())))
    for dimension in f.dimensions:
        name = dimension.name
        if not name or len(name) > LONGEST_DIMENSION:
            yield Wording(
                f"a une dimension dont le nom {quoted(name)} n'a pas de lettres ou en a trop",
                f"has a dimension whose name {name!r} has no or too many letters",
            )
        if dimension.lowest < SMALLEST or dimension.highest > LARGEST:
            yield Wording(
                f"évalue {quoted(name)} hors de {SMALLEST}…{LARGEST}",
                f"rates {name!r} outside of {SMALLEST}…{LARGEST}",
            )
        if is_unsaid(dimension.label) and dimension.label not in spoken:
            yield Wording(
                f"a une dimension sans libellé en français, {quoted(name)}",
                f"has a dimension without a French label, {name!r}",
            )


def _home_faults(f: Field) -> Iterator[Wording]:
    """An answer without a home is an error at start, never a silence."""
    if type(f).store is Field.store:
        yield Wording(
            "ne dit pas où sa réponse est enregistrée", "does not say where its answer is stored"
        )
    try:
        restored = f.restore(Parts())
    except NotImplementedError as error:
        yield _unsaid(error)
        return
    if not f.stored_with and f.name not in restored:
        yield Wording(
            "ne retrouve pas sa propre réponse dans ce qui est enregistré",
            "does not give its own answer back from what is stored",
        )
    for ask in (f.schema, f.model_schema, f.export):
        try:
            ask()
        except NotImplementedError as error:
            yield _unsaid(error)


def _unsaid(error: NotImplementedError) -> Wording:
    """For whoever wrote the kind, who reads English in its code as well."""
    return Wording(f"ne dit pas tout\u00a0: {error}", str(error))
