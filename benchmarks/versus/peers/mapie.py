"""MAPIE: split conformal prediction sets, from calibration to the sets of new cases."""

from __future__ import annotations

from functools import partial

import inputs
import numpy as np
from job import Job, largest, share_apart

ALPHA = 0.1


def prepared(n, k):
    """Half of the cases calibrate, the others get sets."""
    data = inputs.classes(2 * n, k)
    return data["probs"][:n], data["y"][:n], data["probs"][n:], data["y"][n:]


def given():
    """A fitted classifier whose features are its probabilities."""
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Given(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_, self.n_features_in_ = np.arange(X.shape[1]), X.shape[1]
            return self

        def predict_proba(self, X):
            return X

        def predict(self, X):
            return X.argmax(1)

    return Given()


def sets(score, n, k):
    random = score != "lac"

    def answer(mask, labels):
        """The sets; or, where they are random, coverage and mean size over the number of classes."""
        return (mask[np.arange(len(labels)), labels].mean(), mask.mean()) if random else mask

    def ours(data):
        import ugt

        probs, labels, new, truth = data

        def call():
            return ugt.conformal.SplitConformal(score, alpha=ALPHA).fit(probs, labels).predict_sets(new)

        return lambda: answer(call().mask(), truth)

    def theirs(data):
        from mapie.classification import SplitConformalClassifier

        probs, labels, new, truth = data
        model = given().fit(probs, labels)
        params = {"conformity_score_params": {"include_last_label": "randomized"}} if random else {}

        def call():
            fitted = SplitConformalClassifier(model, confidence_level=1 - ALPHA, conformity_score=score, random_state=0)
            return answer(fitted.conformalize(probs, labels).predict_set(new, **params)[1][:, :, 0], truth)

        return call

    note = {
        "lac": "share of the sets that differ",
        "aps": "random sets: coverage and mean size (as a share of the classes) compared",
        "raps": "random sets, coverage and mean size compared; the peer chooses the penalty on a fifth of the cases, in ugt it is given",
    }[score]
    tolerance, apart = (0.02, largest) if random else (0, share_apart)
    size = f"{n:,} + {n:,} cases x {k} classes"
    return Job(f"sets by {score.upper()}", size, partial(prepared, n, k), ours, theirs, tolerance, apart, note)


def jobs(quick):
    n = 2_000 if quick else 50_000
    return [sets("lac", 100, 10), sets("lac", n, 10), sets("aps", n, 10), sets("raps", n, 10)]
