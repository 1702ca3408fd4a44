"""plackett_luce(): what it takes, what it keeps, what metrics make of it; interruption and checkpoints."""

import os
import pickle
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from refusals import refused
from surface import public

import ugt
from ugt.plausibilities.draws import DenseDraws
from ugt.truth.plackett_luce_input import as_rankings

pytestmark = pytest.mark.filterwarnings("ignore:chains have not mixed")  # short runs

NESTED = [[[[0], [1, 2]], [[0]], [[1]]], [[[3]], [[3], [0]]], [], [[[0, 1, 2, 3, 4]]], [[[4], [3], [2], [1], [0]]]]


@pytest.fixture(scope="module")
def rankings():
    return ugt.Rankings.from_blocks(NESTED, n_classes=5, case_ids=list("abcde"))


@pytest.fixture(scope="module")
def post(rankings):
    return ugt.plackett_luce(rankings, method="gibbs", reliability=2, n_draws=8000, seed=3)


def z(value, expected, n):
    """Distance in standard errors of a frequency from n effective draws."""
    return abs(value - expected) / np.sqrt(max(expected * (1 - expected), 1e-12) / n)


def test_memory_grows_with_what_was_annotated(rankings):
    post = ugt.plackett_luce(rankings, method="gibbs", n_draws=400, dtype=np.float32)
    assert post.values.dtype == np.float32
    assert post.values.size == 400 * (3 + 2 + 0 + 5 + 5 + 5)
    for i, m in enumerate((3, 2, 0, 5, 5)):
        assert post.case(i).shape == (400, m + 1)
        np.testing.assert_allclose(post.case(i).sum(1), 1, atol=1e-6)
    assert (post.case(3)[:, -1] == 0).all()  # all classes mentioned: no lump


def test_same_seed_same_bytes_whatever_else_runs(rankings):
    one = ugt.plackett_luce(rankings, method="gibbs", n_draws=400, seed=5)
    two = ugt.plackett_luce(rankings, method="gibbs", n_draws=400, seed=5, n_threads=4)
    assert one.values.tobytes() == two.values.tobytes()
    alone = ugt.plackett_luce(ugt.Rankings.from_blocks(NESTED[1:2], n_classes=5, case_ids=["b"]), method="gibbs", n_draws=400, seed=5)
    assert alone.case(0).tobytes() == one.case(1).tobytes()
    assert ugt.plackett_luce(rankings, method="gibbs", n_draws=400, seed=6).values.tobytes() != one.values.tobytes()
    first, second = one.case(0).reshape(4, 100, -1)[:2]
    assert not np.array_equal(first, second)


def test_the_rate_of_the_prior_is_immaterial(rankings):
    one, other = (ugt.plackett_luce(rankings, method="gibbs", n_draws=400, prior_rate=rate, reliability=2.5).values for rate in (1.0, 1e3))
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12)


@pytest.mark.filterwarnings("ignore:chains have not mixed")
def test_tempering_of_one_is_the_model_itself(rankings):
    plain = ugt.plackett_luce(rankings, method="gibbs", n_draws=400)
    assert ugt.plackett_luce(rankings, method="gibbs", tempering=1, n_draws=400).values.tobytes() == plain.values.tobytes()
    near = ugt.plackett_luce(rankings, method="gibbs", tempering=1 + 1e-12, n_draws=20_000, reliability=2.5).mean()  # another sampler
    same = ugt.plackett_luce(rankings, method="gibbs", n_draws=20_000, reliability=2.5).mean()
    assert np.nanmax(np.abs(near - same)) < 7 * 0.5 / np.sqrt(2000)


def test_tempered_draws_list_all_classes(rankings):
    found = ugt.plackett_luce(rankings, method="gibbs", tempering=2, n_draws=400, n_threads=2)
    assert np.diff(found.offsets).tolist() == [found.n_classes] * found.n_cases
    draws = found.draws(400)
    assert np.isfinite(draws).all() and np.abs(draws.sum(-1) - 1).max() < 1e-12
    assert (draws == ugt.plackett_luce(rankings, method="gibbs", tempering=2, n_draws=400).draws(400)).all()


def test_labels_give_the_dirichlet_posterior():
    """False alarm below 1e-9: every difference within 7 standard errors of a tenth of the draws."""
    counts = np.array([[5, 2, 0, 0], [1, 1, 1, 0], [0, 0, 0, 9], [0, 0, 0, 0]])
    labels = ugt.Labels.from_counts(counts)
    post = ugt.plackett_luce(labels, method="gibbs", prior_shape=0.3, reliability=1.5, n_draws=40_000)
    exact = ugt.Dirichlet.from_array(1.5 * counts + 0.3)
    for k in (1, 2):
        found, expected = post.membership(k), exact.membership(k)
        assert max(z(f, e, 4000) for f, e in zip(found.ravel(), expected.ravel())) < 7
        certainty = ugt.annotation_certainty(post, k=k)
        assert abs(certainty.value - ugt.annotation_certainty(exact, k=k).value) < 7 * certainty.mc_error + 0.01  # a maximum is biased
    scores = np.array([[4, 3, 2, 1.0]] * 4)
    for metric in (ugt.ua_topk_accuracy, ugt.metrics.ua_overlap, ugt.metrics.ua_set_accuracy):
        found, expected = metric(post, scores, 2), metric(exact, scores, 2)
        assert abs(found.value - expected.value) < 7 * found.mc_error
        assert found.draw_std == pytest.approx(expected.draw_std, rel=0.1)
    np.testing.assert_allclose(post.mean(), exact.mean(), atol=7 * 0.5 / np.sqrt(4000))


@pytest.mark.parametrize("shape", [0.05, 1.0])
def test_single_unmentioned_classes_are_those_of_the_dirichlet_law(shape):
    """Best classes found by sticks on demand against the exact Dirichlet: 40 classes, two of them mentioned."""
    rankings = ugt.Rankings.from_blocks([[[[3]], [[3]], [[17]]]], n_classes=40)
    post = ugt.plackett_luce(rankings, method="gibbs", prior_shape=shape, n_draws=20_000)
    concentration = np.full((1, 40), shape)
    concentration[0, [3, 17]] += [2, 1]
    exact = ugt.Dirichlet.from_array(concentration)
    for k in (1, 3, 6):
        found, expected = post.membership(k)[0], exact.membership(k)[0]
        assert max(z(f, e, 2000) for f, e in zip(found, expected)) < 7
        assert found.sum() == pytest.approx(k)
    groups = np.arange(40) % 3
    found, expected = post.grouped(groups), exact.grouped(groups)
    np.testing.assert_allclose(found.mean(), expected.mean(), atol=7 * 0.5 / np.sqrt(2000))
    np.testing.assert_allclose(
        found.draws(20_000).std(1), [np.sqrt(m * (1 - m) / (concentration.sum() + 1)) for m in expected.mean()], rtol=0.15
    )


def test_depth_changes_nothing_above_it(post):
    shallow = ugt.plackett_luce(
        ugt.Rankings.from_blocks(NESTED, n_classes=5, case_ids=list("abcde")), method="gibbs", reliability=2, n_draws=8000, seed=3
    )
    top = shallow._top(1).copy()
    assert np.array_equal(post._top(4)[:, :, :1], top)


def test_metrics_agree_with_those_of_all_classes(post, rankings):
    """The same draws, written out in full, through the other path."""
    full = DenseDraws(rankings.axes, np.ascontiguousarray(post.draws(post.n_draws)), post.n_chains)
    scores = np.array([[0.4, 0.3, 0.2, 0.1, 0.0]] * 5)
    complete = [3, 4]  # no lump: nothing is drawn on demand
    for name in ("topk_accuracy", "set_accuracy", "overlap", "average_overlap", "kendall_distance", "footrule_distance"):
        metric = public(f"ua_{name}")
        ours, theirs = metric(post, scores, 2), metric(full, scores, 2)
        np.testing.assert_allclose(ours.per_case[complete], theirs.per_case[complete], atol=1e-12)
        np.testing.assert_allclose(ours.per_case, theirs.per_case, atol=7 * 0.5 / np.sqrt(800))
    np.testing.assert_allclose(ugt.annotation_certainty(post, k=2).per_case, ugt.annotation_certainty(full, k=2).per_case, atol=0.1)
    np.testing.assert_allclose(
        ugt.metrics.ua_plausibility_mass(post, [[0], [3], [1], [2], [4]]).per_case[complete],
        ugt.metrics.ua_plausibility_mass(full, [[0], [3], [1], [2], [4]]).per_case[complete],
        atol=1e-12,
    )
    np.testing.assert_allclose(
        ugt.truth.expected_risk(post, [0, 1, 2, 3, 4]).per_case, ugt.truth.expected_risk(full, [0, 1, 2, 3, 4]).per_case, atol=0.2
    )


def test_ignore_gives_unmentioned_classes_nothing(rankings):
    post = ugt.plackett_luce(rankings, method="gibbs", unranked="ignore", n_draws=400)
    mean = post.mean()
    assert (mean[0, 3:] == 0).all()
    assert np.isnan(mean[2]).all()
    assert ugt.annotation_certainty(post, k=3).per_case[0] == 1.0
    assert ugt.annotation_certainty(post, k=3).left_out == {"case without annotations": 1}


def test_lump_is_shared_evenly(rankings):
    post = ugt.plackett_luce(rankings, method="gibbs", unranked="lump", prior_shape=1.0, n_draws=2000)
    mean = post.mean()
    assert mean[0, 3] == mean[0, 4] == pytest.approx(post.case(0)[:, -1].mean() / 2)


def test_case_without_annotators_is_the_prior(post):
    assert post.case(2).shape[1] == 1
    assert max(z(value, 0.2, 800) for value in post.membership(1)[2]) < 7


def test_take_pickle_and_chains(post):
    part = post.take([3, 0])
    assert part.case(1).tobytes() == post.case(0).tobytes()
    assert post.take([-2, 0]).values.tobytes() == part.values.tobytes()
    assert post.take(np.arange(0)).values.size == 0
    assert post.take(np.arange(5)) is post
    again = pickle.loads(pickle.dumps(post))
    assert again.values.tobytes() == post.values.tobytes()
    found = ugt.ua_topk_accuracy(post, np.eye(5))
    independent = found.per_draw.std(ddof=1) / np.sqrt(post.n_draws)
    assert 0.8 * independent < found.mc_error < 5 * independent


def test_one_warning_names_how_many_cases_fall_short():
    rankings = ugt.Rankings.from_blocks([[[[0, 1], [2]], [[0, 1]]]] * 7, n_classes=30)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ugt.plackett_luce(rankings, method="gibbs", n_draws=40, n_warmup=0)
    assert len(caught) == 1
    assert "cases (R-hat above 1.05 or fewer than 25 effective draws per chain; worst R-hat" in str(caught[0].message)
    assert " of 7 cases" in str(caught[0].message)


def test_diagnostics_see_a_stuck_chain(post):
    assert (ugt.truth.plackett_luce_diagnostics(post).rhat < 1.05).all()
    with pytest.raises(TypeError, match=r"draws must come from plackett_luce\. Got DenseDraws"):
        ugt.truth.plackett_luce_diagnostics(ugt.Draws.from_array([[[0.5, 0.5]]]))


def test_labels_become_rankings_of_one_class():
    labels = ugt.Labels.from_counts([[2, 1], [0, 0], [0, 3]])
    made = as_rankings(labels)
    assert made.case_offsets.tolist() == [0, 3, 3, 6]
    assert made.items.tolist() == [0, 0, 1, 1, 1, 1]


def test_likelihood_takes_points_and_names_what_is_wrong(rankings):
    point = ugt.Point.from_array(np.full((5, 5), 0.2))
    expected = ugt.truth.plackett_luce_log_likelihood(rankings, np.full((5, 5), 7.0))
    np.testing.assert_allclose(ugt.truth.plackett_luce_log_likelihood(rankings, point), expected, rtol=1e-14)
    assert ugt.truth.plackett_luce_log_likelihood(rankings, np.full((5, 5), 1.0), gradient=True)[1].shape == (5, 5)
    with pytest.raises(ValueError, match=r"plausibilities must be numbers of shape \(5, 5\). Got float64 of shape \(5, 4\)"):
        ugt.truth.plackett_luce_log_likelihood(rankings, np.ones((5, 4)))
    bad = np.ones((5, 5))
    bad[1, 2] = -1
    refused(r"plausibilities must be finite and not negative. Got -1.0, .* class 2", ugt.truth.plackett_luce_log_likelihood, rankings, bad)


BAD = [
    ({"reliability": 0}, "reliability must be a finite number above 0. Got 0"),
    ({"reliability": float("inf")}, "reliability must be a finite number above 0. Got inf"),
    ({"tempering": 0}, "tempering must be a finite number above 0. Got 0"),
    ({"tempering": float("nan")}, "tempering must be a finite number above 0. Got nan"),
    ({"tempering": 1e3}, "tempering must be from 0.01 to 100. Got 1000.0"),
    ({"prior_shape": 0}, "prior_shape must be a finite number above 0. Got 0"),
    ({"prior_mass": -1}, "prior_mass must be a finite number above 0. Got -1"),
    ({"prior_rate": float("nan")}, "prior_rate must be a finite number above 0. Got nan"),
    ({"prior_mass": 1, "prior_shape": 1}, "prior_mass must be left out if prior_shape is given"),
    ({"unranked": "drop"}, "unranked must be one of 'individual', 'lump', 'ignore'. Got 'drop'"),
    ({"n_draws": 0}, "n_draws must be a whole number of at least 1. Got 0"),
    ({"n_draws": 10, "method": "gibbs"}, "n_draws must be a multiple of n_chains=4. Got 10"),
    ({"n_chains": 0}, "n_chains must be a whole number of at least 1. Got 0"),
    ({"n_warmup": -1}, "n_warmup must be a whole number of at least 0. Got -1"),
    ({"n_thin": 0}, "n_thin must be a whole number of at least 1. Got 0"),
    ({"seed": "x"}, "seed must be an int"),
    ({"n_threads": 0}, "n_threads must be a whole number of at least 1. Got 0"),
    ({"dtype": np.int32}, "dtype must be float64 or float32"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_options(rankings, options, message):
    refused(message, ugt.plackett_luce, rankings, **options)


def test_only_rankings_and_labels():
    refused(r"rankings must be Rankings or Labels\. Got list", ugt.plackett_luce, [[0]], error=TypeError)


# ---- checkpoints and interruption ----

# A first call imports everything: in the middle of an import Ctrl-C can be swallowed.
RUN = """
import os, signal, numpy as np, ugt
signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background it is ignored
rng = np.random.default_rng(0)
nested = [[[[int(k)] for k in rng.permutation(12)[:4]] for _ in range(6)] for _ in range(400)]
rankings = ugt.Rankings.from_blocks(nested, n_classes=30)
ugt.plackett_luce(ugt.Rankings.from_blocks(nested[:2], n_classes=30), method={method!r}, n_draws=4, n_warmup=1, n_threads=2)
print("ready", flush=True)
post = ugt.plackett_luce(rankings, method={method!r}, reliability=2.5, n_draws=400, n_warmup={warmup}, n_threads=2, checkpoint={path!r})
np.save({out!r} + ".part.npy", post.values if {method!r} == "gibbs" else post.listed)
os.replace({out!r} + ".part.npy", {out!r})  # whole or not there at all
"""


def start(tmp_path, path, warmup=300, method="gibbs"):
    out = str(tmp_path / "out.npy")
    code = RUN.format(path=path, out=out, warmup=warmup, method=method)
    command = [sys.executable, "-W", "ignore", "-c", code]
    # in the temporary folder: with -c the folder at hand comes first, and the source tree may hold no compiled core
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert process.stdout.readline() == "ready\n"
    return process, out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_killed_run_ends_with_the_same_bytes(tmp_path):
    process, out = start(tmp_path, None)
    assert process.wait(120) == 0, process.stderr.read()
    expected = np.load(out).tobytes()
    os.remove(out)
    path = str(tmp_path / "run.checkpoint")
    for delay in (0.02, 0.1, 0.2):
        process, out = start(tmp_path, path)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    if not os.path.exists(out):
        process, out = start(tmp_path, path)
        assert process.wait(120) == 0, process.stderr.read()
    assert np.load(out).tobytes() == expected
    process, out = start(tmp_path, path)  # all is there: nothing is sampled again
    assert process.wait(120) == 0
    assert np.load(out).tobytes() == expected


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(("delay", "method"), [(0.0, "gibbs"), (0.01, "gibbs"), (0.5, "gibbs"), (0.01, "auto"), (0.5, "auto")])
def test_ctrl_c_ends_a_run(tmp_path, delay, method):
    process, _ = start(tmp_path, None, warmup=2_000_000, method=method)  # minutes
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    assert "KeyboardInterrupt" in process.stderr.read()


def test_checkpoints_of_something_else_are_refused(rankings, tmp_path):
    path = tmp_path / "run"
    first = ugt.plackett_luce(rankings, method="gibbs", n_draws=400, checkpoint=path)
    assert ugt.plackett_luce(rankings, method="gibbs", n_draws=400, checkpoint=path).values.tobytes() == first.values.tobytes()
    for other in ({"reliability": 2}, {"tempering": 2}, {"seed": 1}, {"n_draws": 800}, {"unranked": "lump"}, {"dtype": np.float32}):
        with pytest.raises(ValueError, match="checkpoint must be of the same data, options and version"):
            ugt.plackett_luce(rankings, method="gibbs", **{"n_draws": 400, "checkpoint": path, **other})
    with pytest.raises(ValueError, match="checkpoint must be of the same data, options and version"):
        ugt.plackett_luce(ugt.Rankings.from_blocks(NESTED[:4], n_classes=5), method="gibbs", n_draws=400, checkpoint=path)
    whole = path.read_bytes()
    (tmp_path / "text").write_text("case,annotator,label\n" * 10, encoding="utf-8")
    with pytest.raises(ValueError, match="checkpoint must be a checkpoint file of ugt"):
        ugt.plackett_luce(rankings, method="gibbs", n_draws=400, checkpoint=tmp_path / "text")
    path.write_bytes(whole[:-5])  # cut off in the middle of a record: sampled again
    assert ugt.plackett_luce(rankings, method="gibbs", n_draws=400, checkpoint=path).values.tobytes() == first.values.tobytes()
    assert path.read_bytes() == whole
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    path.write_bytes(bytes(damaged))
    refused("checkpoint must not be damaged", ugt.plackett_luce, rankings, method="gibbs", n_draws=400, checkpoint=path)
    assert path.read_bytes() == bytes(damaged)


# ---- evaluate ----
@pytest.mark.filterwarnings("ignore")
def test_evaluate_on_draws(rankings):
    scores = {"A": np.eye(5), "B": np.full((5, 5), 0.2)}
    options = {"method": "gibbs", "reliability": (1, 2.5), "n_draws": 400, "k": (1, 2), "n_threads": 2}
    evaluation = ugt.evaluate(rankings, scores, aggregation="plackett-luce", **options)
    assert evaluation.left_out == {"case without annotations": 1}
    assert evaluation.provenance["parameters"]["n_draws"] == 400
    rows = [row for row in evaluation.metrics if row["reliability"] == 2.5 and row["metric"] == "topk_accuracy" and row["model"] == "A"]
    post = ugt.plackett_luce(rankings, method="gibbs", reliability=2.5, n_draws=400)
    expected = ugt.ua_topk_accuracy(post.take([0, 1, 3, 4]), np.eye(5)[[0, 1, 3, 4]])
    assert rows[0]["value"] == pytest.approx(expected.value, abs=1e-12)
    assert rows[0]["n_cases"] == 4
    assert rows[0]["mc_error"] > 0
    assert all(row["n_cases"] == 4 for row in evaluation.certainty)
