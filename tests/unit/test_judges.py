"""Means of a judge's scores corrected by people: against published software, a twin in plain Python, and the same computed otherwise."""

import math

import numpy as np
import pytest
from refusals import refused
from twins import judges as twin
from twins import two_way

import ugt
from ugt.studies.components import Moments

pytestmark = pytest.mark.filterwarnings("ignore:Intervals are over .. clusters", "ignore:. annotators. the interval depends")
CASES = ("cases",)
N = 60
RNG = np.random.default_rng(8)
QUALITY = RNG.normal(size=N)
TABLE = [[None] * 5 for _ in range(N)]
for i in range(0, N, 2):  # every second case has one to three labels
    for j in {i % 5, i // 2 % 5, (i // 3 + 1) % 5}:
        TABLE[i][j] = float(QUALITY[i] + 0.3 * j + RNG.normal() > 0)
JUDGE = np.round(QUALITY + RNG.normal(size=N), 2)
MEAN = [np.mean([one for one in row if one is not None]) if any(one is not None for one in row) else None for row in TABLE]
PROBABILITY = np.where(np.arange(N) < 20, 0.7, 0.4)
STRATA = np.arange(N) // 20


def ratings(table=TABLE, **options):
    return ugt.Ratings.from_wide(table, annotators=list("abcde"), missing=(None,), **options)


def labels():
    text = [["" if one is None else "yes" if one else "no" for one in row] for row in TABLE]
    return ugt.Labels.from_wide(text, annotators=list("abcde"))


# ppi-python 0.2.3: ppi_mean_pointestimate and ppi_mean_ci(alpha=0.05) of these arrays, by its `lam`
Y, F = (np.arange(60) * 7 % 5 < 3) * 1.0, (np.arange(60) * 3 % 11) / 10 + 0.3 * (np.arange(60) * 7 % 5 < 3)
PPI = {
    None: (0.6020205479452054, 0.39390606785382976, 0.8101350280365811),
    1.0: (0.6075000000000002, 0.3608356416740994, 0.8541643583259009),
    0.5: (0.60375, 0.3918866105082235, 0.8156133894917765),
}


@pytest.mark.parametrize("tuning", PPI)
def test_with_one_annotator_it_is_that_of_ppi_python(tuning):
    known = ugt.Ratings.from_long(np.arange(20), ["ann"] * 20, Y[:20], cases=np.arange(60))
    found = ugt.corrected_mean(known, F, tuning=tuning)
    ends = found.interval(kind="analytic", random=CASES)
    np.testing.assert_allclose([found.value, *ends], PPI[tuning], rtol=1e-12)


def test_with_one_annotator_it_is_that_of_the_installed_ppi_python():
    ppi = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(0)
    for n, others, tuning in ((5, 30, None), (80, 2000, None), (200, 50, None), (40, 400, 1.0), (40, 400, 0.3)):
        q = rng.normal(size=n + others)
        y, f = (q + rng.normal(size=len(q)) > 0) * 1.0, rng.normal() * q + rng.normal(size=len(q))
        known = ugt.Ratings.from_long(np.arange(n), ["ann"] * n, y[:n], cases=np.arange(len(q)))
        found = ugt.corrected_mean(known, f, tuning=tuning)
        theirs = [ppi.ppi_mean_pointestimate(y[:n], f[:n], f[n:], lam=tuning), *ppi.ppi_mean_ci(y[:n], f[:n], f[n:], 0.05, lam=tuning)]
        ours = [found.value, *found.interval(kind="analytic", random=CASES)]
        np.testing.assert_allclose(ours, [np.ravel(one)[0] for one in theirs], rtol=0, atol=1e-10)


DESIGNS = {
    "plain": ({}, np.ones(N), np.array([one is None for one in MEAN]) * 1.0, np.zeros(N, int)),
    "probabilities": ({"probabilities": PROBABILITY}, 1 / PROBABILITY, np.ones(N), np.zeros(N, int)),
    "strata": ({"strata": STRATA}, np.ones(N), np.array([one is None for one in MEAN]) * 1.0, STRATA),
    "both": ({"strata": STRATA, "probabilities": PROBABILITY}, 1 / PROBABILITY, np.ones(N), STRATA),
}


@pytest.mark.parametrize("clusters", [None, np.arange(N) // 3], ids=["cases", "clusters"])
@pytest.mark.parametrize("design", DESIGNS)
def test_the_parts_and_the_interval_are_those_of_a_twin(design, clusters):
    options, weight, other, stratum = DESIGNS[design]
    found = ugt.corrected_mean(ratings(), JUDGE, tuning=0.6, **options)
    plain = twin.corrected(JUDGE.tolist(), 0.6, weight.tolist(), other.tolist(), stratum.tolist())
    assert found.value == pytest.approx(plain(TABLE)[0], rel=1e-12)
    np.testing.assert_allclose(found.influence, plain(TABLE)[1], atol=1e-14)
    cases, annotators, both, g, _, df_a = two_way.parts(TABLE, plain, "identity", None if clusters is None else clusters.tolist())
    unit = np.arange(N) if clusters is None else clusters
    n = len({unit[i] for i in range(N) if MEAN[i] is not None}) - len(set(stratum)) + 1  # units with labels
    cases, both = (part * (g - 1) / g * n / (n - 1) for part in (cases, both))
    spread = found.two_way(clusters=clusters)
    np.testing.assert_allclose([*spread.parts.values()], [cases, annotators, both], rtol=1e-9)
    half, df = two_way.half_width(cases, annotators, both, n, df_a, 0.9)
    np.testing.assert_allclose([spread.df, *found.interval(0.9, clusters=clusters)], [df, found.value - half, found.value + half])
    alone = two_way.quantile(n - 1, 0.95) * np.sqrt(cases)
    ends = found.interval(0.9, clusters=clusters, random=CASES)
    np.testing.assert_allclose(ends, [found.value - alone, found.value + alone], rtol=1e-9)


def test_tuning_and_effective_labels():
    found = ugt.corrected_mean(ratings(), JUDGE)
    assert found.tuning == pytest.approx(twin.tuned(MEAN, JUDGE.tolist()), rel=1e-12)
    people = found.without_judge
    assert people.tuning == 0 and people.value == pytest.approx(np.mean([one for one in MEAN if one is not None]))
    assert found.effective_labels == pytest.approx(30 * (people.std_error / found.std_error) ** 2) and found.effective_labels > 30
    assert ugt.corrected_mean(ratings(), -JUDGE).tuning == 0 and ugt.corrected_mean(ratings(), JUDGE / 100).tuning == 1
    by_weight = ugt.corrected_mean(ratings(), JUDGE, probabilities=PROBABILITY)
    moved = [ugt.corrected_mean(ratings(), JUDGE, probabilities=PROBABILITY, tuning=by_weight.tuning + step) for step in (-0.01, 0.01)]
    assert 0 < by_weight.tuning < 1 and all(one.std_error > by_weight.std_error for one in moved)


def test_equal_probabilities_are_none_and_one_stratum_is_none():
    plain, same = (ugt.corrected_mean(ratings(), JUDGE, tuning=0.4, **one) for one in ({}, {"strata": ["s"] * N}))
    assert same.value == plain.value and same.two_way().parts == plain.two_way().parts
    equal = ugt.corrected_mean(ratings(), JUDGE, tuning=0.8, probabilities=np.full(N, 0.5))  # λ of the mean over all cases
    assert equal.value == pytest.approx(plain.value)


@pytest.mark.parametrize("form", ["verdicts", "by id", "pair", "series", "bools", "counts"])
def test_forms_of_labels_and_of_the_judge(form):
    verdict = np.where(JUDGE > 0, "yes", "no")
    expected = ugt.corrected_mean(ratings(), (JUDGE > 0) * 1.0)
    held, judge, values = labels(), verdict, {"yes": 1, "no": 0}
    if form in ("by id", "pair"):  # labels have the labelled cases only, and the judge another order
        rows = [i for i in range(N) if MEAN[i] is not None]
        held = ugt.Labels.from_long(
            *zip(*((f"c{i}", "abcde"[j], "yes" if TABLE[i][j] else "no") for i in rows for j in range(5) if TABLE[i][j] is not None))
        )
        ids = [f"c{i}" for i in range(N)][::-1]
        judge = dict(zip(ids, verdict[::-1])) if form == "by id" else (ids, verdict[::-1])
    if form == "series":
        judge = pytest.importorskip("pandas").Series(verdict)
    if form == "bools":
        judge, values = JUDGE > 0, [0, 1]
    if form == "counts":
        held = ugt.Labels.from_counts(labels().counts(), classes=["no", "yes"])
    found = ugt.corrected_mean(held, judge, values=values)
    assert found.value == pytest.approx(expected.value) and found.n_cases == N and found.n_labelled == 30
    assert found.interval(random=CASES) == pytest.approx(expected.interval(random=CASES))
    if form != "counts":
        assert found.two_way().scale == "logit" and found.two_way().df > 1


def test_intervals_of_ratings_stay_on_their_scale():
    known = ugt.Ratings.from_wide(TABLE, scale=[0, 1], missing=(None,))
    assert ugt.corrected_mean(known, JUDGE).two_way().scale == "logit"
    six = ugt.corrected_mean(ugt.Ratings.from_wide(TABLE, scale=[0, 1, 2, 3, 4, 5], missing=(None,)), JUDGE)
    assert 0 < six.value < 1 and six.two_way().scale == "identity"
    five = ugt.Ratings.from_wide([[5.0, 4.0], [5.0, 5.0], [4.0, 5.0], [None, None]], scale=[1, 2, 3, 4, 5], missing=(None,))
    with pytest.warns(UserWarning):
        assert ugt.corrected_mean(five, [5, 5, 4, 5]).interval(random=CASES)[1] == 5


def test_ordinal_means_are_those_of_grades():
    grades = ugt.Labels.from_wide([[1, 2], [3, 3], [2, None], [None, None]], classes=["1", "2", "3"], missing=None)
    given = {"judge": [1, 3, 2, 2], "values": [1, 2, 3]}
    with pytest.warns(UserWarning, match="the judge differs from the labels in 1 of 3"):
        found = ugt.corrected_mean(grades, **given, tuning=1)
    assert found.value == pytest.approx((1.5 + 3 + 2) / 3 - 2 + 2)


def test_differences_of_systems_are_paired():
    worse = [[None if one is None else max(one - (j == 0), 0.0) for j, one in enumerate(row)] for row in TABLE]
    first, second = ugt.corrected_mean(ratings(), JUDGE, tuning=0.5), ugt.corrected_mean(ratings(worse), JUDGE - 0.3, tuning=0.5)
    found = first.minus(second)
    apart = [[None if a is None else a - b for a, b in zip(*rows)] for rows in zip(TABLE, worse)]
    direct = ugt.corrected_mean(ratings(apart), np.full(N, 0.3), tuning=0.5)
    assert found.value == pytest.approx(direct.value) and found.interval() == pytest.approx(direct.interval())
    np.testing.assert_allclose(found.interval(random=CASES), direct.interval(random=CASES), rtol=1e-9)
    refused("tuning must be one of 'each', 'joint'", first.minus, second, tuning="both")
    refused("other must be a corrected mean", first.minus, ugt.fleiss_kappa(labels()), error=TypeError)


def test_differences_need_neither_the_same_order_nor_the_same_labels():
    """The second system is labelled by others in another order of cases; both parts of the variance are those of the stacked labels."""
    names, order = np.array([f"q{i}" for i in range(N)]), np.roll(np.arange(N), 17)
    first = ugt.corrected_mean(ratings(case_ids=names), dict(zip(names, JUDGE)))
    table = [row[::-1] for row in TABLE]
    whole = ugt.corrected_mean(ratings(table, case_ids=names), dict(zip(names, JUDGE)))
    turned = ugt.Ratings.from_wide(
        [[table[i][j] for j in (3, 0, 2, 4, 1)] for i in order], annotators=list("dacEb"), missing=(None,), case_ids=names[order]
    )
    renamed = ugt.Ratings.from_wide(table, annotators=list("abcdE"), missing=(None,), case_ids=names)
    found, other = (first.minus(one) for one in (whole, ugt.corrected_mean(renamed, dict(zip(names, JUDGE)))))
    again = first.minus(ugt.corrected_mean(turned, dict(zip(names[order], JUDGE[order]))))
    assert found.value == pytest.approx(first.value - whole.value) and again.value == pytest.approx(found.value)
    assert again.interval() == pytest.approx(other.interval()) and again.interval() != pytest.approx(found.interval())
    counts = ugt.corrected_mean(ugt.Labels.from_counts([[1, 2], [2, 0], [0, 1]] * 8), np.arange(24) % 3)
    assert counts.minus(counts).value == 0
    back = whole.minus(first).interval()
    assert found.interval() == pytest.approx((-back[1], -back[0]))
    less = ugt.corrected_mean(ratings(TABLE[:50], case_ids=names[:50]), JUDGE[:50])
    for one, its in ((first, less), (less, first)):
        refused("other must be of the same .* cases. Got 10 cases of one that the other has not, first at case 'q50'", one.minus, its)
    nameless = [ugt.corrected_mean(ugt.Ratings.from_wide([row[:n] for row in TABLE], missing=(None,)), JUDGE) for n in (5, 4)]
    apart = nameless[0].minus(nameless[1])
    assert apart.interval(random=CASES)[0] <= apart.value <= apart.interval(random=CASES)[1]
    refused("annotators must be named for intervals over other annotators", apart.interval)
    assert nameless[0].minus(nameless[0], tuning="joint").value == 0


@pytest.mark.parametrize("seed", range(8))
def test_jointly_tuned_differences_are_never_wider_over_cases(seed):
    """The two λ are those of the least variance on a grid."""
    rng = np.random.default_rng(seed)
    shared, labelled = rng.normal(size=80), np.arange(80) < 40
    given = []
    for sign in (1, 1 if seed % 2 else -1):
        quality = shared + 0.3 * rng.normal(size=80)
        table = np.where(labelled, quality + rng.normal(size=80), np.nan)[:, None]
        given.append((ugt.Ratings.from_wide(table.tolist()), sign * quality + rng.normal(size=80)))
    made = [ugt.corrected_mean(*one) for one in given]
    each, joint = (made[0].minus(made[1], tuning=tuning) for tuning in ("each", "joint"))
    assert joint.std_error <= each.std_error
    first, second = ([ugt.corrected_mean(*one, tuning=tuning) for tuning in np.linspace(0, 1, 11)] for one in given)
    errors = [one.minus(other).std_error for one in first for other in second]
    assert joint.std_error <= min(errors) + 1e-12 and min(errors) < joint.std_error * 1.02


@pytest.mark.filterwarnings("ignore:the judge's scores of labelled cases")
def test_jointly_tuned_differences_at_the_bounds_of_tuning():
    """The variance on a grid, from what cases add at λ = 0 and 1; the least one often has one λ at 0 or at 1."""
    met, steps = set(), np.linspace(0, 1, 101)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shared, own, made, parts = rng.normal(size=60), rng.normal(size=60), [], []
        for _ in range(2):
            table = np.where(np.arange(60) < 30, shared + rng.normal(size=60), np.nan)[:, None].tolist()
            judge = (rng.normal() * shared + rng.normal() * own + rng.normal(size=60)) * (1.0 if seed % 2 else 0.2)
            zero, one = (ugt.corrected_mean(ugt.Ratings.from_wide(table), judge, tuning=tuning).influence for tuning in (0, 1))
            made.append(ugt.corrected_mean(ugt.Ratings.from_wide(table), judge))
            parts.append(zero + steps[:, None] * (one - zero))
        joint = made[0].minus(made[1], tuning="joint")
        least = np.sqrt(((parts[0][:, None] - parts[1][None]) ** 2).sum(axis=2)).min()
        one = joint._statistic
        assert least * (1 - 1e-3) < np.linalg.norm(one.influence()) < least * (1 + 1e-12)
        tuned = [one.first.tuning, one.second.tuning]
        met |= {(k, tuned[k]) for k in range(2) if tuned[k] in (0, 1) and 0 < tuned[1 - k] < 1}
    assert met == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_more_annotators_make_the_interval_narrower_as_planned():
    rng = np.random.default_rng(3)
    case = np.repeat(np.arange(200), 2)
    annotator = np.array([rng.permutation(4)[:2] for _ in range(200)]).ravel()
    value = rng.normal(size=200)[case] + rng.normal(size=4)[annotator] + rng.normal(size=400)
    found = ugt.corrected_mean(ugt.Ratings.from_long(case, annotator, value, cases=np.arange(900)), rng.normal(size=900))
    widths = [found.expected_width(a) for a in (4, 8, 16)]
    assert widths[0] == pytest.approx(np.diff(found.interval())[0], rel=0.1) and widths[0] > 1.5 * widths[1] > 2 * widths[2]
    needed = found.annotators_needed(widths[1])
    assert needed == 8 and found.annotators_needed(1e-3) is None
    assert found.expected_width(8, n_labelled=400) < widths[1] < found.expected_width(8, n_labels=1)
    assert f"with 8 annotators who share the labels, an interval of width {widths[1]:.2g} is expected" in found.notes[0].text
    refused("n_labels must be from 1 to the 3 annotators. Got 4", found.expected_width, 3, n_labels=4)
    refused("width must be a finite number above 0", found.annotators_needed, 0)


def test_widths_of_one_label_per_case_are_those_of_the_variance_of_labels():
    """It is that of cases and of labels together, less that of annotators; if these are alike, it is all there is."""
    from scipy.stats import t

    value = np.repeat(np.arange(10) % 3 == 0, 2) * 1.0  # each of two annotators has the same ten labels
    alike = ugt.corrected_mean(ugt.Ratings.from_long(np.arange(20), np.arange(20) % 2, value, cases=np.arange(50)), np.zeros(50), tuning=0)
    for n in (20, 80):
        expected = 2 * t.ppf(0.975, n - 1) * math.sqrt(value.var() / n)
        assert alike.expected_width(4, n_labelled=n) == pytest.approx(expected)
    who, rng = np.arange(80) % 8, np.random.default_rng(0)
    value = rng.normal(size=80) + rng.normal(size=8)[who]
    apart = ugt.corrected_mean(ugt.Ratings.from_long(np.arange(80), who, value, cases=np.arange(90)), np.zeros(90), tuning=0)
    products = np.outer(value - value.mean(), value - value.mean())
    same = (who[:, None] == who) & ~np.eye(80, dtype=bool)
    annotators = products[same].mean() - products[who[:, None] != who].mean()
    many = 2 * t.ppf(0.975, 79) * math.sqrt((value.var() - annotators) / 80)
    assert apart.expected_width(10**9) == pytest.approx(many) and apart.expected_width(4) > 2 * many
    assert apart.expected_width(8, n_labels=3) == apart.expected_width(8, n_labels=1)  # nothing shows what more labels would add


@pytest.mark.parametrize("off", [-1e-15, 0.0, 1e-15])
def test_no_two_labels_of_a_case_have_no_product_however_their_sums_are_rounded(off):
    moments = Moments(0.0, 2.0, 8.0, 2.0 + off, 8.0, 3.0, 32.0)  # 8 cases, 2 annotators
    parts = moments.components((0.0, 0.0, 0.0))
    assert np.isnan(parts.cases) and parts.annotators == pytest.approx(1 / 24 - -3 / 32)


def test_resamples_hold_the_analytic_interval():
    found = ugt.corrected_mean(ratings(), JUDGE, strata=STRATA)
    np.testing.assert_allclose(found.resamples(n_resamples=4000).values[:, 0].std(), found.std_error, rtol=0.1)


def test_one_annotator_has_no_interval_over_annotators():
    one = [[row[0], *[None] * 4] if i > 3 else [1.0, *[None] * 4] for i, row in enumerate(TABLE)]
    found = ugt.corrected_mean(ratings(one), JUDGE)
    with pytest.warns(RuntimeWarning, match="one annotator does not show how annotators differ"):
        assert np.isnan(found.interval()).all()
    assert np.isfinite(found.interval(random=CASES)).all()
    counts = ugt.corrected_mean(ugt.Labels.from_counts(labels().counts()), JUDGE, values=[0, 1])
    refused("annotators must be named", counts.interval)


def test_cases_that_are_not_a_random_sample_are_noted():
    judge = JUDGE + np.where(np.arange(N) % 2, 0, 2.0)
    with pytest.warns(UserWarning, match="scores of labelled cases are unlike those of the others"):
        assert len(ugt.corrected_mean(ratings(), judge).notes) == 1
    zero, one = (ugt.corrected_mean(ratings(), JUDGE, tuning=tuning) for tuning in (0, 1))
    spread, apart = np.linalg.norm(one.influence - zero.influence), zero.value - one.value
    for z, noted in ((2.5, False), (2.65, True)):  # p < 0.01 beyond 2.58 standard errors
        judge = JUDGE + np.where(np.arange(N) % 2, 0, z * spread - apart)
        assert any("are unlike those" in note.text for note in ugt.corrected_mean(ratings(), judge, tuning=1).notes) == noted
    with pytest.warns(UserWarning, match="all cases are labelled: the judge adds nothing"):
        full = ugt.corrected_mean(ugt.Ratings.from_wide([[1.0, 0.0]] * 6 + [[1.0, 1.0]] * 6), np.arange(12))
    assert full.value == 0.75 and full.tuning == 0


@pytest.mark.parametrize(
    ("message", "given"),
    [
        ("judge must be one score for each of the 60 cases .*Got 59", {"judge": JUDGE[1:]}),
        (
            r"judge must be a finite number \(missing='drop' .*\)\. Got nan, first at case 3",
            {"judge": np.where(np.arange(N) == 3, np.nan, JUDGE)},
        ),
        ("judge must be numbers from -1e.100 to 1e.100. Got 1e.200, first at case 0", {"judge": [1e200, *JUDGE[1:]]}),
        ("judge must hold numbers. Got 1j, first at case 0", {"judge": np.append(1j, JUDGE[1:])}),
        ("judge must hold numbers", {"judge": [{}, *JUDGE[1:]]}),
        ("judge must be one score per case", {"judge": JUDGE.reshape(30, 2)}),
        ("judge must be numbers, unless labels are of classes .*Got 'x', first at case 2", {"judge": [1, 0, "x", *[1] * (N - 3)]}),
        (
            r"judge must be one of the 2 classes, or numbers \(values= may .*\)\. Got 'maybe', first at case 0",
            {"labels": labels(), "judge": ["maybe"] * N, "values": [0, 1]},
        ),
        (
            r"Got 'Yes', first at case 0 \(there is 'yes'; write both alike\)",
            {"labels": labels(), "judge": ["Yes"] * N, "values": [0, 1]},
        ),
        (
            r"judge must have a score for every case \(missing='drop' .*\)\. Got none for 59 of 60 cases, first at case 1",
            {"judge": {0: 1.0}},
        ),
        ("Got none for 60 of 60 cases: its ids are others, such as 'x', first at case 0", {"judge": {"x": 1.0}}),
        ("judge must have as many case ids as scores", {"judge": (np.arange(N), JUDGE[1:])}),
        ("values must be given for Labels only", {"values": [0, 1]}),
        ("values must give a number for each class if classes are text", {"labels": labels()}),
        ("values must have a number for every class. Got none for 'no'", {"labels": labels(), "values": {"yes": 1}}),
        ("values must be numbers. Got 'x', first at class no", {"labels": labels(), "values": {"yes": 1, "no": "x"}}),
        ("labels must be numbers from -1e.100 .* Got 1e.300, first at case 2", {"labels": ugt.Ratings.from_wide([[0.0], [1], [1e300]])}),
        ("tuning must be a finite number of at least 0", {"tuning": -1}),
        (r"probabilities must be above 0 and at most 1 \(leave .*\)\. Got 0.0, first at case 0", {"probabilities": np.zeros(N)}),
        ("probabilities must hold numbers. Got '0.5', first at case 0", {"probabilities": ["0.5"] * N}),
        ("probabilities must be 60 numbers, one per case", {"probabilities": 0.5}),
        ("strata must have at least 2 labelled cases each .*Got 0, first at stratum 1", {"strata": np.arange(N) % 2}),
        ("labels must be of at least 2 cases. Got 1", {"labels": ugt.Ratings.from_wide([[1.0], [None]]), "judge": [1, 2]}),
    ],
)
def test_what_cannot_be_read_is_refused(message, given):
    refused(message, ugt.corrected_mean, **{"labels": ratings(), "judge": JUDGE, **given})


@pytest.mark.parametrize("form", ["mapping", "mapping with NaN", "array", "words"])
def test_labelled_cases_without_a_score_are_left_out_if_that_is_said(form):
    absent = [0, 7, 10]  # 7 has no labels
    scores = np.where(np.isin(np.arange(N), absent), np.nan, JUDGE)
    judge = {
        "mapping": {i: JUDGE[i] for i in range(N) if i not in absent}, "mapping with NaN": dict(enumerate(scores)), "array": scores,
        "words": [None if i in absent else "yes" if JUDGE[i] > 0 else "no" for i in range(N)],
    }[form]  # fmt: skip
    given = labels() if form == "words" else ratings()
    values = {"values": {"yes": 1, "no": 0}} if form == "words" else {}
    refused("judge must|judge must not be missing", ugt.corrected_mean, given, judge, **values)
    with pytest.warns(UserWarning, match="2 labelled cases without a score of the judge were left out: the mean is of the cases"):
        found = ugt.corrected_mean(given, judge, missing="drop", probabilities=dict(enumerate(PROBABILITY)), **values)
    kept = np.delete(np.arange(N), absent)
    own = ugt.Ratings.from_wide([TABLE[i] for i in kept], case_ids=kept, annotators=list("abcde"), missing=(None,))
    same = ugt.corrected_mean(own, (JUDGE[kept] > 0) * 1.0 if form == "words" else JUDGE[kept], probabilities=PROBABILITY[kept])
    assert (found.value, found.n_cases, found.n_labelled) == (pytest.approx(same.value, rel=1e-12), 57, 28)
    if form != "words":
        np.testing.assert_allclose(found.interval(), same.interval(), rtol=1e-12)
    refused("missing must be 'error' or 'drop'|missing must be one of", ugt.corrected_mean, given, judge, missing="mean", **values)


def test_a_verdict_that_only_the_judge_gives_has_a_number_among_the_values():
    found = ugt.corrected_mean(
        labels(), np.where(JUDGE > 1, "tie", np.where(JUDGE > 0, "yes", "no")), values={"yes": 1, "no": 0, "tie": 0.5}
    )
    numbers = ugt.corrected_mean(labels(), np.where(JUDGE > 1, 0.5, JUDGE > 0), values=[0, 1])
    assert found.value == numbers.value and found.judge == numbers.judge


def test_labels_that_are_all_alike_have_an_interval_at_the_end_of_a_stated_scale_only():
    alike = [[None if one is None else 1.0 for one in row] for row in TABLE]
    unknown, stated = (ugt.corrected_mean(ratings(alike, **scale), JUDGE) for scale in ({}, {"scale": [0, 1]}))
    two = ugt.corrected_mean(ugt.Ratings.from_wide([[1.0, 1.0]] * 6 + [[None, None]] * 6, missing=(None,)), np.arange(12), tuning=0)
    few = "2 annotators: the interval depends on their differences, with one degree of freedom."  # not that 0 is expected
    assert few in map(str, two.notes)
    for random in (CASES, ("cases", "annotators")):
        with pytest.warns(RuntimeWarning, match="no interval: labels, or their differences, are all alike"):
            assert np.isnan(unknown.interval(random=random)).all()
        low, high = stated.interval(random=random)
        assert 0.3 < low < 0.95 and high == 1
    with pytest.warns(RuntimeWarning, match="no interval: labels, or their differences, are all alike"):
        assert np.isnan(stated.minus(stated).interval()).all()
    with pytest.warns(RuntimeWarning, match="fewer than two clusters have labels"):
        assert np.isnan(ugt.corrected_mean(ratings(), JUDGE).interval(clusters=np.zeros(N), random=CASES)).all()


@pytest.mark.parametrize(
    ("known", "values"),
    [(ugt.Ratings.from_wide([row[:1] for row in TABLE], missing=(None,)), None), (ugt.Labels.from_counts(labels().counts()), [0, 1])],
)
def test_widths_with_more_annotators_are_unknown_if_labels_do_not_show_how_annotators_differ(known, values):
    found = ugt.corrected_mean(known, JUDGE, values=values)
    with pytest.warns(RuntimeWarning, match="no expected width: fewer than two annotators have two labels"):
        assert np.isnan(found.expected_width(4))
    with pytest.warns(RuntimeWarning, match="no expected width"):
        assert found.annotators_needed(0.5) is None


def test_a_case_with_nearly_all_of_the_weight_is_named():
    with pytest.warns(UserWarning, match="case 4 alone has 100% of the weight of labelled cases: see its probability"):
        ugt.corrected_mean(ratings(), JUDGE, probabilities=np.where(np.arange(N) == 4, 1e-6, 0.5))


def test_all_intervals_are_of_the_same_population():
    found = ugt.corrected_mean(ratings(), JUDGE)
    assert tuple(found.intervals()[0]) == found.interval() == found.interval(random=("cases", "annotators"))
    assert tuple(found.intervals(0.9, random=CASES)[0]) == found.interval(0.9, random="cases") != found.interval(0.9)
    for random in (None, "annotators", ("cases", "people")):
        refused(r"random must be \('cases',\) or \('cases', 'annotators'\)\. Got", found.interval, random=random)


def test_other_kinds_are_refused():
    refused("labels must be Labels or Ratings. Got list", ugt.corrected_mean, TABLE, JUDGE, error=TypeError)


# ---- a judge that is fitted to the labels


def line_through(x, asked=None):
    """A fit of a line, which writes down what it was given."""

    def fit(cases, means):
        if asked is not None:
            asked.append((cases.copy(), means.copy()))
        return np.polyval(np.polyfit(x[cases], means, 1), x)

    return fit


def test_no_case_is_scored_by_a_fit_that_saw_its_label():
    asked = []
    given = line_through(QUALITY, asked)
    found = ugt.corrected_mean(ratings(), given, folds=6, seed=2, tuning=0.5)
    labelled = [i for i in range(N) if MEAN[i] is not None]
    held = [np.setdiff1d(labelled, cases) for cases, _ in asked]
    assert len(asked) == 6 and sorted(np.concatenate(held)) == labelled and {len(one) for one in held} == {5}
    same = line_through(QUALITY)
    scores = np.mean([same(cases, means) for cases, means in asked], axis=0)
    for (cases, means), out in zip(asked, held):
        assert means.tolist() == [MEAN[i] for i in cases]
        scores[out] = same(cases, means)[out]
    plain = ugt.corrected_mean(ratings(), scores, tuning=0.5)
    assert (found.value, found.interval()) == (plain.value, plain.interval())
    again = ugt.corrected_mean(ratings(), line_through(QUALITY), folds=6, seed=2, tuning=0.5)
    assert again.value == found.value != ugt.corrected_mean(ratings(), line_through(QUALITY), folds=6, seed=3, tuning=0.5).value
    assert ugt.corrected_mean(labels(), line_through(QUALITY), values={"yes": 1, "no": 0}, folds=6, seed=2, tuning=0.5).value == found.value


def test_folds_may_be_the_clusters_of_the_cases():
    asked = []
    cluster = np.arange(N) // 10
    found = ugt.corrected_mean(ratings(), line_through(QUALITY, asked), folds=cluster, tuning=0.5)
    assert len(asked) == 6 and all(not set(cluster[cases]) & set(cluster) - set(cluster[cases]) for cases, _ in asked)
    assert [len(set(cluster[cases])) for cases, _ in asked] == [5] * 6
    by_id = ugt.corrected_mean(ratings(), line_through(QUALITY), folds={i: str(one) for i, one in enumerate(cluster)}, tuning=0.5)
    assert by_id.value == pytest.approx(found.value, rel=1e-12)


def test_judges_that_cannot_be_fitted_by_folds():
    fit = line_through(QUALITY)
    refused(r"folds must be a whole number from 2 to 30\. Got 31", ugt.corrected_mean, ratings(), fit, folds=31)
    refused(r"folds must be a whole number from 2 to 30\. Got 1", ugt.corrected_mean, ratings(), fit, folds=1)
    refused("folds must name at least 2 folds", ugt.corrected_mean, ratings(), fit, folds=np.zeros(N, int))
    refused("folds must be given with a judge that is a function", ugt.corrected_mean, ratings(), JUDGE, folds=5)
    refused(
        r"judge must return a score for each of the 60 cases .* Got shape \(59,\)", ugt.corrected_mean, ratings(), lambda c, m: QUALITY[1:]
    )
    refused("judge must be finite", ugt.corrected_mean, ratings(), lambda c, m: np.where(np.arange(N) == 3, np.nan, QUALITY))


def test_a_judge_that_learned_its_labels_by_heart_is_told():
    rng = np.random.default_rng(1)
    label = rng.integers(0, 2, 300)
    known = ugt.Ratings.from_wide(np.where(np.arange(300) < 60, label, np.nan)[:, None] * np.ones(2))
    scores = np.where(np.arange(300) < 60, label, 0.5 + 0.1 * rng.normal(size=300))
    with pytest.warns(UserWarning, match="spread unlike those of the others .* folds="):
        found = ugt.corrected_mean(known, scores)
    assert sum("folds=" in one.text for one in found.notes) == 1
    for seed in range(20):  # one that was not is not
        rng = np.random.default_rng(seed)
        quality = rng.normal(size=300)
        labels = np.where(np.arange(300) < 60, quality + rng.normal(size=300) > 0, np.nan)[:, None] * np.ones(2)
        assert not any("folds=" in one.text for one in ugt.corrected_mean(ugt.Ratings.from_wide(labels), quality).notes)
