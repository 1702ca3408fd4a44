"""Planted misuse: what an evaluation notes of it, and that it notes nothing of data as they should be."""

import re
import warnings

import numpy as np
import pytest
from simulations import sets

import ugt
from ugt.annotations.adjudication import adjudicated
from ugt.evaluation.suspicions import _best_order, _gains, like_grades
from ugt.report.cautions import cautions
from ugt.report.digest import Digest
from ugt.tables.source import ReportSource

N, K = 200, 4
RNG = np.random.default_rng(0)
PLAUSIBLE = RNG.dirichlet([0.3] * K, N)
LABELS = [[int(c) for c in RNG.choice(K, 3, p=p)] for p in PLAUSIBLE]
GOOD = 0.7 * PLAUSIBLE + 0.3 * RNG.dirichlet(np.ones(K), N)
SHARES = np.stack([(np.array(LABELS) == k).sum(axis=1) for k in range(K)], axis=1) / 3
COPIES = np.repeat(np.arange(20), 10)
PATIENTS = [f"p{i // 3}_{i % 3}" for i in range(N)]
KNOWN = (
    "Metrics measure agreement",
    "The voted label",
    "3 annotators: intervals",
    "The interval over other annotators alone",
    "The scores of M came",
    "The columns of M have no names",
    "The scores of model M are not",
    "The truth model does not describe",  # the default prior fits none of these
    "Strata with fewer",
    "Log loss is infinite",
    "Annotators are not named",
)


def noted(labels, scores, classes=K, **options):
    made = {key: options.pop(key) for key in ("case_ids",) if key in options}
    known = labels if isinstance(labels, ugt.Labels) else ugt.Labels.from_wide(labels, classes=classes, **made)
    evaluation = ugt.evaluate(known, {"M": scores}, n_resamples=20, reliability=1, k=1, **options)
    return [note for note in map(str, evaluation.notes) if not note.startswith(KNOWN)]


def gaps(keep):
    """The third reader is not there where ``keep`` says so."""
    return [row if keep(i, row) else [*row[:2], None] for i, row in enumerate(LABELS)]


def named(names):
    return [[names[c] for c in row] for row in LABELS]


PLANTED = {
    "shifted by one": (LABELS, np.roll(GOOD, 1, 0), {}, "its rows may be shifted by one"),
    "shuffled": (LABELS, GOOD[np.random.default_rng(1).permutation(N)], {}, "that its rows are in the order of the cases"),
    "classes permuted": (LABELS, GOOD[:, [1, 2, 3, 0]], {}, "3 where the voted label is 0, .*its columns may be permuted"),
    "an annotator as a model": (LABELS, np.eye(K)[[row[1] for row in LABELS]], {}, "are the labels of annotator 1 in all of 200 cases"),
    "shares of the labels as a model": (LABELS, SHARES, {}, "are the shares of the labels"),
    "a model that has seen the labels": (LABELS, 0.9 * SHARES + 0.1 * GOOD, {}, "closer to the labels than their own probabilities"),
    "patients in ids": (LABELS, GOOD, {"case_ids": PATIENTS}, "members of 67 groups .such as 'p0_0' and 'p0_1'"),
    "copies of cases": ([LABELS[i] for i in COPIES], GOOD[COPIES], {}, "have 20 different predictions, each 10 times"),
    "degrees": (named(["mild", "moderate", "severe", "none"]), GOOD, {"classes": None}, "look like degrees .*which have an order"),
    "grades": (named(["grade 1", "grade 2", "Grade 3", "grade 4"]), GOOD, {"classes": None}, "look like numbers or grades"),
    "half grades": (named(["1", "1.5", "2", "2.5"]), GOOD, {"classes": None}, "look like numbers or grades"),
    "Roman numerals": (named(["I", "II", "III", "IV"]), GOOD, {"classes": None}, "look like Roman numerals"),
    "adjudication": (gaps(lambda i, row: row[0] != row[1]), GOOD, {}, "^All 111 cases with 2 labels are unanimous; .* 24%"),
    "two panels": (
        [[*row[:2], None, None] if i % 2 else [None, None, *row[:2]] for i, row in enumerate(LABELS)], GOOD, {},
        "2 panels without a common case",
    ),
    "hard cases without labels": (
        [row if PLAUSIBLE[i].max() > 0.6 else [None] * 3 for i, row in enumerate(LABELS)], GOOD, {},
        "cases without annotations are not like the others",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:All 111 cases")
@pytest.mark.parametrize("what", PLANTED)
def test_planted_misuse_is_noted(what):
    labels, scores, options, expected = PLANTED[what]
    notes = "\n".join(noted(labels, scores, **options))
    assert re.search(expected, notes, re.MULTILINE), notes


SOUND = {
    "complete": (LABELS, GOOD, {}),
    "labels lack by chance": (gaps(lambda i, row: i % 3), GOOD, {}),
    "one choice throughout": (LABELS, np.full((N, K), 0.25), {}),
    "a rule of few levels": (LABELS, np.round(GOOD * 4), {}),
    "patients that are named": (LABELS, GOOD, {"case_ids": PATIENTS, "clusters": [one.split("_")[0] for one in PATIENTS]}),
    "ids of one series": (LABELS, GOOD, {"case_ids": [f"case_{i}" for i in range(N)]}),
    "classes without an order": (named(["nevus", "melanoma", "other", "none"]), GOOD, {"classes": ["nevus", "melanoma", "other", "none"]}),
}


@pytest.mark.parametrize("what", SOUND)
def test_nothing_is_noted_of_data_as_they_should_be(what):
    labels, scores, options = SOUND[what]
    assert noted(labels, scores, **options) == []


@sets(300, 300)
def test_false_alarms_are_rare(n_sets):
    """Of 300 sound data sets with better and worse models fewer than 5 have any note: at most .001 a check is allowed."""
    alarms = []
    for seed in range(n_sets):
        rng = np.random.default_rng([1, seed])
        n, k = int(rng.integers(30, 120)), int(rng.integers(2, 6))
        plausible = rng.dirichlet([0.5] * k, n)
        counts = np.stack([rng.multinomial(rng.integers(2, 5), p / p.sum()) for p in plausible])
        share = rng.uniform(0.3, 1)
        model = share * plausible + (1 - share) * rng.dirichlet(np.ones(k), n)
        alarms += noted(ugt.Labels.from_counts(counts), model, details=False)
    assert len(alarms) < n_sets / 60, alarms


STAGES, ALPHABETICAL = ["normal", "mild", "moderate", "severe"], "mild, moderate, normal, severe"


def staged(right, truth, names=STAGES, **options):
    """Return the notes on a model whose columns have no names and are in the order of the stages."""
    labels = [[names[stage]] * 2 for stage in truth]
    return "\n".join(noted(labels, 0.01 + 0.9 * np.eye(len(names))[right], **{"classes": None, **options}))


def test_columns_without_names_are_read_in_an_order_that_is_said():
    truth = np.repeat(np.arange(4), [10, 15, 15, 60])
    said = f"The columns of M have no names: they were read in the order {ALPHABETICAL} (if it is another one, "
    notes = staged(truth, truth)
    assert said in "\n".join(
        map(str, ugt.evaluate(ugt.Labels.from_wide([[STAGES[t]] for t in truth]), {"M": np.eye(4)[truth]}, n_resamples=20).notes)
    )
    assert re.search("in 60% of the cases, but would agree in 100% .*'moderate' where the voted label is 'mild', .*may be permuted", notes)
    for options in ({"classes": STAGES}, {"names": range(4)}):
        assert "no names" not in staged(truth, truth, **options) and "permuted" not in staged(truth, truth, **options)
    named = {"scores": np.eye(4)[truth], "classes": STAGES}
    notes = ugt.evaluate(ugt.Labels.from_wide([[STAGES[t]] for t in truth]), {"M": named}, n_resamples=20).notes
    assert not any("no names" in note or "permuted" in note for note in map(str, notes))


def test_a_model_with_a_bias_is_not_one_with_permuted_columns():
    truth = np.repeat(np.arange(4), [25, 25, 25, 25])
    rare = np.repeat(np.arange(4), [5, 5, 5, 85])
    biased = {
        "mostly one grade too high": np.minimum(truth + (np.arange(100) % 25 < 17), 3),
        "one class for its neighbour": np.where(truth == 1, 2, truth),
        "two classes are one": np.where(truth == 1, 0, truth),
        "three classes are one": np.where(truth > 0, 2, 0),
    }
    for right in biased.values():
        assert "permuted" not in staged(right, truth, classes=STAGES)
    assert "permuted" not in staged(np.where(rare == 3, 2, rare), rare, classes=STAGES)  # it misses the common class


@sets(300, 3000)
def test_models_that_are_right_in_their_own_order_are_never_suspected(n_sets):
    rng = np.random.default_rng(8)
    for _ in range(n_sets):
        k, n = int(rng.integers(2, 7)), int(rng.integers(20, 200))
        confused = rng.dirichlet(np.full(k, 0.5), k)
        confused[range(k), range(k)] = confused.max(axis=1) + 0.05  # each class is chosen for itself most often
        table = (rng.dirichlet(np.ones(k))[:, None] * confused / confused.sum(axis=1, keepdims=True)).ravel()
        found = rng.multinomial(n, table / table.sum()).reshape(k, k) / n
        assert not _gains(found, _best_order(found, True), n)


@pytest.mark.parametrize(
    "names",
    ["0 1 2 >=3", "0 1 2 2-3 3 4", "Grade_I Grade_II Grade_III", "3+3 3+4 4+3 4+4", "Gleason_3+4=7 Gleason_4+3=7 Gleason_6", "≤1 2 3+",
     "BI-RADS_2 BI-RADS_4a BI-RADS_5", "KL0 KL1 KL2", "ISUP_grade_group_1 ISUP_grade_group_2 ISUP_grade_group_3", "1a 1b 2", "F0 F1 F2-3",
     "I IIa IIb III"],
)  # fmt: skip
def test_names_of_grades(names):
    classes = [name.replace("_", " ") for name in names.split()]
    (said,) = like_grades(ugt.Labels.from_counts(np.ones((2, len(classes)), int), classes=classes))
    assert said.code == "classes_like_grades"


@pytest.mark.parametrize("names", ["adenoma carcinoma polyp", "dog cat 3", "CIN VAIN VIN", "m-1 m-2 m-3", "0 1", "grade grades x"])
def test_names_of_no_grades(names):
    classes = names.split()
    assert not [*like_grades(ugt.Labels.from_counts(np.ones((2, len(classes)), int), classes=classes))]


ALIKE = (
    ugt.fleiss_kappa,
    ugt.agreement.gwet_ac1,
    ugt.krippendorff_alpha,
    ugt.agreement.percent_agreement,
    lambda one: ugt.histogram_losses(one, GOOD),
    lambda one: ugt.metrics.next_annotator_agreement(one, GOOD),
    lambda one: ugt.discrepancy_ratio(one, GOOD),
)


def test_functions_that_take_labels_of_a_case_as_drawn_alike_say_so():
    wide = PLANTED["adjudication"][0]
    labels, firsts = ugt.Labels.from_wide(wide, classes=K), ugt.Labels.from_wide([row[:2] for row in wide], classes=K)
    counted = ugt.Labels.from_counts(labels.counts())
    for function in ALIKE:
        with pytest.warns(
            UserWarning, match="All 111 cases with 2 labels are unanimous; .* readings of each case, those of all but 2, which"
        ):
            assert function(labels).value == function(firsts).value
        with pytest.warns(UserWarning, match="give them the first readings only"):
            assert function(counted).value != function(firsts).value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ugt.fleiss_kappa(ugt.Labels.from_wide(SOUND["labels lack by chance"][0], classes=K))


def test_first_readings_are_found_by_who_gave_them_or_by_their_order():
    wide = np.array(PLANTED["adjudication"][0], object)[:, [2, 0, 1]]  # the adjudicator's column comes first
    said, first = adjudicated(ugt.Labels.from_wide(wide, classes=K))
    assert "those of all but 0" in said.text and (first.counts() == ugt.Labels.from_wide(wide[:, 1:], classes=K).counts()).all()
    case, place = np.nonzero(np.not_equal(wide, None)[:, [1, 2, 0]])
    who = (case + place) % 5  # a pool of five, in which anybody may be the third
    said, first = adjudicated(ugt.Labels.from_long(case, who, wide[:, [1, 2, 0]][case, place].astype(int)))
    assert "in the order of the labels" in said.text and (first.counts() == ugt.Labels.from_wide(wide[:, 1:], classes=K).counts()).all()
    turned = np.lexsort((-place, case))
    said, first = adjudicated(ugt.Labels.from_long(case[turned], who[turned], wide[:, [1, 2, 0]][case, place].astype(int)[turned]))
    assert "if an order or a role shows" in said.text and first is None


def test_one_difference_among_the_others_is_no_evidence():
    assert adjudicated(ugt.Labels.from_counts([[2, 0]] * 50 + [[2, 1]])) == (None, None)
    assert adjudicated(ugt.Labels.from_counts([[2, 0]] * 50 + [[2, 1]] * 10)).note.code == "adjudicated"
    assert adjudicated(ugt.Labels.from_counts([[2, 0]] * 5 + [[2, 1]] * 3)) == (None, None)
    assert adjudicated(ugt.Labels.from_counts([[1, 0]] * 50)) == (None, None)


def test_what_spoils_a_model_leads_page_one():
    rng = np.random.default_rng(4)
    own, other = rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    labels = ugt.Labels.from_long(np.repeat(np.arange(40), 2), np.tile(["R1", "R2"], 40), np.stack([own, other], 1).ravel(), classes=3)
    for model, claim in (("copy", "A model repeats the annotations"), ("shifted", "A model may be read wrongly")):
        scores = np.eye(3)[own if model == "copy" else (own + 1) % 3]
        found = ugt.evaluate(labels, {model: scores}, n_resamples=20)
        first = cautions(Digest(ReportSource.read(found.to_dict())))[0]
        assert first.serious and first.claim == claim and model in first.sentence
