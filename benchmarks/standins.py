"""Honest stand-in models for the dermatology data, whose real models' predictions are not public.

Each case's annotators are split at random into two halves. The models are made from the first half: "half_panel" is its
inverse-rank aggregate, "single_reader" the ranking of one annotator in it, "prevalence" the class frequencies over all
cases. The second half is the truth, so that no model is judged by its own annotators.

Run: python benchmarks/standins.py FOLDER, then, for the table of the README,
    ugt evaluate --annotations FOLDER/left_out.json --classes 419 --k 1 --out FOLDER/report \\
        --predictions FOLDER/half_panel.npz FOLDER/single_reader.npz
Its picture: python benchmarks/standins.py FOLDER --picture docs/dermatology.png (needs matplotlib).
"""

from __future__ import annotations

import argparse
import json
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


def picture(scores, left_out, path):
    """Draw the picture of the README: certainty of the cases, and agreement of two stand-ins at each reliability."""
    from matplotlib import pyplot
    from PIL import Image

    from ugt import plots

    rankings = ugt.Rankings.from_blocks([case for case in left_out if case], n_classes=N_CLASSES)
    kept = [bool(case) for case in left_out]
    two = {name.replace("_", " "): scores[name][kept] for name in ("half_panel", "single_reader")}
    evaluation = ugt.evaluate(rankings, two, k=1, details=False)
    _, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 3.9), gridspec_kw={"width_ratios": (4, 5)}, layout="constrained")
    certainty = {f"reliability {r}": ugt.annotation_certainty(ugt.prirn(rankings, reliability=r)) for r in (10, 30, 100)}
    plots.certainty_curve(certainty, ax=left)
    left.set_title("How certain is the truth of each case?", fontsize="medium")
    plots.metric_by_reliability(evaluation, voted=True, ax=right)
    right.set(ylabel="agreement", xlabel="reliability (how much weight the annotations get)")
    right.set_title("Agreement with the uncertain truth, and with the voted label", fontsize="medium")
    right.figure.savefig(path, dpi=110)
    Image.open(path).convert("RGB").quantize(64, dither=0).save(path, optimize=True)  # a third of the size


def main(folder, drawn):
    try:
        nested = dermatology()
    except Skip as why:
        raise SystemExit(str(why)) from None
    panel, left_out = split(nested)
    found = models(panel)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "left_out.json").write_text(json.dumps(left_out), encoding="utf-8")
    for name, scores in found.items():
        np.savez_compressed(folder / f"{name}.npz", scores=scores, case_ids=np.arange(len(nested)))
    print(f"wrote left_out.json and three models of {len(nested)} cases to {folder}")
    if drawn is not None:
        picture(found, left_out, drawn)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder for the annotations and the models")
    parser.add_argument("--picture", type=Path, help="PNG file for the picture of the README")
    chosen = parser.parse_args()
    main(chosen.folder, chosen.picture)
