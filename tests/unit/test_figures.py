"""Scales and marks of the figures of the report."""

import numpy as np
import pytest
from twins.page import Page

from ugt.report import svg


def test_scales_and_marks():
    y = svg.Scale(0, 2, 100, 0)
    assert (y.at(0), y.at(1), y.at(2), y.at(-5)) == (100, 50, 0, 100) and svg.Scale(3, 3, 0, 10).at(3) == 5
    marks = [svg.marker(5, 5, style) for style in range(svg.N_STYLES)]
    assert len(set(marks)) == svg.N_STYLES and svg.marker(12.345, 0, 1, unit="%") == '<use class="s1" href="#m1" x="12.3%"/>'
    drawn = {e["attrs"]["id"]: e for e in Page(svg.DEFS).found if "id" in e["attrs"]}
    assert set(drawn) == {"v", "g", *(e["attrs"]["href"][1:] for mark in marks for e in Page(mark).found)}


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.83, 0.86), (-4, 900), (1e-9, 2e-9), (0.5, 0.5)])
def test_ticks_are_round_and_inside(low, high):
    ends = svg.around([low, high])
    assert ends[0] <= low and ends[1] >= high
    marks = svg.ticks(svg.Scale(*ends, 0, 1))
    assert 3 <= len(marks) <= 12 and ends[0] - 1e-9 <= marks[0] and marks[-1] <= ends[1] + 1e-9
    steps = np.diff(marks)
    assert np.ptp(steps) < 1e-6 * steps[0]
