"""``ugt check``: how files are read, and what they can be used for."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._base.names import OF_TWO, positive_of
from .._base.notices import heard
from .._base.ragged import row_of
from .._base.wording import renamed
from .._tabular.csv_text import utf8
from .._tabular.roles import repeated
from .._tabular.source import naming
from .._tabular.windows import typed
from ..annotations import Predictions, Rankings, Ratings
from ..evaluation.grades import read as read_grades
from ..evaluation.input import aggregation_input, grades_of
from ..evaluation.suspicions import like_grades
from ..io.beside import cluster_file, prediction_file, subgroup_file
from ..io.judge_logs import read_judge_log
from ..io.kinds import KINDS, kind_of_file
from ..io.preference_files import preference_file
from ..tables.context import axes_of_ratings
from . import facts
from .cases import add_model_columns, add_positive_class, beside, named_apart, of_models, read_annotations, reading_words
from .command import complain, group, new_command, printable, said_of, say
from .facts import AnnotationFacts, CaseFacts, CasesJoined, FileFacts, PredictionFacts, counted
from .reading import add_reading
from .vote_facts import VoteFacts, judged, of_log, of_votes
from .wording import worded_note

TEXT = """
Reads files as the other commands do, and prints how each was read: its columns and their roles, cases, annotators and classes, how it was
joined to the annotations, what was left out and what was missing. Then prints which analyses these files allow, with the command for each.
Give all files of a study at once. Nothing is computed or written.

Files may be annotations, predictions, clusters (such as patients) and subgroups, in any order. If a file is taken for the wrong kind,
write its kind before its name, as in predictions=a.csv. ugt example writes files to try the command with.

ugt check ugt-example/labels.csv ugt-example/careful.csv ugt-example/hasty.csv
ugt check readings.csv a.csv b.npz patients.csv sites.csv
ugt check readings.csv predictions=a.csv clusters=patients.csv --json
"""


def add(commands: Any) -> None:
    usage = "[KIND=]FILE ... [options]"
    parser = new_command(commands, "check", run, "print how files are read, and what they can be used for", usage, TEXT)
    option = group(parser, "files")
    option("inputs", "FILE", f"{', '.join(KINDS[:-1])} or {KINDS[-1]}, detected unless given as in predictions=a.csv", nargs="+")
    add_positive_class(option)
    add_model_columns(option)
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    study = Study(options)
    for i, found in sorted(study.found.items()):
        say(*([""] if i else []), found.file, *_indented(found.lines()))
        if isinstance(found, Refused):
            complain(found.error)
    allowed = [*(study.allowed() if study.given is not None else []), *study.of_votes()]
    if allowed:
        say("", "Analyses that these files allow:")
        for one in allowed:
            say(f"  {'yes' if one.possible else 'no':<4}{one.what}: {one.why}", *([f"      {one.command}"] if one.command else []))
    inputs = [found.record() for _, found in sorted(study.found.items())]
    refused = sum(isinstance(found, Refused) for found in study.found.values())
    return {"inputs": inputs, "allows": [one._asdict() for one in allowed], "refused": refused, "files": []}


def _indented(rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"  {name:<13}{printable(text)}" for name, text in rows]


CERTAINTY, OF_MODEL = "certainty of each case", "evaluation of a model"
Facts = TypeVar("Facts", bound=FileFacts)


class Refused(NamedTuple):
    """A file that was not read, with the kind that it was to have; "": not known."""

    file: str
    kind: str
    error: str

    def lines(self) -> list[list[str]]:
        return [["not read", f"as {self.kind}: see the error" if self.kind else "see the error"]]

    def record(self) -> dict[str, Any]:
        return {name: value for name, value in self._asdict().items() if value or name != "kind"}


class Allowed(NamedTuple):
    """What the files allow or do not allow, with the reason and the command."""

    what: str
    possible: bool
    why: str
    command: str = ""


class Study:
    """The files of a study. Annotations are read first, because the other files are joined to them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.found: dict[int, FileFacts | Refused] = {}
        self.cases: dict[str, set[str]] = {}  # case ids by file of predictions, if it has them: as annotated, where they are
        self.open: dict[str, str] = {}  # what an evaluation asks, by file of predictions
        self.given: Any = None  # the first annotations
        self.path = ""
        self.axes: Any = None
        named = [self._named(item) for item in options.inputs]
        kinds = [kind or self._kind(i, path) for i, (kind, path) in enumerate(named)]
        for turn in (("annotations",), ("",), KINDS):
            for i, (_, path) in enumerate(named):
                if i not in self.found and kinds[i] in turn:
                    self._read(i, kinds[i] or self._kind(i, path), path)

        self.of_each = self._of_each()

    def _of_each(self) -> list[Allowed]:
        """Return agreement of files of one annotator each, if they can be read together; files that were refused alone then are read."""
        labels = [one.file for one in self._of(PredictionFacts) if one.values == "labels"] if self.given is None else []
        labels += [one.file for one in self._of(AnnotationFacts) if one.n_annotators == 1]
        refused = {i: one.file for i, one in self.found.items() if isinstance(one, Refused) and one.kind == "annotations" and not labels}
        files = labels or [*refused.values()]
        wide = argparse.Namespace(**{**vars(self.options), "format": "wide"})
        try:
            with heard():
                alone = {i: read_annotations(wide, path) for i, path in refused.items() if len(files) > 1}
                if len(files) < 2 or len({one.columns.get("annotator") for one in alone.values()}) > 1:
                    return []
                read_annotations(self.options, *files)
        except (ValueError, OSError, MemoryError):
            return []
        self.found.update({i: facts.of_annotations(refused[i], one) for i, one in alone.items()})
        each = "if each file has the labels of one annotator, who is named after it"
        return [Allowed("agreement of annotators", True, each, self._command("agreement", *files))]

    @staticmethod
    def _named(item: str) -> tuple[str, str]:
        kind, equals, path = item.partition("=")
        return (kind, path) if equals and kind in KINDS and not os.path.exists(item) else ("", item)

    def _kind(self, i: int, path: str) -> str:
        """Return the kind of a file; "" if it cannot be known before the classes are."""
        options = self.options
        told = options.annotator_columns or options.mapping or options.ratings or options.scale or options.ordered is not None
        if len(options.inputs) == 1 and (options.format != "auto" or told):
            return "annotations"
        try:
            kind = kind_of_file(path, None if self.axes is None else self.axes.classes, **beside(options, path))
            return kind or ("annotations" if self.axes is None and self.given is not None else "")
        except (ValueError, OSError, MemoryError) as problem:
            self.found[i] = Refused(utf8(path), "", said_of(problem))
            return ""

    def _read(self, i: int, kind: str, path: str) -> None:
        if i in self.found:
            return
        try:
            with heard() as said, naming(path):
                found = self._facts(kind or "annotations", path)
        except (ValueError, OSError, MemoryError) as problem:
            self.found[i] = Refused(utf8(path), kind or "annotations", said_of(problem))
            return
        self.found[i] = replace(found, file=utf8(path), notes=[*found.notes, *map(worded_note, dict.fromkeys(said))])

    def _facts(self, kind: str, path: str) -> FileFacts:
        options, axes, name = self.options, self.axes, os.path.basename(self.path)
        if kind == "annotations":
            read = read_annotations(options, path)
            if self.given is None:
                self.given, self.path = read.annotations, path
                self.axes = _axes_of(self.given)
            about = facts.of_annotations(path, read)
            return replace(about, notes=[*about.notes, *map(worded_note, like_grades(read.annotations, from_file=True))])
        if kind == "predictions":
            classes = None if axes is None else axes.classes
            on_scale = isinstance(self.given, Ratings) or bool(getattr(self.given, "ordered", False))
            file = prediction_file(path, classes, options.positive_class, on_scale=on_scale, **of_models(options, path))
            found = facts.of_predictions(path, file, axes, name, on_scale)
            one = next(iter(file.models.values()))
            if one.case_ids is not None:
                rows = np.full(len(one.case_ids), -1) if axes is None else one.located(axes)[1]
                known = one.case_ids.tolist() if axes is None else axes.case_ids.tolist()
                self.cases[utf8(path)] = {str(known[i] if i >= 0 else name) for i, name in zip(rows.tolist(), one.case_ids.tolist())}
            if axes is not None:
                self.open[utf8(path)] = self._open(file.models)
            return found
        if kind == "verdicts":
            return of_log(path, read_judge_log(path, encoding=options.encoding))
        if kind == "votes":
            return of_votes(path, preference_file(path, encoding=options.encoding))
        own = beside(options, path)
        found_cases = cluster_file(path, cluster_column=options.cluster_column, **own) if kind == "clusters" else subgroup_file(path, **own)
        return facts.of_cases(path, kind, found_cases, axes, name)

    def _open(self, models: Mapping[str, Predictions]) -> str:
        """Return what an evaluation asks: which of two classes is positive, whether numbers of a model are grades; "" if nothing."""
        try:
            values = None if self._lacking() else grades_of(aggregation_input(self.given))
            if values is None and len(self.axes.classes) == 2 and self.options.positive_class is None:
                positive_of(self.axes.classes.tolist(), "positive_class", OF_TWO)
            for name, one in models.items() if values is not None else ():
                scores, rows = one.located(self.axes)
                given = {name: scores[rows >= 0]} if one.numbers else {}
                read_grades(given, {name}, np.asarray(values), self.axes.take(rows[rows >= 0]), None)
        except ValueError as problem:
            return said_of(renamed(problem, predictions_are="--predictions-are")).rstrip(".")
        return ""

    # ---- what can be done

    def allowed(self) -> list[Allowed]:
        """Return the analyses that the data allow or do not allow."""
        about = self._of(AnnotationFacts)[0]
        agreement = self._agreement(about)
        if lacking := self._lacking():
            return [Allowed(CERTAINTY, False, lacking), *agreement, Allowed(OF_MODEL, False, lacking)]
        return [self._certainty(about), *agreement, *self._evaluation(about), *self._fitted(), *self._of_cases(about)]

    def of_votes(self) -> list[Allowed]:
        """Return what verdicts of judges, votes between two models, and labels in one file per annotator allow."""
        rows = [*self.of_each]
        for one in self._of(VoteFacts):
            if one.kind == "votes":
                command = typed(["ugt", "preferences", one.file])
                rows.append(Allowed("strengths of models", True, f"{counted(one.n_rows, 'vote')} between two models each", command))
            elif self.given is None:
                rows.append(Allowed("judges beside people", False, "no file has labels or ratings by people"))
            else:
                why, words = judged(one, self.path)
                rows.append(Allowed("judges beside people", bool(words), why, self._command(*words) if words else ""))
        return rows

    def _of(self, kind: type[Facts]) -> list[Facts]:
        return [found for _, found in sorted(self.found.items()) if isinstance(found, kind)]

    def _about_cases(self, kind: str) -> list[tuple[CaseFacts, CasesJoined]]:
        return [(one, one.joined) for one in self._of(CaseFacts) if one.kind == kind and one.joined]

    def _command(self, name: str, *words: str) -> str:
        return typed(["ugt", name, *words, *reading_words(self.options)])

    def _certainty(self, about: AnnotationFacts) -> Allowed:
        if self._has_classes():
            return Allowed(CERTAINTY, True, "how far the annotations settle the class", self._command("certainty", self.path))
        cut = f"{sum(about.values or ()) / 2:g}"
        why = f"how far the ratings settle on which side of a cut a case lies; choose the cut, such as {cut} in the middle"
        return Allowed(CERTAINTY, True, why, self._command("certainty", self.path, "--cut", cut))

    def _lacking(self) -> str:
        """Return what ratings lack for an uncertain truth; "" if nothing, or if annotations are not ratings."""
        if not isinstance(self.given, Ratings):
            return ""
        try:
            aggregation_input(self.given)
        except ValueError:
            return "the scale of the ratings is not stated (--scale real, or its numbers, such as --scale 1,2,3,4,5)"
        first = self.given.value[self.given.offsets[row_of(self.given.offsets)]]
        differ = self._has_classes() or (self.given.value != first).any()
        return "" if differ else "no case has two different ratings, which would show how far annotators differ"

    def _has_classes(self) -> bool:
        """Return whether annotations are of classes or of the grades of a finite scale."""
        return not isinstance(self.given, Ratings) or isinstance(self.given.scale, tuple)

    def _agreement(self, about: AnnotationFacts) -> list[Allowed]:
        several, n = about.n_cases_of_several, about.n_annotators
        what = "agreement of annotators"
        if several == 0:
            return [Allowed(what, False, f"every case has one {about.taken_for[:-1]}, but agreement needs cases with two or more")]
        kind, command = about.taken_for, self._command("agreement", self.path)
        of = {
            "labels": "Fleiss' kappa, Krippendorff's alpha, AC1 and others",
            "ratings": "intraclass correlations and Krippendorff's alpha",
        }
        why = f"{of.get(kind, 'overlap of rankings')}, from {counted(several, 'case')} with two or more {kind}"
        rows = [Allowed(what, True, why, command)]
        if kind != "labels":
            return rows
        if n is None:
            return [*rows, Allowed("Cohen's kappa, single annotators", False, "the file does not name the annotators")]
        pairs = "of the two annotators" if n == 2 else f"of each pair among {n:,} annotators (Cohen's kappa compares exactly two)"
        return [
            *rows,
            Allowed("Cohen's kappa", n > 1, pairs if n > 1 else "there is one annotator, but it needs two", command if n > 1 else ""),
        ]

    def _evaluation(self, about: AnnotationFacts) -> list[Allowed]:
        models, common = self._together(self._of(PredictionFacts))
        files, others = self._typed(models)
        if refusal := self._no_evaluation(models, others):
            return [Allowed(OF_MODEL, False, refusal)]
        words = ["--annotations", self.path, "--predictions", *files, *self._words_of_cases()]
        lacking = any(one.joined and (one.joined.n_without or one.joined.n_not_annotated) for one in models)
        words += ["--missing", "drop"] if lacking else []
        words += ["--positive-class", self.options.positive_class] if self.options.positive_class is not None else []
        why = f"{counted(sum(len(one.models) for one in models), 'model')} on {counted(common, 'case')}"
        why += "; --missing drop leaves out the cases that only one file has" if lacking else ""
        rows = [Allowed(OF_MODEL, True, why, self._command("evaluate", *words, "--out", "report"))]
        if about.n_cases_of_several == 0 or about.n_annotators is None:
            need = "several annotators per case" if about.n_annotators else "annotators to be named"
            rows.append(Allowed("models beside annotators", False, f"it needs {need}, so the report leaves this part out"))
        return rows

    @staticmethod
    def _typed(models: list[PredictionFacts]) -> tuple[list[str], list[str]]:
        """Return files of predictions as they are typed, with a name if their models have equal ones, and the names of the other models."""
        times = Counter(name for one in models for name in one.models)
        alike = [one.file for one in models if len(one.models) == 1 and times[one.models[0]] > 1]
        others = [name for one in models if one.file not in alike for name in one.models]
        named = iter(named_apart(alike, others) if alike else ())
        return [next(named) if one.file in alike else one.file for one in models], others

    def _words_of_cases(self) -> list[str]:
        """Return the options for the first file of clusters that has all cases, and of subgroups that has any."""
        whole = [("--clusters", one.file) for one, joined in self._about_cases("clusters") if not joined.n_without]
        some = [("--subgroups", one.file) for one, joined in self._about_cases("subgroups") if joined.n_cases]
        return [*chain(*whole[:1], *some[:1])]

    def _no_evaluation(self, models: list[PredictionFacts], names: list[str]) -> str:
        """Return why models cannot be evaluated; "" if they can. ``names``: those of models that are not named by their files."""
        bad = [one.file for one in self.found.values() if isinstance(one, Refused) and one.kind == "predictions"]
        if not self._of(PredictionFacts):
            return f"{bad[0]} cannot be read (see the error)" if bad else "no file has predictions; give one together with the annotations"
        if not models:
            return "no annotated case has predictions; make the case ids equal in all files"
        asked = next((self.open[one.file] for one in models if self.open.get(one.file)), "")
        twice = repeated(names)
        return asked or ("" if twice is None else f"two models are named {twice!r}; rename one of them")

    def _together(self, models: list[PredictionFacts]) -> tuple[list[PredictionFacts], int]:
        """Return the files of predictions that share most cases, and the number of cases that all of them have."""
        annotated = set(map(str, self.axes.case_ids.tolist()))
        chosen: list[PredictionFacts] = []
        common = most = annotated
        for one in sorted(models, key=lambda one: -one.joined.n_cases if one.joined else 0):
            both = common & self.cases.get(one.file, annotated)
            most = most if chosen else both
            if both and (2 * len(both) > len(most)):
                chosen, common = [*chosen, one], both
        return [one for one in models if one in chosen], len(common)

    def _fitted(self) -> list[Allowed]:
        """Return whether calibrators and prediction sets are possible: they need one file to fit to and another to apply to."""
        if not self._of(PredictionFacts) or isinstance(self.given, Rankings) or not self._has_classes():
            return []
        what, labels = "calibration, prediction sets", self.path
        apart = [(one, other) for one, other in combinations(self.cases, 2) if not self.cases[one] & self.cases[other]]
        if not apart:
            why = "they need predictions for other cases in a second file: one file to fit to, one to apply to"
            return [Allowed(what, False, why)]
        first, second = apart[0]
        why = f"fitted to {first} and applied to {second}, if both are of one model"
        fit = self._command("calibrate", "--annotations", labels, "--fit", first, "--apply", second, "--out", "calibrated")
        sets = self._command("conformal", "--annotations", labels, "--calibrate", first, "--apply", second, "--out", "sets")
        return [Allowed("calibration", True, why, fit), Allowed("prediction sets", True, why, sets)]

    def _of_cases(self, about: AnnotationFacts) -> list[Allowed]:
        clusters = self._about_cases("clusters")
        if not clusters:
            why = "no file gives the patient of each case, so intervals treat cases as independent (--clusters FILE)"
            return [Allowed("intervals over patients", False, why)]
        (found, joined), what = clusters[0], "intervals over clusters"
        if joined.n_without:
            why = f"{found.file} lacks {joined.n_without:,} of {about.n_cases:,} cases, but every case needs a cluster"
            return [Allowed(what, False, why)]
        (n,) = found.values.values()
        return [Allowed(what, True, f"cases of {counted(n, 'cluster')} are resampled together: --clusters {found.file}")]


def _axes_of(given: Any) -> Any:
    """Return the names of cases and classes; the classes of ratings on a finite scale are its grades."""
    if not isinstance(given, Ratings):
        return given.axes
    return given.to_labels().axes if isinstance(given.scale, tuple) else axes_of_ratings(given)
