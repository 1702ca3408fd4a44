"""Which lines of ugt each test runs, and how long it takes: a mutant need only meet the tests that run its line."""

import sys
import threading
import time
from collections import defaultdict

import pytest


class Reach:
    """A plugin of pytest that notes lines as (module, line) for every test; what fixtures run counts for all tests of the file."""

    def __init__(self, package):
        self.package = str(package) + "/"
        self.lines = defaultdict(set)
        self.seconds = defaultdict(float)
        self.failed = set()
        self._now = None
        self._inside = {}

    def _local(self, frame, event, _):
        if event == "line":
            self._now.add((frame.f_code.co_filename, frame.f_lineno))
        return self._local

    def _trace(self, frame, event, _):
        name = frame.f_code.co_filename
        return self._local if name.startswith(self.package) and "/_core/" not in name else None

    def _record(self, test):
        self._now, start = self.lines[test], time.perf_counter()
        threading.settrace(self._trace)
        sys.settrace(self._trace)
        yield
        sys.settrace(None)
        threading.settrace(None)
        self.seconds[test] += time.perf_counter() - start

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item):
        yield from self._record(item.nodeid.split("::")[0])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        yield from self._record(item.nodeid)

    def pytest_runtest_logreport(self, report):
        if report.failed or report.skipped:
            self.failed.add(report.nodeid)

    def found(self):
        """Seconds and lines of every test that passed, and of the fixtures of each file under its name."""
        cut = len(self.package)
        return {
            test: {"seconds": self.seconds[test], "lines": sorted((name[cut:-3], line) for name, line in lines)}
            for test, lines in self.lines.items()
            if test not in self.failed
        }
