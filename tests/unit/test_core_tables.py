"""The constants in the headers of the C core, derived again in rational and decimal arithmetic."""

import numpy as np
import pytest
from twins import incomplete_gamma, legendre, tables_of_c, ziggurat

CUTS = {"EXPONENTIAL": 7.6971174701310497, "NORMAL": 3.6541528853610088}


@pytest.mark.parametrize("name", ["EXPONENTIAL", "NORMAL"])
def test_ziggurat(name):
    table = tables_of_c.read("ziggurat.h")
    x, f = ziggurat.layers(getattr(ziggurat, name), round(CUTS[name], 6))
    assert x[1] == CUTS[name]
    assert table[f"{name}_X"] == x
    assert table[f"{name}_F"] == f


def test_temme():
    exact = incomplete_gamma.temme(5, 25)
    assert [str(row[0]) for row in exact] == ["-1/3", "-1/540", "25/6048", "101/155520", "-3184811/3695155200"]  # DLMF 8.12.11-12
    assert tables_of_c.read("temme.h")["TEMME"] == [float(c) for row in exact for c in row]


def test_gauss():
    table = tables_of_c.read("gauss.h")
    nodes, weights, above = legendre.rule(16)
    assert table["GAUSS_NODE"] == nodes
    assert table["GAUSS_WEIGHT"] == weights
    assert table["GAUSS_ABOVE"] == [a for row in above for a in row]
    for found, known in zip((nodes, weights), np.polynomial.legendre.leggauss(16)):
        np.testing.assert_allclose(found, (known + 1) / 2 if found is nodes else known / 2, rtol=1e-13)
