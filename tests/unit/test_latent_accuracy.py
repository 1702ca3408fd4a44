"""Accuracy against the latent class: published tables, slow twins, derivatives by differences, and input that identifies nothing."""

import dataclasses

import numpy as np
import pytest
from latent_tables import HUI_WALTER, TABLES, cases, judged, made
from refusals import refused
from twins import latent as twin

import ugt
from ugt._core._stream import Stream
from ugt.metrics.latent import confusions, fitting, forms, numbers, profile, records, steps, words
from ugt.metrics.latent.rows import LabelRows

FORMS = tuple(forms.FORMS)
latent_accuracy = ugt.metrics.latent_accuracy


def rows_of(said, n_classes=2):
    return LabelRows.of(said.astype(np.int32), np.zeros(len(said), np.int32), n_classes)


def fit_of(found, form):
    return next(one for one in found.fits if one.form == form)


# ---- published tables ----
def test_dentistry():
    """randomLCA (Beath 2017), dentistry, probit with one loading; independence."""
    found = judged(cases(TABLES["dentistry"]))
    re1, ind = fit_of(found, "re1"), fit_of(found, "ind")
    assert re1.log_likelihood == pytest.approx(-7422.782, abs=2e-3)
    assert (re1.bic, ind.bic) == pytest.approx((14944.69, 15021.64), abs=0.01)
    assert re1.loadings == pytest.approx([0.704], abs=1e-3)
    assert re1.rates[:, 1, 1].round(2).tolist() == [0.40, 0.65, 0.62, 0.42, 0.86]
    assert re1.rates[:, 0, 0].round(2).tolist() == [0.98, 0.87, 0.98, 0.94, 0.67]
    assert re1.values["prevalence"] == pytest.approx(0.179, abs=5e-4)
    low, high = found.interval(of="sensitivity")  # "re1m" fits as well and has another answer
    assert low < re1.interval(of="sensitivity")[0] and high > 0.98


def test_the_first_dentist_has_the_published_error():
    said = cases(TABLES["dentistry"])[:, [1, 2, 3, 4, 0]]
    re1 = fit_of(judged(said), "re1")
    assert re1.values["sensitivity"] == pytest.approx(0.4018, abs=2e-4)
    assert re1.std_errors["sensitivity"] == pytest.approx(0.038, abs=5e-4)
    low, high = re1.interval(of="sensitivity")
    assert (round(low, 2), round(high, 2)) == (0.33, 0.48)  # bootstrap of randomLCA: 0.34 to 0.48


def test_hiv():
    """The man page of randomLCA: BIC is best with one loading."""
    found = judged(cases(TABLES["hiv"]))
    assert found.form == "re1"
    assert (fit_of(found, "ind").bic, fit_of(found, "re1").bic) == pytest.approx((1314.4, 1309.1), abs=0.06)
    assert fit_of(found, "ind").rates[:, 1, 1] == pytest.approx([1, 0.571, 0.913, 1], abs=1e-3)
    assert fit_of(found, "ind").rates[:, 0, 0] == pytest.approx([0.970, 0.964, 1, 0.919], abs=1e-3)


def test_myocardial():
    ind = fit_of(judged(cases(TABLES["myocardial"])), "ind")
    assert ind.log_likelihood == pytest.approx(-180.7164, abs=2e-4)
    assert ind.values["prevalence"] == pytest.approx(0.4577, abs=1e-4)
    assert ind.rates[:, 1, 1] == pytest.approx([0.7668, 0.7914, 0.8279, 0.9998], abs=1e-4)


def test_two_tests_in_two_populations():
    """Hui & Walter (1980)."""
    parts = [cases(table) for table in HUI_WALTER]
    found = judged(np.concatenate(parts), populations=np.repeat(["low", "high"], [len(one) for one in parts]))
    (one,) = found.fits
    prevalence = 1 / (1 + np.exp(-one._fit.x[:2]))
    assert prevalence == pytest.approx([0.0268, 0.7168], abs=1e-4)
    assert one.rates[:, 1, 1] == pytest.approx([0.9661, 0.9688], abs=1e-4)
    assert one.rates[:, 0, 0] == pytest.approx([0.9933, 0.9841], abs=1e-4)
    assert found.value == pytest.approx(0.9841 + (0.9688 - 0.9841) * found.prevalence[1], abs=1e-4)
    assert found.goodness_of_fit(9).df == 0 and np.isnan(found.goodness_of_fit(9).p_values["g_squared"])


@pytest.mark.parametrize("k, expected", [(2, -317.2568), (3, -293.705), (4, -289.2858)])
def test_carcinoma(k, expected):
    """The manual of poLCA, over many starts; with more latent classes than labels."""
    rows, rng = rows_of(cases(TABLES["carcinoma"]), k), np.random.default_rng(1)
    best, prevalence, theta = -np.inf, np.zeros(0), np.zeros(0)
    for _ in range(8):
        found = confusions.fit_confusions(rows, "full", start=rng.dirichlet([0.5] * k, len(rows.times)))
        if found.log_likelihood > best:
            best, prevalence, theta = found.log_likelihood, found.prevalence, found.confusion
    assert best == pytest.approx(expected, abs=1e-3)
    if k == 3:
        order = np.argsort(theta[:, :, 1].sum(axis=0))[[1, 0, 2]]  # the middle class, then no carcinoma, then carcinoma
        assert prevalence[0, order] == pytest.approx([0.1817, 0.3736, 0.4447], abs=1e-3)
        assert theta[[0, 1, 3, 5]][:, order, 1] == pytest.approx(
            np.array([[0.5128, 0.0573, 1], [1, 0.1379, 0.9809], [0.0576, 0, 0.5862], [0, 0, 0.4764]]), abs=2e-3
        )


def test_carcinoma_of_two_classes_is_the_published_fit():
    found = fit_of(judged(cases(TABLES["carcinoma"])), "ind")
    assert found.log_likelihood == pytest.approx(-317.2568, abs=0.06)  # the ridge keeps probits of 0 and 1 finite
    assert found.values["prevalence"] == pytest.approx(0.5012, abs=2e-3)


# ---- slow twins ----
@pytest.mark.parametrize("form", FORMS)
def test_probabilities_of_rows_are_those_of_the_papers(form):
    said, _ = made(30, 5, absent=0.2)
    model = forms.TwoClasses.of(form, rows_of(said), forms.MORE_NODES)
    x = np.random.default_rng(2).normal(size=model.n_parameters) * 0.8
    own = np.exp(model.joint(x)[0])
    slow = np.array([twin.joint(form, row, x.tolist()) for row in model.rows.table.tolist()])
    assert own == pytest.approx(slow, abs=1e-7)
    rates = model.rates(x)[0]
    for c in (0, 1):
        probits, extra = x[1 + 5 * c : 6 + 5 * c].tolist(), x[11:].tolist()
        assert rates[c] == pytest.approx([twin.marginal(form, probits, extra, c, j) for j in range(5)], abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_derivatives_are_those_of_differences(form):
    said, _ = made(60, 5, absent=0.2)
    model = forms.TwoClasses.of(form, LabelRows.of(said.astype(np.int32), np.arange(60, dtype=np.int32) % 2, 2))
    x = np.random.default_rng(3).normal(size=model.n_parameters) * 0.7
    scores = model.joint(x)[1]
    by_rate, h = model.rates(x)[1], 1e-6
    for i, move in enumerate(np.eye(len(x)) * h):
        step = (model.joint(x + move)[0] - model.joint(x - move)[0]) / (2 * h)
        np.testing.assert_allclose(scores[:, :, i].T, step, atol=1e-6)
        assert by_rate[:, :, i] == pytest.approx((model.rates(x + move)[0] - model.rates(x - move)[0]) / (2 * h), abs=1e-7)


@pytest.mark.parametrize("form", ["ind", "re1"])
def test_two_steps_and_signed_weights_are_those_of_pairs(form):
    said, truth = made(200, 5, absent=0.1)
    scores = np.round(np.random.default_rng(1).normal(size=200) + 1.5 * truth, 1)
    fit = fitting.fit_two(form, rows_of(said[:, :4]))
    found, _ = steps.two_steps(fit, np.eye(2)[said[:, 4]])
    pi = fit.posterior[fit.rows.row]
    recalls, accuracy = twin.two_steps(pi.tolist(), said[:, 4].tolist())
    assert [found["recall 0"].value, found["recall 1"].value] == pytest.approx(recalls, abs=1e-10)
    assert found["accuracy"].value == pytest.approx(accuracy, abs=1e-10)
    assert steps.signed_auroc(fit, scores).value == pytest.approx(twin.signed_auroc(pi[:, 1].tolist(), scores.tolist()), abs=1e-10)


def test_standard_errors_are_those_of_leaving_cases_out():
    """The influences of cases, with those by the parameters of the annotators, against fits without each case."""
    said, truth = made(150, 5, seed=4)
    scores = np.random.default_rng(5).normal(size=150) + 1.5 * truth

    def numbers_of(at):
        fit = fitting.fit_two("ind", rows_of(said[at, :4]))
        found, _ = steps.two_steps(fit, np.eye(2)[said[at, 4]])
        return {**found, "auroc": steps.signed_auroc(fit, scores[at])}

    everyone = numbers_of(np.arange(150))
    without = [numbers_of(np.delete(np.arange(150), i)) for i in range(150)]
    for name, number in everyone.items():
        values = np.array([one[name].value for one in without])
        assert number.std_error == pytest.approx(np.sqrt(149 / 150 * np.sum((values - values.mean()) ** 2)), rel=0.08), name


def three_classes(form, n):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, n)
    return confusions.fit_confusions(rows_of(np.where(rng.random((n, 4)) < 0.7, truth[:, None], rng.integers(0, 3, (n, 4))), 3), form, 0.1)


def moved(fit, one, step):
    """The prevalence and confusions after a step in a free parameter."""
    prevalence, theta = fit.prevalence.copy(), fit.confusion.copy()
    if len(one) == 2:
        prevalence[one] *= np.exp(step)
        prevalence[one[0]] /= prevalence[one[0]].sum()
    elif len(one) == 1:
        right = np.einsum("tkk->tk", theta)[:, 0]
        right[one] = 1 / (1 + (1 / right[one] - 1) * np.exp(-step))
        theta = confusions.coins(right, 3)
    else:
        theta[one] *= np.exp(step)
        theta[one[:2]] /= theta[one[:2]].sum()
    return prevalence, theta


@pytest.mark.parametrize("form", ["full", "one accuracy"])
def test_scores_of_more_classes_are_derivatives(form):
    fit, h = three_classes(form, 300), 1e-6
    free = list(fit.free())
    assert len(free) == fit.n_parameters == (2 + 4 * (1 if form == "one accuracy" else 6))
    for one, direction in zip(free, fit.directions()):
        up, down = (confusions.joint_of(fit.rows, *moved(fit, one, sign * h)) for sign in (1, -1))
        np.testing.assert_allclose(direction, (up - down) / (2 * h), atol=1e-6)


@pytest.mark.parametrize("form", ["full", "one accuracy"])
def test_the_mean_recall_has_its_derivative(form):
    fit, h = three_classes(form, 400), 1e-6
    value, by = fit.right()
    assert value == pytest.approx(np.mean([fit.confusion[t, k, k] for t in range(4) for k in range(3)]))
    for one, slope in zip(fit.free(), by):
        both = [np.einsum("tkk->tk", moved(fit, one, sign * h)[1]).mean() for sign in (1, -1)]
        assert slope == pytest.approx((both[0] - both[1]) / (2 * h), abs=1e-6)


def test_goodness_of_fit_is_that_of_loops():
    said, _ = made(300, 4)
    found = judged(said, forms=["ind"])
    (one,) = found.fits
    check = found.goodness_of_fit(19, seed=3)
    rows = one._fit.rows
    expected = 300 * np.exp(confusions.logsumexp(one._fit.joint))
    assert check.g_squared == pytest.approx(twin.g_squared(rows.times, expected), abs=1e-9)
    assert check.df == 15 - 9
    assert check.unanimous == sum(len(set(row)) == 1 for row in said.tolist())
    x = one._fit.x.tolist()
    alike = [300 * sum(twin.joint("ind", [label] * 4, x)) for label in (0, 1)]
    assert check.expected_unanimous == pytest.approx(sum(alike), abs=1e-6)
    gaps = {}
    for i in range(4):
        for j in range(i):
            rows_of_two = [[label if t in (i, j) else -1 for t in range(4)] for label in (0, 1)]
            gaps[j, i] = abs((said[:, i] == said[:, j]).mean() - sum(sum(twin.joint("ind", row, x)) for row in rows_of_two))
    assert check.largest_residual == pytest.approx(max(gaps.values()), abs=1e-9)
    names = [*map(str, range(3)), "model"]
    assert check.pair == tuple(names[t] for t in max(gaps, key=gaps.get))
    assert found.goodness_of_fit(19, seed=3).p_values == check.p_values


def test_any_number_of_threads_draws_the_same_data():
    found = judged(made(200, 4)[0], forms=["re1"])
    labels = ugt.Labels.from_wide(made(200, 4)[0])
    alone = [found.goodness_of_fit(9, seed=3).p_values, ugt.truth.true_class_statements(labels, n_resamples=9, seed=3).p_latent]
    with ugt.resampling.threads(3):
        assert alone == [found.goodness_of_fit(9, seed=3).p_values, ugt.truth.true_class_statements(labels, n_resamples=9, seed=3).p_latent]


def test_drawn_labels_are_of_the_law_and_of_those_who_labelled():
    said, _ = made(4000, 5, absent=0.2)
    said[:, 4] = -1
    for model in (forms.TwoClasses.of("re1", rows_of(said)), forms.TwoClasses.of("fm", rows_of(said))):
        x = np.random.default_rng(3).normal(size=model.n_parameters) * 0.7
        drawn = model.drawn(x, Stream(1, 0, 0, 0))
        assert sorted(map(tuple, drawn.given[drawn.row].tolist())) == sorted(map(tuple, model.rows.given[model.rows.row].tolist()))
        shares = [drawn.times @ drawn.hot[:, j, 1] / (drawn.times @ drawn.given[:, j]) for j in range(4)]
        p = 1 / (1 + np.exp(-x[0]))
        rates = model.rates(x)[0]
        assert shares == pytest.approx((p * rates[1] + (1 - p) * rates[0])[:4], abs=0.04)


def test_a_profile_ends_where_the_likelihood_says():
    """One test that is always right: its sensitivity is at the end of the range."""
    said, truth = made(400, 5, seed=6)
    said[:, 4] = truth
    one = fit_of(judged(said), "ind")
    number = one._numbers["sensitivity"]
    assert number.profile == 1
    low, high = one.interval(of="sensitivity")
    assert high == 1 and 0.9 < low < 0.99
    fit, at = one._fit, 1 + 5 + 4  # the probit of the last test among positives
    from scipy.optimize import minimize
    from scipy.special import ndtri

    value = fit.model.value

    def held(rest):
        f, g = value(np.insert(rest, at, ndtri(low)))
        return f, np.delete(g, at)

    least = minimize(held, np.delete(fit.x, at), jac=True, method="BFGS").x
    deviance = 2 * (fit.log_likelihood - profile._value(fit.model, np.insert(least, at, ndtri(low))))
    assert deviance == pytest.approx(3.84, abs=0.05)


# ---- what is asked, and what comes back ----
def test_names_of_classes_change_places():
    said, _ = made()
    one, other = judged(said), judged(1 - said, positive=0)
    assert (one.sensitivity, one.specificity, one.value, one.auroc) == pytest.approx(
        (other.sensitivity, other.specificity, other.value, other.auroc), abs=1e-5
    )
    assert one.recalls == pytest.approx(other.recalls[::-1], abs=1e-5) and one.prevalence == pytest.approx(other.prevalence[::-1], abs=1e-5)


def test_a_common_form_is_not_forced_on_the_model():
    """Annotators share a difficulty, the model does not: with "re1" alone the model is drawn to the annotators, with "re1m" it is not."""
    rng = np.random.default_rng(4)
    n, truth = 4000, np.arange(4000) % 10 < 3
    hard = rng.normal(size=(n, 1))
    said = (rng.normal(size=(n, 6)) + 1.2 * hard < np.where(truth, 1.3, -2.0)[:, None]).astype(int)
    model = np.where(truth, rng.random(n) < 0.9, rng.random(n) > 0.92).astype(int)
    both = np.concatenate([said, model[:, None]], axis=1)
    found = judged(both)
    assert found.form == "re1m"
    for form, holds in (("re1m", True), ("re1", False)):
        low, high = fit_of(found, form).interval(of="sensitivity")
        assert (low < 0.9 < high) == holds
    assert not fit_of(found, "re1").within and fit_of(found, "re1").values["sensitivity"] < 0.8


def test_values_above_one_are_kept():
    """A model that copies the vote shares the annotators' errors: two steps find a recall above 1."""
    said, _ = made(600, 4, rate=0.75, seed=3)
    said[:, 3] = said[:, :3].sum(axis=1) > 1
    found = judged(said, model="outside")
    assert found.sensitivity > 1 and found.value > 1
    assert found.interval(of="sensitivity")[1] == found.sensitivity


def test_three_tests_cannot_be_checked():
    said, _ = made(400, 3)
    found = judged(said)
    assert [one.form for one in found.fits] == ["ind"]
    assert found.goodness_of_fit(9).df == 0
    assert np.isnan(found.auroc) and "there are 2" in found.reasons["auroc"]


def test_more_classes():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 1500)
    said = np.where(rng.random((1500, 3)) < 0.8, truth[:, None], rng.integers(0, 3, (1500, 3)))
    choice = np.where(rng.random(1500) < 0.9, truth, (truth + 1) % 3)
    labels = ugt.Labels.from_wide(said, classes=3)
    found = latent_accuracy(labels, np.eye(3)[choice])
    assert found.model == "outside" and found.form == "ind" and np.isnan([found.sensitivity, found.auroc]).all()
    assert found.recalls == pytest.approx([np.mean(choice[truth == t] == t) for t in range(3)], abs=0.05)
    low, high = found.interval(of="recall 1")
    assert low < found.recalls[1] < high
    few = latent_accuracy(ugt.Labels.from_wide(said[:200], classes=3), np.eye(3)[choice[:200]])
    assert few.form == "one-coin" and few.value == pytest.approx(0.9, abs=0.1)
    refused("no|form", found.goodness_of_fit)


# ---- clusters, drawn cases, and annotators left out ----
def copies(said, **options):
    """Three copies of each case, in one cluster."""
    return judged(np.repeat(said, 3, axis=0), clusters=np.repeat(np.arange(len(said)), 3), **options)


@pytest.mark.parametrize("model", ["test", "outside"])
def test_copies_of_cases_in_clusters_tell_nothing_new(model):
    said, _ = made(400, 5)
    one, own, three = judged(said, model=model), judged(said, model=model, clusters=np.arange(400)), copies(said, model=model)
    for name in one.names:
        assert own.std_error(name) == pytest.approx(one.std_error(name), rel=0.02)
        assert three.std_error(name) == pytest.approx(own.std_error(name), rel=0.002)
        if name == "auroc":
            assert three.interval(of=name) == pytest.approx(own.interval(of=name), abs=2e-3)
    refused("clusters must be two or more of the cases with labels. Got 1", judged, said, clusters=np.zeros(400))


def test_a_profile_is_wider_with_clusters():
    said, truth = made(400, 5, seed=6)
    said[:, 4] = truth
    one, three, no_clusters = fit_of(judged(said), "ind"), fit_of(copies(said), "ind"), fit_of(judged(np.repeat(said, 3, axis=0)), "ind")
    low, of_copies, too_short = (fit.interval(of="sensitivity")[0] for fit in (one, three, no_clusters))
    assert abs(of_copies - low) < 0.5 * (too_short - low)


@pytest.mark.parametrize("model", ["test", "outside"])
def test_drawn_cases_give_the_intervals_of_the_information(model):
    said, _ = made(600, 5)
    found = judged(said, model=model)
    for name in ("sensitivity", "specificity"):
        ends = found.interval(of=name)
        for kind, n in (("normal", 99), ("percentile", 150)):
            drawn = found.interval(of=name, kind=kind, n_resamples=n, seed=1)
            assert drawn == pytest.approx(ends, abs=0.35 * (ends[1] - ends[0]))
            assert drawn == found.interval(of=name, kind=kind, n_resamples=n, seed=1)
    refused("kind must be one of", found.interval, kind="bca")
    refused("n_resamples must be", found.interval, kind="normal", n_resamples=1)


def test_drawn_clusters_are_drawn_whole():
    said, _ = made(300, 5)
    drawn = copies(said)._judged.rows.drawn_cases(Stream(1, 0, 0, 0))
    assert len(drawn) == 900 and (np.bincount(drawn // 3, minlength=300) % 3 == 0).all()
    one, three = judged(said).interval(kind="normal", seed=2), copies(said).interval(kind="normal", seed=2)
    assert three == pytest.approx(one, abs=0.01)


def test_drawn_cases_of_more_classes_and_threads():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    said = np.where(rng.random((600, 4)) < 0.75, truth[:, None], rng.integers(0, 3, (600, 4)))
    found = latent_accuracy(ugt.Labels.from_wide(said[:, :3]), np.eye(3)[said[:, 3]])
    alone = found.interval(kind="normal", n_resamples=40)
    assert alone == pytest.approx(found.interval(), abs=0.03)
    with ugt.resampling.threads(3):
        assert found.interval(kind="normal", n_resamples=40) == alone


def test_ends_of_drawn_values():
    drawn = np.array([0.7, 0.8, 0.9, np.nan])
    logits = np.log(drawn[:3] / (1 - drawn[:3]))
    center, half = np.log(0.8 / 0.2), 1.959964 * logits.std(ddof=1)
    assert records.resampled_ends(0.8, drawn, 0.95, "normal") == pytest.approx(
        1 / (1 + np.exp(-center + np.array([half, -half]))), abs=1e-6
    )
    above = np.array([0.9, 1.1])
    assert records.resampled_ends(1.0, above, 0.95, "normal") == pytest.approx(
        (1 - 1.959964 * above.std(ddof=1), 1 + 1.959964 * above.std(ddof=1))
    )
    assert records.resampled_ends(0.8, drawn, 0.5, "percentile") == pytest.approx((0.75, 0.85))
    assert np.isnan(records.resampled_ends(0.8, np.array([0.8, np.nan]), 0.95, "normal")).all()


@pytest.mark.parametrize("model", ["test", "outside"])
def test_leaving_out_each_annotator_is_a_fit_without(model):
    said, _ = made(400, 5, absent=0.3)
    found = judged(said, model=model)
    others = found.without_each()
    assert list(others) == [0, 1, 2, 3]
    alone = judged(np.delete(said, 1, axis=1), model=model)
    assert (others[1].value, others[1].auroc, others[1].n_cases) == pytest.approx(
        (alone.value, alone.auroc, alone.n_cases), abs=1e-6, nan_ok=True
    )


def test_a_sentence_has_its_condition_first():
    said, _ = made(3000, 5)
    found = judged(said)
    own = found.sentence()
    start = (
        "If annotators and model err independently of each other given the class, or depend on each other in the form re1, the accuracy is"
    )
    assert {one.form for one in found.within("accuracy")} == {"ind", "re1"} and own.startswith(f"{start} 0.8")
    assert "against the class that these annotators and the model define. Without one of the annotators in turn it is from 0.8" in own
    outside = judged(said, model="outside", forms=["ind"]).sentence()
    assert outside.startswith("If the model errs independently of the annotators given the class, and the annotators err independently of")
    assert "which 4 tests hardly show, the accuracy is" in outside and "against the class that these annotators define." in outside
    assert found.sentence("auroc").startswith("If the model errs independently") and " of the class that " in found.sentence("prevalence")
    three = judged(made(400, 3)[0])
    assert "given the class, which 3 tests cannot show, the accuracy" in three.sentence()
    assert "Without any one of the annotators it is undefined." in three.sentence()
    assert three.sentence("auroc").startswith("The AUROC is not stated: latent classes need three tests")
    two = judged(np.concatenate([made(900, 3)[0], made(900, 3, prevalence=0.8)[0]]), populations=np.arange(1800) // 900, forms=["ind"])
    assert "given the class, equally often in each population, which" in two.sentence()


def test_a_sentence_names_forms_that_count_only():
    assert (
        words.condition_of(["re1", "fm"], True, 6, 1) == "If the errors of annotators and model depend on each other in the form re1 or fm"
    )
    assert words.condition_of(["one-coin"], False, 5, 1).endswith(
        "the annotators err independently of each other given the class, equally often in all classes"
    )
    said, _ = made(3000, 5)
    rng = np.random.default_rng(1)
    said[:, 0] = np.where(rng.random(3000) < 0.97, said[:, 1], said[:, 0])  # a pair that agrees by other means
    said[:, 4] = np.where(rng.random(3000) < 0.5, said[:, 1], said[:, 4])
    assert ", further apart than the ends of the interval." in judged(said, forms=["ind"]).sentence("sensitivity")


def test_no_end_is_beyond_the_range_but_a_value_above_one():
    assert numbers.shown(0.99, (0.95, 1.03)) == (0.95, 1.0) and numbers.shown(0.01, (-0.1, 0.1)) == (0.0, 0.1)
    assert numbers.shown(1.02, (0.97, 1.07)) == (0.97, 1.02) and numbers.shown(1.02, (1.01, 1.03)) == (1.01, 1.02)
    assert np.isnan(numbers.shown(0.9, (0.2, 1.6))).all()
    said, truth = made(250, 4, rate=0.8, seed=1)
    said[:, 3] = truth
    found = judged(said, model="outside")
    for name in found.names:
        low, high = found.interval(of=name)
        assert 0 <= low <= high <= max(1.0, records.best(tuple(found.within(name)), name).value)
        drawn = found.interval(of=name, kind="normal", n_resamples=20)
        assert 0 <= drawn[0] <= drawn[1] <= max(1.0, high)


def test_intervals_outside_are_wider_for_plausibilities_that_are_too_sure():
    found = judged(made(300, 4, rate=0.75)[0], model="outside", forms=["ind"])
    (one,) = found.fits
    number, share = one._numbers["accuracy"], one._fit.share_open
    assert number.margin == 0.5 * share**2 > 0.001 and one._numbers["auroc"].margin == 0
    plain = number._replace(margin=0.0).ends(0.95)
    assert number.ends(0.95) == pytest.approx((plain[0] - number.margin, plain[1] + number.margin))
    with_margin = found.interval(kind="percentile", n_resamples=30)
    one._numbers["accuracy"] = number._replace(margin=0.0)
    assert with_margin[0] == pytest.approx(found.interval(kind="percentile", n_resamples=30)[0] - number.margin)


def test_an_interval_wider_than_one_is_not_given():
    said, _ = made(400, 5)
    one = judged(said, forms=["ind"]).fits[0]
    number = one._numbers["accuracy"]._replace(value=0.6, std_error=0.4, scale="identity")
    wide = dataclasses.replace(one, values={**one.values, "accuracy": 0.6}, _numbers={**one._numbers, "accuracy": number})
    assert np.isnan(wide.interval()).all() and not records.agree([wide], "accuracy")
    assert records.undecided([wide], "accuracy") == "not determined: its interval is wider than 1"
    assert not records.agree([one, wide], "accuracy")  # it does not leave the hull silently


# ---- the AUROC whatever the score ----
def test_bounds_of_the_auroc_are_those_of_pairs():
    said, truth = made(160, 4, rate=0.75)
    scores = np.round(np.random.default_rng(1).normal(size=160) + truth, 1)
    fit = fitting.fit_two("ind", rows_of(said))
    w = fit.posterior[fit.rows.row, 1]
    group = steps._groups_alike(fit.posterior[:, 1], fit.rows.times)[fit.rows.row]
    groups = [np.flatnonzero(group == g).tolist() for g in range(group.max() + 1)]
    low, high = steps.bounds_of_auroc(fit, scores)
    assert [low, high] == pytest.approx(twin.auroc_bounds(groups, w.tolist(), scores.tolist()), abs=1e-10)
    assert low < steps.signed_auroc(fit, scores).value < high


def test_groups_of_like_cases_are_large_and_do_not_join_sure_ones():
    w = np.array([0.01, 0.02, 0.3, 0.4, 0.5, 0.6, 0.97, 0.99])
    group = steps._groups_alike(w, np.array([60.0, 10.0, 30.0, 30.0, 45.0, 10.0, 20.0, 5.0]))
    assert group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]  # the second case joins the first; the last two are few and stay apart
    group = steps._groups_alike(w, np.array([60.0, 10.0, 30.0, 30.0, 20.0, 10.0, 20.0, 5.0]))
    assert group.tolist() == [0, 0, 1, 1, 1, 1, 2, 2]
    assert steps._groups_alike(w, np.full(8, 50.0)).tolist() == list(range(8))


def test_the_interval_of_any_score_is_wider_and_holds_a_score_that_shares_the_errors():
    said, truth = made(500, 5)
    rng = np.random.default_rng(1)
    score = rng.normal(size=500) + 2 * said[:, :4].mean(axis=1)  # knows the labels, not the truth
    found = latent_accuracy(ugt.Labels.from_wide(said[:, :4]), np.stack([-score, score], axis=1), model="outside")
    (low, high), (own_low, own_high) = found.auroc_bounds(n_resamples=39), found.interval(of="auroc")
    true = (score[truth == 1][:, None] > score[truth == 0]).mean()
    assert low < true < high and low < own_low and high <= 1.0 and own_high - own_low < high - low
    assert found.auroc_bounds(n_resamples=39) == (low, high)
    assert np.isnan(judged(made(400, 3)[0]).auroc_bounds(n_resamples=3)).all()  # two annotators
    refused("n_resamples must be", found.auroc_bounds, n_resamples=1)
