"""The kinds of field that a protocol's steps are made of, one class in one file each.

Pure: no Django here. A kind declares everything that the house asks of an answer (see ``Field``);
nobody else asks of a field which kind it is. Its template is
``templates/judging/kinds/<kind>.html`` and its script, where it has one,
``static/js/judging/kinds/<kind>.js``.
"""

from annotation.protocols.kinds.bracketed import Bracket, BracketedScale
from annotation.protocols.kinds.choice import Choice
from annotation.protocols.kinds.choices import Choices
from annotation.protocols.kinds.edit_rules import Operation, OperationGroup
from annotation.protocols.kinds.edits import Edits
from annotation.protocols.kinds.field import Evidence, Field, ShapeError, When, as_int, shape_error
from annotation.protocols.kinds.flag import Flag
from annotation.protocols.kinds.former import Former
from annotation.protocols.kinds.keyword import Keyword
from annotation.protocols.kinds.marks import SPAN_NAMES, Marks
from annotation.protocols.kinds.refusals import Refusals
from annotation.protocols.kinds.scale import Scale
from annotation.protocols.kinds.slider import Slider
from annotation.protocols.kinds.text import Text
from annotation.protocols.kinds.whole import Whole

KINDS: dict[str, type[Field]] = {
    cls.kind: cls
    for cls in (
        Choice,
        Choices,
        Scale,
        Slider,
        BracketedScale,
        Marks,
        Edits,
        Refusals,
        Text,
        Flag,
        Keyword,
        Whole,
    )
}
"""Every kind by its name."""

__all__ = [
    "KINDS",
    "SPAN_NAMES",
    "Bracket",
    "BracketedScale",
    "Choice",
    "Choices",
    "Edits",
    "Evidence",
    "Field",
    "Flag",
    "Former",
    "Keyword",
    "Marks",
    "Operation",
    "OperationGroup",
    "Refusals",
    "Scale",
    "ShapeError",
    "Slider",
    "Text",
    "When",
    "Whole",
    "as_int",
    "shape_error",
]
