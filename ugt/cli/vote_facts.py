"""How verdicts of judges, and votes between two models, were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.names import listed
from ..io.judge_logs import JudgeLog
from ..io.preference_files import PreferenceFile
from .facts import FileFacts, counted, some


@dataclass(frozen=True)
class VoteFacts(FileFacts):
    """The names that verdicts or votes have, by what they are of, the words of verdicts, and how many have no number."""

    names: Mapping[str, Sequence[str]]
    n_rows: int
    words: Sequence[str]
    n_worded: int
    left_out: Mapping[str, int]

    def record(self) -> dict[str, Any]:
        names = {what: len(own) if what == "case" else list(own) for what, own in self.names.items()}
        return {**{name: value for name, value in super().record().items() if name not in ("n_cases", "n_worded")}, "names": names}

    def sizes(self) -> list[str]:
        found = [counted(self.n_rows, self.kind[:-1]), *(counted(len(own), what) for what, own in self.names.items())]
        return [*found, *(f"left out: {reason} ({n:,})" for reason, n in self.left_out.items())]

    def rows(self) -> list[list[str]]:
        rows = [[self.kind, f"{self.n_rows:,}"], *([f"{what}s", some(own)] for what, own in self.names.items())]
        rows += [["words", some(self.words)]] if self.words else []
        return [*rows, *(["left out", f"{reason}: {n:,}"] for reason, n in self.left_out.items())]


def of_log(path: str, log: JudgeLog) -> VoteFacts:
    """Return the facts of a log of judges."""
    words = sorted({*log.verdict.tolist()} - {""})
    names = {"judge": log.judges, "system": log.systems, "case": [*dict.fromkeys(map(str, log.case.tolist()))]}
    worded = int(np.isnan(log.score).sum())
    return VoteFacts(path, "verdicts", "verdicts", log.form, {}, (), [], None, 0, names, len(log.case), words, worded, log.left_out)


def of_votes(path: str, read: PreferenceFile) -> VoteFacts:
    """Return the facts of a file of votes."""
    names = {"model": sorted({*read.first.tolist(), *read.second.tolist()})}
    for what, one in (("annotator", read.annotator), ("case", read.case)):
        names |= {} if one is None else {what: [*dict.fromkeys(one.tolist())]}
    n_ties = int((read.preferred == read.tie).sum())
    words = [f"tie ({n_ties:,})"] if n_ties else []
    return VoteFacts(
        path, "votes", "votes", "one row per vote", read.columns, read.unused, [], None, 0, names, len(read.preferred), words, 0,
        read.left_out,
    )  # fmt: skip


def judged(found: VoteFacts, people: str) -> tuple[str, list[str]]:
    """Return why judges can be compared with people, or what must be given for it, and the words of the command."""
    words = ["judge", people, found.file]
    if not found.n_worded:
        return f"{listed(found.names['judge'])} on {counted(len(found.names['case']), 'case')}", words
    return f"give a number for each verdict: --values {' '.join(f'{word}=X' for word in found.words[:6])}", []
