"""Signs in the data that a design or a file is not what its owner takes it for; they become notes and never errors.

With these thresholds, fewer than 5 of 300 simulated correct data sets had any note. A model that agrees with the voted label no better
than by chance gets a note, whatever the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.identifiers import factorize, name
from .._base.notes import Note
from .._base.wording import arg
from ..annotations import Labels, Ratings
from ..annotations.adjudication import adjudicated
from ..annotations.first_choices import first_choices
from ..resampling.blocks import connected

if TYPE_CHECKING:
    from .._base.arrays import Array, NDArray
    from ..tables.context import Context

FAR, NEAR = 6.0, 3.0  # standard deviations from chance
LEAST_GAIN = 0.2  # least share of the cases in which another order of the columns agrees and the given one does not
LEAST = 20  # least number of cases for a note
MEMBER = re.compile(r"^(.*[^\W_])[-_./ ]+(?:\d{1,4}|[A-Za-z])$")  # p12_1, p12-b
ROMAN = re.compile(r"^(?:i{1,3}|iv|vi{0,3}|ix|x)[ab]?$")
NUMBER = r"(?:\d+(?:[.,]\d+)?[a-c]?|i{1,3}[a-c]?|iv[a-c]?|vi{0,3}[a-c]?|ix|x)"  # Arabic or Roman, also 1.5, 4a
SCALES = (
    r"(?:grade?|group|stage|stadium|level|score|class|type|cat|category|tier|(?:bi|pi|li|ti|lung)-?rads|kl|kellgren[ -]lawrence|gleason"
    r"|isup|who|asa|nyha|mrs|ecog|fitzpatrick|f|g|t)"
)
NUMBERED = re.compile(rf"^(?:{SCALES}[ _:-]*){{0,3}}(?:[<>]=?|[≤≥])? *{NUMBER}(?: *[-–/+] *{NUMBER})?\+?(?: *= *\d+)?$")  # ≥3, 2-3, 3+4=7
LIKERT = re.compile(
    r"^(?:none|no|normal|absent|minimal|mild|slight|low|moderate|medium|marked|high|severe|extreme|critical|never|rarely|sometimes|often|always"
    r"|(?:strongly |somewhat )?(?:dis)?agree|neutral|(?:very )?(?:poor|bad|good)|fair|excellent)$"
)


def suspicions(context: Context) -> Iterator[Note]:
    """Yield a note for each sign."""
    known = context.known.given
    yield from like_grades(known)
    if context.clusters is None and context.times is None:  # equal cases of a row are meant to repeat
        yield from _members(np.asarray(known.axes.case_ids)[context.known.rows], known)
        yield from _repeated(context)
    if isinstance(known, Labels):
        yield from filter(None, [adjudicated(known, context.known.times).note])
        yield from _panels(known)
    for model, scores in context.scores.items():
        yield from _order(context, model, scores)
    yield from circular(context)
    yield from _unlabelled(context)


def like_grades(known: Any, from_file: bool = False) -> Iterator[Note]:
    """Yield a note if the names of classes without an order look like grades; names from 0 on are numbers of classes outside of files."""
    if isinstance(known, Ratings):
        return
    names = [str(one).strip().lower() for one in np.asarray(known.axes.classes).tolist()]
    made_up = not from_file and names == [str(k) for k in range(len(names))]
    if len(names) < 3 or made_up or getattr(known, "ordered", False):
        return
    way = " (to read them as grades, give their order, lowest first, by " + arg("ordered", ...) + ")" if isinstance(known, Labels) else ""
    for what, pattern in (("Roman numerals", ROMAN), ("numbers or grades", NUMBERED), ("degrees", LIKERT)):
        if all(pattern.match(one) for one in names):
            shown = ", ".join([*(name(one) for one in np.asarray(known.axes.classes)[:4]), *(["..."] if len(names) > 4 else [])])
            yield Note(
                "classes_like_grades",
                "The classes look like {what} ({shown}), which have an order. They are treated as unordered: a miss by one class counts as "
                "much as any other" + way + ".",
                what=what, shown=shown,
            )  # fmt: skip
            return


def _members(ids: NDArray[Any], known: Any) -> Iterator[Note]:
    if known.axes.numbered or len(ids) < LEAST:
        return
    found = [MEMBER.match(str(one)) for one in ids.tolist()]
    groups: dict[str, list[str]] = {}
    for match in filter(None, found):
        groups.setdefault(match[1], []).append(match[0])
    several = [members for members in groups.values() if len(members) > 1]
    n = sum(map(len, several))
    if len(several) >= 2 and n >= len(ids) / 2:
        yield Note(
            "clusters_not_given",
            "Case ids look like members of {n:,} groups (such as {first!r} and {second!r}). If the cases of a group belong to one patient, "
            "give clusters: without them intervals are too narrow.",
            n=len(groups), first=several[0][0], second=several[0][1],
        )  # fmt: skip


def _repeated(context: Context) -> Iterator[Note]:
    if not context.scores or context.n_cases < LEAST:
        return
    code, first = factorize(np.concatenate([np.asarray(table, np.float64) for table in context.scores.values()], axis=1))
    times = np.bincount(code)
    fine = any(_is_fine(table) for table in context.scores.values())
    if fine and len(first) >= 2 and times.min() >= 2:
        often = f"{times.min()} to {times.max()}" if times.max() > times.min() else f"{times.min()}"
        yield Note(
            "clusters_not_given",
            "The {n:,} cases have {n_different:,} different predictions, each {often} times. If cases are repeated, give clusters: without "
            "them intervals are too narrow.",
            n=context.n_cases, n_different=len(first), often=often,
        )  # fmt: skip


def _is_fine(scores: Array) -> bool:
    """Return whether scores are continuous, not multiples of a share such as 1/20."""
    return not any(np.abs(scores * n - np.round(scores * n)).max() < 1e-6 for n in (*range(1, 21), 100))


def _panels(known: Labels) -> Iterator[Note]:
    if not 2 <= len(known.annotators) <= 10_000:
        return
    said = first_choices(known)
    _, of_annotator = connected(said.case, said.annotator, known.n_cases, len(known.annotators))
    panel = of_annotator[np.unique(said.annotator)]
    sizes = np.bincount(panel)
    if (sizes > 0).sum() > 1:
        n_panels, alone = int((sizes > 0).sum()), int((sizes == 1).sum())
        of_one = f", {alone:,} of them a single annotator" if alone else ""
        words = (
            "Annotators fall into {n:,} panels without a common case{of_one}: annotators of different panels cannot be compared, and "
            "agreement is within panels. Intervals for others are for other panels with cases of their own, such as those of other sites."
        )
        yield Note("panels", words, n=n_panels, of_one=of_one)


def _order(context: Context, model: str, scores: Array) -> Iterator[Note]:
    """Yield a note if rows or columns of scores seem to be in another order than the cases or classes."""
    truth, choice = context.voted.membership(1), context.choices[model]
    ok = ~np.isnan(truth).any(axis=1)
    truth, choice, n = truth[ok], choice[ok], context.number(ok)
    if n < LEAST or (choice == choice[:1]).all() or (truth == truth[:1]).all():  # one choice, or one voted label, for all cases
        return
    table = (truth * context.often[ok, None]).T @ choice / n
    expected = table.sum(axis=1) @ table.sum(axis=0)
    spread = np.sqrt(max(expected * (1 - expected), 1e-12) / n)
    agreed = np.trace(table)
    own = (agreed - expected) / spread
    at = _best_order(table, own < NEAR)
    better = table[range(len(at)), at].sum()
    if own >= NEAR and not _gains(table, at, n):
        return
    best, shifted = _shifted(context, truth, choice, expected)
    if own < NEAR and shifted > FAR * spread:
        where = "the row before" if best == 1 else "the row after"
        words = (
            "Model {model!r} agrees with the voted label no better than by chance ({agreed:.2f}), and with that of {where} much more "
            "often: its rows may be shifted by one."
        )
        yield Note("rows_shifted", words, model=model, agreed=float(agreed), where=where)
    elif own >= NEAR or better > max(2 * agreed, expected + FAR * spread, expected + 0.2):
        pairs = [
            f"{name(context.known.axes.classes[j])} where the voted label is {name(context.known.axes.classes[i])}"
            for i, j in enumerate(at)
            if i != j and table[i].any()
        ]
        how = f"no better than by chance ({agreed:.2f})" if own < NEAR else f"in {agreed:.0%} of the cases"
        words = (
            "Model {model!r} agrees with the voted label {how}, but would agree in {better:.0%} of the cases if its classes were in "
            "another order ({order}): its columns may be permuted."
        )
        yield Note("columns_permuted", words, model=model, how=how, better=float(better), order=", ".join(pairs[:3]))
    elif own < 1 and expected < 0.9:
        words = (
            "Model {model!r} agrees with the voted label no better than by chance ({agreed:.2f}, by chance {expected:.2f}). Check that its "
            "rows are in the order of the cases."
        )
        yield Note("as_by_chance", words, model=model, agreed=float(agreed), expected=float(expected))


def _shifted(context: Context, truth: Array, choice: Array, expected: float) -> tuple[int, float]:
    """Return by how many rows choices agree most, and how far above chance; rows that stand for many cases have no neighbours."""
    if context.times is not None:
        return 0, 0.0
    shifts = {step: float((truth * np.roll(choice, step, axis=0)).sum() / len(truth) - expected) for step in (-1, 1)}
    best = max(shifts, key=lambda step: shifts[step])
    return best, shifts[best]


def _best_order(table: Array, always: bool) -> NDArray[Any]:
    """Return the column that fits each class best; without ``always``, the given one if another could not gain enough."""
    if not always and table.max(axis=1).sum() - np.trace(table) <= LEAST_GAIN:
        return np.arange(len(table))
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  (scipy is slow to import and rarely needed here)

    return np.asarray(linear_sum_assignment(-table)[1])


def _gains(table: Array, at: NDArray[Any], n: int) -> bool:
    """Return whether the columns agree far better in another order, in which every class with another column gains.

    So a model that is right in its own order is never suspected, nor one that prefers one class or is always one grade off.
    """
    here = np.arange(len(table))
    moved = (at != here) & table.any(axis=1)
    before, after = table[here, here][moved], table[here, at][moved]
    gain, changed = (after - before).sum(), (after + before).sum()
    return bool(moved.sum() > 1 and (after > before).all() and gain > max(LEAST_GAIN, FAR * np.sqrt(changed / n)))


def circular(context: Context) -> Iterator[Note]:
    """Yield a note for each model that has seen the annotations by which it is judged."""
    known, labels = context.known.annotations, context.known.labels
    if known is None:
        return
    judged = context.known.judged
    said = None if judged is None else first_choices(judged)
    counts = None if labels is None else context.known.counts
    for model, scores in context.scores.items():
        if said is not None:
            hit = said.share * context.choices[model][said.case, said.label]
            agreed = np.bincount(np.maximum(said.annotator, 0), hit * (said.annotator >= 0), len(known.annotators))
            n = np.bincount(np.maximum(said.annotator, 0), said.share * (said.annotator >= 0), len(known.annotators))
            for a in np.flatnonzero((n >= LEAST) & (agreed > n - 0.5)):
                words = "The first choices of model {model!r} are the labels of annotator {who} in all of {n:.0f} cases."
                yield Note("labels_of_annotator", words, model=model, who=name(known.annotators[a]), n=float(n[a]))
        if counts is not None and counts.shape == scores.shape:
            yield from _shares(model, scores, counts, context.often)


def _shares(model: str, scores: Array, counts: Array, often: Array) -> Iterator[Note]:
    n, total = counts.sum(axis=1), scores.sum(axis=1)
    if not (np.abs(total - 1) < 1e-6).all() or (scores < 0).any():
        return
    held = n > 0
    m = counts[held] / n[held, None]
    if often[held].sum() >= LEAST and np.abs(scores[held] - m).max() < 1e-6 and np.ptp(scores[held]) > 0:
        words = "The scores of model {model!r} are the shares of the labels: it is judged against the labels that it was made of."
        yield Note("shares_of_labels", words, model=model)
        return
    several = n > 1
    if often[several].sum() < LEAST:
        return
    z, own, m, often = scores[several], counts[several].astype(np.float64), n[several], often[several]
    # an unbiased estimate of the squared distance from the probabilities of the labels: negative only by chance
    loss = (z**2 - 2 * z * own / m[:, None]).sum(axis=1) + (own * (own - 1)).sum(axis=1) / (m * (m - 1))
    mean, variance = _mean_and_variance(loss, often)
    if mean < -4 * np.sqrt(variance) and mean < -1e-9:
        words = (
            "Model {model!r} is closer to the labels than their own probabilities are (debiased epistemic loss {loss:.4f}, below 0): it "
            "has seen them, or annotators of a case are not independent."
        )
        yield Note("labels_seen", words, model=model, loss=mean)


def _unlabelled(context: Context) -> Iterator[Note]:
    """Yield a note if models give other scores to the cases without annotations."""
    there = context.voted.defined
    n, often = context.number(~there), context.often
    if min(n, context.number(there)) < LEAST:
        return
    for model, scores in context.scores.items():
        top = scores.max(axis=1)
        (rest, of_rest), (own, of_own) = (_mean_and_variance(top[here], often[here]) for here in (there, ~there))
        if abs(own - rest) > 4 * np.sqrt(of_rest + of_own) > 0:
            words = (
                "The {n:,} cases without annotations are not like the others: the highest score of model {model!r} is {mean:.2f} on "
                "average for them, {other:.2f} for the others. The results are for the annotated cases only."
            )
            yield Note("unlike_unannotated", words, n=n, model=model, mean=own, other=rest)


def _mean_and_variance(values: Array, often: Array) -> tuple[float, float]:
    """Return the mean of numbers that occur so often, and its variance."""
    n, mean = float(often.sum()), float((often * values).sum() / often.sum())
    return mean, float((often * (values - mean) ** 2).sum() / (n - 1) / n)
