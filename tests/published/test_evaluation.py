"""The published results of [A] on evaluation: numbers that the paper prints, and exact references for what its figures show.

What is computed is that of the page docs/reproductions/evaluation.md; tests on the dermatology data are skipped where they are absent.
"""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

import ugt

PAGES = Path(__file__).parents[2] / "docs" / "reproductions"
sys.path.append(str(PAGES))
generated = importlib.import_module("evaluation_generated")
EXAMPLES = list(generated.EXAMPLES.values())

# A printed value is rounded and the mean of 1,000 draws: half a last digit and three standard errors lie between it and the exact one.
PRINTED_DRAWS, STANDARD_ERRORS = 1000, 3
# Statistical tests of this file: 6.5 standard errors, false alarm 1e-10 where the normal limit holds.
SIGMAS = 6.5


@pytest.fixture(scope="module")
def derm(dermatology):
    """The module that computes; ``dermatology`` skips the test where there are no data."""
    return importlib.import_module("evaluation_dermatology")


@pytest.fixture(scope="module")
def stand_ins(derm):
    return importlib.import_module("evaluation_stand_ins")


def allowed(printed, digits):
    """How far an exact value may be from a printed frequency of so many digits."""
    return 0.5 * 10.0**-digits + STANDARD_ERRORS * np.sqrt(printed * (1 - printed) / PRINTED_DRAWS)


# ---- figure 2
def best_of_three(concentration, k):
    """P(λ_k is the largest) as an integral over independent gammas."""
    mine, others = stats.gamma(concentration[k]), [stats.gamma(c) for j, c in enumerate(concentration) if j != k]
    # in log x, where densities of gammas below 1 have no pole
    value, _ = integrate.quad(
        lambda s: np.exp(s) * mine.pdf(np.exp(s)) * np.prod([one.cdf(np.exp(s)) for one in others]), -60, 6, limit=500, epsabs=1e-12
    )
    return value


@pytest.mark.parametrize("reliability", generated.TOY_RELIABILITIES)
def test_toy_certainty_is_the_integral_over_three_gammas(reliability):
    labels = generated.toy_labels(EXAMPLES)
    wanted = [max(best_of_three(reliability * row + generated.PRIOR, k) for k in range(3)) for row in labels]
    np.testing.assert_allclose(generated.toy_certainty(labels, reliability), wanted, atol=1e-7)  # what quad reaches over 66 e-folds


def test_mean_toy_certainty_is_that_of_many_labellings():
    for at in EXAMPLES[1:]:
        found = generated.toy_certainty(generated.toy_labels(np.full(4000, at), seed=5), 1.0)
        assert abs(found.mean() - generated.expected_toy_certainty([at], 1.0)[0]) < SIGMAS * found.std() / np.sqrt(len(found))


def test_figure_2_shows_what_the_paper_says():
    labels = generated.toy_labels(EXAMPLES)
    clear, halfway, leaning = np.array([generated.toy_certainty(labels, reliability) for reliability in generated.TOY_RELIABILITIES]).T
    assert (clear > 0.96).all()
    assert (halfway < 0.5 + 1e-9).all()
    assert (np.diff(leaning) > 0).all() and leaning[-1] > 0.99
    # appendix A: the effect of α vanishes with higher reliability
    effect = [generated.toy_certainty(labels, r, 0.01)[2] - generated.toy_certainty(labels, r, 1.0)[2] for r in (0.2, 1.0, 5.0)]
    assert effect[0] > 2 * effect[1] > 4 * effect[2] > 0


# ---- figure 3
def test_count_of_uncertain_cases_by_draws_is_as_likely_as_its_law_says():
    certainty = generated.count_result(1.0).certainty.per_case
    chance = stats.binom.cdf(989, 1000, certainty[certainty < 0.9995])  # at most 989 of 1,000 draws: below 0.99
    assert stats.binom.cdf(989, 1000, 0.9995) * 10_000 < 1e-6  # the others
    spread = np.sqrt((chance * (1 - chance)).sum())
    assert abs(generated.n_uncertain_by_draws() - chance.sum()) < SIGMAS * spread
    assert spread < 8  # so that the test means something


def test_figure_3_shows_what_the_paper_says():
    found = [generated.count_result(1.0, prior).n_uncertain for prior in (0.01, 0.1, 0.5)]
    assert max(found) - min(found) <= 5  # on CIFAR-10H, too, the count moves by a few with the prior
    assert 150 < found[1] < 210  # chosen to be like the printed 178
    one = generated.count_result(1.0)
    assert one.accuracy_of_uncertain < 0.5 < 0.95 < one.accuracy.value
    assert (np.diff([generated.count_result(r).certainty.value for r in generated.COUNT_RELIABILITIES]) > 0).all()


# ---- figure 5
@pytest.mark.parametrize("tie_weight, key", [("split", "paper"), ("full", "code")])
def test_figure_5_prirn_is_exact(derm, shared_case, tie_weight, key):
    wanted = shared_case("15")["expected"][key]["30"]
    found = derm.covered(derm.figure_5("PrIRN", tie_weight=tie_weight))
    assert found["A"].value == pytest.approx(wanted["ua_A"], abs=1e-8)
    assert found["B"].value == pytest.approx(wanted["ua_B"], abs=1e-8)
    certainty = ugt.annotation_certainty(derm.figure_5("PrIRN", tie_weight=tie_weight)).value
    assert certainty == pytest.approx(wanted["certainty"], abs=1e-8)


def test_figure_5_prirn_has_the_printed_values_with_full_weights_only(derm):
    full, split = (derm.covered(derm.figure_5("PrIRN", tie_weight=tie_weight)) for tie_weight in ("full", "split"))
    assert abs(full["A"].value - 0.52) < allowed(0.52, 2)
    assert abs(full["B"].value - 0.99) < allowed(0.99, 2)
    assert abs(split["A"].value - 0.52) > 2 * allowed(0.52, 2)


def test_figure_5_plackett_luce_has_the_printed_values_with_the_authors_prior(derm):
    found = derm.covered(derm.figure_5("PL", **derm.AUTHORS))
    assert abs(found["A"].value - 0.70) < allowed(0.70, 2)
    assert found["B"].value > 0.995
    every_class = derm.covered(derm.figure_5("PL", unranked="individual", prior_shape=1.0))
    assert abs(every_class["A"].value - 0.70) > 4 * allowed(0.70, 2)


def test_figure_5_plackett_luce_is_that_of_importance_sampling(derm):
    """The same posterior without a sampler: nine classes (the last one for all others), weights from the likelihood."""
    (case,) = [derm.dermatology().annotations[derm.CASE]]
    known = sorted({k for ranking in case for block in ranking for k in block})
    small = [[[known.index(k) for k in block] for block in ranking] for ranking in case]
    rankings, rng = ugt.Rankings.from_blocks([small] * 20_000, n_classes=9), np.random.default_rng(0)
    centre = 50 * ugt.papers.plackett_luce_map(ugt.Rankings.from_blocks([small], n_classes=9), reliability=3, prior_shape=1.0).mean()[0]
    draws = rng.dirichlet(centre, 80_000)
    log_likelihood = np.concatenate([ugt.truth.plackett_luce_log_likelihood(rankings, part) for part in np.split(draws, 4)])
    log_weight = 3 * log_likelihood.reshape(len(draws), -1).sum(1)  # the prior is flat: Dirichlet(1, …, 1)
    log_weight -= ((centre - 1) * np.log(draws)).sum(1)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    for name, estimate in derm.covered(derm.figure_5("PL", **derm.AUTHORS)).items():
        inside = np.isin(draws.argmax(1), [known.index(k) for k in derm.SETS[name]])
        value = weight @ inside
        error = np.sqrt((weight**2 * (inside - value) ** 2).sum())
        assert abs(value - estimate.value) < SIGMAS * np.hypot(error, estimate.mc_error) + 1e-3
        assert error < 0.004  # so that a prior of shape 1.5, which gives 0.652 for A, fails


def test_figure_5_has_its_bars_in_the_printed_order(derm):
    printed_pl = ["Hemang", "Melano", "Melano", "Pyogen", "O/E - ", "Angiok", "Skin T", "Atypic"]
    printed_prirn = ["Hemang", "Melano", "Angiok", "Pyogen", "Skin T", "Melano", "Atypic", "O/E - "]
    rankings = derm.figure_5_rankings()
    assert [name[:6] for name in derm.bar_order(ugt.truth.plackett_luce_mle(rankings))] == printed_pl
    assert [name[:6] for name in derm.bar_order(ugt.irn(rankings, tie_weight="full"))] == printed_prirn
    assert [name[:6] for name in derm.bar_order(ugt.irn(rankings))] != printed_prirn


# ---- figure 6, first column
@pytest.mark.parametrize("model, key", [("PrIRN", "code"), ("PrIRN split", "paper")])
def test_figure_6_prirn_certainty_is_exact(derm, shared_case, model, key):
    expected = shared_case("81")["expected"]
    for reliability in derm.PRIRN_RELIABILITIES:
        wanted = expected[f"prirn_{key}_alpha0.0_gamma{reliability}"]
        for k in (1, 2, 3):
            assert derm.certainty(model, reliability, k).value == pytest.approx(wanted[f"certainty{k}"], abs=1e-6)
        assert (derm.certainty(model, reliability).per_case < 0.99).sum() == wanted["n_below_099"]


@pytest.mark.full
def test_figure_6_certainty_of_higher_orders_is_lower(derm):
    for model, reliability in derm.MEDIUM.items():
        one, two, three = (derm.certainty(model, reliability, k).value for k in (1, 2, 3))
        assert max(two, three) < one - 0.1  # "significantly lower"


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("reliabilities", [(2, 3), (1, 2)])  # a sampling each
def test_figure_6_certainty_rises_with_reliability(derm, reliabilities):
    found = [[derm.certainty("PL", reliability, k) for k in (1, 2, 3)] for reliability in reliabilities]
    for low, high in zip(found, found[1:]):
        for one, other in zip(low, high):
            assert other.value - one.value > SIGMAS * np.hypot(one.mc_error, other.mc_error)


# ---- figures 7 and 13
def test_figure_7_correlation_is_the_printed_one(derm):
    pl = derm.certainty("PL", 3).per_case
    assert round(ugt.truth.case_correlation(pl, derm.certainty("PrIRN", 30).per_case).value, 1) == 0.9  # printed with one digit
    assert ugt.truth.case_correlation(pl, derm.certainty("PrIRN split", 30).per_case).value < 0.85


def test_figure_7_a_quarter_of_the_cases_is_well_below_1(derm):
    assert np.quantile(derm.certainty("PL", 3).per_case, 0.25) < 0.75


def test_figure_13_correlation_is_about_the_printed_one(derm):
    """Within 0.02 of 0.85: what the 25 cases with a single annotator may do, which the paper's test set did not have."""
    pl, agreement = derm.certainty("PL", 3).per_case, derm.agreement()
    single = np.isnan(agreement)
    assert single.tolist() == [len(case) == 1 for case in derm.dermatology().annotations]
    assert abs(ugt.truth.case_correlation(pl, agreement).value - 0.85) < 0.02
    assert ugt.truth.case_correlation(pl, np.where(single, 0, agreement)).value < 0.85 < ugt.truth.case_correlation(pl, agreement).value


# ---- figures 8 and 12
def test_figure_8_risks_are_more_certain_than_conditions(derm):
    one, risk = derm.certainty("PL", 3), derm.risk_certainty()
    assert (risk["top_class"].per_case >= one.per_case - 1e-12).all()
    assert risk["top_class"].value > one.value + 0.05
    assert (risk["top_class"].per_case < 0.9).mean() > 0.15  # "remains low for many cases"


def test_figure_8_risk_certainty_of_prirn_is_exact(derm, shared_case):
    expected = shared_case("81")["expected"]
    for reliability in (10, 100):
        found = ugt.annotation_certainty(derm.prirn(reliability), groups=derm.dermatology().risks, group_rule="top_class").value
        assert found == pytest.approx(expected[f"prirn_code_alpha0.0_gamma{reliability}"]["risk_certainty"], abs=1e-6)


def test_figure_8_most_cases_have_evidence_for_several_risks(derm):
    found = derm.expected_risk()["plausibility"].per_case
    assert (np.abs(found - np.rint(found)) > 0.05).mean() > 0.5
    assert (derm.risk_levels() > 1).mean() > 0.5
    data = derm.dermatology()
    by_hand = ugt.irn(data.rankings, tie_weight="full").mean() @ data.risks
    np.testing.assert_allclose(ugt.truth.expected_risk(derm.prirn(30), data.risks, kind="plausibility").per_case, by_hand, atol=1e-12)


def test_figure_12_high_risk_has_fewer_annotators_and_more_conditions(derm):
    (_, n_low, annotators_low, conditions_low), (_, n_medium, _, _), (_, n_high, annotators_high, conditions_high) = derm.by_risk()
    assert n_low + n_medium + n_high == 1947
    assert annotators_high < annotators_low - 0.5
    assert conditions_high > conditions_low + 0.3


# ---- figures 14 and 15
def test_figure_14_ties_at_the_top_bound_certainty(derm, shared_case):
    expected = shared_case("80")["expected"]
    assert derm.tied_at_the_top().sum() == expected["irn_code"]["n_top1_tied"]
    assert derm.tied_at_the_top("split").sum() == expected["irn_paper"]["n_top1_tied"]
    for reliability in derm.PRIRN_RELIABILITIES:
        assert derm.certainty("PrIRN", reliability).per_case[derm.tied_at_the_top()].max() < 0.5 + 1e-9
    assert abs(derm.at_most_half("PrIRN", 30) - 250) < 10  # where the paper sees the curves run together: "at least 250 cases"


def test_figure_14_no_case_of_prirn_loses_certainty(derm):
    curves = [derm.certainty("PrIRN", reliability).per_case for reliability in derm.PRIRN_RELIABILITIES]
    assert all((high >= low - 1e-9).all() for low, high in zip(curves, curves[1:]))


def test_figure_15_plausibility_is_nearly_even(derm):
    for case in derm.FIGURE_15:
        least = 1 / len(derm.mentioned()[case])
        for model, reliability in derm.MEDIUM.items():
            value = derm.certainty(model, reliability).per_case[case]
            assert least - 1e-9 <= value < 2 * least
            assert value < np.quantile(derm.certainty(model, reliability).per_case, 0.05)


# ---- stand-ins for the models
def test_stand_ins_are_judged_by_others_only(derm, stand_ins):
    rankings, scores = stand_ins.halves()
    nested = [case for case in derm.dermatology().annotations if len(case) > 1]
    assert rankings.n_cases == len(nested) == 1922
    assert np.diff(rankings.case_offsets).tolist() == [(len(case) + 1) // 2 for case in nested]
    for i in (0, 1, 700):
        said = {k for ranking in nested[i][1::2] for block in ranking for k in block}
        assert set(np.flatnonzero(scores["half panel"][i] > 0.01).tolist()) == said


def test_stand_ins_show_what_the_paper_says_of_its_models(derm, stand_ins):
    for model in stand_ins.MODELS:
        found = {
            name: [stand_ins.metric(name, "PrIRN", reliability, model).value for reliability in derm.PRIRN_RELIABILITIES]
            for name in stand_ins.METRICS
        }
        for name, values in found.items():
            assert (np.diff(values) > 0).all(), name
            assert stand_ins.metric(name, "IRN", 0, model).value > values[-1], name
        overlap, accuracy = (found[name][2] for name in ("top-3 average overlap", "top-3 accuracy"))
        assert found["top-3 set accuracy"][2] < found["top-2 set accuracy"][2] < overlap < accuracy


@pytest.mark.slow
def test_stand_in_accuracy_varies_over_draws_as_the_paper_says(stand_ins):
    found = stand_ins.medium("top-3 accuracy", "PL", "half panel")
    assert 0.02 < stand_ins.range_over_draws(found) < 0.05  # "up to 4%"
    assert ((found.per_case > 0.01) & (found.per_case < 0.99)).mean() > 0.25  # "at least a quarter"


# ---- the page
def test_the_page_has_what_is_computed(derm):
    """Three digits, with one of the last for sums in another order."""
    text, pl = (PAGES / "evaluation.md").read_text(encoding="utf-8"), derm.certainty("PL", 3).per_case
    for line, value in {
        'PrIRN, `tie_weight="full"`': derm.covered(derm.figure_5("PrIRN", tie_weight="full"))["A"].value,
        'PL, `unranked="lump", prior_shape=1`': derm.covered(derm.figure_5("PL", **derm.AUTHORS))["A"].value,
        "figure 7: correlation of PL and PrIRN certainty": ugt.truth.case_correlation(pl, derm.certainty("PrIRN", 30).per_case).value,
        "figure 13: correlation of PL certainty and agreement": ugt.truth.case_correlation(pl, derm.agreement()).value,
    }.items():
        (found,) = re.findall(rf"^\| {re.escape(line)} \| [\d.]+ \| ([\d.]+) \|", text, re.MULTILINE)
        assert float(found) == pytest.approx(value, abs=0.0015), line
    assert {path.stem for path in PAGES.glob("evaluation-*.png")} == set(re.findall(r"\((evaluation-\w+)\.png\)", text))
