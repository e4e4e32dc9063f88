"""How PostgreSQL's tables are emptied between tests that commit."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from annotation.models import Study
from tests.factories import make_pair, make_study


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("begins_anew", [False, True])
def test_nothing_is_left_and_keys_are_checked_again(begins_anew: bool):
    make_pair(make_study("one"))
    call_command(
        "flush",
        verbosity=0,
        interactive=False,
        reset_sequences=begins_anew,
        inhibit_post_migrate=True,
    )
    assert [model for model in apps.get_models() if model._base_manager.exists()] == []
    with connection.cursor() as cursor:
        cursor.execute("SHOW session_replication_role")
        assert cursor.fetchone() == ("origin",)
    assert (make_study("two").pk == 1) is begins_anew
    assert Study.objects.count() == 1
