"""Rows that go into PostgreSQL by COPY are those that models would have stored."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, cast

import pytest
from django.apps.registry import Apps
from django.core import serializers
from django.db import connection, models
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.backup import copying, portable
from annotation.models import Event

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=40)
# What COPY itself gives a meaning.
MEANT = ["\\N", "\\.", "\\", "\t", "\r\n", "a\\tb", "\\x41", "", "N", "«é»\u2028"]
FAR = 10**9


def copied(row: models.Model) -> models.Model:
    """The same row once more under another number, from its line and by COPY."""
    model = type(row)
    text = serializers.serialize("jsonl", [row], cls=portable._Exact)
    line = json.loads(text) | {"pk": cast(int, row.pk) + FAR}
    with connection.cursor() as cursor:
        copying.copy(cursor, model, [line])
    return model._base_manager.get(pk=line["pk"])


def values(row: models.Model) -> dict[str, Any]:
    fields = row._meta.concrete_fields
    return {field.name: getattr(row, field.attname) for field in fields if not field.primary_key}


def same(target: str, held: object) -> None:
    event = Event.objects.create(verb="x", target_id=target, details={"of": held, target: 1.5})
    event.refresh_from_db()
    assert values(copied(event)) == values(event)


class TestAnyText(TestCase):
    @given(target=TEXTS, held=st.recursive(TEXTS | st.none() | st.booleans(), st.lists))
    def test_texts_and_json(self, target: str, held: Any) -> None:
        same(target, held)


@pytest.mark.parametrize("text", MEANT)
def test_what_copy_gives_a_meaning(text: str) -> None:
    same(text, text)


class Every(models.Model):  # noqa: DJ008  (nobody prints it)
    """A field of each kind that events have not."""

    flag = models.BooleanField(null=True)
    held = models.BinaryField()
    share = models.FloatField()
    price = models.DecimalField(max_digits=12, decimal_places=6)
    day = models.DateField()
    at = models.DateTimeField()
    key = models.UUIDField()
    address = models.GenericIPAddressField()
    long = models.GeneratedField(
        expression=models.F("share") * 2, output_field=models.FloatField(), db_persist=True
    )

    class Meta:
        app_label = "annotation"
        apps = Apps()


@pytest.mark.parametrize("flag", [True, False, None])
@pytest.mark.parametrize("share", [0.1, -1e300, float("inf")])
def test_every_kind(flag: bool | None, share: float) -> None:
    with connection.schema_editor() as editor:
        editor.create_model(Every)
    row = Every(
        flag=flag,
        held=bytes(range(256)),
        share=share,
        price=Decimal("12.345678"),
        day="2026-02-28",
        at=timezone.now(),
        key="00000000-0000-4000-8000-00000000000a",
        address="2001:db8::1",
    )
    row.save()
    row.refresh_from_db()
    here, there = values(copied(row)), values(row)
    assert bytes(here.pop("held")) == bytes(there.pop("held"))
    assert here == there


def test_every_table_but_those_with_lists_of_others_goes_so() -> None:
    through_models = {model.__name__ for model in portable._models() if not copying.suits(model)}
    assert through_models == {"User", "Group"}


class _Odd(models.TextField):
    """Reads and writes as it likes."""


class Odd(models.Model):  # noqa: DJ008  (nobody prints it)
    text = _Odd()

    class Meta:
        app_label = "annotation"
        apps = Apps()


def test_a_field_that_is_not_djangos_own_goes_through_models() -> None:
    assert not copying.suits(Odd)
    with connection.cursor() as cursor, pytest.raises(TypeError, match="Odd has fields"):
        copying.copy(cursor, Odd, [])
