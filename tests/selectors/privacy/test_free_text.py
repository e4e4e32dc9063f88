"""Every column in which text can stand is declared: as free, to be edited, read by the program, or
of one person."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db.models import (
    CharField,
    Field,
    FileField,
    GenericIPAddressField,
    JSONField,
    TextField,
)

from annotation.selectors.privacy.free_text import (
    FREE_TEXT,
    OWN,
    READ,
    TO_EDIT,
    answer_members,
    at,
    leaves,
    put,
)

# Tables of other packages: no words that people type about each other, but in the log of failed
# log-ins (which goes by address and expires) and the name that somebody gives their own device.
FOREIGN = {"auth", "contenttypes", "sessions", "axes", "otp_static", "otp_totp"}


def columns() -> set[str]:
    kinds = (CharField, TextField, JSONField, FileField, GenericIPAddressField)
    return {
        f"{model._meta.model_name}.{field.name}"
        for model in apps.get_app_config("annotation").get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, kinds)
    }


def declared() -> list[str]:
    listed = [
        f"{model}.{name}"
        for table in (READ, OWN)
        for model, names in table.items()
        for name in names.split()
    ]
    return [*FREE_TEXT, *TO_EDIT, *listed]


def test_every_text_column_is_declared_once() -> None:
    """A new column is either words that an erasure takes names out of, or it is not: say which."""
    names = declared()
    assert len(names) == len(set(names))
    assert set(names) == columns()


def test_no_other_package_has_brought_tables() -> None:
    assert {
        config.label for config in apps.get_app_configs() if list(config.get_models())
    } == FOREIGN | {"annotation"}


def test_nothing_that_the_database_compares_is_free() -> None:
    """A state, a key or a digest in the list of free texts would be rewritten with a name."""
    for column in [*FREE_TEXT, *TO_EDIT]:
        model, _dot, name = column.partition(".")
        field = apps.get_model("annotation", model)._meta.get_field(name)
        assert isinstance(field, Field)
        assert not field.choices, column
        assert not field.unique, column
        assert not field.remote_field, column


@pytest.mark.django_db  # protocols that are no longer installed stand there
def test_free_texts_within_json() -> None:
    answers = {
        "comment": "a",
        "bracket": 3,
        "errors": [{"type": "omission", "note": "b"}, {"type": "x", "note": None}],
    }
    texts = dict(leaves(answers, answer_members()))
    assert texts == {("comment",): "a", ("errors", "0", "note"): "b"}
    changed = put(answers, ("errors", "0", "note"), "c")
    assert at(changed, ("errors", "0", "note")) == "c"
    assert at(answers, ("errors", "0", "note")) == "b"
    assert at(answers, ("errors", "7", "note")) is None
    assert list(leaves({"a": {"reason": "x"}, "b": ["y"]}, (("*", "reason"),))) == [
        (("a", "reason"), "x")
    ]
    assert list(leaves(None, ())) == []
    assert [text for _way, text in leaves({"a": ["x", {"b": "y"}]}, (("**",),))] == ["x", "y"]
