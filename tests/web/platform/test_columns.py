"""Columns that each reader keeps for themselves, without a script."""

from __future__ import annotations

import re

import pytest

from annotation.models import Assignment, GuideVersion
from annotation.services.accounts.accounts import table_choose
from annotation.web.platform.columns import TABLES, columns_of
from tests.bulk import judge_assignments
from tests.factories import kept_anew, make_user

pytestmark = pytest.mark.django_db


def heads(page: str) -> list[str]:
    head = page[page.index("<thead>") : page.index("</thead>")]
    return [cell.strip() for cell in re.findall(r"<th\b[^>]*>(.*?)</th>", head, re.DOTALL)]


def test_what_is_shown_at_first():
    assert columns_of(make_user(), "items").shown == {
        *("original", "round", "simplifications", "judgments")
    }


def test_a_choice_is_kept_for_that_reader_and_that_table(cast):
    lead, admin = cast.client("lead"), cast.client("admin")
    answer = lead.post(
        "/account/columns/items/",
        {"column": ["source", "characters", "nonsense"], "next": "/studies/alpha/items/?q=Item"},
    )
    assert (answer.status_code, answer.url) == (303, "/studies/alpha/items/?q=Item")
    cast.lead.refresh_from_db()
    assert cast.lead.tables == {
        "items": {column.key: column.key in ("source", "characters") for column in TABLES["items"]}
    }
    shown = heads(lead.get("/studies/alpha/items/").content.decode())
    assert shown[1:] == ["Clé", "Source", "Caractères"], "beside the boxes to tick"
    assert "Jugements" in heads(admin.get("/studies/alpha/items/").content.decode())
    assert "Pseudonyme" in lead.get("/studies/alpha/people/").content.decode()


@pytest.mark.parametrize("path", ["people", "items"])
def test_every_column_has_its_cells(cast, path):
    cast.lead.tables = {path: {column.key: True for column in TABLES[path]}}
    cast.lead.save()
    page = cast.client("lead").get(f"/studies/alpha/{path}/").content.decode()
    row = page[page.index("<tbody>") :]
    row = row[: row.index("</tr>")]
    assert row.count("</td>") + row.count("</th>") == len(heads(page))


def test_parts_of_remarks_are_left_out(cast):
    guide = GuideVersion.objects.create(study=cast.alpha, number=1, body_fr="Guide")
    judge_assignments(list(Assignment.objects.filter(annotator=cast.judge)), guide)
    kept_anew()
    lead = cast.client("lead")
    assert "Les deux textes" in _entries(lead)
    table_choose(user=cast.lead, table="remarks", columns=dict.fromkeys(("texts", "date"), False))
    assert "Les deux textes" not in _entries(lead)


def _entries(lead) -> str:
    page = lead.get("/studies/alpha/remarks/").content.decode()
    return page[page.index("<article") : page.rindex("</article>")]


def test_two_tables_chosen_at_once_are_both_kept():
    user = make_user()
    stale = type(user).objects.get(pk=user.pk)
    table_choose(user=user, table="items", columns={"round": False})
    table_choose(user=stale, table="people", columns={"state": False})
    user.refresh_from_db()
    assert user.tables == {"items": {"round": False}, "people": {"state": False}}


def test_a_table_that_there_is_not(cast):
    assert cast.client("lead").post("/account/columns/nothing/").status_code == 404
    assert cast.client("lead").get("/account/columns/items/").status_code == 405
