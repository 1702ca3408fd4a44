"""Drawings of the page on evaluation: each takes an empty matplotlib figure, and gets its numbers from the modules that compute them."""

from __future__ import annotations

from typing import Any

import evaluation_dermatology as derm
import evaluation_generated as generated
import evaluation_stand_ins as stand_ins
import numpy as np

import ugt
from ugt import plots

GREY = {"color": "0.45", "linestyle": (0, (5, 3)), "linewidth": 1}


def style(i: int) -> dict[str, Any]:
    """Colour and dashes of series i, which differ in grey."""
    return {"color": plots.COLOURS[i], "linestyle": plots.DASHES[i]}


def dashed(i: int) -> dict[str, Any]:
    """The same with markers."""
    return {**style(i), "marker": plots.MARKERS[i], "markersize": 5}


def toy(figure: Any) -> None:
    """Figure 2."""
    line, low, high, right = figure.subplots(1, 4, gridspec_kw={"width_ratios": [1.2, 1.1, 1.1, 1.2]})
    x = np.linspace(0, 1, 201)
    for k, name in enumerate(generated.CLASSES):
        line.plot(x, generated.class_probabilities(x)[:, k], label=name, **style(k))
    for name, at in generated.EXAMPLES.items():
        line.vlines(at, 0, 1.04, color="0.7", linewidth=1, zorder=0)
        line.text(at, 1.06, name, ha="center", fontsize="small")
    line.set(xlabel="observation x", ylabel="p(y | x)", ylim=(0, 1.65), yticks=(0, 0.5, 1))
    line.legend(frameon=False, fontsize="small", loc="upper center", ncol=2, columnspacing=1)
    counts = generated.toy_labels(list(generated.EXAMPLES.values()))
    for ax, reliability in ((low, 1.0), (high, 5.0)):
        draws = generated.toy_posterior(counts, reliability).draws(100, seed=1)
        plots.ternary(dict(zip(generated.EXAMPLES, draws)), names=("Benign1", "Benign2", "Cancer"), ax=ax)
        ax.set_title(f"γ = {reliability:g}", fontsize="medium")
        ax.legend(loc="upper left", bbox_to_anchor=(-0.12, 1), frameon=False, fontsize="small", markerscale=2, handletextpad=0)
    for i, reliability in enumerate(generated.TOY_RELIABILITIES):
        right.plot(x, generated.expected_toy_certainty(x, reliability), label=f"γ = {reliability:g}", **style(i))
    right.set(xlabel="observation x", ylabel="certainty, in the mean", ylim=(0.4, 1.02))
    right.legend(frameon=False, fontsize="small", loc="lower left")


def counts(figure: Any) -> None:
    """Figure 3."""
    left, right = figure.subplots(1, 2)
    found = generated.count_result(1.0)
    order = np.argsort(found.certainty.per_case)[:1000]
    left.plot(found.accuracy.per_case[order], ".", color=plots.COLOURS[1], markersize=3, label="accuracy of a case")
    left.plot(found.certainty.per_case[order], label="certainty", **style(0))
    left.axvline(found.n_uncertain, **GREY)
    left.text(found.n_uncertain + 15, 0.8, f"{found.n_uncertain} below {generated.CERTAIN}", fontsize="small")
    left.set(xlabel="the 1,000 least certain cases, in order", ylabel="certainty, accuracy")
    left.legend(frameon=False, loc="center right", markerscale=3)
    x = generated.COUNT_RELIABILITIES
    results = [generated.count_result(reliability) for reliability in x]
    right.plot(x, [one.certainty.value for one in results], label="certainty", **dashed(0))
    right.plot(x, [one.accuracy.value for one in results], label="accuracy", **dashed(1))
    right.set_xscale("log")
    right.set_xticks(x)
    right.set_xticklabels([f"{one:g}" for one in x])
    right.minorticks_off()
    right.set(xlabel="reliability γ", ylabel="mean over 10,000 cases", ylim=(0.95, 1.005))
    right.legend(frameon=False, loc="center right")


def case(figure: Any) -> None:
    """Figure 5."""
    rankings, names = derm.figure_5_rankings(), derm.dermatology().conditions
    point = {"PL": {"ML": ugt.truth.plackett_luce_mle(rankings)}, "PrIRN": {"IRN": ugt.irn(rankings, tie_weight="full")}}
    posteriors = {"PL": derm.figure_5("PL", **derm.AUTHORS), "PrIRN": derm.figure_5("PrIRN", tie_weight="full")}
    for ax, (model, posterior) in zip(figure.subplots(2, 1, sharex=True), posteriors.items()):
        plots.plausibilities(posterior, 0, annotations=rankings, points=point[model], names=names, top=8, ax=ax)
        ax.set_title(f"{model}: mean (bar) and 100 draws (dots)", fontsize="medium")
        ax.set(xlim=(0, 0.8), xlabel="plausibility" if model == "PrIRN" else "")


def certainty_by_reliability(figure: Any) -> None:
    """Figure 6, first column."""
    for ax, (model, x) in zip(figure.subplots(1, 2, sharey=True), reliabilities().items()):
        for i, k in enumerate((1, 2, 3)):
            values = [derm.certainty(model, reliability, k).value for reliability in x]
            ax.plot(range(len(x)), values, label=f"order {k}", **dashed(i))
        name_reliabilities(ax, x)
        ax.set_title(model, fontsize="medium")
        ax.set_ylim(0.3, 1)
    figure.axes[0].set_ylabel("annotation certainty")
    figure.axes[0].legend(frameon=False, loc="lower right", ncol=3, fontsize="small", columnspacing=1)


def reliabilities() -> dict[str, tuple[int, ...]]:
    return {"PL": derm.PL_RELIABILITIES, "PrIRN": derm.PRIRN_RELIABILITIES}


def name_reliabilities(ax: Any, x: Any, *more: str) -> None:
    ax.set_xticks(range(len(x) + len(more)))
    ax.set_xticklabels([*(str(one) for one in x), *more])
    ax.set_xlabel("reliability γ")


def models(figure: Any) -> None:
    """Figure 6, other columns, with stand-ins."""
    axes = figure.subplots(2, 4)
    for row, (truth, point) in zip(axes, (("PL", "ML"), ("PrIRN", "IRN"))):
        x = stand_ins.reliabilities(truth)
        for ax, name in zip(row, stand_ins.METRICS):
            for i, model in enumerate(stand_ins.MODELS):
                found = [stand_ins.metric(name, truth, reliability, model) for reliability in x]
                value, std = (np.array([getattr(one, key) for one in found]) for key in ("value", "draw_std"))
                ax.plot(value, label=f"{model} (stand-in)", **dashed(i))
                ax.fill_between(range(len(x)), value - std, value + std, color=plots.COLOURS[i], alpha=0.25, linewidth=0)
                ax.plot(len(x), stand_ins.metric(name, point, 0, model).value, "x", color=plots.COLOURS[i], markersize=7, markeredgewidth=2)
            name_reliabilities(ax, x, point)
            ax.tick_params(labelsize="small")
            ax.set_title(name, fontsize="medium")
        row[0].set_ylabel(f"truth: {truth}")
    axes[0, 2].legend(frameon=False, loc="center left", fontsize="small")  # there is room between the lines


def cases(figure: Any) -> None:
    """Figure 7."""
    left, middle, right = figure.subplots(1, 3, gridspec_kw={"width_ratios": [1.5, 1, 1]})
    pl, prirn = (derm.certainty(model, derm.MEDIUM[model]).per_case for model in ("PL", "PrIRN"))
    order = np.argsort(pl, kind="stable")
    left.plot(prirn[order], ".", color=plots.COLOURS[1], markersize=2, alpha=0.6, label="PrIRN")
    left.plot(pl[order], linewidth=2, label="PL", **style(0))
    left.set(xlabel="cases, in the order of PL", ylabel="certainty", ylim=(0, 1.03))
    left.legend(frameon=False, loc="lower right", markerscale=4)
    found = stand_ins.medium("top-3 accuracy", "PL", "half panel")
    middle.plot(np.sort(found.per_case), linewidth=2, **style(0))
    middle.set(xlabel="cases, in order", ylabel="top-3 accuracy", title="stand-in")
    plots.accuracy_over_draws({"": found}, bins=20, ax=right)
    right.set(xlabel="top-3 accuracy", ylabel="draws (density)", title="stand-in")


def risks(figure: Any) -> None:
    """Figure 8."""
    left, right = figure.subplots(1, 2)
    one, three = derm.certainty("PL", derm.MEDIUM["PL"]).per_case, derm.risk_certainty()["top_class"].per_case
    left.plot(np.sort(one), label="conditions (419)", linewidth=2, **style(0))
    left.plot(np.sort(three), label="risks (3)", linewidth=2, **style(1))
    left.set(xlabel="cases, in order (each line its own)", ylabel="certainty", ylim=(0, 1.03))
    left.legend(frameon=False, loc="lower right")
    values = [derm.expected_risk()[kind].per_case for kind in ("plausibility", "top_class")]
    names = ["by plausibility", "of the best condition"]
    right.hist(values, bins=np.linspace(0, 2, 21), label=names, color=["0.75", plots.COLOURS[0]], edgecolor="black", linewidth=0.5)
    right.set(xlabel="expected risk (0 low, 1 medium, 2 high)", ylabel="cases")
    right.legend(frameon=False, loc="upper right")


def agreement(figure: Any) -> None:
    """Figure 13."""
    ax = figure.subplots()
    certain, agree = derm.certainty("PL", derm.MEDIUM["PL"]).per_case, derm.agreement()
    order = np.argsort(certain, kind="stable")
    place = np.arange(len(order))
    known = ~np.isnan(agree[order])
    ax.plot(place[known], agree[order][known], ".", color=plots.COLOURS[1], markersize=3, alpha=0.6, label="agreement of a case")
    slope, start = np.polyfit(place[known], agree[order][known], 1)
    ax.plot(place, start + slope * place, label="agreement, straight line", **{**GREY, "linewidth": 2})
    ax.plot(place, certain[order], linewidth=2, label="certainty (PL)", **style(0))
    ax.set(xlabel="cases, in the order of their certainty", ylabel="certainty, agreement", ylim=(-0.03, 1.03))
    ax.legend(frameon=False, loc="lower right", markerscale=3)


def sorted_certainty(figure: Any) -> None:
    """Figure 14."""
    for ax, (model, x) in zip(figure.subplots(1, 2, sharey=True), reliabilities().items()):
        for i, reliability in enumerate(x):
            ax.plot(np.sort(derm.certainty(model, reliability).per_case), label=f"γ = {reliability}", **style(i))
        ax.set(xlabel="cases, in order (each line its own)", title=model, ylim=(0, 1.03))
        ax.legend(frameon=False, loc="lower right", fontsize="small")
    figure.axes[0].set_ylabel("certainty")
