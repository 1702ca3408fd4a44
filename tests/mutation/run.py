"""Mutation tests of the modules that compute metrics: ``make mutation``; ``SHARE=0.2`` takes a fifth of the mutants, ``--again`` runs
those that survived last time. Mutants live in the memory of a child process, the tree is not touched. Needs Cosmic Ray and POSIX.

Each mutant meets the tests that run the line it changes, quickest first and those of its own module before others, until one fails
or --patience seconds of tests (as traced, which is slower) have passed. Results are in build/mutation: survivors.txt, results.json.
"""

import argparse
import ast
import hashlib
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "mutation"
sys.path[:0] = [str(ROOT), str(HERE)]
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # threads of matrix products do not come along into forked children

import numpy  # noqa: E402, F401  imported once, before the children are forked
import pytest  # noqa: E402
import scipy.optimize  # noqa: E402
import scipy.special  # noqa: E402
import scipy.stats  # noqa: E402, F401
from hypothesis import strategies  # noqa: E402, F401
from mutants import Mutant, first_line, lines_of, mutants, mutate  # noqa: E402
from reach import Reach  # noqa: E402

GIGABYTES = 6  # of address space for each mutant
RATE = 0.85
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]


def configuration():
    """Modules and their test files, and mutants that are known to be equivalent."""
    text = (HERE / "modules.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split(":") for line in text if line and line[0] != "#")
    modules = {name: [f"tests/unit/test_{test}.py" for test in tests.split()] for name, tests in rows}
    text = (HERE / "equivalent.txt").read_text(encoding="utf-8").splitlines()
    equivalent = [line for line in text if line and line[0] not in "# "]
    return modules, equivalent


class Child:
    """A forked process that answers with JSON in a file, within a number of seconds."""

    def __init__(self, work, seconds, name):
        self.answer = OUT / f"answer-{os.getpid()}-{name}.json"
        self.answer.unlink(missing_ok=True)
        self.deadline = time.monotonic() + seconds
        self.id = os.fork()
        if not self.id:
            self._run(work)

    def _run(self, work):
        code = 70
        try:
            os.setsid()
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES * 2**30,) * 2)
            code = work(self.answer)
        finally:
            os._exit(code)

    def ended(self):
        """The exit code, "timeout" if it was stopped, ``None`` while it runs."""
        process, status = os.waitpid(self.id, os.WNOHANG)
        if process:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() < self.deadline:
            return None
        os.killpg(self.id, signal.SIGKILL)
        os.waitpid(self.id, 0)
        return "timeout"


def run_all(jobs, workers, end=math.inf):
    """Jobs (work, seconds, what) in children, ``workers`` at once, begun until ``end``; yields what, exit code and answer as they end."""
    jobs, running = list(reversed(jobs)), {}
    number = 0
    while jobs or running:
        if time.monotonic() > end:
            jobs.clear()
        while jobs and len(running) < workers:
            work, seconds, what = jobs.pop()
            running[number] = (Child(work, seconds, number), what)
            number += 1
        time.sleep(0.05)
        for key, (child, what) in list(running.items()):
            code = child.ended()
            if code is not None:
                del running[key]
                answer = json.loads(child.answer.read_text(encoding="utf-8")) if child.answer.exists() else None
                child.answer.unlink(missing_ok=True)
                yield what, code, answer


def reach_of(files, workers):
    """Lines and seconds of every test of the files; kept from the last run where neither the file nor ugt has changed."""
    code = hashlib.sha256(b"".join(path.read_bytes() for path in sorted((ROOT / "ugt").rglob("*.py")))).hexdigest()
    keys = {file: hashlib.sha256((ROOT / file).read_bytes()).hexdigest() + code for file in files}
    store = OUT / "reach.json"
    kept = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
    kept = {file: kept[file] for file in files if file in kept and kept[file]["key"] == keys[file]}

    def traced(file):
        def work(answer):
            plugin = Reach(ROOT / "ugt")
            pytest.main([*OPTIONS[1:], file], plugins=[plugin])
            answer.write_text(json.dumps(plugin.found()), encoding="utf-8")
            return 0

        return work

    for file, code, found in run_all([(traced(file), 600, file) for file in files if file not in kept], workers):
        if not found:
            sys.exit(f"{file} could not be traced ({code})")
        kept[file] = {"key": keys[file], "tests": found}
        print(f"{file}: {len(found)} tests", flush=True)
        store.write_text(json.dumps(kept), encoding="utf-8")
    return {test: found for file in kept.values() for test, found in file["tests"].items()}


class Chooser:
    """The tests that a mutant meets."""

    def __init__(self, reach, modules, patience):
        self.modules, self.patience, self.seconds, self.tests_of = modules, patience, {}, {}
        fixtures = {test: set(map(tuple, found["lines"])) for test, found in reach.items() if "::" not in test}
        for test, found in reach.items():
            if "::" in test:
                self.seconds[test] = found["seconds"]
                for place in set(map(tuple, found["lines"])) | fixtures.get(test.split("::")[0], set()):
                    self.tests_of.setdefault(place, set()).add(test)

    def tests(self, mutant, tree):
        """Those of its own files before others, in the order of modules.txt, quickest first."""
        lines, own = lines_of(tree, mutant.line), [*self.modules["*"], *self.modules[mutant.module]]
        found = set().union(*(self.tests_of.get((mutant.module, line), set()) for line in lines))
        at_top = mutant.line in top(tree)
        if at_top or is_head(tree, mutant.line):
            files = own if at_top else self.modules["*"]
            found |= {test for test in self.seconds if test.split("::")[0] in files}
        return self._affordable(found, own, self.patience)

    def control(self, module):
        """Tests that run anything of a module, for its code as it is: they must pass."""
        found = set().union(*(tests for (name, _), tests in self.tests_of.items() if name == module))
        return self._affordable(found, self.modules[module], min(self.patience, 3.0))

    def _affordable(self, found, own, patience):
        rank = {file: place for place, file in enumerate(own)}
        chosen, spent = [], 0.0
        for test in sorted(found, key=lambda test: (rank.get(test.split("::")[0], len(own)), self.seconds[test], test)):
            if spent + self.seconds[test] <= patience or not chosen:
                chosen.append(test)
                spent += self.seconds[test]
        return chosen, spent


def is_head(tree, line):
    """Does the line belong to the head of a definition, where defaults of arguments are?"""
    heads = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return any(first_line(node) <= line < node.body[0].lineno for node in heads)


def top(tree):
    """Lines that run when the module is imported: constants, attributes of classes, what stands above a class."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    inside = [item for node in (tree, *classes) for item in node.body if not isinstance(item, (ast.FunctionDef, ast.ClassDef))]
    found = {line for node in inside for line in range(node.lineno, node.end_lineno + 1)}
    return found | {line for node in classes for line in range(first_line(node), node.body[0].lineno)}


class Loader(importlib.machinery.SourceFileLoader):
    """The module as it is in memory instead of as it is in its file; also the finder of itself."""

    def __init__(self, name, path, source):
        super().__init__(name, path)
        self.source = source

    def find_spec(self, fullname, path=None, target=None):
        """The module's own specification, for its name only."""
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def get_code(self, fullname):
        """Compiled from memory."""
        return compile(self.source, self.path, "exec", dont_inherit=True)


def killing(mutant, source, tests):
    """Work for a child: change the module, run the tests, exit as pytest does; 66 for a change that is none."""

    def work(answer):
        changed = mutate(mutant, source) if mutant.operator else (source, "", "")
        if changed is None:
            return 66
        answer.write_text(json.dumps(changed[1:]), encoding="utf-8")
        sys.meta_path.insert(
            0,
            Loader(
                "ugt." + mutant.module.replace("/__init__", "").replace("/", "."), str(ROOT / "ugt" / f"{mutant.module}.py"), changed[0]
            ),
        )
        return int(pytest.main([*OPTIONS, *tests])) if tests else 0

    return work


def write(rows, name):
    """Whole or not at all: a run that is stopped leaves what it had."""
    (OUT / "new.json").write_text(json.dumps(rows), encoding="utf-8")
    os.replace(OUT / "new.json", OUT / name)


def is_equivalent(module, old, new, equivalent):
    return any(fnmatchcase(f"{module}: {old} -> {new}", pattern.replace("[", "[[]")) for pattern in equivalent)


def chosen_mutants(modules, sources, share):
    """The same share of the mutants of every module, in an order in which every beginning is such a share too."""
    found = []
    for module in modules:
        rows = mutants(module, sources[module])
        random.Random(f"2026 {module}").shuffle(rows)
        found += [((place + 0.5) / len(rows), row) for place, row in enumerate(rows) if place < share * len(rows)]
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


def judged_before(sources):
    """Rows of the last run whose modules have not changed since."""
    path = OUT / "results.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {Mutant(**row["mutant"]): row for row in rows if row["of"] == digest(sources.get(row["mutant"]["module"], ""))}


def digest(source):
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def control(module, source, tests, spent):
    """The job that changes nothing: without it, a child in which nothing works would pass for good tests."""
    mutant = Mutant(module, "", 0, 1)
    return killing(mutant, source, tests), 20 + 4 * spent, mutant


def judge(found, modules, sources, chooser, workers, end=math.inf):
    """A row for every mutant that is one: its state, the change, how many tests it met."""
    trees = {module: ast.parse(source) for module, source in sources.items()}
    jobs = []
    for mutant in found:
        tests, spent = chooser.tests(mutant, trees[mutant.module])
        jobs.append((killing(mutant, sources[mutant.module], tests), 20 + 4 * spent, (mutant, len(tests))))
    for mutant, code, _ in run_all([control(module, sources[module], *chooser.control(module)) for module in sources], workers):
        if code != 0:
            sys.exit(f"tests of {mutant.module} fail ({code}) without a change, in a child process")
    equivalent = configuration()[1]
    rows, start = [], time.monotonic()
    for (mutant, tests), code, answer in run_all(jobs, workers, end):
        if code == 66 or answer is None:
            continue
        state = "survived" if code == 0 else "killed"
        if state == "survived" and is_equivalent(mutant.module, *answer, equivalent):
            state = "equivalent"
        judged = {"state": state, "code": code, "old": answer[0], "new": answer[1], "tests": tests}
        rows.append({"mutant": asdict(mutant), **judged, "of": digest(sources[mutant.module])})
        if len(rows) % 50 == 0:
            counts = Counter(row["state"] for row in rows)
            print(f"{time.monotonic() - start:.0f} s: {len(rows)} of {len(found)}: {dict(counts)}", flush=True)
            write(rows, "partial.json")
    return rows


def report(rows, modules):
    """The table by module on standard output, the survivors in their file; the share that was killed."""
    print(f"{'module':34}{'mutants':>8}{'killed':>8}{'survived':>9}{'equivalent':>11}{'killed':>8}")
    total = Counter()
    for module in [*modules, "all"]:
        counts = Counter(row["state"] for row in rows if module in ("all", row["mutant"]["module"]))
        total = counts
        real = counts["killed"] + counts["survived"]
        if real or counts["equivalent"]:
            rate = f"{counts['killed'] / real:8.1%}" if real else ""
            print(f"{module:34}{real:8}{counts['killed']:8}{counts['survived']:9}{counts['equivalent']:11}{rate}")
    with (OUT / "survivors.txt").open("w", encoding="utf-8") as file:
        for row in rows:
            if row["state"] == "survived":
                mutant = row["mutant"]
                print(f"ugt/{mutant['module']}.py:{mutant['line']} {mutant['operator']} ({row['tests']} tests)", file=file)
                print(f"    {mutant['module']}: {row['old']} -> {row['new']}", file=file)
    write(rows, "results.json")
    return total["killed"] / max(total["killed"] + total["survived"], 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the mutants of each module, chosen with a fixed seed")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--patience", type=float, default=15.0, help="seconds of tests for a mutant")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no mutant after so long")
    parser.add_argument("--keep", action="store_true", help="what the last run killed counts as killed")
    parser.add_argument("--again", action="store_true", help="only the mutants of the last run, of which only those not killed are run")
    parser.add_argument("modules", nargs="*", help="all of modules.txt, if none is named")
    given = parser.parse_args()
    os.chdir(ROOT)
    OUT.mkdir(parents=True, exist_ok=True)
    modules = configuration()[0]
    named = given.modules or [module for module in modules if module != "*"]
    sources = {module: (ROOT / "ugt" / f"{module}.py").read_text(encoding="utf-8") for module in named}
    before = judged_before(sources) if given.again or given.keep else {}
    found = list(before) if given.again else chosen_mutants(named, sources, given.share)
    killed = [before[mutant] for mutant in found if mutant in before and before[mutant]["state"] == "killed"]
    done = {Mutant(**row["mutant"]) for row in killed}
    reach = reach_of(list(dict.fromkeys(file for files in modules.values() for file in files)), given.workers)
    end = time.monotonic() + 60 * given.minutes
    todo = [mutant for mutant in found if mutant not in done]
    rows = killed + judge(todo, modules, sources, Chooser(reach, modules, given.patience), given.workers, end)
    rate = report(rows, modules)
    print(f"{rate:.1%} killed; survivors: {OUT / 'survivors.txt'}")
    return 0 if rate >= RATE else 1


if __name__ == "__main__":
    sys.exit(main())
