"""Evaluating under uncertain ground truth [A].

This page compares the printed numbers and figures of [A] with those of the library. The paper is D. Stutz and others, *Evaluating AI
systems under uncertain ground truth: a case study in dermatology* ([references](../references.md)).

**In short:** the probabilities and correlations that the paper prints for figures 5, 7 and 13 are within 0.015 of those computed here.
The other printed numbers cannot be compared exactly; the sections below explain why.

Figures 5 to 8 and 12 to 15 are about dermatologists' differential diagnoses: 1,947 cases, 419 conditions. The authors released these
annotations under CC-BY 4.0 in the repository of their code, and every figure below that shows them is made from that release. They are
not part of `ugt`. Figures 2 and 3 are made from generated data.

Two facts hold for the whole page. First, [A] computes with 1,000 draws of the plausibilities. `ugt` computes exactly if possible:
everywhere for PrIRN and for label counts. Second, the released cases are not quite those of the paper. The paper counts 1,939 test cases
with at least three annotations each. The release has 1,947, of which 157 have fewer.

Two options reproduce the authors' code, and so the published figures. Neither is the default of `ugt`.

- `tie_weight="full"`: each of several tied conditions gets the full weight of its block; the paper's equations split it.
- `unranked="lump", prior_shape=1` for Plackett–Luce: one class represents all conditions that no annotator ranked.
"""

from __future__ import annotations

import evaluation_dermatology as derm
import evaluation_figures as figures
import evaluation_generated as generated
import evaluation_stand_ins as stand_ins
import numpy as np
from make import Section

from ugt.truth import case_correlation

PAPER = {("PrIRN", "A"): 0.52, ("PrIRN", "B"): 0.99, ("PL", "A"): 0.70, ("PL", "B"): 1.00}  # figure 5
FIGURE_5 = {
    'PrIRN, `tie_weight="full"`': ("PrIRN", {"tie_weight": "full"}),
    'PrIRN, `tie_weight="split"` (default)': ("PrIRN", {"tie_weight": "split"}),
    'PL, `unranked="lump", prior_shape=1`': ("PL", derm.AUTHORS),
    'PL, `unranked="ignore", prior_shape=1`': ("PL", {"unranked": "ignore", "prior_shape": 1.0}),
    'PL, `unranked="individual", prior_mass=1` (default)': ("PL", {}),
    'PL, `unranked="individual", prior_shape=1`': ("PL", {"unranked": "individual", "prior_shape": 1.0}),
}


def sections() -> list[Section]:
    parts = [overview, toy, counts, case, certainty, models, cases, risks, annotators, agreement, saturation, two_more_cases]
    return [part() for part in parts]


def overview() -> Section:
    rows = []
    for model, option in (("PrIRN", {"tie_weight": "full"}), ("PL", derm.AUTHORS)):
        found = derm.covered(derm.figure_5(model, **option))
        for name, one in found.items():
            rows.append((f"figure 5, {model}: the best condition is in set {name}", f"{PAPER[model, name]:.2f}", one.value))
    pl, prirn = (derm.certainty(model, derm.MEDIUM[model]).per_case for model in ("PL", "PrIRN"))
    ranges = stand_ins.range_over_draws(stand_ins.medium("top-3 accuracy", "PL", "half panel"))
    rows += [
        ("figure 7: correlation of PL and PrIRN certainty", "0.9", case_correlation(pl, prirn).value),
        ("figure 13: correlation of PL certainty and agreement", "0.85", case_correlation(pl, derm.agreement()).value),
        ("figure 7: certainty of the lower quarter of cases", "“well below 1”", f"at most {np.quantile(pl, 0.25):.3f}"),
        ("figure 7: best less worst top-3 accuracy over draws (stand-in)", "up to 0.04", ranges),
        ("figure 14: cases whose certainty does not rise", "at least 250", f"{int(derm.tied_at_the_top().sum())} never can"),
        ("figure 3: cases with certainty below 0.99 (generated)", "178", str(generated.count_result(1.0).n_uncertain)),
    ]
    text = "The table compares each number that [A] prints with the one computed here. The sections below explain how, and why some differ."
    return Section("Printed numbers", text, ("quantity", "paper", "ugt"), rows)


def toy() -> Section:
    at = list(generated.EXAMPLES.values())
    labels, p = generated.toy_labels(at), generated.class_probabilities(at)
    rows = []
    for i, name in enumerate(generated.EXAMPLES):
        certain = [float(generated.toy_certainty(labels, reliability)[i]) for reliability in generated.TOY_RELIABILITIES]
        rows.append((name, " ".join(f"{q:.2f}" for q in p[i]), " ".join(map(str, labels[i].tolist())), *certain))
    header = ("example", "p(y \\| x)", "labels", *(f"certainty, γ = {reliability:g}" for reliability in generated.TOY_RELIABILITIES))
    text = """
There are three classes along a line, and ten annotators whose labels are drawn from p(y | x). The posterior is that of appendix A,
Dirichlet(γ s + α), here with α = 0.1. The paper prints neither its densities nor its numbers, so only its statements can be compared. All
of them hold here:

- plausibilities are closer together at a higher reliability γ
- (i) is certain
- (ii), halfway between two classes, stays uncertain whatever γ is
- (iii) becomes certain as γ grows

The curves at the right are exact means over all labels that ten annotators may give, without chance. They show one more fact than a
single sample: on average, certainty rises at (ii), too, because ten labels seldom split evenly. A high reliability takes chance for
knowledge.
"""
    return Section("Figure 2: toy data with three classes", text, header, rows, "evaluation-toy", figures.toy, (9.5, 2.8))


def counts() -> Section:
    rows = []
    for reliability in generated.COUNT_RELIABILITIES:
        one = generated.count_result(reliability)
        rows.append((f"{reliability:g}", one.certainty.value, one.n_uncertain, one.accuracy.value, one.accuracy_of_uncertain))
    header = ("reliability γ", "certainty", "cases below 0.99", "accuracy", "accuracy in these cases")
    alphas = ", ".join(f"{generated.count_result(1.0, prior).n_uncertain} (α = {prior:g})" for prior in (0.01, 0.1, 0.5))
    text = f"""
With `ugt.synthetic.make_counts`, 10,000 cases with 10 classes and 50 labels each were generated. One more label, drawn from the same
true plausibilities, represents the data set's own label, whose accuracy is computed.

The paper finds “roughly 178” images of CIFAR-10H with a certainty below 0.99. The parameter `difficulty` was chosen to give a similar
number here, so the number confirms nothing. The generated data show three things:

- At γ = 1 the count hardly depends on the prior: {alphas}. By 1,000 draws, as in the paper, it is {generated.n_uncertain_by_draws()}.
- Nearly all cases are settled.
- The data set's own labels have a low accuracy if certainty is low, as the paper says.

They cannot show which images these are, and how many. (178 of 10,000 are 1.8%; the paper prints 0.2%.)
"""
    return Section("Figure 3: counts shaped like CIFAR-10H", text, header, rows, "evaluation-counts", figures.counts)


def case() -> Section:
    rows = []
    for name, (model, options) in FIGURE_5.items():
        found = derm.covered(derm.figure_5(model, **options))
        authors = options in ({"tie_weight": "full"}, derm.AUTHORS)
        row = [(f"{PAPER[model, one]:.2f}" if authors else "", found[one].value) for one in found]
        rows.append((name, *row[0], *row[1]))
    header = ("truth model", "A, paper", "A, ugt", "B, paper", "B, ugt")
    text = """
This is case 1026 of the release, with six annotators. Set A is {Atypical Nevus, Hemangioma, Melanocytic Nevus}, set B is
{Hemangioma, Melanocytic Nevus, Melanoma}. The numbers are the probabilities that the most plausible condition is in the set. PrIRN has γ
= 30, and Plackett–Luce counts every annotator three times, as in the authors' notebook.

The PrIRN values are exact. The printed ones come from 1,000 draws and have standard errors of 0.016 (A) and 0.004 (B); 0.52 and 0.99 are
within one and two of them. With split weights A would be eight standard errors away: the published figure was made with full ones. The
Plackett–Luce values come from 40,000 draws (standard error below 0.005). The value for A depends far more on the prior, as the last lines
show. If each of the 411 conditions that no annotator mentioned has the weight of a whole class, A falls to less than half.

The order of the bars is that of the paper, too: by the maximum-likelihood estimate for PL, by IRN with full weights for PrIRN.
"""
    return Section("Figure 5: one case, two truth models", text, header, rows, "evaluation-case", figures.case, (6.4, 4.4))


def certainty() -> Section:
    rows = []
    for model, reliabilities in figures.reliabilities().items():
        for reliability in reliabilities:
            found = [derm.certainty(model, reliability, k) for k in (1, 2, 3)]
            rows.append((model, reliability, *(one.value for one in found), int((found[0].per_case < 0.99).sum())))
    header = ("truth model", "reliability γ", "order 1", "order 2", "order 3", "cases below 0.99 (order 1)")
    below = [row[2] - later for row in rows for later in row[3:5]]
    text = f"""
The table has the mean annotation certainty of the 1,947 cases. The paper prints no values and omits the reliabilities; they are those of
its appendix C.3. Its statements hold: certainty rises with reliability, and that of orders 2 and 3 is well below that of order 1 (by
{min(below):.2f} to {max(below):.2f}).

PrIRN's numbers are exact. A condition that no annotator ranked has plausibility 0 there. If three or fewer are mentioned, certainty of
order 3 is 1, so it may exceed that of order 2. Under Plackett–Luce such cases are uncertain at order 3, because the third condition can
be any of the others.
"""
    title = "Figure 6, first column: certainty by reliability"
    return Section(title, text, header, rows, "evaluation-certainty", figures.certainty_by_reliability)


def models() -> Section:
    stand_ins.compute_all()
    rows = []
    for truth, point in (("PL", "ML"), ("PrIRN", "IRN")):
        for name in stand_ins.METRICS:
            for model in stand_ins.MODELS:
                x = stand_ins.reliabilities(truth)
                ends = [stand_ins.metric(name, truth, reliability, model).value for reliability in (x[0], x[-1])]
                middle, best = stand_ins.medium(name, truth, model), stand_ins.metric(name, point, 0, model).value
                rows.append((truth, name, model, ends[0], middle.value, middle.draw_std, ends[1], best))
    header = ("truth", "metric", "stand-in", "lowest γ", "medium γ", "its spread over draws", "highest γ", "point estimate")
    text = """
**This is a stand-in, not a reproduction**: the predictions of the paper's four classifiers were not released. Here every second annotator
of a case makes the truth, and the others replace the model: all of them (“half panel”, their inverse ranks) or one of them (“single
reader”). Conditions that they did not name follow in the order of their frequency. There are 1,922 cases with two annotators or more.
Bands are one standard deviation over draws; crosses are point estimates (ML: maximum likelihood, or the posterior mode if there is none).

These statements of the paper about its classifiers also hold here: accuracy falls with reliability, and point estimates give higher
values than any reliability. Set accuracy is far lower than top-3 accuracy; average overlap lies between and varies least. One statement
cannot be tested here: the stand-ins differ too much for their order to depend on the metric or on reliability.
"""
    return Section("Figure 6, other columns: stand-ins for the models", text, header, rows, "evaluation-models", figures.models, (10, 4.5))


def cases() -> Section:
    pl = derm.certainty("PL", derm.MEDIUM["PL"])
    between = stand_ins.medium("top-3 accuracy", "PL", "half panel")
    rows = []
    for model in ("PrIRN", "PrIRN split"):
        other = derm.certainty(model, derm.MEDIUM["PrIRN"])
        weight = "full" if model == "PrIRN" else "split"
        rows.append((f'correlation of PL and PrIRN (`tie_weight="{weight}"`)', "0.9", case_correlation(pl.per_case, other.per_case).value))
    share = float(((between.per_case > 0.01) & (between.per_case < 0.99)).mean())
    rows += [
        ("quartile of PL certainty", "“well below 1”", float(np.quantile(pl.per_case, 0.25))),
        ("share of cases with a top-3 accuracy from 0.01 to 0.99 (stand-in)", "“at least a quarter”", share),
        ("best less worst top-3 accuracy over 1,000 draws (stand-in)", "up to 0.04", stand_ins.range_over_draws(between)),
    ]
    text = """
Reliability is medium: γ = 3 for PL, 30 for PrIRN. The left panel is the paper's. The correlation is reproduced with full weights; with
those of the paper's equations it is lower. The other two panels need a model, so they show the “half panel” of the section above, a
stand-in.
"""
    title = "Figure 7: certainty and accuracy of the cases"
    return Section(title, text, ("quantity", "paper", "ugt"), rows, "evaluation-cases", figures.cases, (9, 2.8))


def risks() -> Section:
    one, levels = derm.certainty("PL", derm.MEDIUM["PL"]), derm.risk_levels()
    rows = [("certainty, 419 conditions", one.value)]
    for rule, name in (("top_class", "risk of the best condition"), ("sum", "plausibility summed over each risk")):
        rows.append((f'certainty, 3 risks: {name} (`group_rule="{rule}"`)', derm.risk_certainty()[rule].value))
    for kind, found in derm.expected_risk().items():
        off = np.abs(found.per_case - np.rint(found.per_case)) > 0.05
        rows.append((f'share of cases whose expected risk (`kind="{kind}"`) is more than 0.05 from 0, 1 and 2', float(off.mean())))
    rows.append(("share of cases with mentioned conditions of several risks", float((levels > 1).mean())))
    text = """
The truth model is PL with γ = 3; the paper prints no numbers. As in the paper, certainty about the three risks is higher than about 419
conditions, and still low in many cases. With `group_rule="top_class"`, which the authors' code uses, no case can lose certainty. The sum
over a risk's conditions gives a higher certainty.

The paper says that the expected risk of most cases is not crisp, because there is evidence for several risks. Both hold if risk is
weighted by plausibility, as in the caption of figure 8. If only the best condition of each draw counts, most cases are nearly crisp.
"""
    return Section("Figure 8: risks", text, ("quantity", "ugt"), rows, "evaluation-risks", figures.risks)


def annotators() -> Section:
    text = """
Risk is that of the first condition by inverse ranks. The paper notes with surprise that cases of high risk have fewer annotators than
those of low risk, and more conditions. The release shows the same.
"""
    header = ("risk", "cases", "annotators, mean", "conditions, mean")
    return Section("Figure 12: annotators and conditions by risk", text, header, derm.by_risk())


def agreement() -> Section:
    pl = derm.certainty("PL", derm.MEDIUM["PL"]).per_case
    full, single = derm.agreement(), np.isnan(derm.agreement())
    rows = [
        ('`tie_weight="full"`', "0.85", case_correlation(pl, full).value),
        (
            '`tie_weight="full"`, single annotators counted as no agreement',
            "0.85",
            case_correlation(pl, np.where(single, 0.0, full)).value,
        ),
        ('`tie_weight="split"`', "0.85", case_correlation(pl, derm.agreement("split")).value),
    ]
    text = f"""
An annotator agrees if the first condition of the others, by inverse ranks, is among the conditions that the annotator named. The
agreement of a case is the mean over its annotators, and the table has its correlation with PL certainty (γ = 3). For conditions tied at
the top, the share that the annotator named counts: the expectation over ties.

There are {int(single.sum())} cases with one annotator, whose agreement is undefined. `ugt` leaves them out. The paper does not say how
the authors treated them, and 0.85 lies between the two ways. The paper's test set had no such cases.
"""
    title = "Figure 13: certainty and the agreement of annotators"
    return Section(title, text, ("agreement", "paper", "ugt"), rows, "evaluation-agreement", figures.agreement)


def saturation() -> Section:
    tied = int(derm.tied_at_the_top().sum())
    rows = [
        ("cases with conditions tied at the top of IRN", "", tied),
        ("cases with certainty of at most 1/2 at medium γ", *(derm.at_most_half(model, derm.MEDIUM[model]) for model in derm.MEDIUM)),
        ("cases with certainty of at most 1/2 at the highest γ", derm.at_most_half("PL", 10), derm.at_most_half("PrIRN", 100)),
        ("cases below 0.99 that gain less than 0.05 from lowest to highest γ", *map(derm.without_gain, derm.MEDIUM)),
    ]
    text = f"""
Each line is sorted by itself, as in the paper, which concludes from the curves that certainty does not rise “for at least 250 cases”. The
curves of PrIRN coincide up to about there. Counted case by case, the number depends on the definition, as the table shows. One part is
exact: if several conditions are tied at the top of IRN, PrIRN gives none of them more than 1/2 at any reliability. That holds for {tied}
cases. No case of PrIRN loses certainty as reliability rises.
"""
    header = ("number", "PL", "PrIRN")
    return Section("Figure 14: certainty of the cases by reliability", text, header, rows, "evaluation-sorted", figures.sorted_certainty)


def two_more_cases() -> Section:
    rows = []
    for number in derm.FIGURE_15:
        n = len(derm.mentioned()[number])
        values = [float(derm.certainty(model, derm.MEDIUM[model]).per_case[number]) for model in ("PL", "PrIRN")]
        rows.append((str(number), str(len(derm.dermatology().annotations[number])), str(n), *values, 1 / n))
    text = """
The table has two cases of low certainty, by their numbers in the authors' notebook, with γ = 3 (PL) and 30 (PrIRN). The paper says that
plausibility is nearly even over the conditions that annotators named. Certainty is then little above one divided by their number. The
prediction sets of its models are left out.
"""
    header = ("case", "annotators", "conditions", "certainty, PL", "certainty, PrIRN", "1 / conditions")
    return Section("Figure 15: two more cases", text, header, rows)
