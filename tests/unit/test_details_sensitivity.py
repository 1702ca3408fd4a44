"""Each setting of the table of sensitivity against a whole evaluation that is made with it."""

from dataclasses import replace

import numpy as np
import pytest
from simulations import in_ci
from twins import details

import ugt
from ugt.tables import sensitivity

K = 4
ANNOTATORS = ("ann", "bob", "cid")


def long(rng, n, without, annotators, value):
    """Columns of some annotations of each case; those of one annotator may be left out."""
    said = [(f"c{i}", a, value()) for i in range(n) for a in annotators if rng.random() < 0.6]
    return zip(*(row for row in said if row[1] != without))


def labels(n=30, without=None, annotators=ANNOTATORS):
    rng = np.random.default_rng(0)
    return ugt.Labels.from_long(
        *long(rng, n, without, annotators, lambda: int(rng.integers(0, K))), classes=K, cases=[f"c{i}" for i in range(n)]
    )


def rankings(n=30, without=None):
    """Partial rankings with ties."""
    rng = np.random.default_rng(0)

    def ranking():
        a, b, c, _ = rng.permutation(K).tolist()
        return f"{a} > {b} = {c}" if rng.random() < 0.5 else f"{a} = {b}"

    return ugt.Rankings.from_strings(*long(rng, n, without, ANNOTATORS, ranking), classes=K, cases=[f"c{i}" for i in range(n)])


def models(n=30, seed=1):
    """Two with ties."""
    rng = np.random.default_rng(seed)
    return {name: rng.integers(1, 4, (n, K)).astype(float) for name in ("A", "B")}


def found(*given, **options):
    tables, notes = details.made(sensitivity, *given, **options)
    return tables["sensitivity"], notes


def evaluated(annotations, scores, **options):
    """Top-1 accuracy of each model at the middle reliability, and the cases it is of."""
    ev = ugt.evaluate(annotations, scores, **{"k": 1, "n_resamples": 2, "details": False, **options})
    used = ev.provenance["reliability"] or [None]
    found = [row for row in ev.metrics if (row["metric"], row["reliability"]) == ("topk_accuracy", used[len(used) // 2])]
    return {row["model"]: (row["value"], row["n_cases"]) for row in found}


def check(rows, kind, setting, values, main):
    """Rows of a setting have these values."""
    rows = [row for row in rows if (row["kind"], row["setting"], row["metric"]) == (kind, setting, "topk_accuracy")]
    assert [row["model"] for row in rows] == list(values)
    top = max(value for value, _ in values.values())
    best = " = ".join(name for name, (value, _) in values.items() if top - value <= 1e-12)
    for row in rows:
        value, n = values[row["model"]]
        assert row["value"] == pytest.approx(value, abs=1e-12)
        assert row["change"] == pytest.approx(value - main[row["model"]][0], abs=1e-12)
        assert (row["best"], row["n_cases"], row["metric"], row["k"]) == (best, n, "topk_accuracy", 1)


def refuted(annotations, options):
    """Whether held-out annotators refute a setting that can be checked quickly."""
    how = options["aggregation"]
    own = {name: options[name] for name in CHECKED.get(how, ()) if options.get(name) is not None}
    if how not in CHECKED or "ties" in options:
        return False
    return ugt.truth.split_panel_check(annotations, model=how.replace("-", "_"), per_annotator=False, seed=3, **own).p_value < 0.05


def finite(known, prior):
    """A fitted prior, if there is one."""
    fit = ugt.truth.fit_dirichlet_prior(known, per_class=prior == "fit per class")
    return fit if np.isfinite(fit.value).all() else None


def settings(rows):
    return list(dict.fromkeys((row["kind"], row["setting"]) for row in rows))


POINTS = {"method": "weighted", "n_draws": 40}
VOTES, IRN = (("aggregation", name, {"aggregation": name, "reliability": None}) for name in ("votes", "irn"))
FITTED = [("aggregation", name, {"aggregation": name, "reliability": None}) for name in ("dawid-skene", "glad")]
JOINED = ("model as an annotator", "dawid-skene")
PRIRN = ("aggregation", "prirn, reliability 30", {"aggregation": "prirn", "reliability": 30.0})
FULL = ("tie rule", "tied classes of a ranking weigh 1 each", {"tie_weight": "full"})


def reliabilities(*values):
    return [("reliability", f"{value:g}", {"reliability": value}) for value in values]


HALVED = reliabilities(0.5, 2.0)
CHECKED = {"dirichlet": ("prior", "reliability"), "prirn": ("tie_weight", "background", "reliability"), "dawid-skene": ()}
OF_LABELS = {
    "dirichlet": [
        *reliabilities(0.5, 2.0),
        *((f"{kind} and prior in proportion", name, {**changed, "prior": 0.1 * changed["reliability"]}) for kind, name, changed in HALVED),
        ("prior", "fitted", {"prior": "fit"}),
        ("prior", "fitted per class", {"prior": "fit per class"}),
        VOTES,
        IRN,
        PRIRN,
        *FITTED,
    ],
    "votes": [IRN, PRIRN, ("aggregation", "dirichlet, reliability 1", {"aggregation": "dirichlet", "reliability": 1.0}), *FITTED],
}
BACKGROUNDS = [("prior", f"background {value:g}", {"background": value}) for value in (0.001, 0.1)]
OF_RANKINGS = {
    "prirn": [*reliabilities(15.0, 60.0), *BACKGROUNDS, FULL, VOTES, IRN],
    "irn": [FULL, VOTES, PRIRN],
    "plackett-luce": [*reliabilities(1.5, 6.0), VOTES, IRN, PRIRN],
}
MIDDLE = {"dirichlet": 1.0, "prirn": 30.0, "plackett-luce": 3.0}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:chains have not mixed")
@pytest.mark.parametrize("ties", ["expectation", *in_ci("first")])
@pytest.mark.parametrize("make, how", [(labels, how) for how in OF_LABELS] + [(rankings, how) for how in OF_RANKINGS])
def test_every_setting_is_an_evaluation_of_its_own(make, how, ties):
    if (how, ties) == ("plackett-luce", "first"):
        ties = "expectation"
    scores = models()
    options = {"aggregation": how, "ties": ties, "seed": 3, **POINTS}
    rows, notes = found(make(), scores, **options)
    options["reliability"] = MIDDLE.get(how)
    main = evaluated(make(), scores, **options)
    other = {"expectation": ("first", "position"), "first": ("expectation", "expectation")}[ties]
    expected = [*(OF_LABELS if make is labels else OF_RANKINGS)[how], ("tie rule", f"tied scores by {other[1]}", {"ties": other[0]})]
    left = []
    for kind, setting, changed in expected:
        own = {"prior": finite(make(), changed["prior"])} if str(changed.get("prior", "")).startswith("fit") else changed
        if own.get("prior", 0) is None or refuted(make(), {**{n: value for n, value in options.items() if n != "ties"}, **own}):
            continue
        left.append((kind, setting))
        check(rows, kind, setting, evaluated(make(), scores, **{**options, **own}), main)
    for annotator in ANNOTATORS:
        check(rows, "annotator dropped", annotator, evaluated(make(without=annotator), scores, **options), main)
    every = set(left) | {("annotator dropped", a) for a in ANNOTATORS}
    assert set(settings(rows)) == every | ({JOINED} if make is labels else set())
    assert notes == []


def test_a_model_is_one_annotator_more():
    """As a column of a wide table; of annotators and a model that err independently its accuracy is found, which no consensus gives."""
    rng = np.random.default_rng(4)
    n, accuracy = 1500, 0.9
    true = rng.integers(0, 3, n)
    said = np.where(rng.random((n, 4)) < [0.75, 0.75, 0.75, accuracy], true[:, None], (true[:, None] + rng.integers(1, 3, (n, 4))) % 3)
    rows, _ = found(ugt.Labels.from_wide(said[:, :3], classes=3), {"M": np.eye(3)[said[:, 3]]})
    (row,) = [row for row in rows if (row["kind"], row["setting"]) == JOINED]
    whole = ugt.dawid_skene(ugt.Labels.from_wide(said, classes=3), prior=(1, 0.1, 1), seed=3)
    assert row["value"] == pytest.approx(whole.plausibilities.mean()[np.arange(n), said[:, 3]].mean(), abs=1e-9)
    right = (said[:, 3] == true).mean()
    assert abs(row["value"] - right) < 0.025 < right - (row["value"] - row["change"])


def test_cases_that_lose_their_only_annotator_drop_out():
    known = ugt.Labels.from_long(["1", "1", "2", "2", "3"], ["a", "b", "a", "b", "a"], [0, 0, 1, 0, 1], classes=2)
    scores = {"A": [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]}
    rows, _ = found(known, scores, aggregation="votes")
    dropped = {
        row["setting"]: (row["value"], row["change"], row["n_cases"]) for row in rows if (row["kind"], row["k"]) == ("annotator dropped", 1)
    }
    # main: right, half right, right
    assert dropped == {"a": (1.0, pytest.approx(1 / 6), 2), "b": (pytest.approx(2 / 3), pytest.approx(-1 / 6), 3)}


def test_only_judged_cases_count():
    known, scores = labels(), models()
    ids = [f"c{i}" for i in range(30)]
    part = {"A": ugt.Predictions(ids, scores["A"]), "B": ugt.Predictions(ids[5:], scores["B"][5:])}
    rows, _ = found(known, part, missing="drop", prior=1.0)
    main = evaluated(known, part, missing="drop", prior=1.0)
    double = evaluated(known, part, missing="drop", prior=2.0, reliability=2.0)
    check(rows, "reliability and prior in proportion", "2", double, main)
    check(rows, "annotator dropped", "bob", evaluated(labels(without="bob"), part, missing="drop", prior=1.0), main)


def test_first_orders_are_added_and_given_truths_have_a_rule_for_ties_only():
    assert found(labels(), models(), k=[2]) == found(labels(), models(), k=[1])
    scores, truth = models(), ugt.dirichlet(labels())
    rows, notes = found(truth, scores)
    assert settings(rows) == [("tie rule", "tied scores by position")] and notes == []
    check(rows, "tie rule", "tied scores by position", evaluated(truth, scores, ties="first"), evaluated(truth, scores))


def test_annotators_without_names_or_alone_are_not_dropped():
    alone = ["No annotator was dropped: there is one only."]
    for known, said in ((ugt.Labels.from_counts(labels().counts()), []), (labels(annotators=("ann",)), alone)):
        rows, notes = found(known, models())
        assert "annotator dropped" not in {row["kind"] for row in rows} and notes == said


def test_the_annotators_with_most_cases_are_dropped(monkeypatch):
    monkeypatch.setattr(sensitivity, "MOST_ANNOTATORS", 2)
    known = labels()
    per_annotator = {name: int((known.annotator == a).sum()) for a, name in enumerate(known.annotators.tolist())}
    rows, notes = found(known, models())
    most = sorted(per_annotator, key=lambda name: -per_annotator[name])[:2]
    assert [row["setting"] for row in rows if row["kind"] == "annotator dropped" and row["model"] == "A"] == most
    assert notes == ["Of 3 annotators the 2 with most cases were dropped one by one."]


def test_priors_go_with_the_reliability_and_a_background_may_be_taken_away():
    scores, prior = models(), [1.0, 1.2, 1.4, 1.6]
    rows, _ = found(labels(), scores, prior=prior)
    main = evaluated(labels(), scores, prior=prior)
    half = evaluated(labels(), scores, prior=[0.5, 0.6, 0.7, 0.8], reliability=0.5)
    check(rows, "reliability and prior in proportion", "0.5", half, main)
    rows, _ = found(labels(), scores, prior=0.0)
    assert not [name for _, name in settings(rows) if "proportion" in name]
    said = [(f"c{i}", a, r) for i in range(30) for a, r in zip(ANNOTATORS, 3 * [f"{i % K}"])]
    shared = ugt.Rankings.from_strings(*zip(*said), classes=K, cases=[f"c{i}" for i in range(30)])  # whom no background refutes
    rows, _ = found(shared, scores, background=0.1)
    assert [setting for kind, setting in settings(rows) if kind == "prior"] == ["background 0", "background 0.001"]


def test_what_takes_too_long_is_left_out_and_said(monkeypatch):
    context = details.context(labels(), models())
    every, _ = found(context)
    monkeypatch.setattr(sensitivity, "MOST_WORK", 30 * 4 * 2)
    rows, notes = found(context)
    assert rows == every[:4] and settings(rows) == [("reliability", "0.5"), ("reliability", "2")]
    left_out = (
        "reliability and prior in proportion (0.5), reliability and prior in proportion (2), prior (0.1), prior (fitted per class), "
        "tie rule (tied scores by position), aggregation (votes), aggregation (irn), "
    )
    said = "Sensitivity to some settings was not computed, because it takes too long: " + left_out
    assert len(notes) == 1 and notes[0].startswith(
        said + "aggregation (prirn, reliability 30), aggregation (dawid-skene), aggregation (glad) and 4 more"
    )


@pytest.mark.filterwarnings("ignore:chains have not mixed")
def test_settings_beside_integrals_are_all_by_points():
    """Their differences share random numbers, so that a rule for ties changes nothing where no scores are tied."""
    options = {"aggregation": "plackett-luce", "seed": 1, **POINTS}
    of_points, of_integrals = (found(rankings(), models(), **{**options, "method": method}) for method in ("gibbs", "auto"))
    assert of_integrals == of_points


@pytest.mark.filterwarnings("ignore:chains have not mixed")
def test_sampling_is_bounded(monkeypatch):
    context = details.context(labels(), models(), aggregation="plackett-luce", seed=1, **POINTS)
    every, _ = found(context)
    monkeypatch.setattr(sensitivity, "MOST_POINTS", 30 * (40 + sensitivity.LEARNING) + 10)
    rows, notes = found(context)
    assert set(settings(rows)) == {("reliability", "1.5"), *(key for key in settings(every) if key[0] in ("aggregation", JOINED[0]))}
    assert len(notes) == 1 and "reliability (6), tie rule (tied scores by position), annotator dropped" in notes[0]
    monkeypatch.setattr(sensitivity, "MOST_DRAWS", 30 * 40 - 1)
    rows, _ = found(context)
    assert {key[0] for key in settings(rows)} == {"aggregation", JOINED[0]}
    # without the values of the main analysis nothing can be said
    rows, notes = found(replace(context, metrics=[], columns=[]))
    assert rows == [] and notes == ["Sensitivity was not computed: sampling all cases anew takes too long."]


def test_one_case_and_what_is_passed_on_unchanged():
    rows, notes = found([[2, 1]], {"A": [[0.6, 0.4]]})
    assert {row["n_cases"] for row in rows} == {1} and notes == []
    row = sensitivity.Diagnostic(3.0, "largest R-hat", 1.01)
    context = details.context(labels(), models())
    tables, _ = details.made(sensitivity, replace(context, diagnostics=[row]))
    assert tables["diagnostics"] == [row._asdict()] and details.made(sensitivity, context)[0]["diagnostics"] == []
    known = rankings()
    arrays = (known.case_offsets, known.ranking_offsets, known.block_offsets, known.items, known.annotator)
    before = [array.copy() for array in arrays]
    found(known, models())
    for array, copy in zip(arrays, before):
        np.testing.assert_array_equal(array, copy)


def test_the_model_as_an_annotator_does_not_depend_on_the_order_of_the_classes():
    """Tied first choices are no label: they do not go to the class that stands first."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 80)
    wide = np.where(rng.random((80, 4)) < 0.6, truth[:, None], rng.integers(0, 3, (80, 4)))
    scores, names = np.round(rng.random((80, 3)) * 2 + np.eye(3)[truth]) / 2, np.array(["a", "b", "c"])
    assert (np.sort(scores, axis=1)[:, 1:].std(axis=1) == 0).sum() > 10  # ties
    found = []
    for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        labels = ugt.Labels.from_wide(names[wide], classes=names[order].tolist())
        table = ugt.evaluate(labels, {"m": scores[:, order]}, n_resamples=5, reliability=1, k=1).to_dict()["sensitivity"]
        found += [row["value"] for row in table if (row["kind"], row["setting"]) == JOINED]
    assert len(found) == 3 and max(found) - min(found) < 1e-5  # fits end at a tolerance
