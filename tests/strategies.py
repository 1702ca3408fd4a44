"""Inputs that several files of property tests draw."""

from hypothesis import strategies as st


@st.composite
def partial_rankings(draw, n_classes, least=0):
    """A partial ranking with ties of at least so many classes."""
    order = draw(st.permutations(range(n_classes)))[: draw(st.integers(least, n_classes))]
    cuts = sorted(draw(st.sets(st.integers(1, len(order) - 1)))) if len(order) > 1 else []
    return [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)])] if order else []
