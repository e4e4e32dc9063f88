"""What every form has in common on a page."""

from __future__ import annotations

from typing import Any

from django.forms import BoundField as DjangoBoundField
from django.forms import Widget
from django.forms.renderers import DjangoTemplates


class BoundField(DjangoBoundField):
    """Where a form is shown again because of what is wrong in it, the first field that is wrong has
    the focus: on the page's body, whoever hears it would have to look for it."""

    @property
    def has_focus(self) -> bool:
        """Where nothing is wrong with the form as a whole, whose words have it then (form.html). A
        form may name the field itself (``focused``)."""
        form = self.form
        if not form.is_bound or not form.errors or form.non_field_errors():
            return False
        wrong = (field.name for field in form.visible_fields() if field.errors)
        return bool((getattr(form, "focused", "") or next(wrong, "")) == self.name)

    def build_widget_attrs(
        self, attrs: dict[str, Any], widget: Widget | None = None
    ) -> dict[str, Any]:
        """A group of several controls has it as a whole (field.html). Which control has it when a
        page is opened says its widget; that no longer holds."""
        built: dict[str, Any] = super().build_widget_attrs(attrs, widget)
        if self.form.is_bound and self.form.errors:
            built["autofocus"] = self.has_focus and not self.use_fieldset
        return built


class Renderer(DjangoTemplates):
    """Django's own, with these fields."""

    bound_field_class = BoundField
