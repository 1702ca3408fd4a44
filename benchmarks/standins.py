"""Honest stand-in models for the dermatology data, whose real models' predictions are not public.

Each case's annotators are split at random into two halves. The models are made from the first half: "half_panel" is its
inverse-rank aggregate, "single_reader" the ranking of one annotator in it, "prevalence" the class frequencies over all
cases. The second half is the truth, so that no model is judged by its own annotators.

Run: python benchmarks/standins.py FOLDER, then
    ugt evaluate --annotations FOLDER/left_out.json --classes 419 --out FOLDER/report \\
        --predictions FOLDER/half_panel.npz FOLDER/single_reader.npz FOLDER/prevalence.npz
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from data import Skip, dermatology

import ugt

N_CLASSES = 419


def split(nested, seed=0):
    """A random half of each case's annotators (at least one), and the others (none where there is one annotator)."""
    rng = np.random.default_rng(seed)
    panel, left_out = [], []
    for case in nested:
        order = rng.permutation(len(case))
        size = (len(case) + 1) // 2
        panel.append([case[i] for i in order[:size]])
        left_out.append([case[i] for i in order[size:]])
    return panel, left_out


def models(panel):
    """Scores (N, K) of the three stand-ins."""

    def aggregate(nested):
        return ugt.irn(ugt.Rankings.from_blocks(nested, n_classes=N_CLASSES)).mean()

    half_panel = aggregate(panel)
    prevalence = np.repeat(half_panel.mean(0, keepdims=True), len(panel), axis=0)
    return {"half_panel": half_panel, "single_reader": aggregate([case[:1] for case in panel]), "prevalence": prevalence}


def main(folder):
    try:
        nested = dermatology()
    except Skip as why:
        raise SystemExit(str(why)) from None
    panel, left_out = split(nested)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "left_out.json").write_text(json.dumps(left_out))
    for name, scores in models(panel).items():
        np.savez_compressed(folder / f"{name}.npz", scores=scores, case_ids=np.arange(len(nested)))
    print(f"wrote left_out.json and three models of {len(nested)} cases to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
