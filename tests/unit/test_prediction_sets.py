"""Records of prediction sets, coverage by hand; combinations of p-values against scipy; plausibility regions; the command."""

import itertools

import numpy as np
import pytest
from csv_files import read, write, write_scores
from refusals import refused, warned

import ugt
from ugt.cli import conformal
from ugt.cli.command import Parser

RNG = np.random.default_rng()
NAN = float("nan")


@pytest.fixture(autouse=True)
def _fresh():
    """Every test has its own random numbers, in whatever order tests run."""
    RNG.bit_generator.state = np.random.default_rng(11).bit_generator.state


SETS = [[0, 1], [2], [], [0, 1, 2], [1]]
TRUTH = np.array([[0.6, 0.3, 0.1], [0.2, 0.4, 0.4], [1.0, 0.0, 0.0], [NAN] * 3, [0.25, 0.5, 0.25]])


# ---- the record
def test_sets_in_all_forms():
    sets = ugt.conformal.PredictionSets.of(SETS, 3, case_ids=list("abcde"))
    assert sets.sizes.tolist() == [2, 1, 0, 3, 1] and sets.mean_size == 1.4 and sets.n_empty == 1
    assert sets.size_table() == {"size": [0, 1, 2, 3], "n_cases": [1, 2, 1, 1], "share": [0.2, 0.4, 0.2, 0.2]}
    again = ugt.conformal.PredictionSets.of(sets.mask())
    assert [row.tolist() for row in again] == SETS == [row.tolist() for row in sets]
    assert sets[-1].tolist() == [1] and len(sets) == 5
    with pytest.raises(IndexError):
        sets[5]
    part = sets.take([3, 0])
    assert [row.tolist() for row in part] == [[0, 1, 2], [0, 1]] and part.axes.case_ids.tolist() == ["d", "a"]
    assert ugt.conformal.PredictionSets.of(np.array([[0, 2], [1, 0]]), 3).mask().tolist() == [[True, False, True], [True, True, False]]


@pytest.mark.parametrize(
    "sets, k, message",
    [
        ([[0], [3]], 3, r"sets must hold class positions from 0 to 2\. Got 3, first at case 1"),
        ([[0, 0]], 3, r"sets must hold each class once"),
        ([[0.5]], 3, r"sets must hold sequences of class positions"),
        ([[0]], None, r"n_classes must be given"),
    ],
)
def test_bad_sets(sets, k, message):
    refused(message, ugt.conformal.PredictionSets.of, sets, k)


# ---- coverage
def test_coverage_by_hand():
    sets = ugt.conformal.PredictionSets.of(SETS, 3)
    found = sets.coverage(TRUTH)
    np.testing.assert_allclose(found.mass.per_case, [0.9, 0.4, 0, NAN, 0.5])
    np.testing.assert_allclose(found.best.per_case, [1, 0.5, 0, NAN, 1])
    np.testing.assert_allclose(found.voted.per_case, [1, 0.5, 0, NAN, 1])
    assert found.mass.value == pytest.approx(0.45) and found.mass.left_out == {"case without annotations": 1}
    assert found.mean_size == 1.4 and found.n_empty == 1
    # the metrics of the library give the same
    assert ugt.metrics.ua_plausibility_mass(TRUTH, sets).value == found.mass.value
    assert ugt.metrics.ua_coverage(TRUTH, sets).value == found.best.value


def test_coverage_of_every_draw_and_of_a_posterior():
    sets = ugt.conformal.PredictionSets.of(SETS[:3], 3)
    draws = RNG.dirichlet(np.ones(3), (3, 40))
    found = sets.coverage(draws)
    mask = sets.mask()
    np.testing.assert_allclose(found.mass.per_draw, (draws * mask[:, None]).sum(2).mean(0))
    np.testing.assert_allclose(found.best.per_draw, np.take_along_axis(mask[:, None], draws.argmax(2)[..., None], 2).mean((0, 2)))
    mean = draws.mean(1)
    np.testing.assert_allclose(found.voted.per_case, mask[np.arange(3), mean.argmax(1)])
    low, high = found.mass.draw_interval(0.5)
    assert (low, high) == tuple(np.quantile(found.mass.per_draw, [0.25, 0.75]))
    counts = np.array([[4, 1, 0], [1, 2, 2], [0, 0, 3]])
    post = ugt.dirichlet(ugt.Labels.from_counts(counts), prior=0.5)
    found = sets.coverage(post)
    assert found.best.value == ugt.metrics.ua_coverage(post, sets).value != found.voted.value
    np.testing.assert_allclose(found.mass.per_case, (post.mean() * mask).sum(1))


def test_coverage_of_labels_and_rankings():
    counts = np.array([[4, 1, 0], [1, 2, 2], [0, 0, 3]])
    sets = ugt.conformal.PredictionSets.of(SETS[:3], 3)
    found = sets.coverage(ugt.Labels.from_counts(counts))
    np.testing.assert_allclose(found.mass.per_case, [1, 0.4, 0])
    np.testing.assert_allclose(found.voted.per_case, [1, 0.5, 0])
    rankings = ugt.Rankings.from_blocks([[[[1], [2]]], [[[2], [0]]], [[[0]]]], n_classes=3)
    found = sets.coverage(rankings)
    np.testing.assert_allclose(found.mass.per_case, [2 / 3, 2 / 3, 0])
    np.testing.assert_allclose(found.voted.per_case, [1, 1, 0])


def test_table_has_intervals_over_cases_and_clusters():
    n = 60
    truth = RNG.dirichlet(np.ones(3), n)
    sets = ugt.conformal.PredictionSets.of(RNG.random((n, 3)) < 0.5)
    clusters = np.arange(n) // 6
    found = sets.coverage(truth)
    for given in (None, clusters):
        rows = {row["against"]: row for row in found.table(0.9, clusters=given, n_resamples=300, seed=5)}
        assert list(rows) == ["mass", "best", "voted"]
        per_case = (truth * sets.mask()).sum(1)
        low, high = ugt.bootstrap(per_case, clusters=given, n_resamples=300, seed=5).interval(0.9)[0]
        assert rows["mass"]["low"] == pytest.approx(low) and rows["mass"]["high"] == pytest.approx(high)
        assert rows["mass"]["draw_low"] == rows["mass"]["draw_high"] == rows["mass"]["value"]


@pytest.mark.parametrize("against", ["mass", "voted"])
def test_coverage_by_class_by_hand(against):
    truth = np.vstack([RNG.dirichlet(np.ones(4), 50), np.full(4, NAN)])
    truth[:, 3] = np.where(np.isnan(truth[:, 3]), NAN, 0.0)  # a class that never occurs
    sets = ugt.conformal.PredictionSets.of(RNG.random((51, 4)) < 0.6)
    clusters = np.arange(51) // 3
    found = sets.coverage_by_class(truth, against=against, clusters=clusters, n_resamples=200, seed=1)
    by_id = {i: int(clusters[i]) for i in reversed(range(51))}
    assert str(found) == str(sets.coverage_by_class(truth, against=against, clusters=by_id, n_resamples=200, seed=1))
    shares = truth[:50] / truth[:50].sum(1, keepdims=True)
    weight = shares if against == "mass" else np.eye(4)[shares.argmax(1)]
    held = weight * sets.mask()[:50]
    assert found["class"] == [0, 1, 2, 3]
    np.testing.assert_allclose(found["weight"], weight.sum(0), atol=1e-12)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found["coverage"], held.sum(0) / weight.sum(0))
    assert np.isnan(found["coverage"][3]) and np.isnan(found["low"][3])
    low, high = ugt.bootstrap(held, weight, clusters=clusters[:50], n_resamples=200, seed=1).interval()[0]
    assert found["low"][0] < found["coverage"][0] < found["high"][0]
    assert low < found["coverage"][0] < high
    assert set(sets.coverage_by_class(truth, level=None)) == {"class", "weight", "coverage"}


def test_coverage_by_group_by_hand():
    sets = ugt.conformal.PredictionSets.of(SETS, 3)
    found = sets.coverage_by_group(TRUTH, ["x", "y", "x", "y", "y"], n_resamples=50)
    assert found["group"] == ["x", "y"] and found["weight"] == [2, 2]
    np.testing.assert_allclose(found["coverage"], [0.45, 0.45])
    by_size = sets.coverage_by_group(TRUTH, sets.sizes, against="voted", level=None)
    assert by_size["group"] == [2, 1, 0, 3] and by_size["weight"] == [1, 2, 1, 0]
    np.testing.assert_allclose(by_size["coverage"], [1, 0.75, 0, NAN])


def test_bad_truth_and_options():
    sets = ugt.conformal.PredictionSets.of(SETS, 3)
    for call, message in (
        (lambda: sets.coverage(TRUTH[:4]), r"truth must be of 5 cases and 3 classes like the sets\. Got 4 cases"),
        (lambda: sets.coverage(ugt.Point.from_array(np.ones((5, 4)))), r"truth must be of 5 cases and 3 classes"),
        (lambda: sets.coverage_by_class(TRUTH, against="best"), r"against must be one of 'mass', 'voted'"),
        (lambda: sets.coverage_by_class(TRUTH, level=95), r"level must be"),
        (lambda: sets.coverage_by_class(TRUTH, clusters=[1]), r"clusters must"),
        (lambda: sets.coverage_by_group(TRUTH, ["a"] * 4), r"groups must be 5 ids"),
        (lambda: sets.coverage_by_group(TRUTH, ["a"] * 4 + [None]), r"groups must not be missing"),
        (lambda: sets.coverage_by_group(TRUTH, list("aabbc"), against="all"), r"against must be one of"),
    ):
        refused(message, call)
    refused(r"truth must be plausibilities", sets.coverage, "labels", error=TypeError)


# ---- plausibility regions
def test_regions_by_brute_force():
    p, truth, new = (RNG.dirichlet(np.ones(3), n) for n in (30, 30, 6))
    regions = ugt.conformal.PlausibilityRegions("aps", 0.2, seed=4).fit(p, truth)
    e = (truth * ugt.conformal.conformal_scores(p, "aps", seed=4)).sum(1)
    s, threshold = regions.half_spaces(new)
    assert threshold == pytest.approx(np.sort(e)[::-1][int(0.2 * 31) - 1], rel=1e-14)
    candidates = RNG.dirichlet(np.ones(3), (6, 200))
    expected = (candidates * s[:, None]).sum(2)
    p_values = (1 + (e >= expected[..., None]).sum(2)) / 31
    np.testing.assert_allclose(regions.p_values(new, candidates), p_values)
    np.testing.assert_allclose(regions.p_values(new, candidates[:, 0]), p_values[:, 0])
    np.testing.assert_array_equal(regions.contains(new, candidates), p_values > 0.2)
    np.testing.assert_array_equal(regions.contains(new, candidates), expected <= threshold)
    np.testing.assert_array_equal(regions.contains(new, candidates, alpha=0.5), p_values > 0.5)


def test_a_p_value_of_exactly_alpha_is_not_in_the_region():
    score = np.arange(1, 10) / 10
    regions = ugt.conformal.PlausibilityRegions(alpha=0.1).fit(np.stack([1 - score, score], axis=1), [[1, 0]] * 9)
    assert regions.base_p_.tolist() == [0.1] and regions.level_p_.tolist() == [1.0, *score[::-1]][:9]
    assert regions.contains([[0.2, 0.8], [0.05, 0.95]], [[1.0, 0.0]] * 2).tolist() == [True, False]


@pytest.mark.parametrize("k, steps", [(2, 7), (3, 5), (4, 4)])
def test_grid_of_a_region(k, steps):
    p, truth = RNG.dirichlet(np.ones(k), 40), RNG.dirichlet(np.ones(k), 40)
    regions = ugt.conformal.PlausibilityRegions(alpha=0.3).fit(p, truth)
    grid, inside = regions.grid(p[:5], n_steps=steps)
    every = {c for c in itertools.product(range(steps + 1), repeat=k) if sum(c) == steps}
    assert {tuple(row) for row in np.round(grid * steps).astype(int).tolist()} == every and len(grid) == len(every)
    np.testing.assert_array_equal(inside, regions.contains(p[:5], np.tile(grid, (5, 1, 1))))
    assert 0 < inside.mean() < 1


def test_regions_from_posteriors_and_draws():
    p, draws = RNG.dirichlet(np.ones(3), 20), RNG.dirichlet(np.ones(3), (20, 6))
    regions = ugt.conformal.PlausibilityRegions(alpha=0.3, m=4).fit(p, draws)
    e = (draws[:, :4] * (1 - p)[:, None]).sum(2)
    candidate = np.tile([0.2, 0.3, 0.5], (20, 1))
    own = (candidate * (1 - p)).sum(1)
    expected = [np.mean([(1 + (e[:, j] >= x).sum()) / 21 for j in range(4)]) for x in own]
    np.testing.assert_allclose(regions.p_values(p, candidate), expected)
    refused(r"n must be from 1 to 6", ugt.conformal.PlausibilityRegions(m=7).fit, p, draws)
    post = ugt.dirichlet(ugt.Labels.from_counts(RNG.integers(1, 5, (20, 3))), prior=0.5)
    found = ugt.conformal.PlausibilityRegions(alpha=0.3, m=50, seed=2).fit(p, post)
    e = (post.draws(50, seed=2) * (1 - p)[:, None]).sum(2)
    expected = [np.mean([(1 + (e[:, j] >= x).sum()) / 21 for j in range(50)]) for x in own]
    np.testing.assert_allclose(found.p_values(p, candidate), expected)
    again = ugt.conformal.PlausibilityRegions.from_json(found.to_json())
    np.testing.assert_array_equal(again.p_values(p, candidate), found.p_values(p, candidate))
    counts = RNG.integers(1, 5, (20, 3))
    counts[3] = 0
    assert ugt.conformal.PlausibilityRegions(m=5).fit(p, ugt.Labels.from_counts(counts)).left_out_ == {"case without annotations": 1}


def test_bad_regions():
    p = RNG.dirichlet(np.ones(5), 20)
    regions = ugt.conformal.PlausibilityRegions(alpha=0.2)
    refused(r"must be fitted first", regions.grid, p)
    regions.fit(p, p)
    for call, message in (
        (lambda: regions.grid(p), r"predictions must have at most 4 classes for a grid.*Got 5"),
        (lambda: regions.contains(p, p[:, :4]), r"plausibilities must be numbers of shape \(20, 5\)"),
        (lambda: regions.contains(p, 2 * p), r"plausibilities must be at least 0 and add up to 1.*case 0"),
        (lambda: regions.contains(p, np.where(np.arange(20)[:, None] == 2, NAN, p)), r"add up to 1.*case 2"),
        (lambda: regions.contains(p[:, :4] / p[:, :4].sum(1, keepdims=True), p), r"predictions must have 5 classes"),
        (
            lambda: ugt.conformal.PlausibilityRegions(m=0).fit(p, ugt.dirichlet(ugt.Labels.from_counts(np.ones((20, 5), int)))),
            r"m must be a whole number",
        ),
        (lambda: ugt.conformal.PlausibilityRegions(alpha=3).fit(p, p), r"alpha must be"),
        (lambda: ugt.conformal.PlausibilityRegions().fit(p, p).grid(p[:, :3] / p[:, :3].sum(1, keepdims=True)), r"at most 4"),
        (
            lambda: ugt.conformal.PlausibilityRegions().fit(p[:, :2] / p[:, :2].sum(1, keepdims=True), p[:, :2]).grid(p[:, :2], n_steps=0),
            r"n_steps",
        ),
    ):
        refused(message, call)


# ---- the command

NAMES = ["benign", "atypical", "malign"]


def run(*words):
    parser = Parser()
    conformal.add(parser.add_subparsers())
    options = parser.parse_args(["conformal", *map(str, words)])
    options.run(options)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Labels of 200 cases, of which 120 are for the calibration; case p3 has none; groups and clusters."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(3), 200)
    counts = np.stack([rng.multinomial(5, row) for row in p])
    counts[3] = 0
    ids = [f"p{i}" for i in range(200)]
    rows = [[ids[i], f"a{j}", NAMES[k]] for i in range(200) for k in range(3) for j in range(counts[i, k])]
    write("labels.csv", ["case", "annotator", "label"], *rows)
    with open("classes.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(NAMES))
    write("groups.csv", ["case", "cluster"], *([i, "odd" if j % 2 else "even"] for j, i in enumerate(ids)))
    write_scores("fit.csv", NAMES, [i for i in ids[:120] if i != "p3"], np.delete(p[:120], 3, axis=0))
    write_scores("test.csv", NAMES, ids[120:], p[120:])
    write_scores("logits.csv", NAMES, ids[120:], np.log(p[120:]))
    write_scores("fit_logits.csv", NAMES, [i for i in ids[:120] if i != "p3"], np.log(np.delete(p[:120], 3, axis=0)))
    return p, counts, np.array(ids)


BASE = ("--annotations", "labels.csv", "--classes", "classes.txt", "--calibrate", "fit.csv", "--apply", "test.csv", "--out", "out")


def based(*words):
    """The words of ``BASE`` with these, of which an option takes the place of the same one."""
    kept = [one for option, value in zip(BASE[::2], BASE[1::2]) if option not in words for one in (option, value)]
    return (*kept, *words)


def test_command(folder, capsys):
    p, counts, ids = folder
    run(*based("--alpha", "0.2", "--m", "20", "--correction", "ecdf", "--seed", "3", "--n-boot", "50"))
    said = capsys.readouterr().out
    kept = [i for i in range(120) if i != 3]
    model = ugt.conformal.MonteCarloConformal("aps", 0.2, m=20, correction="ecdf", seed=3)
    model.fit(p[kept], counts[kept] / 5, case_ids=ids[kept])
    sets = model.predict_sets(p[120:], case_ids=ids[120:])
    rows = read("out/sets.csv")
    assert [row["case"] for row in rows] == ids[120:].tolist()
    assert [row["classes"] for row in rows] == [" | ".join(NAMES[k] for k in row) for row in sets]
    assert [int(row["size"]) for row in rows] == sets.sizes.tolist()
    sizes = read("out/sizes.csv")
    assert {int(row["size"]): int(row["n_cases"]) for row in sizes} == dict(zip(*map(list, list(sets.size_table().values())[:2])))
    coverage = {(row["table"], row["name"] or row["against"]): row for row in read("out/coverage.csv")}
    expected = sets.coverage(ugt.Labels.from_counts(counts[120:]))
    for name in ("mass", "best", "voted"):
        assert float(coverage["all", name]["coverage"]) == pytest.approx(getattr(expected, name).value)
    by_class = sets.coverage_by_class(ugt.Labels.from_counts(counts[120:]), level=None)
    for k, name in enumerate(NAMES):
        assert float(coverage["class", name]["coverage"]) == pytest.approx(by_class["coverage"][k])
    again = ugt.conformal.MonteCarloConformal.from_json("out/conformal.json")
    np.testing.assert_array_equal(again.predict_sets(p[120:], case_ids=ids[120:]).mask(), sets.mask())
    assert "calibrated on 119 cases" in said and "Guaranteed coverage of a label drawn as in the calibration: 0.8" in said
    assert "plausibility mass" in said and "Empty sets:" in said


def test_command_with_groups_classes_and_clusters(folder, capsys):
    p, counts, ids = folder
    options = "--alpha 0.3 --m 5 --groups groups.csv --by-class --clusters groups.csv --no-empty --n-boot 20"
    run(*based(*options.split(), "--score", "raps", "--penalty", "0.2", "--k-reg", "1", "--no-random"))
    kept = [i for i in range(120) if i != 3]
    parity = np.where(np.arange(200) % 2, "odd", "even")
    model = ugt.conformal.MonteCarloConformal(
        "raps", 0.3, m=5, class_groups="each", penalty=0.2, k_reg=1, randomized=False, allow_empty=False
    )
    model.fit(p[kept], counts[kept] / 5, groups=parity[kept], case_ids=ids[kept])
    sets = model.predict_sets(p[120:], groups=parity[120:])
    assert [row["classes"] for row in read("out/sets.csv")] == [" | ".join(NAMES[k] for k in row) for row in sets]
    tables = {row["table"] for row in read("out/coverage.csv")}
    assert tables == {"all", "class", "size", "group"}


def test_command_takes_logits_and_voted_labels(folder, capsys):
    p, counts, ids = folder
    run(*based("--alpha", "0.2", "--m", "5", "--n-boot", "20"))
    first = read("out/sets.csv")
    more = ("--m", "5", "--n-boot", "20", "--alpha", "0.2", "--calibrate", "fit_logits.csv", "--apply", "logits.csv", "--out", "b")
    run(*based(*more))
    assert sum(a == b for a, b in zip(first, read("b/sets.csv"))) >= len(first) - 1  # up to rounding of a score at the threshold
    refused(r"annotations must hold one label per case for --method split", run, *based("--method", "split", "--out", "c"))
    refused(r"--m must be left out", run, *based("--method", "split", "--m", "3", "--out", "c"))
    single = [i for i in range(120) if i != 3 and (counts[i] == counts[i].max()).sum() == 1]
    write_scores("single.csv", NAMES, ids[single], p[single])
    run(*based("--method", "split", "--truth", "votes", "--calibrate", "single.csv", "--out", "d", "--n-boot", "20"))
    model = ugt.conformal.SplitConformal(alpha=0.1).fit(p[single], counts[single].argmax(1), case_ids=ids[single])
    sets = model.predict_sets(p[120:], case_ids=ids[120:])
    assert [int(row["size"]) for row in read("d/sets.csv")] == sets.sizes.tolist()


def test_command_without_annotations_of_the_test_cases(folder, capsys):
    p, _, _ = folder
    write_scores("new.csv", NAMES, [f"n{i}" for i in range(9)], p[:9])
    run(*based("--apply", "new.csv", "--m", "5"))
    assert "No test case is annotated, so that no coverage can be computed." in capsys.readouterr().out
    assert len(read("out/sets.csv")) == 9 and read("out/coverage.csv") == []
    np.save("new.npy", p[:7])
    run(*based("--apply", "new.npy", "--m", "5", "--out", "e"))
    assert [row["case"] for row in read("e/sets.csv")] == [str(i) for i in range(7)]
    with pytest.raises(ValueError, match=r"--groups and --clusters must be given for predictions with case ids"):
        run(*based("--apply", "new.npy", "--groups", "groups.csv", "--out", "f"))
    warned(r"119 test cases were calibrated on", run, *based("--apply", "fit.csv", "--m", "5", "--out", "g", "--n-boot", "20"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "words, message",
    [
        (("--truth", "irn"), r"--truth must be one for labels\. Got irn"),
        (("--alpha", "1.5"), r"alpha must be a number between 0 and 1"),
        (("--m", "0"), r"m must be a whole number"),
        (("--calibrate", "new.csv"), r"--calibrate must have predictions for annotated cases"),
        (("--groups", "few.csv"), r"groups must hold an id for every case.*'p1'"),
        (("--seed", "-1"), r"seed must"),
    ],
)
def test_bad_input_leaves_nothing_behind(folder, tmp_path, words, message):
    p, _, _ = folder
    write_scores("new.csv", NAMES, ["n1", "n2"], p[:2])
    with open("few.csv", "w", encoding="utf-8") as file:
        file.write("case,cluster\np0,a\n")
    refused(message, run, *based(*words))
    assert not (tmp_path / "out").exists()
