"""A histogram's drawing: what it names lies within it."""

from __future__ import annotations

import pytest

from annotation.web.charts.histogram import WIDTH, Column, histogram


@pytest.mark.parametrize(("threshold", "style"), [(10.0, "text"), (90.0, "text-end")])
def test_the_thresholds_name_stands_on_the_side_that_has_room(threshold, style):
    columns = [Column(0, 50, 3, 1), Column(50, 100, 2, 2)]
    drawing = histogram(columns, str, threshold=threshold, label="seuil de la chaîne : 172 mots")
    named = {
        layer.style: shape
        for layer in drawing.layers
        for shape in layer.shapes
        if "seuil" in shape.text
    }
    assert set(named) == {style}
    assert 0 < named[style].x < WIDTH
