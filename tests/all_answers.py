"""What every public function answers; in a file of its own, which processes that are spawned can import."""

import warnings

from public_functions import FUNCTIONS, make_world, numbers

import ugt

NAMES = list(FUNCTIONS)


def answers(world, order):
    """What every function says, called in this order."""
    found = {}
    for i in order:
        found[NAMES[i]] = numbers(FUNCTIONS[NAMES[i]].call(world))
    return found


def other_process(n_threads):
    """The answers in a process of its own."""
    warnings.simplefilter("ignore")
    with ugt.resampling.threads(n_threads):
        return answers(make_world(), range(len(NAMES)))
