"""A number of a model against the latent class in words: under which condition, with which interval, and how annotators move it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FREE = ("ind", "one-coin")  # forms without dependence
SHOWN_FROM = 5  # tests from which labels show whether their errors depend on each other


def condition_of(forms: Sequence[str], as_test: bool, n_tests: int, n_populations: int) -> str:
    """Return the condition under which these forms give a number of a model, a test or outside of the fit."""
    extra = " or ".join(form for form in forms if form not in FREE)
    alone = "independently of each other given the class" if len(extra) < len(" or ".join(forms)) else ""
    depend = f"depend on each other in the form {extra}"
    who = "annotators and model" if as_test else "the annotators"
    said = f"{who} err {alone}" if alone else f"the errors of {who} {depend}"
    said += f", or {depend}" if alone and extra else ""
    said += ", equally often in all classes" if "one-coin" in forms else ""
    said += ", equally often in each population" if n_populations > 1 else ""
    said += f", which {n_tests} tests {'hardly' if n_tests == SHOWN_FROM - 1 else 'cannot'} show" if n_tests < SHOWN_FROM else ""
    return f"If {said}" if as_test else f"If the model errs independently of the annotators given the class, and {said}"


def sentence_of(name: str, condition: str, ends: tuple[float, float, float], level: float, of_class: str, others: Sequence[float]) -> str:
    """Return value and interval (``ends``) after their condition, then the range of the values without each annotator (``others``)."""
    digits = 3 if not 0.005 < ends[0] < 0.995 else 2
    value, low, high = (f"{number:.{digits}f}" for number in ends)
    link = "of" if name == "prevalence" else "against"
    said = f"{condition}, the {name} is {value} ({low} to {high}, {100 * level:g}% interval) {link} the class that {of_class} define."
    known = [one for one in others if np.isfinite(one)]
    if not known:
        return f"{said} Without any one of the annotators it is undefined."
    undefined = f", and undefined without {len(others) - len(known)} of them" if len(known) < len(others) else ""
    wider = ", further apart than the ends of the interval" if max(known) - min(known) > ends[2] - ends[1] else ""
    return f"{said} Without one of the annotators in turn it is from {min(known):.{digits}f} to {max(known):.{digits}f}{wider}{undefined}."
