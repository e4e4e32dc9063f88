"""What the form of a protocol calls what a file names in one word."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

KIND_NAMES: dict[str, Promise] = {
    "choice": _("one of several options"),
    "scale": _("one of several levels"),
    "choices": _("any number of options"),
    "slider": _("a number on a line"),
    "bracketed": _("a bracket, less what errors cost"),
    "marks": _("marks on the texts"),
    "edits": _("edits marked on both texts"),
    "refusals": _("suggestions that were refused"),
    "text": _("a text"),
    "flag": _("a box to tick"),
    "keyword": _("one of a few words"),
    "whole": _("a whole number"),
}
"""Each kind of question, by its name in a file."""

LABELS: dict[str, Promise] = {
    "key": _("Key"),
    "version": _("Version"),
    "title": _("Title"),
    "steps": _("Steps"),
    "panels": _("The texts"),
    "predicted": _("What a scorer learns"),
    "question": _("Question"),
    "fields": _("What is answered there"),
    "sides": _("Texts beside it"),
    "side": _("Text"),
    "heading": _("Heading"),
    "language": _("Language"),
    "name": _("Name"),
    "label": _("Label"),
    "help": _("Explanation"),
    "stored_with": _("Qualifies the answer to"),
    "required": _("An answer is required"),
    "shown_when": _("Asked only where"),
    "required_when": _("Required where"),
    "options": _("Options"),
    "level": _("What the values are"),
    "better": _("Which end is better"),
    "none": _("Words for “none of these”"),
    "lowest": _("Lowest value"),
    "highest": _("Highest value"),
    "step": _("Distance of two values"),
    "low": _("Words at the low end"),
    "high": _("Words at the high end"),
    "brackets": _("Brackets"),
    "bottom": _("From"),
    "top": _("To"),
    "short": _("In short"),
    "dimension_name": _("Name in exports"),
    "deducts": _("Which marks cost a point"),
    "deductions_name": _("Name of the points that were taken off"),
    "crossing": _("Question that answers a crossing"),
    "moved_from": _("Question that keeps the former bracket"),
    "policy_ruling": _("Ruling on crossings"),
    "types": _("Types of mark"),
    "max_errors": _("Marks at most"),
    "max_note": _("Characters of a note at most"),
    "span_ruling": _("Ruling on passages"),
    "are_errors": _("They are errors"),
    "operations": _("Operations"),
    "severities": _("Degrees of severity"),
    "notes": _("Each can have a note"),
    "max_edits": _("Edits at most"),
    "suggests_ruling": _("Ruling on suggestions"),
    "refused": _("Question that keeps refused suggestions"),
    "max_length": _("Characters at most"),
    "is_remark": _("It is a remark to the leads"),
    "is_doubt": _("It says that the annotator is not sure"),
    "confirms": _("Which choice it confirms"),
    "allowed": _("Words"),
    "words": _("What each word says to people"),
    "asks": _("Said where the answer is missing"),
    "helps": _("Heading of what the answers mean"),
    "value": _("Value"),
    "example": _("Example"),
    "rulings": _("What each study decides"),
    "default": _("Unless a study decides otherwise"),
    "controls": _("What control pairs must get"),
    "identical": _("A pair of identical texts"),
    "unrelated": _("A pair of unrelated texts"),
    "dimension": _("What is rated"),
    "judge": _("What a model that judges is told"),
    "prompt": _("Before the questions"),
    "about": _("What published data say of it"),
    "source": _("How it is cited"),
    "summary": _("Summary"),
    "score": _("What a value means"),
    "limits": _("What readers of the data should know"),
    "sentence": _("A sentence"),
    "domain": _("Kind of texts"),
    "strictly": _("Counted beside it, in a narrower range"),
    "quality": _("Kind of quality, by questions 4.1.1 and 4.1.2 of HEDS"),
    "classified": _("Classes whose pairs leads can look at alone"),
    "imported": _("What a judgment from a file must have"),
    "layouts": _("Published layouts that exports have as well"),
}
"""Each member of the classes that a form has, by its name in a file."""

LABELS_OF_DATA: dict[str, Promise] = {
    "notes": _("What leads should know where they read agreement"),
}
"""Likewise, of what published data say."""

PAIR_LABELS = (_("Word"), _("What it means"))
"""Both parts of an option of a ruling."""

ADDING: dict[str, Promise] = {
    "steps": _("Add a step"),
    "fields": _("Add it"),
    "options": _("Add an option"),
    "types": _("Add a type of mark"),
    "severities": _("Add a degree"),
    "brackets": _("Add a bracket"),
    "groups": _("Add a group of operations"),
    "operations": _("Add an operation"),
    "rulings": _("Add a ruling"),
    "ruled": _("Add a word to choose"),
    "words": _("Add what the next word says"),
    "identical": _("Add what it must get"),
    "unrelated": _("Add what it must get"),
    "limits": _("Add a sentence"),
}
"""What the buttons say that add a row, by the name of the list."""

ABOUT: dict[str, Promise] = {
    "key": _("Small letters, digits and “_”; it never changes once the protocol is installed."),
    "version": _("Like “1” or “2.1”; what you change once it is installed is another version."),
    "name": _("As exports call the answer: small letters, digits and “_”."),
    "predicted": _("Something whose values have an order."),
    "prompt": _("In French; empty for the words that come with Barème."),
    "domain": _("An adjective, as in “legal texts”; empty where it is for any."),
    "language": _("A code like “fr” or “en”; empty where texts of any may come."),
    "allowed": _("Separated by commas."),
    "words": _("In the order of the words; one without says itself."),
    "crossing": _("A question with the words kept and moved; nothing, to ask nobody."),
    "moved_from": _("A question for a whole number; nothing, to ask nobody."),
    "stored_with": _("Nothing, where it is an answer of its own."),
    "deducts": _("A question that marks the texts."),
    "imported": _(
        "Names of what is rated, one a line; of several in a line, separated by commas, one will "
        "do. Empty: whatever is asked of every pair."
    ),
}

ABOUT_RULINGS: dict[str, Promise] = {
    "name": _("As questions name it above: small letters, digits and “_”."),
    "options": _("None where it is a matter of yes or no."),
}
"""Likewise, of rulings."""

VALUES: dict[str, Promise] = {
    "original": _("Original"),
    "simplification": _("Simplification"),
    "nominal": _("classes without an order"),
    "ordinal": _("levels in an order"),
    "interval": _("numbers at equal distances"),
    "higher": _("higher is better"),
    "lower": _("lower is better"),
    "neither": _("neither end is better"),
}
"""Words that a file chooses among."""

QUALITY_NAMES: dict[str, Promise] = {
    "correctness": _("correctness"),
    "goodness": _("goodness"),
    "feature": _("a feature"),
    "form": _("its form"),
    "content": _("its content"),
    "both": _("both its form and its content"),
}
"""The words of HEDS's questions 4.1.1 and 4.1.2."""
