"""What holds for every plot: axes, rendering, names, styles, examples, the gallery."""

import doctest
import importlib.util
import inspect
import io
import re
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import public_functions
import pytest
from refusals import refused

import ugt

matplotlib = pytest.importorskip("matplotlib", reason="plots need matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

from ugt import plots, synthetic  # noqa: E402

ROOT = Path(__file__).parents[2]
WITH_TWO = ("plausibilities", "rated_case", "error_by_grade", "predictions_by_grade")
FUNCTIONS = [name for name in plots.__all__ if callable(getattr(plots, name))]
LABELS, TRUTH = synthetic.make_labels(60, 3, 4, difficulty=0.5)
POSTERIOR = ugt.dirichlet(LABELS)
HARD_NAME = "_a model of US$ 5 and $ 7 with a name that is far too long for any one line of a legend"


PLAN = ugt.plan_annotations(components={"cases": 0.1, "annotators": 0.01, "labels": 0.1}, width=0.3, cost=(2, 1, 5))


def evaluation(names=("A", "B")):
    models = {name: synthetic.make_predictions(TRUTH, skill=0.5, seed=i) for i, name in enumerate(names)}
    return ugt.evaluate(LABELS, models, reliability=(1, 2, 5), k=1, n_resamples=20)


def losses():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = ugt.histogram_losses(LABELS, TRUTH, n_bins=3)
        return found, found.reliability_curve(0)


def ranks():
    truth = [[1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1]] * 20
    scores = {"good": [0.9, 0.1, 0.8, 0.2] * 20, "bad": [0.2, 0.7, 0.4, 0.9] * 20}
    return ugt.rank_sets({name: ugt.soft_auroc(ugt.Labels.from_wide(truth), one) for name, one in scores.items()}, random=("cases",))


#: what each function draws, made when it is needed, and whether it takes a mapping of names to such things
DRAWN = {
    **dict.fromkeys(("metric_by_reliability", "rank_by_reliability"), (lambda: (evaluation(),), False)),
    "calibration_dispersion_map": (lambda: (losses()[0],), True),
    "reliability_diagram": (lambda: (losses()[1],), True),
    "certainty_curve": (lambda: (ugt.annotation_certainty(POSTERIOR),), True),
    "case_histogram": (lambda: ([0.2, 0.4, 0.4],), True),
    "case_scatter": (lambda: (ugt.truth.case_correlation([0.9, 0.5, 0.7], [1.0, 0.4, 0.5]),), False),
    "rated_case": (lambda: (ugt.truth.normal([[1.0, 2, 2, 4]], prior=(0, 1, 2, 1.5)), 0), False),
    "plausibilities": (lambda: (POSTERIOR, 3), False),
    "accuracy_over_draws": (lambda: (ugt.ua_topk_accuracy(POSTERIOR, TRUTH),), True),
    "soft_curve": (lambda: (ugt.soft.soft_roc_curve([0.9, 0.5, 0.1], [3.0, 2.0, 1.0]),), True),
    "decision_curve": (lambda: (ugt.soft.net_benefit([0.9, 0.5, 0.1, 0.0], [0.8, 0.3, 0.4, 0.1], [0.1, 0.2, 0.4]),), True),
    "forest": (lambda: ((0.9, 0.8, 1.05),), True),
    "rank_heat_map": (lambda: ([[0.75, 0.25], [0.25, 0.75]],), False),
    "rank_sets": (lambda: (ranks(),), True),
    "agreement_matrix": (lambda: (ugt.agreement.pairwise_agreement(LABELS),), False),
    "coverage_and_size": (lambda: ((2.0, 0.9),), True),
    "soft_labels": (lambda: ([0.0, 0.25, 0.75, 0.75],), False),
    "ternary": (lambda: (POSTERIOR,), True),
    "plan_frontier": (lambda: (PLAN,), True),
    "bland_altman": (lambda: (ugt.humans.bland_altman([[1.0, 2.0], [3.0, 3.5], [5.0, 5.0], [2.0, 3.5]]).pairs[0],), True),
    "annotator_roc_points": (lambda: (ugt.humans.annotator_roc_points([[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 0]]),), False),
    "grade_shares": (lambda: (LABELS.in_order(),), False),
    "error_by_grade": (lambda: (POSTERIOR, TRUTH), False),
    "predictions_by_grade": (lambda: (POSTERIOR, TRUTH), False),
    "reliability_profile": (lambda: (ugt.truth.fit_predictive_reliability(LABELS),), True),
}


def named(name):
    return DRAWN[name][1]


@cache
def made(name):
    return DRAWN[name][0]()


def drawn(name, **options):
    arguments = made(name)
    return getattr(plots, name)(*(({"": arguments[0]},) if named(name) else arguments), **options)


def pixels(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3]


@pytest.fixture(autouse=True)
def close():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing here may warn, when drawing neither
        yield
    pyplot.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_plot_takes_and_returns_its_axes(name):
    figure, axes = pyplot.subplots(1, 2)
    assert drawn(name, ax=axes[1]) is axes[1]
    assert not axes[0].has_data() and not axes[0].texts and axes[0].get_legend() is None
    assert pyplot.get_fignums() == [figure.number] and drawn(name).figure is not figure


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_plot_can_be_rendered_small_and_twice_on_the_same_axes(name):
    figure, ax = pyplot.subplots(figsize=(2.4, 1.8), dpi=60)
    empty = pixels(figure).copy()
    drawn(name, ax=ax)
    once = pixels(figure).copy()
    assert (once != empty).any(axis=2).mean() > 0.005 and len(np.unique(once.reshape(-1, 3), axis=0)) > 5
    drawn(name, ax=ax)
    assert pixels(figure).shape == once.shape
    png = io.BytesIO()
    figure.savefig(png)
    assert png.getvalue().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if named(name)])
def test_names_are_drawn_whole_whatever_they_are(name):
    one, *_ = made(name)
    ax = getattr(plots, name)({HARD_NAME: one, "B": one})
    pixels(ax.figure)
    legend = ax.get_legend()
    texts = [text.get_text() for text in legend.get_texts()] if legend else [tick.get_text() for tick in ax.get_yticklabels()]
    assert len(texts) >= 2 and texts[0].replace("\n", " ").strip().startswith(HARD_NAME.replace("$", r"\$"))
    assert max(len(part) for part in texts[0].split("\n")) < 50


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if named(name) and name != "forest"])
def test_many_series_are_all_named_and_look_different(name):
    one, *_ = made(name)
    ax = getattr(plots, name)({f"model {i}": one for i in range(20)})
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [text.split(" (")[0] for text in texts[:20]] == [f"model {i}" for i in range(20)]
    handles = ax.get_legend_handles_labels()[0][:20]
    assert len({look(handle) for handle in handles}) == 20


def look(handle):
    """What tells a line or a bar apart from others."""
    if hasattr(handle, "patches"):
        return handle.patches[0].get_facecolor(), handle.patches[0].get_hatch()
    dashes = str(vars(handle).get("_dash_pattern", vars(handle).get("_us_dashSeq")))  # the latter: matplotlib < 3.6
    return handle.get_color(), dashes, handle.get_linestyle(), handle.get_marker()


@pytest.mark.full
@pytest.mark.slow
def test_many_models_with_hard_names_in_an_evaluation():
    names = [f"{HARD_NAME} {i}" for i in range(9)]
    many = evaluation(names)
    for function in (plots.metric_by_reliability, plots.rank_by_reliability, plots.forest, plots.calibration_dispersion_map):
        ax = function(many)
        pixels(ax.figure)
        legend = ax.get_legend()
        texts = [text.get_text() for text in legend.get_texts()] if legend else [tick.get_text() for tick in ax.get_yticklabels()]
        assert sum("far too long" in text.replace("\n", " ") for text in texts) == 9
        assert all(text.count("\n") <= (3 if legend else 1) for text in texts)


def test_styles_differ_and_notes_add_up():
    assert len({str(dash) for dash in plots.DASHES}) == len(plots.DASHES) == len(set(plots.MARKERS)) == len(plots.COLOURS)
    combined = {(plots._base.colour(i), str(plots._base.style(i)["linestyle"]), plots._base.marker(i)) for i in range(49)}
    assert len(combined) == 49
    _, ax = pyplot.subplots()
    for text in ("2 cells", "", "3 bins", "2 cells"):
        plots._base.note(ax, text)
    assert ax.get_title(loc="right") == "2 cells; 3 bins" and ax.get_title() == ""
    ax = plots.certainty_curve({"a": [0.5, 0.9]})
    plots.certainty_curve({"b": [0.4, 0.8]}, ax=ax)
    assert [line.get_color() for line in ax.lines] == list(plots.COLOURS[:2])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    ax = plots.agreement_matrix([[np.nan, 0.5], [0.5, np.nan]], ["x", "y"])
    plots.forest({"a": (1, 0.5, 2)}, ax=ax)
    plots.forest({"a": (1, 0.5, 2)}, ax=ax)
    assert ax.get_ylim() == (0.5, -0.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_axes_is_refused(name):
    refused(r"ax must be one matplotlib Axes\. Got ndarray\.", drawn, name, ax=pyplot.subplots(1, 2)[1])


@pytest.mark.parametrize("bad", ["text", object(), [[1], [2, 3]], {"a": "text"}, None])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_whatever_else_is_given_is_named(name, bad):
    argument = next(iter(inspect.signature(getattr(plots, name)).parameters))
    with pytest.raises((ValueError, TypeError), match=rf"^{argument} must (be|hold|have) .*Got"):
        getattr(plots, name)(*((bad, 0) if name in WITH_TWO else (bad,)))
    assert pyplot.get_fignums() == []  # nothing was drawn before the check


@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_matplotlib(monkeypatch, name):
    arguments = made(name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"plots need matplotlib: install ugt with the extra plot \(pip install"):
        getattr(plots, name)(*(({"": arguments[0]},) if named(name) else arguments))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_plot_is_documented_and_its_example_runs(name):
    function = getattr(plots, name)
    text = inspect.getdoc(function)
    assert all(f"{heading}\n{'-' * len(heading)}\n" in text for heading in ("Parameters", "Returns", "Raises", "Examples"))
    assert all(parameter in text for parameter in inspect.signature(function).parameters)
    (test,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    assert test.examples and doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def gallery():
    script = ROOT / "docs" / "gallery" / "plots_gallery.py"
    if not script.is_file():
        pytest.skip("no docs folder beside the tests")
    spec = importlib.util.spec_from_file_location("plots_gallery", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_gallery_shows_every_plot_and_its_page_is_what_the_script_makes():
    module = gallery()
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert module.page() == page, "run: python docs/gallery/plots_gallery.py --page docs/gallery.md"
    assert all(f"plots.{name}(" in page for name in FUNCTIONS)
    assert page.count("](gallery/") == page.count("\n## ") == len(module.GALLERY)


def test_the_script_writes_images_and_page(tmp_path, monkeypatch):
    module = gallery()
    monkeypatch.setattr(module, "GALLERY", (module.ternary, module.certainty_curve))  # all of them are made with the documentation
    monkeypatch.setattr(sys, "argv", ["plots_gallery.py", str(tmp_path / "images"), "--page", str(tmp_path / "page.md")])
    module.main()
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == module.page()
    images = sorted((tmp_path / "images").iterdir())
    assert [path.name for path in images] == ["certainty_curve.png", "ternary.png"]
    for path in images:
        assert 0.01 < (pyplot.imread(str(path))[..., :3] < 1).any(axis=2).mean() < 1


def records_of_all_kinds():
    """The first record of each kind that public functions take or return."""
    world, found = public_functions.make_world(12, 3, seed=1), {}
    made = dict.fromkeys(one for entry in public_functions.FUNCTIONS.values() for one in entry.given if callable(one))
    calls = [lambda one=one: one(world) for one in made]
    calls += [lambda entry=entry: entry.call(world) for entry in public_functions.FUNCTIONS.values()]
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            record = call()
        if type(record).__module__.startswith("ugt."):
            found.setdefault(type(record).__name__, record)
    found["BlandAltman"] = ugt.humans.bland_altman(public_functions.ratings(world), world["rated"])
    found["AnnotationPlan"] = PLAN
    return found


def test_every_plot_draws_or_refuses_every_kind_of_record():
    """A record of another kind is refused in words that name the argument, whatever the record lacks; nothing is half drawn."""
    records, n_drawn, wrong = records_of_all_kinds(), 0, []
    assert len(records) > 50
    for name in FUNCTIONS:
        argument = next(iter(inspect.signature(getattr(plots, name)).parameters))
        for kind, record in records.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    getattr(plots, name)(*((record, 0) if name in WITH_TWO else (record,)))
                n_drawn += 1
            except (TypeError, ValueError) as refusal:
                first = (argument, "truth", "predictions", "metric", "case", "spread", "group", "names", "labels", "bins")
                if not re.match(rf"({'|'.join(first)}) must (be|hold|have|name|give|leave) ", str(refusal)):
                    wrong.append((name, kind, str(refusal)[:80]))
            except Exception as crash:
                wrong.append((name, kind, repr(crash)[:80]))
            pyplot.close("all")
    assert not wrong and n_drawn > 60


def test_values_beyond_all_numbers_are_not_drawn():
    assert plots.certainty_curve(np.array([np.inf, 1.0, 3.0])).get_ylim()[1] < 4


def test_rank_sets_of_several_populations_are_beside_each_other():
    found, errors = (
        ranks(),
        ugt.rank_sets({name: ugt.soft_auroc([0.9, 0.1, 0.8, 0.2] * 20, [3.0, 1.0, 2.0, 0.0] * 20) for name in "ab"}, random=("cases",)),
    )
    ax = plots.rank_sets({"these": found, "others": found})
    bars, marks = ax.lines[::2], ax.lines[1::2]
    assert [line.get_xdata().tolist() for line in bars] == [[1, 1], [2, 2]] * 2 and [line.get_xdata()[0] for line in marks] == [1, 2] * 2
    height = [line.get_ydata()[0] for line in bars]
    assert height[0] < 0 < height[2] < 0.5 < height[1] < 1 < height[3] and [tick.get_text() for tick in ax.get_yticklabels()] == [
        "good",
        "bad",
    ]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["these", "others"]
    refused(
        "found must have rank sets of the same 2 models. Got those of a, b, first at 'other'",
        plots.rank_sets,
        {"one": found, "other": errors},
    )


def test_what_a_plot_takes_is_said():
    labels = ugt.Labels.from_wide([[0, 1], [1, 1], [2, 1]])
    ratings = ugt.Ratings.from_wide([[1.0, 2.0], [3.0, 3.5], [5.0, 5.0]])
    for call, said in (
        (lambda: plots.forest(ugt.humans.bland_altman(ratings)), "rows must be records with a value and an interval, .* Got BlandAltman"),
        (lambda: plots.forest(PLAN), "rows must be records with .* Got AnnotationPlan"),
        (lambda: plots.ternary(labels), "draws must be plausibilities of three classes, or numbers .* Got Labels"),
        (lambda: plots.certainty_curve(ugt.humans.bland_altman(ratings)), "Got BlandAltman"),
    ):
        with pytest.raises(TypeError, match=said):
            call()
