"""Gamma cells of special.c, the building blocks of every integral, against scipy."""

import ctypes
import os
import platform
import shutil
import subprocess
import sys

import numpy as np
import pytest
from scipy import special
from twins import tables_of_c

SHAPES = [1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.5, 1.0, 1.5, 2.0, 5.0, 19.9, 20.0, 50.0, 199.0, 200.0, 1e3, 1e4, 1e5, 1e7, 1e9, 1e12, 1e15]
TAILS = [1e-18, 1e-17, 1e-10, 1e-5, 0.01, 0.1, 0.3, 0.5]


class Shape(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("c", "log_c", "log_scale")]


class Cell(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("lower", "upper", "density")]


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """special.c alone, as a library whose internal functions can be called."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None or sys.platform == "win32":
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("special") / "special.so"
    source = tables_of_c.CORE / "special.c"
    subprocess.run(
        [compiler, "-std=c11", "-O2", "-ffp-contract=off", "-shared", "-fPIC", str(source), "-lm", "-o", str(library)], check=True
    )
    try:
        loaded = ctypes.CDLL(str(library))
    except OSError:
        made_for = subprocess.run([compiler, "-dumpmachine"], check=True, capture_output=True, text=True).stdout.split("-")[0]
        if made_for == platform.machine():
            raise
        pytest.skip("the compiler's code is for another processor than the one that is emulated")
    for name in ("ugt_gamma_log_above", "ugt_gamma_log_below"):
        getattr(loaded, name).argtypes = [ctypes.POINTER(Shape), ctypes.c_double]
        getattr(loaded, name).restype = ctypes.c_double
    loaded.ugt_log1p_defect.argtypes = [ctypes.c_double]
    loaded.ugt_log1p_defect.restype = ctypes.c_double
    loaded.ugt_shape_set.argtypes = [ctypes.POINTER(Shape), ctypes.c_double]
    loaded.ugt_gamma_cell.argtypes = [ctypes.POINTER(Shape), ctypes.c_double, ctypes.c_double, ctypes.POINTER(Cell)]
    return loaded


def shape_of(core, c):
    shape = Shape()
    core.ugt_shape_set(shape, c)
    return shape


def cell_at(core, shape, s):
    cell = Cell()
    core.ugt_gamma_cell(shape, s, float(np.exp(s)), cell)
    return cell


def abscissae(c):
    """log x where one of the tails has the masses of TAILS."""
    with np.errstate(divide="ignore"):
        below, above = np.log(special.gammaincinv(c, TAILS)), np.log(special.gammainccinv(c, TAILS))
    power = (np.log(TAILS) + special.gammaln(c + 1)) / c  # P(c, x) = x^c / Γ(c+1) where x underflows
    return np.concatenate([np.where(below > -700, below, power), above[above > -700]])


@pytest.mark.parametrize("c", SHAPES)
def test_cells_are_those_of_scipy(core, c):
    shape = shape_of(core, c)
    for s in abscissae(c):
        x = float(np.exp(s))
        lower = special.gammainc(c, x) if x > 1e-300 else np.exp(c * s - special.gammaln(c + 1))
        upper = special.gammaincc(c, x) if x > 1e-300 else -np.expm1(c * s - special.gammaln(c + 1))
        cell = cell_at(core, shape, s)
        if c > 1e5 and min(lower, upper) < 1e-5:
            continue  # scipy (1.17) errs by percents there; tests/c/gamma_table.h has such cells
        # 1e-16: integrals are sums of products of such numbers up to 1
        np.testing.assert_allclose([cell.lower, cell.upper], [lower, upper], rtol=1e-12, atol=2e-16)


@pytest.mark.parametrize("c", [c for c in SHAPES if c <= 1e9])  # beyond, steps in s are no longer resolved
def test_density_is_the_slope_of_the_lower_tail(core, c):
    shape = shape_of(core, c)
    h = 1e-3 / np.sqrt(max(c, 1.0))  # five-point rule: error h^4 c^2 / 30 of the fifth derivative
    for s in abscissae(c):
        values = [cell_at(core, shape, s + j * h) for j in (-2, -1, 1, 2)]
        slope = np.array([1, -8, 8, -1]) @ [v.lower if v.lower < 0.5 else -v.upper for v in values] / (12 * h)
        side = [v.lower < 0.5 for v in values]
        if len(set(side)) == 1:
            assert cell_at(core, shape, s).density == pytest.approx(slope, rel=1e-6, abs=1e-13 / h)


@pytest.mark.parametrize("c", SHAPES)
@pytest.mark.parametrize("t", [1e-3, 1.0, 39.2, 100.0])
def test_ends_are_bounds(core, c, t):
    shape = shape_of(core, c)
    above, below = core.ugt_gamma_log_above(shape, t), core.ugt_gamma_log_below(shape, t)
    # a relative error of 1e-15 in c is worth sqrt(c) 1e-15 standard deviations
    slack = 1 + 1e-9
    assert cell_at(core, shape, above).upper <= np.exp(-t) * slack
    assert cell_at(core, shape, below).lower <= np.exp(-t) * slack
    # and not far out: no more than a few standard deviations, or units of the power law, further than needed
    assert cell_at(core, shape, above).upper >= np.exp(-1.5 * t - 8) * min(c, 1)  # Q is about c E1(x) for small c
    assert cell_at(core, shape, below).lower >= np.exp(-1.5 * t - 8)


@pytest.mark.parametrize("x", [-0.99, -0.31, -0.29, -1e-3, -1e-8, 0.0, 1e-12, 1e-4, 0.39, 0.41, 2.0, 1e6])
def test_log1p_defect(core, x):
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        exact = float(Decimal(x) - (1 + Decimal(x)).ln())
    assert core.ugt_log1p_defect(x) == pytest.approx(exact, rel=4e-15, abs=0)
