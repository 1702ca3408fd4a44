"""Makes the gallery: an image of every plot, and the page about them.

``python docs/gallery/plots_gallery.py FOLDER`` writes the images (PNG) into a folder; ``--page docs/gallery.md`` writes the page, whose
code is the code of the functions below.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import textwrap
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
from matplotlib import pyplot

import ugt
from ugt import plots, synthetic

STYLE = {"figure.figsize": (6.4, 4.0), "figure.dpi": 100, "figure.constrained_layout.use": True}

INTRODUCTION = """\
# Gallery

Every plot is a function of `ugt.plots`: it takes a record of the library, or plain numbers, and a matplotlib `ax`, draws, and returns
the ax. It needs matplotlib (`pip install "ugt[plot]"`). All data here are generated.

Lines, points and bars differ by dashes and markers as well as by colour, so that a grey print can be read. What is undefined or was left
out is counted in the legend or in the title. Several plots share a figure when each gets an `ax`:
`figure, (left, right) = pyplot.subplots(1, 2)`.

```pycon
>>> import numpy as np
>>> import ugt
>>> from ugt import plots, synthetic

```
"""


def certainty_curve():
    """How certain is the truth?

    Cases stand in the order of their certainty, the least certain first. The share of cases left of the bend is what the
    annotations leave open; how far the lines lie apart is how much depends on the reliability.
    """
    labels, _ = synthetic.make_labels(400, 6, 5, difficulty=0.4)
    certainty = {f"reliability {r}": ugt.annotation_certainty(ugt.dirichlet(labels, reliability=r)) for r in (0.5, 1, 3)}
    return plots.certainty_curve(certainty)


def accuracy_by_case():
    """On which cases does a model agree with the truth?

    The line is the certainty of the cases, the least certain first. Each dot is the accuracy of a model on one case: how often its first
    choice agrees with a truth drawn from what the annotations leave open. Dots on the line: the model chose the most plausible class, and
    no other choice has a higher accuracy. Dots below the line: it chose another class.
    """
    rankings, truth = synthetic.make_rankings(400, 20, 5, seed=0)
    posterior = ugt.prirn(rankings, reliability=10)
    certainty = ugt.annotation_certainty(posterior)
    accuracy = ugt.ua_topk_accuracy(posterior, synthetic.make_predictions(truth, skill=0.8))
    return plots.certainty_curve({"certainty": certainty, "accuracy": accuracy}, by=certainty)


def expected_risks():
    """How many cases have a clear risk?

    Each class has a risk: 0 is low, 1 medium, 2 high. The expected risk of a case is their mean, weighted by the plausibilities of the
    classes or by how often each of them is the most plausible one. Cases between the whole numbers have evidence for several risks.
    """
    rankings, _ = synthetic.make_rankings(400, 20, 5, seed=0)
    posterior, risk = ugt.prirn(rankings, reliability=10), np.arange(20) % 3
    kinds = {"by plausibility": "plausibility", "of the best class": "top_class"}
    ax = plots.case_histogram({name: ugt.truth.expected_risk(posterior, risk, kind=kind) for name, kind in kinds.items()})
    _ = ax.set_xlabel("expected risk (0 low, 1 medium, 2 high)")
    return ax


def annotators_by_risk():
    """Do cases of high risk have as many annotators as others?

    Bars count the cases of each risk by the number of their annotators; `of="classes"` gives the classes that these name instead. Risk is
    that of the first class by inverse ranks. Cases with few annotators have a less certain truth for that reason alone.
    """
    rng = np.random.default_rng(0)
    ranked = [[[[int(k)] for k in rng.choice(20, 3, replace=False)] for _ in range(n)] for n in rng.integers(2, 8, 400)]
    rankings = ugt.Rankings.from_blocks(ranked, n_classes=20)
    risk = np.array(["low", "medium", "high"])[ugt.irn(rankings).mean().argmax(axis=1) % 3]
    ax = plots.case_histogram(ugt.agreement.case_counts(rankings, risk).by_group("annotators"))
    _ = ax.set_xlabel("annotators of the case")
    return ax


def case_scatter():
    """Does certainty go with the agreement of annotators?

    A dot is a case: the certainty of its truth, and how many of its annotators name the class that the others put first. The legend has
    the correlation over cases, which `ugt.truth.case_correlation` gives with its interval.
    """
    rankings, _ = synthetic.make_rankings(400, 20, 5, seed=0)
    certainty = ugt.annotation_certainty(ugt.prirn(rankings, reliability=10))
    return plots.case_scatter(ugt.truth.case_correlation(certainty, ugt.agreement.leave_one_annotator_out(rankings)))


def metric_by_reliability():
    """Does the order of the models depend on the reliability?

    The band around a line is what the annotations leave open; the bars also hold what another set of cases would change. Where the
    lines cross, the order of the values changes; a dotted line stands there if the data show the change, which they do not here. At the
    right is ordinary accuracy against the voted label, which counts the vote as the truth.
    """
    rankings, models, _ = synthetic.make_demo()
    pair = {name: models[name] for name in ("clear-cut", "broad")}
    evaluation = ugt.evaluate(rankings, pair, k=1, n_resamples=500)
    return plots.metric_by_reliability(evaluation, voted=True, flips=True)


def rank_by_reliability():
    """Does the ranking of the models change?

    Each cell has the rank of a model, and in brackets the interval of that rank over resamples of the cases. A row that changes
    from left to right depends on the reliability; wide brackets say that these cases do not settle the order.
    """
    rankings, models, _ = synthetic.make_demo()
    evaluation = ugt.evaluate(rankings, models, k=1, n_resamples=500)
    return plots.rank_by_reliability(evaluation)


def plausibilities():
    """What do the annotations say about one case?

    Bars are mean plausibilities of the classes, dots are draws: how far these could be off. In brackets stand the ranks that
    annotators gave to the class. Here the first two classes overlap: either may be the true one. The markers are two point estimates,
    maximum likelihood and inverse ranks, which do not show that.
    """
    given = ["eczema > psoriasis", "psoriasis > eczema = tinea", "eczema", "psoriasis = eczema > lichen", "lichen > eczema"]
    names = ["eczema", "psoriasis", "tinea", "lichen", "rosacea"]
    rankings = ugt.Rankings.from_strings(["case 1"] * 5, ["ann", "bob", "cy", "dan", "eve"], given, classes=names)
    points = {"ML": ugt.truth.plackett_luce_mle(rankings), "IRN": ugt.irn(rankings)}
    return plots.plausibilities(ugt.plackett_luce(rankings, method="gibbs", seed=1), 0, annotations=rankings, points=points)


def rated_case():
    """What do ratings say about one case?

    Ratings of a case come from a normal law; each dot is one that they leave possible, with its mean and its precision 1/σ². Areas hold
    50, 80 and 95 % of the posterior, marks at the foot are the ratings. The line is a cut between two classes: the areas lie on both
    sides, so that the ratings leave open to which class the case belongs.
    """
    rng = np.random.default_rng(2)
    table = rng.normal(rng.normal(0.5, 1, 60), rng.gamma(8, 0.15, 60), (10, 60)).T.round().clip(-2, 2)
    posterior = ugt.truth.normal(table)
    case = int(np.argmin(ugt.truth.rating_certainty(posterior, 0, kind="mean").per_case))
    ax = plots.rated_case(posterior, case, ratings=table)
    _ = ax.axvline(0, color="0.6", linewidth=1)
    return ax


def accuracy_over_draws():
    """How well is the accuracy on these cases known?

    The histogram shows the accuracy over draws of the truth: how wide it is, is what the annotations leave open, however many other
    cases there are. Lines are the means.
    """
    rankings, models, _ = synthetic.make_demo()
    truth = ugt.prirn(rankings, reliability=10)
    found = {name: ugt.ua_topk_accuracy(truth, models[name]) for name in ("clear-cut", "broad")}
    return plots.accuracy_over_draws(found)


def soft_roc():
    """ROC: soft and hard

    The soft curve counts each case as positive with the share of annotators who say so; the hard one takes the majority for the
    truth. The soft one is lower because nobody can rank cases on which annotators are divided. The band is from 200 resamples of
    the cases.
    """
    labels, truth = synthetic.make_counts(300, 2, 5, difficulty=0.5)
    p, score = labels.counts()[:, 1] / 5, synthetic.make_predictions(truth, skill=0.7)[:, 1]
    curves = {"soft": ugt.soft.soft_roc_curve(p, score), "hard": ugt.soft.soft_roc_curve(p > 0.5, score)}
    x, rng = np.linspace(0, 1, 101), np.random.default_rng(0)
    again = [ugt.soft.soft_roc_curve(p, score, frequency=rng.multinomial(300, [1 / 300] * 300)) for _ in range(200)]
    low, high = np.quantile([np.interp(x, one.false_positive_rate, one.true_positive_rate) for one in again], [0.025, 0.975], axis=0)
    return plots.soft_curve(curves, band={"soft": (x, low, high)})


def soft_precision_recall():
    """Precision and recall: two models

    Precision is the share of positives among the cases above a threshold, recall the share of all positives that lies above it;
    both count each case as positive with the share of annotators who say so. The legend has the areas.
    """
    labels, truth = synthetic.make_counts(300, 2, 5, difficulty=0.5)
    p = labels.counts()[:, 1] / 5
    scores = {f"skill {skill}": synthetic.make_predictions(truth, skill=skill)[:, 1] for skill in (0.8, 0.5)}
    return plots.soft_curve({name: ugt.soft.soft_precision_recall_curve(p, score) for name, score in scores.items()})


def decision_curve():
    """At which thresholds does a model help, and by whose judgement?

    A model helps where its curve is above both grey lines, treating all and treating none. The shaded area is the range over single
    annotators, who differ in how readily they call a case positive.
    """
    rng = np.random.default_rng(0)
    risk, strict = rng.beta(1, 2, 300), np.array([0.8, 1.0, 1.0, 1.4])
    wide = (rng.random((300, 4)) < np.clip(risk[:, None] * strict, 0, 1)) * 1
    labels = ugt.Labels.from_wide(wide, classes=["healthy", "disease"])
    model = np.clip(risk + 0.15 * rng.normal(size=300), 0, 1)
    found = ugt.soft.net_benefit(labels, model, np.linspace(0.05, 0.7, 27))
    return plots.decision_curve({"model": found}, by_annotators=True)


def reliability_diagram():
    """Are predicted probabilities shares of annotators?

    On the diagonal annotators choose a class as often as the model says. The bold model is too sure of itself: below the diagonal
    at the right, above it at the left. The strip at the bottom shows how many cases each bin has.
    """
    labels, truth = synthetic.make_counts(4000, 2, 5, difficulty=0.6)
    cautious = synthetic.make_predictions(truth, skill=0.9)
    bold = cautious**3 / (cautious**3).sum(axis=1, keepdims=True)
    curves = {
        name: ugt.histogram_losses(labels, model, n_bins=10).reliability_curve(1)
        for name, model in [("cautious", cautious), ("bold", bold)]
    }
    return plots.reliability_diagram(curves)


def disagreement_diagram():
    """Does the model know when annotators will disagree?

    On the diagonal two annotators of a case differ as often as the model says. Point predictions take every case for the average case of
    that prediction: where the model does not know on what annotators agree, they differ less, here at the right. A concentration fitted to
    other cases mends that.
    """
    labels, truth = synthetic.make_counts(4000, 3, 5, difficulty=0.6)
    model, counts = synthetic.make_predictions(truth, skill=0.7), labels.counts()
    fitted = ugt.calibration.AlphaCalibration().fit(model[:2000], counts[:2000]).distribution(model[2000:])
    predicted = {"point": ugt.calibration.predicted_disagreement(model[2000:]), "calibrated": fitted.disagreement()}
    curves = {
        name: ugt.calibration.disagreement_losses(counts[2000:], one, n_bins=10).reliability_curve() for name, one in predicted.items()
    }
    return plots.reliability_diagram(curves)


def calibration_dispersion_map():
    """What would a calibrator mend?

    Upwards is what a calibrator can take away, to the right what only a better model can. Diagonals join models of the same
    epistemic loss. Blunting a model moves it straight up; noise moves it to the right.
    """
    labels, truth = synthetic.make_counts(2000, 3, 5, difficulty=0.6)
    models = {f"skill {skill}": synthetic.make_predictions(truth, skill=skill) for skill in (0.9, 0.7)}
    models["skill 0.9, blunt"] = 0.5 * models["skill 0.9"] + 0.5 / 3
    evaluation = ugt.evaluate(labels, models, k=1, n_resamples=200)
    return plots.calibration_dispersion_map(evaluation)


def forest():
    """Is the model as close to the annotators as they are to each other?

    Squares are models, circles annotators, each judged by the others. Left of the line at 1 one is nearer to the annotators than
    they are to each other; an interval across the line leaves that open.
    """
    labels, truth = synthetic.make_labels(300, 5, 6, difficulty=0.4)
    labels = ugt.Labels.from_wide(labels.label.reshape(300, 6), annotators=["ann", "bob", "cy", "dan", "eve", "fay"])
    models = {f"skill {skill}": synthetic.make_predictions(truth, skill=skill).argmax(axis=1) for skill in (0.9, 0.3)}
    found = ugt.humans.annotator_discrepancy(labels, predictions=models, distance="zero-one")
    return plots.forest(found, x_label="discrepancy ratio", numbers=True)


def rank_heat_map():
    """Do these cases settle the order of the models?

    A row has the probabilities of the ranks of one model, over resamples of the cases. A dark cell is a settled rank; where two
    rows share their weight over the same ranks, these cases do not say which of the two models is the better one.
    """
    labels, truth = synthetic.make_labels(300, 6, 5, difficulty=0.5)
    posterior = ugt.dirichlet(labels)
    names = ["A", "B", "C", "D", "E"]
    scores = [synthetic.make_predictions(truth, skill=skill, seed=i) for i, skill in enumerate((0.9, 0.85, 0.8, 0.6, 0.58))]
    right = np.stack([ugt.ua_topk_accuracy(posterior, score).per_case for score in scores], axis=1)
    return plots.rank_heat_map(ugt.bootstrap(right, n_resamples=1000, seed=0), names)


def rank_sets():
    """Which models are apart, and for whom?

    A bar has the ranks of a model that the data leave open; all bars of a colour hold together. Annotators have thresholds of their
    own, and so have the models. For these seven annotators most ranks are settled. Other annotators could prefer another model, so
    more annotators would help, and more cases would not.
    """
    rng = np.random.default_rng(4)
    severity, threshold = rng.normal(0, 1.5, 600), rng.normal(0, 0.4, 7)
    labels = ugt.Labels.from_wide((severity[:, None] + rng.normal(0, 0.5, (600, 7)) > threshold).astype(int), annotators=list("abcdefg"))
    cuts = {"very strict": 1.2, "strict": 0.5, "middle": 0.1, "mild": -0.5, "very mild": -1.2}
    chosen = {name: np.eye(2)[(severity + rng.normal(0, 0.5, 600) > cut).astype(int)] for name, cut in cuts.items()}
    results = {name: ugt.ua_topk_accuracy(ugt.dirichlet(labels), one) for name, one in chosen.items()}
    populations = {"these annotators": ("cases",), "other annotators": ("cases", "annotators")}
    return plots.rank_sets({name: ugt.rank_sets(results, random=random) for name, random in populations.items()})


def agreement_matrix():
    """Who agrees with whom?

    Each cell is the kappa of two annotators on the cases that both have seen. The two dark blocks are two schools, of which the
    second never uses one of the classes; a dash marks a pair that shares no case.
    """
    labels, _ = synthetic.make_labels(200, 4, 6, difficulty=0.3)
    table = labels.label.reshape(200, 6).astype(float)
    table[:, 3:] = np.maximum(table[:, 3:], 1)  # the second school calls class 0 class 1
    table[:100, 0] = np.nan  # ann saw the second half of the cases
    table[100:, 5] = np.nan  # fay the first
    labels = ugt.Labels.from_wide(table, annotators=["ann", "bob", "cy", "dan", "eve", "fay"])
    return plots.agreement_matrix(ugt.agreement.pairwise_agreement(labels))


def coverage_and_size():
    """Which prediction sets are small and keep their promise?

    A point at or above the line reaches the wanted coverage of a label drawn from the annotations; the further to the left, the
    fewer classes that takes. Bars are intervals over cases.
    """
    labels, truth = synthetic.make_labels(1200, 6, 4, difficulty=0.3)
    model, known = synthetic.make_predictions(truth, skill=0.8), ugt.dirichlet(labels)
    first, second = np.arange(600), np.arange(600, 1200)
    found = {}
    for score in ("lac", "aps", "raps"):
        conformal = ugt.conformal.MonteCarloConformal(score, alpha=0.1, m=20, penalty=0.1, k_reg=2).fit(model[first], known.take(first))
        found[score] = conformal.predict_sets(model[second]).coverage(known.take(second))
    return plots.coverage_and_size(found, target=0.9)


def ternary():
    """Three classes in a triangle

    Each cloud are draws of the plausibilities of one case; the legend says how many annotators chose benign, unclear and malign. A
    cloud in a corner: the annotations settle the case. A cloud along an edge: two classes are left. A cloud all over: too few
    annotations.
    """
    labels = ugt.Labels.from_counts([[12, 1, 0], [0, 8, 7], [1, 1, 1]], classes=["benign", "unclear", "malign"])
    draws = ugt.dirichlet(labels, prior=0.5).draws(300)
    return plots.ternary({"12 : 1 : 0": draws[0], "0 : 8 : 7": draws[1], "1 : 1 : 1": draws[2]}, names=labels.axes.classes)


def soft_labels():
    """How far are soft labels from the cut?

    A bar at 0 or 1: all annotators agree. Cases beside the dotted line have a hard label that another panel may turn.
    """
    rng = np.random.default_rng(2)
    return plots.soft_labels(rng.binomial(8, rng.beta(0.4, 0.8, 500)) / 8)


def annotator_roc_points():
    """Readers beside a model's ROC curve

    Each point is a reader, with the other readers as the reference, and 95 % intervals over cases. The curve is against all readers.
    """
    rng = np.random.default_rng(3)
    severity, care = rng.normal(size=(300, 1)), np.array([0.4, 0.6, 0.8, 1.2])
    cut = np.array([0.3, 0.8, 0.5, 0.6])
    readers = ugt.Labels.from_wide((severity + care * rng.normal(size=(300, 4)) > cut).astype(int), annotators=["ann", "bob", "eve", "joe"])
    model = severity[:, 0] + 0.6 * rng.normal(size=300)
    points = ugt.humans.annotator_roc_points(readers, model)
    return plots.annotator_roc_points(points, {"model": ugt.soft.soft_roc_curve(readers, model)})


def bland_altman():
    """Do two readers measure the same?

    Each point is a case; lines are the bias (a reader measures more than the other on average) and the limits of agreement, between which
    95 % of the differences lie; bands are 95 % intervals of these three.
    """
    rng = np.random.default_rng(4)
    truth = rng.uniform(40, 70, 60)
    readings = np.column_stack([truth + 2 * rng.normal(size=60), truth - 3 + 3 * rng.normal(size=60)])
    return plots.bland_altman(ugt.humans.bland_altman(ugt.Ratings.from_wide(readings)).pairs[0])


def grade_shares():
    """Who rates strictly?

    Each bar has the grades that one reader gave to the same 150 cases; darker is more severe. Readers stand in the order of their mean
    grade: dan calls a case severe more often than ann does. If readers had rated different cases, such bars would show their cases, too.
    """
    table = synthetic.make_ratings(150, 4, low=1, high=5)[0].value.reshape(150, 4).astype(int)
    table[:, 3] = np.minimum(table[:, 3] + (table[:, 3] > 2), 5)  # dan raises every grade above 2
    labels = ugt.Labels.from_wide(table, annotators=["ann", "bob", "cy", "dan"], ordered=[1, 2, 3, 4, 5])
    return plots.grade_shares(labels)


def grades_by_case():
    """On which cases do grades differ?

    Cases stand from the lowest mean grade to the highest; the colours above a case are the grades that its readers gave. Where steps are
    sharp, readers agree; in the middle, some cases have four different grades.
    """
    ratings, _ = synthetic.make_ratings(150, 4, low=1, high=5)
    labels = ratings.on_scale([1, 2, 3, 4, 5]).to_labels()
    return plots.grade_shares(labels, by="case")


def error_by_grade():
    """At which grades does a model err?

    Markers are the mean of prediction less grade, for a grade that is drawn from the truth of each case, with intervals over cases. The
    grey line is what the mean grade of each case would get. "Cautious" never predicts above 3.5, and lies below the line at grades 4 and 5.
    """
    ratings, made = synthetic.make_ratings(400, 4, low=1, high=5)
    truth = ugt.dirichlet(ratings.on_scale([1, 2, 3, 4, 5]).to_labels(), prior=0.2)
    return plots.error_by_grade(truth, {"close": made[:, 0], "cautious": np.minimum(made[:, 0], 3.5)})


def predictions_by_grade():
    """Do predictions follow the law of the grades?

    Each dot is a case: its mean grade across, the prediction up. A pale line holds the middle 80 % of the law of its grades. Long lines
    are cases whose grade is open, so that their distance from the diagonal says little.
    """
    ratings, made = synthetic.make_ratings(150, 4, low=1, high=5)
    truth = ugt.dirichlet(ratings.on_scale([1, 2, 3, 4, 5]).to_labels(), prior=0.2)
    return plots.predictions_by_grade(truth, {"model": made[:, 0]})


def cut_calibration():
    """Are predicted grades calibrated at every cut?

    For each cut of the scale, the probability of a grade above it is compared with the share of such labels. Points below the diagonal:
    the model expects grades above this cut more often than readers give them, here grade 5.
    """
    ratings, made = synthetic.make_ratings(4000, 4, low=1, high=5)
    above = 1 / (1 + np.exp(2.4 * ([1.5, 2.5, 3.5, 4.1] - made[:, :1])))  # probability of a grade above each of four cuts
    probs = -np.diff(above, prepend=1, append=0)
    at_cuts = ugt.grades.calibration_at_cuts(ratings.on_scale([1, 2, 3, 4, 5]).to_labels(), probs, n_bins=6)
    curves = {f"above grade {grade}": losses.reliability_curve(1) for grade, losses in enumerate(at_cuts, start=1)}
    return plots.reliability_diagram(curves)


def plan_frontier():
    """How many annotators are worth their cost?

    The cheapest design for each number of annotators; the mark is the cheapest of all. With fewer annotators than at the left end no
    number of cases gives the wanted width.
    """
    rng = np.random.default_rng(1)
    truth, skill = rng.integers(0, 3, 100), rng.beta(6, 2, 6)
    labels = np.where(rng.random((100, 6)) < skill, truth[:, None], rng.integers(0, 3, (100, 6)))
    model = np.eye(3)[np.where(rng.random(100) < 0.8, truth, 0)]
    pilot = ugt.Labels.from_wide(labels)
    found = {f"width {width}": ugt.plan_annotations(pilot, model, width=width, cost=(5, 1, 50)) for width in (0.1, 0.15, 0.2)}
    return plots.plan_frontier(found)


def reliability_profile():
    """How far are annotators to be trusted?

    The log-likelihood under each reliability: of 60 references, and of 300. The interval is where a profile is above the dashed line.
    """
    labels, truth = synthetic.make_labels(300, 4, 5, difficulty=0.4, seed=3)
    reference = truth.argmax(axis=1)
    found = {f"{n} references": ugt.fit_reliability(labels, np.where(np.arange(300) < n, reference, np.nan)) for n in (60, 300)}
    return plots.reliability_profile(found)


GALLERY = (
    certainty_curve,
    accuracy_by_case,
    expected_risks,
    annotators_by_risk,
    case_scatter,
    plausibilities,
    rated_case,
    ternary,
    metric_by_reliability,
    accuracy_over_draws,
    rank_by_reliability,
    rank_heat_map,
    rank_sets,
    soft_roc,
    soft_precision_recall,
    decision_curve,
    soft_labels,
    reliability_diagram,
    disagreement_diagram,
    calibration_dispersion_map,
    forest,
    annotator_roc_points,
    bland_altman,
    agreement_matrix,
    grade_shares,
    grades_by_case,
    error_by_grade,
    predictions_by_grade,
    cut_calibration,
    coverage_and_size,
    plan_frontier,
    reliability_profile,
)


def images(folder: Path) -> None:
    """One PNG for each function of the gallery."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in GALLERY:
        with mpl.rc_context(STYLE):
            figure = make().figure
            figure.savefig(folder / f"{make.__name__}.png", metadata={"Software": None})
            pyplot.close(figure)


def page() -> str:
    """The text of docs/gallery.md."""
    return INTRODUCTION + "".join(map(section, GALLERY))


def section(make) -> str:
    """Heading, how to read the plot, its code as a session of Python, and its image."""
    heading, reading = inspect.getdoc(make).split("\n\n", 1)
    return f"\n## {heading}\n\n{reading}\n\n```pycon\n{session(make)}\n\n```\n\n![{heading}](gallery/{make.__name__}.png)\n"


def session(make) -> str:
    """The body of a function as it is typed, its result as ``ax``."""
    source = textwrap.dedent(inspect.getsource(make))
    body = ast.parse(source).body[0].body[1:]
    lines = source.splitlines()
    starts = {statement.lineno for statement in body}
    typed = []
    for number in range(body[0].lineno, body[-1].end_lineno + 1):
        line = lines[number - 1][4:].replace("return ", "ax = ", 1) if number == body[-1].lineno else lines[number - 1][4:]
        typed.append(f"{'>>>' if number in starts or line.startswith('#') else '...'} {line}".rstrip())
    return "\n".join(typed)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="where the images go")
    parser.add_argument("--page", type=Path, help="write the page to this file")
    chosen = parser.parse_args()
    if chosen.folder is not None:
        images(chosen.folder)
    if chosen.page is not None:
        chosen.page.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
