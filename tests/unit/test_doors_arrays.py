"""Arrays and frames as people have them: nullable, categorical, tensors; a table saved and read again is the same table."""

import io as text_io

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import ugt
import ugt.io
from ugt import Labels
from ugt._base import notices

LABELS = Labels.from_counts([[3, 1], [1, 3]], case_ids=["p", "q"], classes=["a", "b"])
SCORES = np.array([[0.9, 0.1], [0.2, 0.8]])


class Tensor:
    """What numpy sees of a tensor of torch that has a gradient and is on a device."""

    def __init__(self, array, steps=2):
        self.array, self.steps = np.asarray(array), steps

    def detach(self):
        return Tensor(self.array, self.steps - 1)

    cpu = detach

    def __array__(self, dtype=None, copy=None):
        if self.steps:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.array


class Lent:
    """An array that only says DLPack."""

    def __init__(self, array):
        self.array = np.asarray(array)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(
    "kind", [Tensor, pytest.param(Lent, marks=pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="numpy 1.23"))]
)
def test_tensors_are_arrays(kind):
    truth = ugt.dirichlet(LABELS)
    assert ugt.ua_topk_accuracy(truth, kind(SCORES)).value == ugt.ua_topk_accuracy(truth, SCORES).value
    assert ugt.annotation_certainty(kind(SCORES)).value == ugt.annotation_certainty(SCORES).value
    assert ugt.Predictions.from_any((["p", "q"], kind(SCORES))).scores.tolist() == SCORES.tolist()
    assert Labels.from_wide(kind([[0, 1], [1, 1]])).label.tolist() == [0, 1, 1, 1]
    assert Labels.from_counts(kind([[3, 1], [1, 3]])).counts().tolist() == [[3, 1], [1, 3]]
    assert Labels.from_long(kind([0, 1]), kind([0, 0]), kind([1, 0])).label.tolist() == [1, 0]
    assert ugt.fleiss_kappa(kind([[0, 1], [1, 1]]), classes=2).value == ugt.fleiss_kappa([[0, 1], [1, 1]], classes=2).value


def test_nullable_frames_are_numbers():
    pandas = pytest.importorskip("pandas")
    nullable = lambda rows, dtype: pandas.DataFrame(rows, columns=["a", "b"], index=["p", "q"]).astype(dtype)  # noqa: E731
    assert ugt.Predictions.from_any(nullable(SCORES, "Float64")).scores.tolist() == SCORES.tolist()
    assert Labels.from_counts(nullable([[3, 1], [1, 3]], "Int64")).counts().tolist() == [[3, 1], [1, 3]]
    assert ugt.ua_topk_accuracy(ugt.dirichlet(LABELS), nullable(SCORES, "Float64")).n_cases == 2
    read = Labels.from_wide(nullable([[1, None], [2, 1]], "Int64"))
    assert (read.axes.case_ids.tolist(), read.annotators.tolist(), read.axes.classes.tolist()) == (["p", "q"], ["a", "b"], [1, 2])
    refused(
        r"scores must be finite\. Got nan, first at case 'p', class 'b'",
        ugt.Predictions.from_any,
        nullable([[1, None], [0.2, 0.8]], "Float64"),
    )


def test_categories_that_nobody_used_are_classes():
    pandas = pytest.importorskip("pandas")
    label = pandas.Categorical(["low", "high", None], categories=["low", "mid", "high"])
    frame = pandas.DataFrame({"case": ["p", "q", "r"], "annotator": ["ann"] * 3, "label": label})
    wide = pandas.DataFrame({"ann": label, "bob": label[[1, 0, 2]]}, index=["p", "q", "r"])
    for read in (
        Labels.from_frame(frame),
        Labels.from_long(frame.case[:2], frame.annotator[:2], frame.label[:2]),
        Labels.from_wide(wide),
        ugt.io.read_annotations(frame).annotations,
        ugt.io.read_annotations(wide, format="wide").annotations,
    ):
        assert read.axes.classes.tolist() == ["low", "mid", "high"]
    assert Labels.from_frame(frame, classes=["high", "low"]).axes.classes.tolist() == ["high", "low"]
    assert ugt.fleiss_kappa(wide).value == ugt.fleiss_kappa(Labels.from_wide(wide)).value


def test_a_wide_frame_has_columns_for_annotators_only():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"case": [1, 2], "ann": [0, 1], "bob": [1, 1]})
    must = r"table must have columns for annotators only .* Got a column 'case'\."
    for door in (Labels.from_wide, ugt.Ratings.from_wide, lambda table: ugt.fleiss_kappa(table, classes=3)):
        refused(must, door, frame)
    assert Labels.from_wide(frame.set_index("case")).axes.case_ids.tolist() == [1, 2]


def test_groups_are_called_by_text():
    by_text, by_number = (ugt.annotation_certainty(ugt.dirichlet(LABELS), groups=one) for one in (["low", "high"], [1, 0]))
    assert by_text.per_case.tolist() == by_number.per_case.tolist()
    found = ugt.evaluate(LABELS, {"A": SCORES}, groups=["low", "high"], k=1, n_resamples=5, positive_class="b")
    assert found.provenance["groups"] == ["high", "low"]
    refused("group_names must be given for numbered groups only", ugt.evaluate, LABELS, {}, groups=["low", "high"], group_names=["a", "b"])


# ---- saved and handed in again

KINDS = {
    "int": st.integers(-3, 20),
    "text": st.sampled_from(["cat", "dog", "Cat", "007", "7", "1.5", "x y", "\u00e9t\u00e9"]),
    "numbers in text": st.sampled_from(["1", "2", "3", "10"]),
}


def tables(kind):
    return st.integers(2, 4).flatmap(
        lambda a: st.lists(st.lists(st.none() | KINDS[kind], min_size=a, max_size=a), min_size=2, max_size=6).filter(
            lambda rows: any(cell is not None for row in rows for cell in row)
        )
    )


def names_of(labels):
    """Who gave which label to which case, names as text."""
    case = np.repeat(labels.axes.case_ids, np.diff(labels.offsets))
    return sorted(zip(map(str, case), map(str, labels.annotators[labels.annotator]), map(str, labels.axes.classes[labels.label])))


def by_any_door(frame):
    """The annotations that each door reads from a long frame, or from the file that it is saved to."""
    pandas = pytest.importorskip("pandas")
    yield Labels.from_frame(frame)
    yield ugt.io.read_annotations(frame, format="long").annotations
    plain = text_io.StringIO()
    frame.to_csv(plain, index=False)
    yield Labels.from_frame(pandas.read_csv(text_io.StringIO(plain.getvalue()), dtype={"label": frame.dtypes["label"]}))
    try:
        import polars
    except ImportError:
        return
    yield Labels.from_frame(polars.from_dicts(frame.astype(object).where(frame.notna(), None).to_dict("records")))


@pytest.mark.filterwarnings("ignore")
@examples(25)
@given(st.data(), st.sampled_from(["object", "gaps", "Int64", "string", "category"]))
def test_a_frame_is_the_same_annotations_whatever_its_types(data, dtype):
    pandas = pytest.importorskip("pandas")
    rows = data.draw(tables("text" if dtype == "string" else "int"))
    expected = Labels.from_wide(rows, case_ids=[f"p{i}" for i in range(len(rows))], annotators=[f"r{j}" for j in range(len(rows[0]))])
    long = [(f"p{i}", f"r{j}", cell) for i, row in enumerate(rows) for j, cell in enumerate(row)]
    frame = pandas.DataFrame(long, columns=["case", "annotator", "label"]).astype({"label": object})
    if dtype == "gaps":
        frame["label"] = frame["label"].astype(float)
    elif dtype != "object":
        frame["label"] = frame["label"].astype(dtype)
    for read in by_any_door(frame):
        assert names_of(read) == names_of(expected)
    wide = pandas.DataFrame(rows, columns=expected.annotators, index=expected.axes.case_ids)
    for one in (wide, wide.astype(float) if dtype == "gaps" else wide.astype(dtype)):
        assert names_of(Labels.from_wide(one)) == names_of(expected)


@examples(40)
@given(st.sampled_from(sorted(KINDS)).flatmap(tables), st.randoms(use_true_random=False))
def test_the_order_of_rows_columns_and_classes_changes_no_number(rows, random):
    with notices.heard():
        labels = Labels.from_wide(rows)
        case, annotator = (random.sample(range(n), n) for n in np.shape(rows))
        classes = random.sample(labels.axes.classes.tolist(), labels.n_classes)
        moved = Labels.from_wide([[rows[i][j] for j in annotator] for i in case], classes=classes, case_ids=case, annotators=annotator)
        long = [(i, j, rows[i][j]) for i in case for j in annotator if rows[i][j] is not None]
        turned = Labels.from_long(*zip(*long), cases=range(len(rows)))
        for function in (
            ugt.agreement.percent_agreement,
            ugt.fleiss_kappa,
            ugt.krippendorff_alpha,
            lambda given: ugt.annotation_certainty(ugt.dirichlet(given)),
        ):
            value = function(labels).value
            for other in (moved, turned):
                assert function(other).value == pytest.approx(value, abs=1e-12, nan_ok=True)
