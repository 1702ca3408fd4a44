"""What was read from a file, as plain lists."""

import numpy as np


def rows_of(labels):
    """(case, annotator, class) of every label."""
    case = np.repeat(np.arange(labels.n_cases), np.diff(labels.offsets))
    names = labels.axes.case_ids[case], labels.annotators[labels.annotator], labels.axes.classes[labels.label]
    return list(zip(*(name.tolist() for name in names)))
