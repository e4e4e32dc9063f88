"""What is wrong in a form that is shown again has the focus, and nothing else."""

from __future__ import annotations

import re

import pytest
from django import forms
from django.template.loader import render_to_string
from django.test import Client

from tests.factories import make_user
from tests.practising import practice_study


class Asked(forms.Form):
    first = forms.CharField(widget=forms.TextInput(attrs={"autofocus": True}))
    second = forms.CharField()
    kind = forms.ChoiceField(choices=[("a", "A"), ("b", "B")], widget=forms.RadioSelect)

    def clean(self) -> None:
        if self.cleaned_data.get("first") == "never":
            raise forms.ValidationError("Not so.")


def focused(form: forms.Form) -> list[str]:
    page = render_to_string("components/form.html", {"form": form})
    elements = re.findall(r"<(\w+)([^>]*) autofocus[^>]*>", page)
    assert page.count("autofocus") == len(elements)
    return [
        name[1] if (name := re.search(r'name="(\w+)"', attributes)) else element
        for element, attributes in elements
    ]


@pytest.mark.parametrize(
    ("posted", "names"),
    [
        (None, ["first"]),
        ({"first": "x", "second": "x", "kind": "a"}, ["first"]),
        ({"first": "x", "kind": "a"}, ["second"]),
        ({}, ["first"]),
        ({"first": "x", "second": "x"}, ["fieldset"]),
        ({"first": "never", "second": "x", "kind": "a"}, ["div"]),
        ({"first": "never"}, ["div"]),
    ],
)
def test_one_element_has_the_focus(posted: dict[str, str] | None, names: list[str]) -> None:
    assert focused(Asked(posted)) == names


@pytest.mark.django_db
def test_a_refusal_has_it_and_a_page_that_is_opened_leaves_it(client: Client) -> None:
    has_it = 'role="alert" tabindex="-1" autofocus'
    user = make_user("responsable")
    practice_study(user)
    client.force_login(user)
    assert has_it not in client.get("/studies/pratique/practice/").content.decode()
    answer = client.post("/studies/pratique/practice/", {"action": "none"})
    assert answer.status_code == 422
    assert has_it in answer.content.decode()
    assert "{#" not in answer.content.decode()
